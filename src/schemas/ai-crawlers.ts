/** Names for robots.txt that are not in any User-Agent: their owners fetch under the names of their search engines. */
const ROBOTS_PRODUCT_TOKENS = ['Google-Extended', 'Applebot-Extended'] as const;

/** Programs that fetch pages for language models, by the name in their User-Agent header, as their owners document it. */
const FETCHER_PRODUCT_TOKENS = [
  'GPTBot',
  'OAI-SearchBot',
  'ChatGPT-User',
  'ClaudeBot',
  'Claude-User',
  'Claude-SearchBot',
  'CCBot',
  'PerplexityBot',
  'Perplexity-User',
  'MistralAI-User',
  'meta-externalagent',
  'meta-externalfetcher',
  'Amazonbot',
  'Bytespider',
  'DuckAssistBot',
  'Google-CloudVertexBot',
  'cohere-ai',
  'YouBot',
  'AI2Bot',
  'Diffbot',
] as const;

/** User agents that robots.txt names in a group of its own: some checkers only accept an explicit group. The rules are those of `*`. */
export const AI_CRAWLERS: readonly string[] = [...FETCHER_PRODUCT_TOKENS, ...ROBOTS_PRODUCT_TOKENS];

const FETCHER_TOKENS: ReadonlySet<string> = new Set(FETCHER_PRODUCT_TOKENS.map((name) => name.toLowerCase()));

/** Whether a User-Agent header names a program that fetches pages for a language model. The name is not verified: it may decide the form of a response, never access. */
export function isAiUserAgent(userAgent: string | null): boolean {
  const words = userAgent?.toLowerCase().split(/[^a-z0-9-]+/) ?? [];
  return words.some((word) => FETCHER_TOKENS.has(word));
}
