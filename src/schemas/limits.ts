/** Date of the interface, sent as `Gateway-Version`; raised when a response changes noticeably. */
export const GATEWAY_VERSION = '2026-11-21';

/** Every published limit, the only source for schemas, handlers, documents and pages. */
export const LIMITS = {
  /** Id of a capsule, offer or alias, in characters. */
  idMaxLength: 64,
  /** UTF-16 code units, after NFC. */
  queryMaxLength: 1024,
  /** Results of a query; a larger number is lowered and reported in `meta.applied`. */
  maxResultsDefault: 10,
  maxResultsMax: 50,
  /** `token_budget` of a query and a fetch, in estimated tokens. */
  tokenBudgetMin: 1,
  tokenBudgetMax: 100_000,
  filterTagsMax: 10,
  excludeIdsMax: 200,
  facetValuesMax: 20,
  /** Documents that are no capsules, and that a query for capsules names because they fit better. */
  otherKindsMax: 3,
  relatedMax: 10,
  browseLimitDefault: 20,
  browseLimitMax: 100,
  changesLimitDefault: 100,
  changesLimitMax: 1_000,
  fetchItemsMax: 20,
  /** `quote_length` of a query, in UTF-16 code units; a larger number is lowered and reported in `meta.clamped`. */
  quoteMinLength: 40,
  quoteDefaultLength: 480,
  /** Of a quote by default where the rest of its text says nearly as much about the query. */
  quoteUnsureLength: 720,
  quoteMaxLength: 2_000,
  /** Passages of a result; a larger number is lowered. */
  passagesMax: 3,
  /** Texts that one query searches for: `query` and `queries` together. */
  queriesMax: 5,
  /** Strongest capsules of each text that are fused. */
  fusedCapsulesMax: 100,
  /** Strongest capsules that are sorted by date. */
  sortedCapsulesMax: 1_000,
  /** `updated_within_days` of a query. */
  recentDaysMax: 3_650,
  suggestedValuesMax: 5,
  agentNameMaxLength: 80,
  /** Other short texts, in characters. */
  shortTextMaxLength: 200,
  /**
   * `Idempotency-Key`. The first minimum holds where a guessed key would lead to a response of somebody else: operations without an API key
   * share one scope, and a rotation returns a new key. 22 base64url characters carry 128 bits. Elsewhere a key belongs to one agent.
   */
  idempotencyKeyMaxLength: 255,
  idempotencyKeyMinLength: 22,
  ownIdempotencyKeyMinLength: 1,
  idempotencyHours: 24,
  bodyMaxBytes: 16_384,
  intakeBodyMaxBytes: 65_536,
  /** Nesting depth, and members and items, of a JSON request body. */
  jsonMaxDepth: 32,
  jsonMaxKeys: 1_000,
  /** Messages in a request of MCP, which has no batches since 2025-06-18; capabilities publish it. */
  rpcBatchMax: 1,
  /** String in a request body and in a proposal, in UTF-16 code units. */
  jsonStringMaxLength: 8_192,
  intakeStringMaxLength: 49_152,
  /** Text of a proposed capsule, in UTF-16 code units: about twice 900 words. */
  proposalTextMaxLength: 16_384,
  /** Request URL, in characters: a quotation of the default length, percent-encoded. The local host takes it twice in Node's 16 KiB of headers. */
  requestUrlMaxLength: 6_144,
  /** Characters. */
  urlMaxLength: 2_048,
  keyTtlDays: 90,
  passDaysMax: 3_660,
  keyOverlapMinutesDefault: 10,
  keyOverlapMinutesMax: 1_440,
  /** Seconds until every location refuses a revoked key, while the database can be reached. */
  revocationMaxSeconds: 120,
  /** Lifetime of a challenge, and the leading zero bits of its solution. */
  challengeMinutes: 10,
  challengeBitsMin: 16,
  challengeBitsMax: 22,
  /** Leading zero bits of a challenge for a request that uses a budget. */
  budgetChallengeBits: 18,
  /** Header with a solved challenge, in characters. */
  challengeSolutionMaxLength: 321,
  /** How long the decision on a proposal is kept, in days. */
  decisionKeptDays: 180,
  /** Proposals awaiting a decision, of all agents together. */
  intakeQueueMax: 500,
  /** Capsules on a page of a lineage graph, steps from its capsule, and capsules on all pages. */
  lineageMaxNodes: 60,
  lineageMaxDepth: 2,
  lineageMaxRelatives: 50_000,
  cartItemsMax: 20,
  quantityMax: 999,
  /** Segment after /buy/, in characters: a permalink with a full cart. */
  buySegmentMaxLength: 1_900,
  /** Products on a page of the UCP catalog (UCP advises at least 10). */
  catalogPageDefault: 10,
  catalogPageMax: 50,
  /** Ids of a lookup in the UCP catalog (UCP advises at least 10). */
  catalogLookupMax: 50,
  /** Total of a session, in minor units: the maximum of a card payment at Stripe (docs.stripe.com/currencies). */
  sessionTotalMaxMinor: 99_999_999,
  /** Items of a full cart in a URL, in characters. */
  cartTextMaxLength: 1_500,
  invoiceAddressMaxLength: 500,
  invoiceNoteMaxLength: 2_000,
  sessionHours: 24,
  /** How long an expired session is kept, in days: a payment on a hosted link may come late. */
  sessionKeptDays: 7,
  freeOrderKeptDays: 180,
  /** How long an open invoice request or message is kept, and an answered or closed one, in days. */
  invoiceWaitsDays: 90,
  invoiceKeptDays: 400,
  /** How long sent webhooks and handled payment events are kept, in days: Stripe resends for three. */
  handledKeptDays: 30,
  /** Payment event, in bytes, and age of its signature, in seconds (docs.stripe.com/webhooks). */
  processorEventMaxBytes: 262_144,
  signatureMaxAgeSeconds: 300,
  /** Attempts to deliver a webhook; published under this name. */
  noticeAttemptsMax: 12,
  paymentHeaderMaxLength: 16_384,
  /** How long a purchase of a capsule is replayed for the same payment, in hours. */
  paymentRepeatHours: 24,
  /** How long payments of capsules are kept, and failed ones, in days. */
  paymentKeptDays: 400,
  failedPaymentKeptDays: 7,
} as const;

