import { get, type NextStep, post } from '../gateway/next-steps.ts';
import { editDistance } from '../search/format/spelling.ts';
import type { Route } from './define-route.ts';

/** A segment that can be repeated in a response: an id or a version, never a key. */
const PLAIN_SEGMENT = /^(?!akg_)[A-Za-z0-9_.~-]{1,64}$/i;

const MOST_SEGMENTS = 12;

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function isParameter(segment: string | undefined): boolean {
  return segment?.startsWith('{') === true;
}

/** Whether a path is one of a route: a parameter is any text, with the text after it at its end. */
export function isAt(path: string, route: Pick<Route, 'path'>): boolean {
  if (!route.path.includes('{')) return path === route.path;
  const [sent, segments] = [path.split('/'), route.path.split('/')];
  return (
    sent.length === segments.length &&
    segments.every((segment, at) => {
      const name = sent[at] ?? '';
      if (!isParameter(segment)) return name === segment;
      const ending = segment.slice(segment.indexOf('}') + 1);
      return name.length > ending.length && name.endsWith(ending);
    })
  );
}

/** The address of an operation that a path leads to without the slashes at its end; `undefined` if there is none. */
export function withoutTrailingSlash(path: string, routes: readonly Route[]): string | undefined {
  const shorter = path.replace(/\/{1,8}$/, '');
  return shorter !== path && routes.some((route) => isAt(shorter, route)) ? shorter : undefined;
}

/** How well a path matches that of a route from their ends: equal names, and edits in names that are nearly equal. */
function matchOf(sent: readonly string[], route: readonly string[]): { readonly names: number; readonly edits: number } | undefined {
  let names = 0;
  let edits = 0;
  const isWhole = sent.length === route.length;
  for (let back = 1; back <= Math.min(sent.length, route.length); back += 1) {
    const [theirs = '', ours = ''] = [sent.at(-back), route.at(-back)];
    if (isParameter(ours)) continue;
    const limit = Math.max(1, Math.floor(ours.length / 4));
    const distance = editDistance(theirs.toLowerCase(), ours, limit);
    if (distance > limit) return isWhole || names === 0 ? undefined : { names, edits };
    names += 1;
    edits += distance;
  }
  return names === 0 ? undefined : { names, edits };
}

/** An operation that a path without one may mean. */
export interface NearestRoute {
  readonly method: string;
  readonly path: string;
  readonly step: NextStep;
}

/** The operation of a route at a path, as a next step; without its address if that holds more than ids. */
export function stepTo({ method, summary }: Route, path: string): NextStep {
  const description = `${summary}.`;
  if (method === 'PUT' || !segmentsOf(path).every((segment) => PLAIN_SEGMENT.test(segment))) return { description };
  return method === 'POST' ? post(description, path) : get(description, path);
}

/**
 * The operation that a path without one most likely means: the one with the most of its names, read from the end, then with the fewest
 * edits, then of the same method.
 */
export function nearestRoute(path: string, method: string, routes: readonly Route[]): NearestRoute | undefined {
  const sent = segmentsOf(path);
  if (sent.length > MOST_SEGMENTS || !sent.every((segment) => PLAIN_SEGMENT.test(segment))) return undefined;
  const [best] = routes
    .flatMap((route) => {
      const match = matchOf(sent, segmentsOf(route.path));
      return match === undefined ? [] : [{ route, ...match }];
    })
    .sort((a, b) => b.names - a.names || a.edits - b.edits || Number(b.route.method === method) - Number(a.route.method === method));
  if (best === undefined) return undefined;
  const { route } = best;
  const segments = segmentsOf(route.path);
  const filled = segments.map((segment, at) => (isParameter(segment) ? sent[at - segments.length + sent.length] : segment));
  if (filled.includes(undefined)) return undefined;
  const target = `/${filled.join('/')}`;
  return { method: route.method, path: target, step: stepTo(route, target) };
}
