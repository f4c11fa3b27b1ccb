// Holds a reply against OpenAI's schema of chat completions, and against what `pplx serve` adds to it.
// A check is {name, verdict, detail}; the verdict is 'pass', 'fail', or 'skip' where the reply could not show it.

/** The data of one server-sent event; empty for a comment. */
export function dataOf(frame) {
  return frame.split(/\r?\n/).filter(line => line.startsWith('data:')).map(line => line.slice(5).trim()).join('\n');
}

/**
 * Checks {request, status, headers, frames, body, stopped}: `headers` is a Map, `frames` has one {text} for each event
 * of a stream, `body` is the text of a reply in one piece.
 */
export function checkExchange(exchange) {
  if (!exchange.status) return [];
  const kind = exchange.request.stream && exchange.status < 400 ? 'text/event-stream' : 'application/json';
  const type = exchange.headers.get('content-type');
  return [
    check('Header x-request-id is there', !exchange.headers.has('x-request-id') && 'absent'),
    check(`Header content-type is ${kind}`, !type?.startsWith(kind) && shown(type)),
    ...(exchange.status >= 400 ? refusal(exchange) : exchange.request.stream ? stream(exchange) : whole(exchange)),
  ];
}

const check = (name, fault) => ({ name, verdict: fault ? 'fail' : 'pass', detail: fault || '' });
const skip = (name, detail) => ({ name, verdict: 'skip', detail });

const shown = value => (JSON.stringify(value) ?? 'absent').slice(0, 120);
const isText = value => typeof value === 'string';
const isFilled = value => isText(value) && value !== '';
const isTextOrNull = value => value === null || isText(value);
const isCount = value => Number.isInteger(value) && value >= 0;
const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The entries of what should be a list of objects; an empty object stands for each that is none. */
const objectsIn = value => (Array.isArray(value) ? value.map(entry => (isObject(entry) ? entry : {})) : []);

