import { get, type NextStep, post } from '../gateway/error-next-actions.ts';
import { remembered } from '../gateway/memory-caches.ts';
import { attempt } from '../gateway/result.ts';
import { editDistance } from '../search/edit-distance.ts';
import type { Protocol, RouteEntry } from './define-route.ts';

/** A segment of the path of a route: text, or a parameter with the text after it, as in `{id}.md`. */
interface Segment {
  readonly parameter: string | undefined;
  readonly text: string;
}

const SEGMENTS = new Map<string, readonly Segment[]>();

function segmentsOfRoute(path: string): readonly Segment[] {
  return remembered(SEGMENTS, path, () =>
    path.split('/').map((segment): Segment => {
      const [, parameter, ending] = /^\{([^{}]+)\}(.*)$/.exec(segment) ?? [];
      return { parameter, text: ending ?? segment };
    }),
  );
}

export function isAt(path: string, route: Pick<RouteEntry, 'path' | 'formPath'>): boolean {
  if (path === route.formPath) return true;
  if (!route.path.includes('{')) return path === route.path;
  const [sent, segments] = [path.split('/'), segmentsOfRoute(route.path)];
  return (
    sent.length === segments.length &&
    segments.every(({ parameter, text }, at) => {
      const name = sent[at] ?? '';
      return parameter === undefined ? name === text : name.length > text.length && name.endsWith(text);
    })
  );
}

export function fillPath(path: string, textFor: (parameter: string) => string): string {
  return segmentsOfRoute(path)
    .map(({ parameter, text }) => (parameter === undefined ? text : textFor(parameter) + text))
    .join('/');
}

export function honoPaths({ path, answersTrailingSlash, formPath }: RouteEntry): string[] {
  const segments = segmentsOfRoute(path).map(({ parameter, text }) => {
    if (parameter === undefined) return text;
    return text === '' ? `:${parameter}` : `:${parameter}{[^/]+${text.replaceAll('.', '\\.')}}`;
  });
  const written = segments.join('/');
  return [written, ...(answersTrailingSlash ? [`${written}/`] : []), ...(formPath === undefined ? [] : [formPath])];
}

export function parameterReader({ path }: Pick<RouteEntry, 'path'>): (matched: Record<string, string>) => Record<string, string> {
  const endings = segmentsOfRoute(path).flatMap(({ parameter, text }) =>
    parameter === undefined || text === '' ? [] : [[parameter, text] as const],
  );
  if (endings.length === 0) return (matched) => matched;
  return (matched) => ({
    ...matched,
    ...Object.fromEntries(endings.map(([name, ending]) => [name, matched[name]?.slice(0, -ending.length) ?? ''])),
  });
}

/** The protocol whose error shape applies at a path: among the protocols of the table, the one with the longest matching prefix. */
export function protocolAt<P extends Pick<Protocol, 'prefix'>>(
  pathname: string,
  routes: readonly { readonly protocol?: P }[],
): P | undefined {
  const path = decodeOnce(pathname);
  const protocols = remembered(PROTOCOLS, routes, () => {
    const distinct = new Map(routes.flatMap(({ protocol }) => (protocol ? [[protocol.prefix, protocol] as const] : [])));
    return [...distinct.values()].sort((a, b) => b.prefix.length - a.prefix.length);
  });
  return (protocols as readonly P[]).find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
}

/** The protocols of tables, the longest prefixes first. */
const PROTOCOLS = new WeakMap<readonly object[], readonly Pick<Protocol, 'prefix'>[]>();

/** A path as the router matches it: decoded once, except escapes that are not UTF-8. */
export function decodeOnce(pathname: string): string {
  if (!pathname.includes('%')) return pathname;
  return pathname.replaceAll('%25', '%2525').replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => attempt(() => decodeURI(escapes)) ?? escapes);
}

/** A segment that can be repeated in a response: an id or a version, never a key. */
const PLAIN_SEGMENT = /^(?!akg_)[A-Za-z0-9_.~-]{1,64}$/i;

const MOST_SEGMENTS = 12;

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

/** The address of an operation that a path leads to without the slashes at its end; `undefined` if there is none. */
export function withoutTrailingSlash(path: string, routes: readonly RouteEntry[]): string | undefined {
  const shorter = path.replace(/\/{1,8}$/, '');
  return shorter !== path && routes.some((route) => isAt(shorter, route)) ? shorter : undefined;
}

