// A question and its answer: what was received, and how it is shown.

import { MarkdownView, copyButton, el, link } from './markdown.js';
import { keepingPlace } from './scroll.js';
import { ENDPOINT } from './server.js';
import { tabs } from './tabs.js';

const SHOWN_HEADERS = ['content-type', 'x-request-id', 'retry-after'];

export class Turn {
  static #count = 0;
  #id = `turn-${Turn.#count += 1}`;
  #started = performance.now();
  #frame = 0;
  // What has been received.
  text = '';
  #steps = '';
  #model = '';
  #sources = [];
  #usage = null;
  #pplx = {};
  // Where it is shown.
  #stepsText = el('p');
  #stepsBox = el('details', { class: 'steps', open: true, hidden: true },
    el('summary', {}, 'Steps'), el('div', { class: 'roll', tabindex: 0 }, this.#stepsText));
  #answer = el('div', { class: 'markdown' });
  #view = new MarkdownView(this.#answer, number => this.#citation(number));
  #below = el('div', { class: 'below' }, el('p', { class: 'waiting' }, 'Working'));
  #raw = el('div', { class: 'raw' });
  #events = null;
  #copy = copyButton('Copy answer', () => this.text);

  constructor(question, request) {
    this.question = question;
    this.request = request;
    const answer = el('div', {}, this.#stepsBox, this.#answer, this.#below);
    const { list, panels } = tabs(this.#id, { Answer: answer, Raw: this.#raw });
    const title = el('h2', { id: `${this.#id}-question` }, question);
    this.node = el('article', { class: 'turn', 'aria-labelledby': title.id },
      title, el('div', { class: 'bar' }, list, this.#copy), ...panels);
    this.#copy.hidden = true;
    this.#rawSection('Request', `POST ${ENDPOINT}\n\n${JSON.stringify(request, null, 2)}\n`);
  }

  onResponse({ status, statusText, headers }) {
    const shown = SHOWN_HEADERS.filter(name => headers.has(name)).map(name => [name, headers.get(name)]);
    this.#rawSection('Response', [`${status} ${statusText}`, ...shown.map(pair => pair.join(': '))].join('\n'));
  }

  onBody(body) {
    this.#rawSection('Body', body);
  }

  onEvent(text) {
    this.#events ??= this.#rawSection('Events, with the seconds since the question', '');
    this.#events.append(`${this.#seconds(3)}  ${text}\n`);
  }

  /** Takes a chunk of a stream or a reply in one piece; returns the error that it holds, if it does. */
  onChunk({ choices, error, model, usage, pplx, search_results: sources }) {
    if (error) return error;
    const part = choices?.[0]?.delta ?? choices?.[0]?.message;
    // The steps are of interest until the answer begins.
    if (part?.content && !this.text) this.#stepsBox.open = false;
    this.text += part?.content ?? '';
    this.#steps += part?.reasoning_content ?? '';
    this.#model = model ?? this.#model;
    this.#usage = usage ?? this.#usage;
    this.#pplx = pplx ?? this.#pplx;
    this.#sources = sources ?? this.#sources;
    this.#frame ||= requestAnimationFrame(() => keepingPlace(() => this.#draw()));
  }

  /** The answer has ended: by itself, by the reader (`stopped`), or by an error that `alert` tells. */
  end({ stopped, alert }) {
    cancelAnimationFrame(this.#frame);
    this.text = this.#pplx.corrected ?? this.text;
    keepingPlace(() => {
      this.#view.forget();
      this.#draw();
      const sources = this.#sources.length ? [this.#sourceList()] : [];
      const facts = [this.#model, `${this.#seconds(1)} s`, this.#usage && `${this.#usage.total_tokens} tokens`];
      this.#below.replaceChildren(...this.#notes(stopped), ...(alert ? [alert] : []), ...sources, factsLine(facts));
    });
  }

  summary() {
    const words = this.text.split(/\s+/).filter(Boolean).length;
    return `The answer is complete: ${words} words, ${this.#sources.length} sources.`;
  }

  #seconds(digits) {
    return ((performance.now() - this.#started) / 1000).toFixed(digits);
  }

  #draw() {
    this.#frame = 0;
    this.#view.update(this.text);
    this.#stepsText.textContent = this.#steps.trim();
    this.#stepsBox.hidden = !this.#steps;
    this.#copy.hidden = !this.text;
  }

  #rawSection(title, text) {
    const body = el('pre', { tabindex: 0 }, text);
    this.#raw.append(el('h3', {}, title), body);
    return body;
  }

  #notes(stopped) {
    const { corrected, substituted, requested_model: requested, notes = [] } = this.#pplx;
    return [
      corrected && 'The service took back the text that was streamed. This is its corrected answer.',
      substituted && `Answered by ${this.#model}, not by ${requested}.`,
      ...notes,
      stopped && 'Stopped. What had arrived is kept.',
    ].filter(Boolean).map(text => el('p', { class: 'note' }, text));
  }

  /** The mark [n]; text until the sources are known, as they come last. */
  #citation(number) {
    const source = this.#sources[number - 1];
    if (!source) return null;
    const label = `Source ${number}: ${source.title || source.url}`;
    const href = `#${this.#id}-source-${number}`;
    return el('a', { class: 'cite', href, title: label, 'aria-label': label }, number);
  }

  #sourceList() {
    const cards = this.#sources.map(({ url, title, date, snippet }, at) =>
      el('li', { id: `${this.#id}-source-${at + 1}`, tabindex: -1 },
        el('span', { class: 'number' }, at + 1),
        link(url, title || url),
        factsLine([URL.canParse(url) && new URL(url).host.replace(/^www\./, ''), date?.replace(/T.*/, '')]),
        el('p', { class: 'snippet' }, snippet ?? '')));
    return el('details', { class: 'sources', open: true },
      el('summary', {}, `Sources (${cards.length})`), el('ol', {}, ...cards));
  }
}

const factsLine = facts =>
  el('p', { class: 'facts' }, ...facts.filter(Boolean).flatMap((fact, at) => [at ? ' · ' : '', el('span', {}, fact)]));

export function alertOf(error, again) {
  const facts = [error.code && `Code ${error.code}`, error.requestId && `Request ${error.requestId}`];
  const message = 'code' in error ? error.message : `The answer could not be read: ${error.message}`;
  return el('div', { class: 'alert', role: 'alert' },
    el('p', {}, message),
    factsLine(facts),
    el('button', { type: 'button', click: again }, 'Try again'));
}