/** Days whose checks the status page shows; the trigger of `status_days` deletes older ones. */
export const STATUS_DAYS = 90;

/** Bounds of markup, a thousand times what people write: beyond them, a markdown parser takes minutes or overflows the stack. */
export const TEXT_BOUNDS = {
  /** Characters of markdown syntax, and lines, of a text. */
  marks: 100_000,
  lines: 100_000,
  /** Markers of quotes and lists that begin a line, and columns of its indentation. */
  markers: 60,
  indent: 400,
  /** Characters of markdown syntax in a paragraph, a heading or a cell, which are compared with each other. */
  paragraphMarks: 3_000,
  openBrackets: 100,
  /** Lines that go on with a paragraph of a quote or a list without its marker, until a blank line. */
  lazyLines: 1_000,
  openBlocks: 30,
  /** Levels of the tree of a text. */
  depth: 200,
} as const;

/** The same for texts of strangers; capsules of the sample have at most 201 characters of syntax and 71 lines. */
export const SUBMITTED_TEXT_BOUNDS = { marks: 1_000, lines: 800, markers: 8, indent: 40, openBlocks: 8 } as const;

/** Rate limits per API key or network (IPv4 /24, IPv6 /64), counted in memory, approximately, and more strictly where a limiter is bound. */
export const RATE_LIMITS = {
  query: { requests: 120, windowSeconds: 60, per: 'key' },
  /** Replaces `query` for keys that an offer delivers. */
  query_raised: { requests: 480, windowSeconds: 60, per: 'key' },
  search: { requests: 300, windowSeconds: 3_600, per: 'network' },
  /** Searches of a page while its reader types, where the index is too large for browsers. */
  search_as_typed: { requests: 3_600, windowSeconds: 3_600, per: 'network' },
  network: { requests: 600, windowSeconds: 60, per: 'network' },
  register: { requests: 20, windowSeconds: 3_600, per: 'network' },
  register_solved: { requests: 200, windowSeconds: 3_600, per: 'network' },
  keys: { requests: 60, windowSeconds: 3_600, per: 'key' },
  /** Not per key: a thief of the key could use up what its owner needs to revoke it. */
  revoke: { requests: 120, windowSeconds: 3_600, per: 'network' },
  submit: { requests: 30, windowSeconds: 3_600, per: 'key' },
  /** Checkout and order operations; without a key they are counted for the network. */
  buy: { requests: 120, windowSeconds: 60, per: 'key' },
  /** Attempts to send a form; what is stored of them has a quota of its own. */
  invoice: { requests: 120, windowSeconds: 3_600, per: 'network' },
  message: { requests: 120, windowSeconds: 3_600, per: 'network' },
  /** Requests with a payment for a capsule, each of which calls the facilitator. */
  pay: { requests: 600, windowSeconds: 3_600, per: 'network' },
} as const satisfies Record<string, { requests: number; windowSeconds: number; per: 'key' | 'network' }>;

export type RateLimitName = keyof typeof RATE_LIMITS;

/**
 * Budgets by name, which bound what all callers together store in a day (UTC), because many networks together could otherwise use up a
 * day's rows. Agents that the publisher knows have {@link KNOWN_AGENTS_SHARE} of each in addition.
 *
 * The numbers fit D1's free plan, see {@link FREE_PLAN}: even when they are used up, rows are left for paid orders, payment events,
 * maintenance and the publisher. `tests/edge/every-route/row-costs.test.ts` measures the cost of each.
 *
 * `withoutChallenge`: requests before a solved challenge is required. `stored`: maximum number of stored rows.
 */