function matchOf(sent: readonly string[], route: readonly string[]): { readonly names: number; readonly edits: number } | undefined {
  let names = 0;
  let edits = 0;
  const isWhole = sent.length === route.length;
  for (let back = 1; back <= Math.min(sent.length, route.length); back += 1) {
    const [theirs = '', ours = ''] = [sent.at(-back), route.at(-back)];
    if (ours.startsWith('{')) continue;
    const limit = /^v\d$/.test(ours) ? 1 : Math.floor(ours.length / 4);
    const distance = editDistance(theirs.toLowerCase(), ours, limit);
    if (distance > limit) return isWhole || names === 0 ? undefined : { names, edits };
    names += 1;
    edits += distance;
  }
  return names === 0 ? undefined : { names, edits };
}

/**
 * The operation of a route at a path, as a next step; without its address if that holds more than ids. @param query Of the request that meant it,
 * which operations that change something do not take.
 */
export function stepTo({ method, summary }: Pick<RouteEntry, 'method' | 'summary'>, path: string, query: string): NextStep {
  const description = `${summary}.`;
  if (method === 'PUT' || !segmentsOf(path).every((segment) => PLAIN_SEGMENT.test(segment))) return { description };
  return method === 'POST' ? post(description, path) : get(description, path + query);
}

/** What agents call operations that have other names here, as the last part of a path. */
const CALLED: readonly (readonly [words: RegExp, ...operations: string[]])[] = [
  [/^(?:propos(?:e|als?)|submit|submissions?|suggest(?:ions?)?|contribut(?:e|ions?)|feedback|corrections?|reports?)$/i, 'submitProposal'],
  [/^(?:sign-?up|log-?in|auth|tokens?|api-?keys?|keys?|accounts?|agents?)$/i, 'registerAgent'],
  [/^(?:offers?|products?|prices|pricing|shop|buy|purchase|orders?|cart|checkout|pay(?:ments?)?)$/i, 'discoverOffers'],
  [/^(?:search|ask|find|answers?|questions?|chat|rag)$/i, 'queryKnowledge', 'searchKnowledge'],
];

/**
 * The operation that a path most likely means: one below it, one that agents call so, or the one with the most of its names from the end, the
 * fewest edits, the same method, the shortest path.
 */
export function suggestRoute(path: string, query: string, method: string, routes: readonly RouteEntry[]) {
  const sent = segmentsOf(path);
  if (sent.length > MOST_SEGMENTS || !sent.every((segment) => PLAIN_SEGMENT.test(segment))) return undefined;
  const names = new Set(routes.flatMap((route) => segmentsOf(route.path)));
  const [, ...called]: readonly [words?: RegExp, ...operations: string[]] = CALLED.find(([words]) => words.test(sent.at(-1) ?? '')) ?? [];
  const [best] = routes
    .flatMap((route) => {
      const segments = segmentsOf(route.path);
      const isAbove = sent.length > 2 && route.method === 'GET' && route.path.startsWith(`/${sent.join('/')}/`) && !/[{.]/.test(route.path);
      const isCalled = called.includes(route.id);
      const match = isAbove || isCalled ? { names: MOST_SEGMENTS + Number(isAbove), edits: 0 } : matchOf(sent, segments);
      // What stands where a path has an id may be a name of another path, such as "v1".
      const isFilled =
        isCalled || segments.every((segment, at) => !segment.startsWith('{') || !names.has(sent[at - segments.length + sent.length] ?? ''));
      return match === undefined || !isFilled ? [] : [{ route, ...match }];
    })
    .sort(
      (a, b) =>
        b.names - a.names ||
        a.edits - b.edits ||
        Number(b.route.method === method) - Number(a.route.method === method) ||
        a.route.path.length - b.route.path.length,
    );
  if (best === undefined) return undefined;
  const { route } = best;
  const segments = segmentsOf(route.path);
  const filled = segments.map((segment, at) => (segment.startsWith('{') ? sent[at - segments.length + sent.length] : segment));
  if (filled.includes(undefined)) return undefined;
  const target = `/${filled.join('/')}`;
  return { method: route.method, path: target, step: stepTo(route, target, query) };
}
