// The chat page of `pplx serve`: a conversation with the server that it came from, and a look at what is exchanged.

import { MarkdownView, copyButton, el, link } from './markdown.js';
import { checkExchange, dataOf } from './schema.js';

const ENDPOINT = '/v1/chat/completions';
const SHOWN_HEADERS = ['content-type', 'x-request-id', 'retry-after'];

/** Every element of index.html that has an id, by that id. */
const ui = Object.fromEntries([...document.querySelectorAll('[id]')].map(node => [node.id, node]));

let turns = [];
/** The AbortController of the answer that is under way. */
let running = null;

// The server

const key = () => sessionStorage.getItem('pplx-key');

async function ask(path, options) {
  const bearer = key() ? { authorization: `Bearer ${key()}` } : {};
  try {
    return await fetch(path, { ...options, headers: { 'content-type': 'application/json', ...bearer } });
  } catch {
    throw failure({ message: 'The server cannot be reached. Is pplx serve running?' });
  }
}

/** An error to show: message and code as the server gave them, and the id of the request. */
function failure({ message, code, type }, response) {
  const requestId = response?.headers.get('x-request-id');
  return Object.assign(new Error(message), { code: code ?? type, requestId, status: response?.status });
}

function refusal(response, body) {
  let error = { message: `The server answered with status ${response.status}.` };
  try {
    error = JSON.parse(body).error ?? error;
  } catch {
    // It was not pplx that answered, but something in front of it.
  }
  return failure(error, response);
}

/** Asks, and hands to the turn whatever arrives; throws if the answer did not arrive to its end. */
async function exchange(turn, signal) {
  const { request } = turn.exchange;
  const response = await ask(ENDPOINT, { method: 'POST', body: JSON.stringify(request), signal });
  turn.onResponse(response);
  if (!request.stream || !response.ok) {
    const body = await response.text();
    turn.onBody(body);
    if (!response.ok) throw refusal(response, body);
    turn.onChunk(JSON.parse(body));
    return;
  }
  let problem = { message: 'The stream ended before the answer was complete.', code: 'incomplete_stream' };
  for await (const event of eventsOf(response.body)) {
    turn.onEvent(event);
    const data = dataOf(event);
    if (data === '[DONE]') problem = null;
    else if (data) problem = turn.onChunk(JSON.parse(data)) ?? problem;
  }
  if (problem) throw failure(problem, response);
}

async function* eventsOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const events = (rest + part.value).split(/\r?\n\r?\n/);
    rest = events.pop();
    yield* events;
  }
  if (rest.trim()) yield rest;
}

async function loadModels() {
  ui.notice.replaceChildren();
  try {
    const response = await ask('/v1/models');
    const body = await response.text();
    if (!response.ok) throw refusal(response, body);
    showModels(JSON.parse(body).data);
  } catch (error) {
    if (needsKey(error)) askForKey();
    // That a key is needed is no error before one was given.
    if (!needsKey(error) || key()) ui.notice.replaceChildren(alertOf(error, loadModels));
  }
}

function showModels(models) {
  const group = (label, members) => el('optgroup', { label }, ...members.map(modelOption));
  const aliases = models.filter(model => model.alias_of);
  const originals = models.filter(model => !model.alias_of);
  ui.model.replaceChildren(group('Models', originals), ...(aliases.length ? [group('Other names', aliases)] : []));
  ui.model.disabled = false;
  const chosen = localStorage.getItem('pplx-model');
  if (models.some(model => model.id === chosen)) ui.model.value = chosen;
  offerThinking();
  if (ui.access.open) ui.prompt.focus();
  ui.access.open = false;
}

function modelOption({ id, label, tier, thinking, alias_of: original }) {
  const name = original ? `${id} → ${original}` : label || id;
  return el('option', { value: id, 'data-thinking': thinking }, tier ? `${name} (${tier})` : name);
}

function offerThinking() {
  ui.thinking.disabled = !ui.model.selectedOptions[0]?.hasAttribute('data-thinking');
  ui.thinking.checked &&= !ui.thinking.disabled;
}