export const BUDGETS = {
  registrations: { requests: 500, withoutChallenge: 250, stored: { kind: 'agents', rows: 50_000 } },
  /** Revocations of own keys, and rotations with further revocations, which every isolate must know. */
  revocations: { requests: 600, withoutChallenge: 300 },
  rotations: { requests: 300, withoutChallenge: 150 },
  proposals: { requests: 150, withoutChallenge: 75, stored: { kind: 'receipts', rows: 30_000 } },
  checkouts: { requests: 1_000, withoutChallenge: 500, stored: { kind: 'checkout_sessions', rows: 10_000 } },
  checkout_changes: { requests: 1_000, withoutChallenge: 500 },
  charges: { requests: 300, withoutChallenge: 150 },
  free_orders: { requests: 100, withoutChallenge: 50, stored: { kind: 'free_orders', rows: 25_000 } },
  invoices: { requests: 150, withoutChallenge: 75, stored: { kind: 'invoice_requests', rows: 2_000 } },
  /** Idempotency keys of refused requests; none are stored beyond the budget. */
  key_bindings: { requests: 300, withoutChallenge: 300 },
  payment_claims: { requests: 500, withoutChallenge: 500 },
} as const satisfies Record<string, Budget>;

/** Additional share of every budget for agents that the publisher knows. */
export const KNOWN_AGENTS_SHARE = 0.2;

export interface Budget {
  readonly requests: number;
  readonly withoutChallenge: number;
  readonly stored?: { readonly kind: string; readonly rows: number };
}

export type BudgetName = keyof typeof BUDGETS;

export const BUDGET_WINDOW_SECONDS = 86_400;

/** Cloudflare's free plan, for an account, by day in UTC (developers.cloudflare.com: limits of Workers, KV and D1, pricing of D1). */
export const FREE_PLAN = {
  requestsADay: 100_000,
  kvReadsADay: 100_000,
  kvWritesADay: 1_000,
  kvDeletesADay: 1_000,
  kvBytes: 1_000_000_000,
  rowsReadADay: 5_000_000,
  rowsWrittenADay: 100_000,
  databaseBytes: 500_000_000,
} as const;

/** Rows that all budgets and the counts of what is asked may write in a day, including their deletion. */
export const BUDGETED_ROWS_PER_DAY = 90_000;

/** How long counts of what is asked are kept, and the texts of questions without an answer where the publisher has them stored, in days. */
export const INSIGHT_DAYS = { counts: 90, questions: 30 } as const;

/** How long the log of the publisher's actions is kept, in days. */
export const AUDIT_DAYS = 365;

/** Rows that counts of what is asked may write in a day; further requests of the day are not counted. Deleting them takes as many. */
export const INSIGHT_ROWS_PER_DAY = 2_000;

/** Exact quotas, counted by the database, per agent (all its keys), network, payer or solved challenge. One with a `budget` uses that too. */
export const QUOTAS = {
  /** Agents in the registry; keys work without. */
  registry: { requests: 20, windowSeconds: 3_600, per: 'network', budget: 'registrations' },
  submit_keys: { requests: 5, windowSeconds: 86_400, per: 'network' },
  own_revocations: { requests: 3, windowSeconds: 3_600, per: 'agent', budget: 'revocations' },
  /** Rotations, and further revocations, which every isolate must know. */
  revocations: { requests: 60, windowSeconds: 3_600, per: 'network', budget: 'rotations' },
  proposals: { requests: 20, windowSeconds: 86_400, per: 'agent' },
  network_proposals: { requests: 30, windowSeconds: 86_400, per: 'network', budget: 'proposals' },
  checkouts: { requests: 200, windowSeconds: 86_400, per: 'agent' },
  network_checkouts: { requests: 200, windowSeconds: 86_400, per: 'network', budget: 'checkouts' },
  /** Other changes of checkout sessions, and attempts to pay them. */
  network_checkout_changes: { requests: 200, windowSeconds: 86_400, per: 'network', budget: 'checkout_changes' },
  network_charges: { requests: 50, windowSeconds: 86_400, per: 'network', budget: 'charges' },
  network_free_orders: { requests: 20, windowSeconds: 86_400, per: 'network', budget: 'free_orders' },
  invoices: { requests: 20, windowSeconds: 86_400, per: 'network', budget: 'invoices' },
  /** Stored beside requests for an invoice. */
  messages: { requests: 20, windowSeconds: 86_400, per: 'network', budget: 'invoices' },
  network_key_bindings: { requests: 100, windowSeconds: 86_400, per: 'network', budget: 'key_bindings' },
  payer_claims: { requests: 20, windowSeconds: 86_400, per: 'payer', budget: 'payment_claims' },
  /** Uses of a solved challenge, or of a message that a wallet signs in with. */
  solved_challenges: { requests: 1, windowSeconds: 3_600, per: 'challenge' },
} as const satisfies Record<string, ExactQuota>;

export interface ExactQuota {
  readonly requests: number;
  readonly windowSeconds: number;
  readonly per: 'agent' | 'network' | 'payer' | 'challenge';
  readonly budget?: BudgetName;
}

export type QuotaName = keyof typeof QUOTAS;
