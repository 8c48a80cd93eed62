import type { DocumentFile, Publication } from '../publication/publication.ts';
import { AI_CRAWLERS } from '../schemas/ai-agents.ts';
import { PATHS } from '../schemas/paths.ts';

/** Default permissions: search and answers, but no training of models. */
const DEFAULT_SIGNALS = { search: true, ai_input: true, ai_train: false };

/**
 * `/robots.txt`: every address may be fetched; the signals state for which uses.
 *
 * @see RFC 9309: a crawler follows only the group that names it, so each group has the signal.
 * @see https://contentsignals.org and draft-romm-aipref-contentsignals.
 */
export function robotsTxt({ deployment, publisher }: Publication): DocumentFile {
  const { search, ai_input, ai_train } = publisher.content_signals ?? DEFAULT_SIGNALS;
  const word = (allowed: boolean): string => (allowed ? 'yes' : 'no');
  const signal = `search=${word(search)}, ai-input=${word(ai_input)}, ai-train=${word(ai_train)}`;
  const group = (agents: readonly string[]): string =>
    [...agents.map((agent) => `User-agent: ${agent}`), `Content-Signal: ${signal}`, 'Allow: /'].join('\n');
  const body = [group(['*']), group(AI_CRAWLERS), `Sitemap: ${deployment.baseUrl}${PATHS.sitemap}`].join('\n\n');
  return { path: PATHS.robots, contentType: 'text/plain; charset=utf-8', body: `${body}\n` };
}

/** Validity of security.txt, in days after the publisher's newest change. RFC 9116 section 2.5.5: less than a year. */
const VALID_DAYS = 360;

/**
 * `/.well-known/security.txt`: where to report vulnerabilities.
 *
 * @see RFC 9116 section 2.5: Contact and Expires are required.
 */
export function securityTxt({ deployment, publisher }: Publication): DocumentFile {
  const { baseUrl, contactEmail } = deployment;
  const expires = new Date(Date.parse(`${publisher.updated}T00:00:00Z`) + VALID_DAYS * 86_400_000).toISOString().slice(0, 10);
  const body = [
    `Contact: mailto:${contactEmail}`,
    `Contact: ${baseUrl}${PATHS.contact}`,
    `Expires: ${expires}T00:00:00Z`,
    'Preferred-Languages: en',
    `Canonical: ${baseUrl}${PATHS.securityTxt}`,
  ].join('\n');
  return { path: PATHS.securityTxt, contentType: 'text/plain; charset=utf-8', body: `${body}\n` };
}
