import { isAiUserAgent } from '../schemas/ai-agents.ts';

/**
 * Quality of a media type in an Accept header, by the most specific matching range (RFC 9110 section 12.5.1). Hono's `accepts` ignores
 * wildcards and cannot report that nothing is acceptable.
 */
export function acceptWeight(accept: string | null, type: string): number {
  if (accept === null || accept.trim() === '') return 1;
  const [group = ''] = type.split('/');
  let best = { specificity: -1, weight: 0 };
  for (const part of accept.split(',').slice(0, 64)) {
    const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const specificity = range === type ? 2 : range === `${group}/*` ? 1 : range === '*/*' ? 0 : -1;
    if (specificity <= best.specificity) continue;
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    const weight = quality === undefined ? 1 : /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(quality) ? Number(quality) : 0;
    best = { specificity, weight };
  }
  return best.weight;
}

/** The preferred type of `offered`, the earlier one of equals; `undefined` if none is acceptable. */
export function preferredType(accept: string | null, offered: readonly string[]): string | undefined {
  let best: { type: string; weight: number } | undefined;
  for (const type of offered) {
    const weight = acceptWeight(accept, type);
    if (weight > (best?.weight ?? 0)) best = { type, weight };
  }
  return best?.type;
}

/**
 * Whether an Accept header prefers markdown to HTML. Of equal weights a type that is named beats a wildcard, and of two named ones the first wins.
 * Who names neither gets HTML.
 */
export function prefersMarkdown(accept: string | null): boolean {
  if (accept === null || accept.trim() === '') return false;
  const markdown = acceptWeight(accept, 'text/markdown');
  const html = acceptWeight(accept, 'text/html');
  if (markdown !== html) return markdown > html;
  if (markdown === 0) return false;
  const named = accept
    .split(',')
    .slice(0, 64)
    .map((part) => part.split(';')[0]?.trim().toLowerCase());
  return named.find((range) => range === 'text/markdown' || range === 'text/html') === 'text/markdown';
}

/**
 * Whether a page goes to a caller as markdown: the caller prefers it, or is known to read for a language model, accepts markdown at all and did
 * not name HTML. Responses vary by {@link NEGOTIATION_HEADERS}.
 */
export function readsMarkdown(headers: Headers): boolean {
  const accept = headers.get('accept');
  if (prefersMarkdown(accept)) return true;
  if (!isAiUserAgent(headers.get('user-agent')) || acceptWeight(accept, 'text/markdown') === 0) return false;
  return accept === null || !/\btext\/html\b/i.test(accept);
}

/** Request headers that decide whether a page is sent as HTML or as markdown, for Vary (RFC 9110 section 12.5.5). */
export const NEGOTIATION_HEADERS = ['Accept', 'User-Agent'] as const;

/** Adds request headers to Vary that it does not name yet. */
export function varyBy(headers: Headers, names: readonly string[]): void {
  const present = (headers.get('vary') ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  for (const name of names) if (!present.includes(name.toLowerCase())) headers.append('Vary', name);
}

/** Media types of a problem, the preferred one of equals first. */
const PROBLEM_TYPES = ['application/problem+json', 'application/json', 'text/markdown'];

/** Whether a problem goes to a caller as markdown: the Accept header names that, and prefers it to JSON. */
export function prefersMarkdownProblem(accept: string | null): boolean {
  return accept !== null && /\btext\/markdown\b/i.test(accept) && preferredType(accept, PROBLEM_TYPES) === 'text/markdown';
}

/** Whether an If-None-Match header matches an entity tag (RFC 9110 section 13.1.2, weak comparison). */
export function matchesEntityTag(header: string | null, etag: string): boolean {
  if (header === null) return false;
  return header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
