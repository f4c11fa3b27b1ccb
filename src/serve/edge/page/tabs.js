// Tabs as assistive technology knows them.

import { el } from './markdown.js';

/** ARIA tabs; `views` are the panels' contents by their titles, the first is shown. */
export function tabs(id, views) {
  const titles = Object.keys(views);
  const buttons = titles.map((title, at) => el('button', {
    type: 'button', role: 'tab', id: `${id}-tab-${at}`, 'aria-controls': `${id}-panel-${at}`, click: () => select(at),
  }, title));
  const panels = titles.map((title, at) => el('div', {
    role: 'tabpanel', id: `${id}-panel-${at}`, 'aria-labelledby': `${id}-tab-${at}`, tabindex: 0,
  }, views[title]));
  const list = el('div', { role: 'tablist', 'aria-label': 'Views of the answer', keydown: onKey }, ...buttons);

  function select(chosen) {
    buttons.forEach((button, at) => {
      button.setAttribute('aria-selected', at === chosen);
      button.tabIndex = at === chosen ? 0 : -1;
      panels[at].hidden = at !== chosen;
    });
  }

  function onKey(event) {
    const at = buttons.indexOf(event.target);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const chosen = (next + buttons.length) % buttons.length;
    select(chosen);
    buttons[chosen].focus();
  }

  select(0);
  return { list, panels };
}
