// Scrolling, for a page that grows at its end.

export const scrollToEnd = () => scrollTo({ top: document.documentElement.scrollHeight });

/** Scrolls along with a change of the page, unless the reader has scrolled up. */
export function keepingPlace(change) {
  const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 40;
  change();
  if (atEnd) scrollToEnd();
}