/** Passes if `isRight` holds for every value; the detail names the first one for which it does not. */
function every(name, values, isRight) {
  if (!values.length) return skip(name, 'nothing of this kind was received');
  const at = values.findIndex(value => !isRight(value));
  return check(name, at >= 0 && `number ${at + 1} is ${shown(values[at])}`);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusal({ status, headers, body }) {
  const wait = check('Header retry-after says when to ask again', !headers.has('retry-after') && 'absent');
  return [...(status === 429 ? [wait] : []), ...errorChecks(parsed(body))];
}

function errorChecks(reply) {
  const error = reply?.error;
  if (!isObject(error)) return [check('error is an object', shown(error))];
  return [
    every('error.message is filled', [error.message], isFilled),
    every('error.type is filled', [error.type], isFilled),
    every('error.param is text or null', [error.param], isTextOrNull),
    every('error.code is text or null', [error.code], isTextOrNull),
  ];
}

function whole({ body, stopped }) {
  if (stopped) return [];
  const reply = parsed(body);
  if (!isObject(reply)) return [check('The body is a JSON object', shown(body))];
  const choices = objectsIn(reply.choices);
  const messages = choices.map(choice => choice.message);
  const [message] = messages;
  return [
    ...envelope([reply], 'chat.completion'),
    check('choices has one entry', choices.length !== 1 && `${choices.length} entries`),
    ...choiceChecks(choices),
    every('message.role is assistant', messages, value => value?.role === 'assistant'),
    every('message.content is text', messages, value => isText(value?.content)),
    every('message.reasoning_content is text where there is any', fields(messages, 'reasoning_content'), isTextOrNull),
    every('message.refusal is null', messages, value => value?.refusal === null),
    every('finish_reason is a known one', choices.map(choice => choice.finish_reason), isEnd),
    usageCheck(reply.usage),
    ...sourceChecks({ ...reply, annotations: message?.annotations }, message?.content),
  ];
}

function stream({ frames, stopped }) {
  const data = frames.map(frame => dataOf(frame.text)).filter(Boolean);
  const events = data.filter(text => text !== '[DONE]').map(parsed);
  const chunks = events.filter(event => isObject(event) && !event.error);
  const choices = chunks.flatMap(chunk => objectsIn(chunk.choices));
  const deltas = choices.map(choice => choice.delta);
  const failure = events.find(event => event?.error);
  const cut = stopped ? 'stopped before' : failure && 'the stream ended with an error';
  const ending = endChecks(data, chunks, choices);
  return [
    every('Every event is a JSON object', events, isObject),
    ...envelope(chunks, 'chat.completion.chunk'),
    check('id is the same in all chunks', new Set(chunks.map(chunk => chunk.id)).size > 1 && 'it changes'),
    ...choiceChecks(choices),
    every('delta is an object in every choice', deltas, isObject),
    every('The first delta has the role assistant', deltas.slice(0, 1), delta => delta?.role === 'assistant'),
    every('delta.content is text where there is any', fields(deltas, 'content'), isTextOrNull),
    every('delta.reasoning_content is text where there is any', fields(deltas, 'reasoning_content'), isTextOrNull),
    ...(failure ? failureChecks(data, failure) : []),
    ...(cut ? ending.map(({ name }) => skip(name, cut)) : ending),
  ];
}

const fields = (objects, name) =>
  objects.filter(isObject).map(object => object[name]).filter(value => value !== undefined);

function failureChecks(data, failure) {
  const last = parsed(data.at(-1));
  return [
    ...errorChecks(failure),
    check('The error is the last event, without [DONE]', !last?.error && shown(data.at(-1))),
  ];
}

function endChecks(data, chunks, choices) {
  const reasons = choices.map(choice => choice.finish_reason).filter(reason => reason !== null);
  const finish = chunks.findLast(chunk => chunk.choices?.length) ?? {};
  const last = choices.at(-1);
  const usages = chunks.map(chunk => chunk.usage);
  const text = fields(choices.map(choice => choice.delta), 'content').join('');
  return [
    check('One choice has a finish_reason', reasons.length !== 1 && shown(reasons)),
    every('finish_reason is a known one, on the last choice', [last?.finish_reason], isEnd),
    check('The last choice brings no text', last?.delta?.content && shown(last.delta.content)),
    every('usage is null before the last chunk', usages.slice(0, -1), usage => usage === null),
    check('The last chunk has no choices', chunks.at(-1)?.choices?.length !== 0 && shown(chunks.at(-1)?.choices)),
    usageCheck(usages.at(-1)),
    check('[DONE] comes once, as the end', data.indexOf('[DONE]') !== data.length - 1 && shown(data.at(-1))),
    ...sourceChecks({ ...finish, annotations: last?.delta?.annotations ?? [] }, text),
  ];
}

/** What a reply in one piece and each chunk of a stream have in common. */
function envelope(objects, kind) {
  const field = (name, rule, isRight) => every(`${name} ${rule}`, objects.map(object => object[name]), isRight);
  return [
    field('id', 'begins with chatcmpl-', id => /^chatcmpl-./.test(id)),
    field('object', `is ${kind}`, object => object === kind),
    field('created', 'is a whole number of seconds', isCount),
    field('model', 'is filled', isFilled),
    field('system_fingerprint', 'is text or null', isTextOrNull),
    field('choices', 'is a list', Array.isArray),
  ];
}

function choiceChecks(choices) {
  return [
    every('choice.index is 0', choices.map(choice => choice.index), index => index === 0),
    every('choice.logprobs is null', choices.map(choice => choice.logprobs), logprobs => logprobs === null),
  ];
}

const isEnd = reason => ['stop', 'length', 'content_filter', 'tool_calls', 'function_call'].includes(reason);

function usageCheck(usage) {
  const { prompt_tokens: asked, completion_tokens: answered, total_tokens: total } = usage ?? {};
  const adds = [asked, answered, total].every(isCount) && asked + answered === total;
  return check('usage counts tokens, and the total is their sum', !adds && shown(usage));
}

function sourceChecks({ citations, search_results: results, annotations, pplx }, text) {
  const sources = objectsIn(results);
  const marks = objectsIn(annotations);
  const urls = sources.map(source => source.url);
  const agree = JSON.stringify(citations) === JSON.stringify(urls);
  return [
    every('citations, search_results and annotations are lists', [citations, results, annotations], Array.isArray),
    every('A search result has title, url, date and snippet', sources, isSource),
    check('citations are the addresses of search_results', !agree && `${shown(citations)}, not ${shown(urls)}`),
    every('An annotation is a url_citation with its fields', marks, isAnnotation),
    annotationCheck(marks.filter(isAnnotation), sources, isText(text) ? text : ''),
    check('pplx names the model that was asked for, and notes', !isExtension(pplx) && shown(pplx)),
  ];
}

const isSource = ({ title, url, date, snippet }) =>
  isText(title) && isFilled(url) && isTextOrNull(date) && isTextOrNull(snippet);

function isAnnotation({ type, url_citation: mark }) {
  const offsets = [mark?.start_index, mark?.end_index];
  return type === 'url_citation' && isFilled(mark?.url) && isText(mark.title) && offsets.every(isCount);
}

function isExtension(pplx) {
  return isFilled(pplx?.requested_model) && typeof pplx.substituted === 'boolean' && Array.isArray(pplx.notes);
}

/** Offsets may count UTF-16 units or characters, as clients differ in that; but one of the two throughout. */
function annotationCheck(annotations, sources, text) {
  const name = 'Annotations lie on the marks [n] of their sources';
  const misplaced = letters => annotations.find(({ url_citation: { start_index: start, end_index: end, url } }) => {
    const [, number] = /^\[(\d+)\]$/.exec([...letters.slice(start, end)].join('')) ?? [];
    return sources[number - 1]?.url !== url;
  });
  const fault = misplaced(text) && misplaced([...text]);
  return annotations.length ? check(name, fault && shown(fault.url_citation)) : skip(name, 'the answer cites nothing');
}