const needsKey = error => error.code === 'invalid_api_key';

function askForKey() {
  ui.access.hidden = false;
  ui.access.open = true;
  ui.key.focus();
}

async function showHealth() {
  try {
    const { status, version, session, quota, auth } = await (await ask('/health')).json();
    if (auth) ui.access.hidden = false;
    const remedy = ['expired', 'missing'].includes(session.state) ? ': run pplx login' : '';
    const parts = [`Session ${session.state}${remedy}`, ...amounts(quota), `v${version}`];
    ui.health.textContent = (status === 'ok' ? parts : [`Server ${status}`, ...parts]).join(' · ');
    ui.health.className = status;
  } catch {
    ui.health.textContent = 'Server not reachable';
    ui.health.className = 'degraded';
  }
}

/** What is left, wherever in the quota that is said: ["pro 297 left"]. */
function amounts(value, path = []) {
  if (typeof value === 'number' && path.some(name => /remaining|left/.test(name))) {
    return [`${path.join(' ').replace(/remaining|left|limits|_/g, ' ')} ${value} left`.trim().replace(/ +/g, ' ')];
  }
  return Object.entries(Object(value)).flatMap(([name, inner]) => amounts(inner, [...path, inner?.kind ?? name]));
}

// A question and its answer

class Turn {
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
  #schema = el('div', { class: 'schema' }, el('p', {}, 'The reply is checked when it has ended.'));
  #copy = copyButton('Copy answer', () => this.text);

