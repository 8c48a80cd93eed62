import type { PlainRequest } from './plain-request.ts';

/** Requests that are tried while one is made smaller. */
const TRIES_MAX = 200;

/**
 * The smallest request found that still shows a fault: without headers, parameters and members of the body that it does not need;
 * `undefined` if the request does not show it a second time.
 */
export async function smallestRequest(
  request: PlainRequest,
  stillFails: (request: PlainRequest) => Promise<boolean>,
): Promise<PlainRequest | undefined> {
  if (!(await stillFails(request))) return undefined;
  let smallest = request;
  let tries = 0;
  for (let found = true; found && tries < TRIES_MAX; ) {
    found = false;
    for (const smaller of smallerRequests(smallest)) {
      tries += 1;
      if (tries > TRIES_MAX || !(await stillFails(smaller))) continue;
      smallest = smaller;
      found = true;
      break;
    }
  }
  return smallest;
}

function* smallerRequests(request: PlainRequest): Generator<PlainRequest> {
  const { pieces, ...whole } = request;
  if (pieces !== undefined) yield whole;
  for (const [index, [name, value]] of request.headers.entries()) {
    yield { ...request, headers: request.headers.toSpliced(index, 1) };
    if (value.length > 80) yield { ...request, headers: request.headers.with(index, [name, value.slice(0, value.length >> 1)]) };
  }
  const [path = '', query] = request.target.split('?', 2);
  const parameters = query?.split('&') ?? [];
  for (const index of parameters.keys()) {
    const left = parameters.toSpliced(index, 1).join('&');
    yield { ...request, target: left === '' ? path : `${path}?${left}` };
  }
  for (const body of smallerBodies(request.body)) yield { ...request, body };
}

function* smallerBodies(body: Uint8Array | undefined): Generator<Uint8Array> {
  if (body === undefined || body.length === 0) return;
  const text = new TextDecoder().decode(body);
  try {
    for (const smaller of smallerValues(JSON.parse(text))) yield new TextEncoder().encode(JSON.stringify(smaller));
  } catch {
    if (body.length > 16) yield body.slice(0, body.length >> 1);
  }
}

function* smallerValues(value: unknown): Generator<unknown> {
  if (typeof value === 'string' && value.length > 40) yield value.slice(0, value.length >> 1);
  if (Array.isArray(value)) {
    if (value.length > 4) yield value.slice(0, value.length >> 1);
    for (const index of value.keys()) yield value.toSpliced(index, 1);
    for (const [index, item] of value.entries()) for (const smaller of smallerValues(item)) yield value.with(index, smaller);
  } else if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value);
    for (const index of members.keys()) yield Object.fromEntries(members.toSpliced(index, 1));
    for (const [index, [name, member]] of members.entries())
      for (const smaller of smallerValues(member)) yield Object.fromEntries(members.with(index, [name, smaller]));
  }
}
