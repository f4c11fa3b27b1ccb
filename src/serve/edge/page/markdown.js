// Markdown as DOM nodes. Foreign text only ever becomes text nodes and checked links, never HTML.

/** An element; an attribute whose value is a function is an event listener. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') node.addEventListener(name, value);
    else if (value != null && value !== false) node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children);
  return node;
}

/** A link that leaves the page; mere text where the address is neither http nor https. */
export function link(href, ...children) {
  if (!/^https?:\/\//i.test(href)) return el('span', {}, ...children);
  return el('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow' }, ...children);
}

/** A button that copies what `text` returns and says in its label how that went. */
export function copyButton(label, text) {
  const button = el('button', { type: 'button', 'aria-live': 'polite', click: copy }, label);
  async function copy() {
    // There is no clipboard on a page that came by http from another machine.
    const copied = await navigator.clipboard?.writeText(text()).then(() => true, () => false);
    button.textContent = copied ? 'Copied' : 'Not allowed';
    setTimeout(() => { button.textContent = label; }, 2000);
  }
  return button;
}

/** Shows a text that grows: only the blocks from the first changed one on are drawn again. */
export class MarkdownView {
  #root;
  #cite;
  #drawn = [];

  /** `cite(n)` gives the node for the mark `[n]`, or null where that is no citation. */
  constructor(root, cite) {
    this.#root = root;
    this.#cite = cite;
  }