  constructor(question, request) {
    this.question = question;
    this.exchange = { request, frames: [] };
    const answer = el('div', {}, this.#stepsBox, this.#answer, this.#below);
    const { list, panels } = tabs(this.#id, { Answer: answer, Raw: this.#raw, Schema: this.#schema });
    const title = el('h2', { id: `${this.#id}-question` }, question);
    this.node = el('article', { class: 'turn', 'aria-labelledby': title.id },
      title, el('div', { class: 'bar' }, list, this.#copy), ...panels);
    this.#copy.hidden = true;
    this.#rawSection('Request', `POST ${ENDPOINT}\n\n${JSON.stringify(request, null, 2)}\n`);
  }

  onResponse({ status, statusText, headers }) {
    const shown = SHOWN_HEADERS.filter(name => headers.has(name)).map(name => [name, headers.get(name)]);
    Object.assign(this.exchange, { status, headers: new Map(shown) });
    this.#rawSection('Response', [`${status} ${statusText}`, ...shown.map(pair => pair.join(': '))].join('\n'));
  }

  onBody(body) {
    this.exchange.body = body;
    this.#rawSection('Body', body);
  }

  onEvent(text) {
    this.exchange.frames.push({ text });
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
    this.exchange.stopped = stopped;
    this.text = this.#pplx.corrected ?? this.text;
    keepingPlace(() => {
      this.#view.forget();
      this.#draw();
      const sources = this.#sources.length ? [this.#sourceList()] : [];
      const facts = [this.#model, `${this.#seconds(1)} s`, this.#usage && `${this.#usage.total_tokens} tokens`];
      this.#below.replaceChildren(...this.#notes(stopped), ...(alert ? [alert] : []), ...sources, factsLine(facts));
      this.#schema.replaceChildren(...verdicts(checkExchange(this.exchange)));
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

function alertOf(error, again) {
  const facts = [error.code && `Code ${error.code}`, error.requestId && `Request ${error.requestId}`];
  const message = 'code' in error ? error.message : `The answer could not be read: ${error.message}`;
  return el('div', { class: 'alert', role: 'alert' },
    el('p', {}, message),
    factsLine(facts),
    el('button', { type: 'button', click: again }, 'Try again'));
}

function verdicts(checks) {
  if (!checks.length) return [el('p', {}, 'There is no reply to check.')];
  const words = { pass: 'Pass', fail: 'Fail', skip: 'Not shown' };
  const count = verdict => checks.filter(check => check.verdict === verdict).length;
  const total = `${count('pass')} passed, ${count('fail')} failed, ${count('skip')} not shown by this reply`;
  const rows = checks.map(({ name, verdict, detail }) => el('li', {},
    el('span', { class: `badge ${verdict}` }, words[verdict]),
    el('span', {}, name, ...(detail ? [el('code', {}, detail)] : []))));
  return [el('p', { class: 'total' }, total), el('ul', {}, ...rows)];
}

/** ARIA tabs; `views` are the panels' contents by their titles, the first is shown. */
function tabs(id, views) {
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

// The conversation

const scrollToEnd = () => scrollTo({ top: document.documentElement.scrollHeight });

/** Scrolls along with a change of the page, unless the reader has scrolled up. */
function keepingPlace(change) {
  const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 40;
  change();
  if (atEnd) scrollToEnd();
}

function say(text) {
  ui.status.textContent = text;
}

function requestFor(question) {
  const answered = turns.filter(turn => turn.text);
  const history = answered.flatMap(turn => [['user', turn.question], ['assistant', turn.text]]);
  const stream = ui.streaming.checked;
  return {
    model: ui.model.value,
    messages: [...history, ['user', question]].map(([role, content]) => ({ role, content })),
    stream,
    ...(stream && { stream_options: { include_usage: true } }),
    ...(!ui.thinking.disabled && { reasoning_effort: ui.thinking.checked ? 'high' : 'none' }),
  };
}

async function answer(question) {
  const turn = new Turn(question, requestFor(question));
  const controller = new AbortController();
  const { signal } = controller;
  running = controller;
  turns.push(turn);
  ui.empty.hidden = true;
  ui.conversation.append(turn.node);
  scrollToEnd();
  showBusy();
  say('Answering…');
  try {
    await exchange(turn, signal);
    turn.end({});
    say(turn.summary());
  } catch (error) {
    turn.end(signal.aborted ? { stopped: true } : { alert: alertOf(error, () => retry(turn)) });
    say(signal.aborted ? 'Stopped.' : '');
    if (needsKey(error)) askForKey();
  } finally {
    // A stream that the page could not read must not go on at the server.
    controller.abort();
    // Another answer may be under way by now, in a new conversation.
    if (running === controller) running = null;
    showBusy();
    showHealth();
  }
}

function showBusy() {
  const focused = [ui.send, ui.stop].includes(document.activeElement);
  ui.send.hidden = Boolean(running);
  ui.stop.hidden = !running;
  if (focused) ui.prompt.focus();
}

function retry(turn) {
  if (running) return say('Stop the answer that is under way first.');
  turns = turns.filter(other => other !== turn);
  turn.node.remove();
  ui.prompt.focus();
  answer(turn.question);
}

function submit(event) {
  event.preventDefault();
  const question = ui.prompt.value.trim();
  if (running) return say('Stop the answer that is under way first.');
  if (!ui.model.value) return say('There is no model to ask yet.');
  if (!question) return;
  ui.prompt.value = '';
  answer(question);
}

function stop() {
  running?.abort();
}

function startAfresh() {
  stop();
  running = null;
  turns = [];
  ui.conversation.replaceChildren(ui.empty);
  ui.empty.hidden = false;
  say('');
  ui.prompt.focus();
}

ui.composer.addEventListener('submit', submit);
ui.prompt.addEventListener('keydown', event => {
  // Enter may also end the composition of a character, which must not send.
  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) submit(event);
});
document.addEventListener('keydown', event => {
  if (event.key === 'Escape') stop();
});
ui.stop.addEventListener('click', stop);
ui.fresh.addEventListener('click', startAfresh);
ui.model.addEventListener('change', () => {
  localStorage.setItem('pplx-model', ui.model.value);
  offerThinking();
});
ui.unlock.addEventListener('submit', event => {
  event.preventDefault();
  sessionStorage.setItem('pplx-key', ui.key.value);
  loadModels();
});

ui.key.value = key() ?? '';
ui.base.textContent = `${location.origin}/v1`;
showHealth();
loadModels();
