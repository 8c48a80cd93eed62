/**
 * Every bound that the interface publishes, once. Schemas, handlers, OpenAPI, capabilities and the pages read it from here.
 */
export const LIMITS = {
  /** Longest capsule, offer or alias id, in characters. */
  idMaxLength: 64,
  /** Longest query text, in UTF-16 code units after NFC. */
  queryMaxLength: 1024,
  /** Results of one query when the caller names no number. */
  maxResultsDefault: 10,
  /** Most results of one query; a larger number is clamped and reported in `meta.applied`. */
  maxResultsMax: 50,
  /** Smallest and largest `token_budget` of a query and of a fetch, in estimated tokens. */
  tokenBudgetMin: 1,
  tokenBudgetMax: 100_000,
  /** Most values in each of the filters `tags` and `tags_any`. */
  filterTagsMax: 10,
  /** Most ids in `exclude_ids` of a query. */
  excludeIdsMax: 200,
  /** Most values that are counted for one facet of a query, the most frequent ones. */
  facetValuesMax: 20,
  /** Most capsules that are related to one. */
  relatedMax: 10,
  /** Items of one browse page when the caller names no number. */
  browseLimitDefault: 20,
  /** Most items of one browse page. */
  browseLimitMax: 100,
  /** Events of one answer of the feed of changes when the caller names no number, and the most of one. */
  changesLimitDefault: 100,
  changesLimitMax: 1_000,
  /** Most capsules that one request fetches. */
  fetchItemsMax: 20,
  /** Longest passage quoted in a result, in UTF-16 code units. */
  quoteMaxLength: 480,
  /** Agent name at registration, in characters. */
  agentNameMaxLength: 80,
  /** Other short texts at registration, in characters. */
  shortTextMaxLength: 200,
  /** Longest and, on register, shortest `Idempotency-Key`: 22 base64url characters carry 128 bits. */
  idempotencyKeyMaxLength: 255,
  idempotencyKeyMinLength: 22,
  /** How long a registration can be replayed under its `Idempotency-Key`, in hours. */
  idempotencyHours: 24,
  /** Largest request body, in bytes. */
  bodyMaxBytes: 16_384,
  /** Deepest JSON nesting and most members and items of a request body. */
  jsonMaxDepth: 32,
  jsonMaxKeys: 1_000,
  /** Longest request address, in characters. */
  urlMaxLength: 2_048,
  /** Life of an API key, in days. */
  keyTtlDays: 90,
  /** Capsules on one page of a lineage graph, how many steps away they may be, and how many there are on all pages at most. */
  lineageMaxNodes: 60,
  lineageMaxDepth: 2,
  lineageMaxRelatives: 50_000,
} as const;

/**
 * Rate limits in force, by name: `requests` in every window of `windowSeconds`, counted for the API key or for the
 * caller's network (IPv4 /24, IPv6 /64).
 */
export const RATE_LIMITS = {
  query: { requests: 120, windowSeconds: 60, per: 'key' },
  network: { requests: 600, windowSeconds: 60, per: 'network' },
  register: { requests: 20, windowSeconds: 3_600, per: 'network' },
} as const satisfies Record<string, { requests: number; windowSeconds: number; per: 'key' | 'network' }>;

export type RateLimitName = keyof typeof RATE_LIMITS;