  update(text) {
    const blocks = parse(text.split(/\r?\n/));
    const changed = blocks.findIndex(({ source }, at) => source !== this.#drawn[at]);
    const kept = changed < 0 ? blocks.length : changed;
    while (this.#root.childNodes.length > kept) this.#root.lastChild.remove();
    this.#root.append(...blocks.slice(kept).map(block => block.draw(this.#cite)));
    this.#drawn = blocks.map(block => block.source);
  }

  /** Lets the next update draw everything, for when citations have got another meaning. */
  forget() {
    this.#drawn = [];
  }
}

// Blocks. Each parser looks at the lines from `start` on and returns {end, draw}, or nothing if they are not its own.

const PARSERS = [fence, heading, rule, quote, list, table];
const ITEM = /^(\s*)([-*+]|(\d{1,9})[.)])(?:\s+(.*))?$/;

function parse(lines) {
  const blocks = [];
  for (let at = 0; at < lines.length;) {
    if (!lines[at].trim()) {
      at += 1;
      continue;
    }
    const block = opened(lines, at) ?? paragraph(lines, at);
    blocks.push({ ...block, source: lines.slice(at, block.end).join('\n') });
    at = block.end;
  }
  return blocks;
}

function opened(lines, at) {
  for (const parser of PARSERS) {
    const block = parser(lines, at);
    if (block) return block;
  }
}

/** How deep blocks are nested; deeper than anyone writes, they stay as they were written. */
const DEEPEST = 24;
let depth = 0;

function draw(lines, cite) {
  if (depth === DEEPEST) return [el('p', {}, lines.join('\n'))];
  depth += 1;
  try {
    return parse(lines).map(block => block.draw(cite));
  } finally {
    depth -= 1;
  }
}

function paragraph(lines, start) {
  let end = start + 1;
  while (lines[end]?.trim() && !opened(lines, end)) end += 1;
  const text = lines.slice(start, end).map(line => line.trimStart()).join('\n').trimEnd();
  return { end, draw: cite => el('p', {}, ...inline(text, cite)) };
}

function fence(lines, start) {
  const [, indentation, mark, language] = /^(\s*)(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/.exec(lines[start]) ?? [];
  if (!mark) return;
  const closes = line => line.trim().startsWith(mark) && !line.trim().replaceAll(mark[0], '');
  let end = start + 1;
  while (end < lines.length && !closes(lines[end])) end += 1;
  const code = lines.slice(start + 1, end).map(line => dedent(line, columns(indentation))).join('\n');
  return { end: Math.min(end + 1, lines.length), draw: () => codeBlock(language, code) };
}

function codeBlock(language, code) {
  const caption = el('figcaption', {}, el('span', {}, language || 'text'), copyButton('Copy', () => code));
  return el('figure', { class: 'code' }, caption, el('pre', { tabindex: 0 }, el('code', {}, code)));
}

function heading(lines, start) {
  const [, marks, text] = /^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$/.exec(lines[start]) ?? [];
  if (!marks) return;
  // The levels above are the page's own title and the question.
  const tag = `h${Math.min(Math.max(marks.length + 1, 3), 6)}`;
  return { end: start + 1, draw: cite => el(tag, {}, ...inline(text, cite)) };
}

function rule(lines, start) {
  if (/^ {0,3}([-*_])( *\1){2,}\s*$/.test(lines[start])) return { end: start + 1, draw: () => el('hr') };
}

function quote(lines, start) {
  const mark = /^ {0,3}> ?/;
  let end = start;
  while (end < lines.length && mark.test(lines[end])) end += 1;
  const inside = lines.slice(start, end).map(line => line.replace(mark, ''));
  if (end > start) return { end, draw: cite => el('blockquote', {}, ...draw(inside, cite)) };
}

// Two columns are enough to nest, where CommonMark wants three below "1.": models write both.
function list(lines, start) {
  const [, margin, , number] = ITEM.exec(lines[start]) ?? [];
  if (margin === undefined) return;
  const ordered = number !== undefined;
  const items = [];
  let width = 0;
  let end = start;
  for (let at = start; at < lines.length; at += 1) {
    const line = lines[at];
    const item = ITEM.exec(line);
    const nested = items.length && columns(line) >= columns(margin) + 2;
    if (!line.trim()) {
      items.at(-1).push('');
      continue;
    } else if (item && !nested) {
      if ((item[3] !== undefined) !== ordered || (items.length && rule(lines, at))) break;
      width = columns(margin) + item[2].length + 1;
      items.push([(item[4] ?? '').replace(/^\[ \] /, '☐ ').replace(/^\[x\] /i, '☑ ')]);
    } else if (nested) {
      items.at(-1).push(dedent(line, width));
    } else if (lines[at - 1].trim() && !opened(lines, at)) {
      items.at(-1).push(line);
    } else break;
    end = at + 1;
  }
  const drawItems = cite => items.map(inside => el('li', {}, ...draw(inside, cite)));
  return { end, draw: cite => el(ordered ? 'ol' : 'ul', { start: ordered ? number : null }, ...drawItems(cite)) };
}

function table(lines, start) {
  if (!lines[start].includes('|') || !/^[\s|:-]*-[\s|:-]*$/.test(lines[start + 1] ?? '')) return;
  const [head, rulers] = [cells(lines[start]), cells(lines[start + 1])];
  if (head.length !== rulers.length) return;
  let end = start + 2;
  while (lines[end]?.includes('|')) end += 1;
  const rows = lines.slice(start + 2, end).map(cells);
  const align = rulers.map(ruler => /:$/.test(ruler) && (/^:/.test(ruler) ? 'center' : 'right'));
  const cell = (tag, text = '', at, cite) => el(tag, { class: align[at] }, ...inline(text, cite));
  const row = (tag, texts, cite) => el('tr', {}, ...head.map((_, at) => cell(tag, texts[at], at, cite)));
  return {
    end,
    draw: cite => el('div', { class: 'table', role: 'group', 'aria-label': 'Table', tabindex: 0 }, el('table', {},
      el('thead', {}, row('th', head, cite)),
      el('tbody', {}, ...rows.map(texts => row('td', texts, cite))))),
  };
}

const cells = line =>
  line.trim().replace(/^\||(?<!\\)\|$/g, '').split(/(?<!\\)\|/).map(cell => cell.trim().replaceAll('\\|', '|'));

/** The width of the leading white space, a tab being four columns. */
const columns = line => /^\s*/.exec(line)[0].replaceAll('\t', '    ').length;

function dedent(line, width) {
  let at = 0;
  for (let left = width; left > 0 && /[ \t]/.test(line[at]); at += 1) left -= line[at] === '\t' ? 4 : 1;
  return line.slice(at);
}

// Text within a block. A rule is a pattern, tried where SPECIAL matches, and what is drawn for it; null is no match.

const SPECIAL = /[\\`*_~[!<]| {2,}\n|https?:\/\//g;

const within = tag => ([, text], cite, rules) => el(tag, {}, ...inline(text, cite, rules));

const MARKS = [
  [/\\([!-/:-@[-`{-~])/y, ([, character]) => character],
  [/(?:\\| {2,})\n|<br\s*\/?>/iy, () => el('br')],
  [/(?<!`)(`+)(?!`)([^]+?)(?<!`)\1(?!`)/y, ([, , code]) => el('code', {}, code.replace(/^ (.+) $/, '$1'))],
  [/\*\*(?=\S)([^]*?\S)\*\*(?!\*)/y, within('strong')],
  [/(?<![\p{L}\p{N}_])__(?=\S)([^]*?\S)__(?![\p{L}\p{N}_])/uy, within('strong')],
  [/(?<!\*)\*(?![\s*])([^]*?[^\s*])\*(?!\*)/y, within('em')],
  [/(?<![\p{L}\p{N}_])_(?![\s_])([^]*?[^\s_])_(?![\p{L}\p{N}_])/uy, within('em')],
  [/~~(?=\S)([^]*?\S)~~/y, within('s')],
];

const LINKS = [
  [/\[(\d{1,3})\](?!\()/y, ([, number], cite) => cite(Number(number))],
  // An image is only linked to: the page loads nothing from elsewhere.
  [/!?\[((?:[^[\]\\]|\\.|\[[^[\]]*\])*)\]\(\s*<?((?:[^()\s<>]|\([^()\s]*\))+)>?(?:\s+"[^"\n]*")?\s*\)/y,
    ([, label, href], cite) => link(href, ...inline(label || href, cite, MARKS))],
  [/<(https?:\/\/[^\s<>]+)>/y, ([, href]) => link(href, href)],
  [/https?:\/\/(?:[^\s<>()[\]"`|]|\([^\s<>()]*\))+(?<![.,;:!?'*_~])/y, ([href]) => link(href, href)],
];

const RULES = [...MARKS, ...LINKS];

function inline(text, cite, rules = RULES) {
  const parts = [];
  let done = 0;
  for (const { index } of text.matchAll(SPECIAL)) {
    const found = index >= done && apply(rules, text, index, cite);
    if (!found) continue;
    parts.push(text.slice(done, index), found.node);
    done = found.end;
  }
  return [...parts, text.slice(done)];
}

function apply(rules, text, index, cite) {
  for (const [pattern, drawMatch] of rules) {
    pattern.lastIndex = index;
    const match = pattern.exec(text);
    const node = match && drawMatch(match, cite, rules);
    if (node) return { node, end: index + match[0].length };
  }
}
