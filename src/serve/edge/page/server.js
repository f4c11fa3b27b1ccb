// What is asked of the server that the page came from.

export const ENDPOINT = '/v1/chat/completions';

export const key = () => sessionStorage.getItem('pplx-key');

export async function ask(path, options) {
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

export function refusal(response, body) {
  let error = { message: `The server answered with status ${response.status}.` };
  try {
    error = JSON.parse(body).error ?? error;
  } catch {
    // It was not pplx that answered, but something in front of it.
  }
  return failure(error, response);
}

/** Asks, and hands to the turn whatever arrives; throws if the answer did not arrive to its end. */
export async function exchange(turn, signal) {
  const { request } = turn;
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

/** The data of one server-sent event; empty for a comment. */
function dataOf(event) {
  return event.split(/\r?\n/).filter(line => line.startsWith('data:')).map(line => line.slice(5).trim()).join('\n');
}
