/** Names for robots.txt that are not in any User-Agent: their owners fetch under the names of their search engines. */
const ROBOTS_TOKENS = ['Google-Extended', 'Applebot-Extended'] as const;

/** Programs that fetch pages for language models, by the name in their User-Agent header, as their owners document it. */
const FETCHERS = [
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

/** User agents that robots.txt names: some tools look for a group of their own. */
export const AI_CRAWLERS: readonly string[] = [...FETCHERS, ...ROBOTS_TOKENS];

const FETCHER_NAMES: ReadonlySet<string> = new Set(FETCHERS.map((name) => name.toLowerCase()));

/** Whether a User-Agent header names a program that fetches pages for a language model. Anyone can send such a name: nothing may depend on it. */
export function isAiUserAgent(userAgent: string | null): boolean {
  const words = userAgent?.toLowerCase().split(/[^a-z0-9-]+/) ?? [];
  return words.some((word) => FETCHER_NAMES.has(word));
}
