import { parseAccept } from 'hono/utils/accept';
import { isAiUserAgent } from '../schemas/ai-crawlers.ts';

/** Longest Accept header that is read, in characters; what follows is left out. */
const ACCEPT_MAX_LENGTH = 2_048;

/** The media ranges of an Accept header in lower case, the greatest quality first; `undefined` if it accepts everything. */
function mediaRanges(accept: string | null): { readonly type: string; readonly q: number }[] | undefined {
  if (accept === null || accept === '*/*' || accept.trim() === '') return undefined;
  // Clients such as Java before version 21 write the range of all types as `*`.
  return parseAccept(accept.slice(0, ACCEPT_MAX_LENGTH)).map(({ type, q }) => ({ type: type === '*' ? '*/*' : type.toLowerCase(), q }));
}

/**
 * Quality of a media type by the most specific matching range (RFC 9110 section 12.5.1); Hono's `accepts` ignores wildcards.
 *
 * @param further Other ranges that match it: those that Accept-Payment has and Accept lacks.
 */
export function acceptWeight(accept: string | null, type: string, ...further: readonly string[]): number {
  return weightIn(mediaRanges(accept), type, further);
}

function weightIn(ranges: ReturnType<typeof mediaRanges>, type: string, further: readonly string[] = []): number {
  if (ranges === undefined) return 1;
  const matching = [type, `${type.split('/')[0]}/*`, ...further, '*/*'].map((name) => ranges.find((range) => range.type === name));
  return matching.find((range) => range !== undefined)?.q ?? 0;
}

/** The earlier one of equals; `undefined` if none is acceptable. */
export function preferredType(accept: string | null, offered: readonly string[]): string | undefined {
  const ranges = mediaRanges(accept);
  let best: { type: string; weight: number } | undefined;
  for (const type of offered) {
    const weight = weightIn(ranges, type);
    if (weight > (best?.weight ?? 0)) best = { type, weight };
  }
  return best?.type;
}

/** Whether an Accept header prefers markdown to HTML. Of equal weights a type that is named beats a wildcard, and the first one wins. */
export function prefersMarkdown(accept: string | null): boolean {
  const ranges = mediaRanges(accept);
  if (ranges === undefined) return false;
  const markdown = weightIn(ranges, 'text/markdown');
  const html = weightIn(ranges, 'text/html');
  if (markdown !== html) return markdown > html;
  return markdown > 0 && ranges.find(({ type }) => type === 'text/markdown' || type === 'text/html')?.type === 'text/markdown';
}

/** Whether a page goes to a caller as markdown: it prefers it, or reads for a language model, accepts markdown and did not name HTML. */
export function readsMarkdown(headers: Headers): boolean {
  const accept = headers.get('accept');
  if (prefersMarkdown(accept)) return true;
  if (!isAiUserAgent(headers.get('user-agent')) || acceptWeight(accept, 'text/markdown') === 0) return false;
  return !names(accept, 'text/html');
}

function names(accept: string | null, type: string): boolean {
  return mediaRanges(accept)?.some((range) => range.type === type) === true;
}

/** The language that a reader prefers (RFC 9110 section 12.5.4); `undefined` without the header. */
export function preferredLanguage(acceptLanguage: string | undefined): string | undefined {
  return parseAccept(acceptLanguage?.slice(0, ACCEPT_MAX_LENGTH) ?? '').find(({ type, q }) => q > 0 && type !== '*')?.type;
}

/** Request headers that decide whether a page is sent as HTML or as markdown, for Vary (RFC 9110 section 12.5.5). */
export const NEGOTIATION_HEADERS = ['Accept', 'User-Agent'] as const;

export function varyBy(headers: Headers, names: readonly string[]): void {
  const present = (headers.get('vary') ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  for (const name of names) if (!present.includes(name.toLowerCase())) headers.append('Vary', name);
}

const PROBLEM_TYPES = ['application/problem+json', 'application/json', 'text/markdown'];

export function prefersMarkdownProblem(accept: string | null): boolean {
  return names(accept, 'text/markdown') && preferredType(accept, PROBLEM_TYPES) === 'text/markdown';
}

/** Whether an If-None-Match header matches an entity tag (RFC 9110 section 13.1.2, weak comparison). */
export function matchesEntityTag(header: string | null, etag: string): boolean {
  if (header === null) return false;
  return header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
