// The chat page of `pplx serve`: a conversation with the server that it came from, and a look at what is exchanged.

import { el } from './markdown.js';
import { scrollToEnd } from './scroll.js';
import { ask, exchange, key, refusal } from './server.js';
import { Turn, alertOf } from './turn.js';

/** Every element of index.html that has an id, by that id. */
const ui = Object.fromEntries([...document.querySelectorAll('[id]')].map(node => [node.id, node]));

let turns = [];
/** The AbortController of the answer that is under way. */
let running = null;

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
