import type { DocumentFile, Publication } from '../publication/publication.ts';
import { PATHS } from '../schemas/paths.ts';

/** Crawlers of AI companies, named because some tools look for their own group. */
const AI_CRAWLERS = [
  'GPTBot',
  'OAI-SearchBot',
  'ChatGPT-User',
  'ClaudeBot',
  'Claude-User',
  'Claude-SearchBot',
  'CCBot',
  'Google-Extended',
  'Applebot-Extended',
  'PerplexityBot',
  'Perplexity-User',
  'meta-externalagent',
  'Amazonbot',
  'Bytespider',
];

/** Uses that are allowed where the publisher says nothing: search and answers yes, training of models no. */
const DEFAULT_SIGNALS = { search: true, ai_input: true, ai_train: false };

/**
 * `/robots.txt`. Every address may be fetched; the signals say what for.
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
