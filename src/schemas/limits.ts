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
  /** Largest request body, in bytes, and the largest one of a proposal. */
  bodyMaxBytes: 16_384,
  intakeBodyMaxBytes: 65_536,
  /** Deepest JSON nesting and most members and items of a request body. */
  jsonMaxDepth: 32,
  jsonMaxKeys: 1_000,
  /** Longest text in a request body, in UTF-16 code units, and the longest one of a proposal. */
  jsonStringMaxLength: 8_192,
  intakeStringMaxLength: 49_152,
  /** Longest text of a proposed capsule, in UTF-16 code units; 900 words take about half of it. */
  proposalTextMaxLength: 16_384,
  /** Shortest `Idempotency-Key` of a proposal. It is looked for among those of one agent alone, so that nobody else can guess it. */
  proposalKeyMinLength: 8,
  /** Longest request address, in characters. */
  urlMaxLength: 2_048,
  /** Life of an API key, in days. */
  keyTtlDays: 90,
  /** How long a rotated key goes on working when its owner names no time, and the longest time, in minutes. */
  keyOverlapMinutesDefault: 10,
  keyOverlapMinutesMax: 1_440,
  /** Seconds within which a revoked key is refused in every location while the database can be reached. */
  revocationMaxSeconds: 120,
  /** Life of a challenge, in minutes, and the leading zero bits that its solution has at the least and at the most. */
  challengeMinutes: 10,
  challengeBitsMin: 16,
  challengeBitsMax: 22,
  /** Leading zero bits of a challenge that lets a request into a budget, at the least. */
  budgetChallengeBits: 18,
  /** Longest header with a solved challenge, in characters. */
  challengeSolutionMaxLength: 321,
  /** How long the decision on a proposal is kept for whoever proposed it, in days. */
  decisionKeptDays: 180,
  /** Proposals that wait for a decision at a time, from everybody together. */
  intakeQueueMax: 500,
  /** Capsules on one page of a lineage graph, how many steps away they may be, and how many there are on all pages at most. */
  lineageMaxNodes: 60,
  lineageMaxDepth: 2,
  lineageMaxRelatives: 50_000,
  /** Most items of a cart, and the largest quantity of one. */
  cartItemsMax: 20,
  quantityMax: 999,
  /** Longest segment behind /buy/, in characters: a permalink over as many items as a cart has. */
  buySegmentMaxLength: 1_900,
  /** Products of one page of the catalog when the caller names no number, and the most of one (UCP advises at least 10). */
  catalogPageDefault: 10,
  catalogPageMax: 50,
  /** Most ids of one lookup in the catalog (UCP advises at least 10). */
  catalogLookupMax: 50,
  /** Largest total of a session, in minor units: the most that one card payment at Stripe may be (docs.stripe.com/currencies). */
  sessionTotalMaxMinor: 99_999_999,
  /** Longest text of the items of a cart in an address, in characters: as many as a cart has, with the longest ids. */
  cartTextMaxLength: 1_500,
  /** Longest postal address and longest note of a request for an invoice, in characters. */
  invoiceAddressMaxLength: 500,
  invoiceNoteMaxLength: 2_000,
  /** How long a checkout session can be changed and paid, in hours. */
  sessionHours: 24,
  /** How long a session without an order is kept after its time, in days: a payment on a hosted link may come late. */
  sessionKeptDays: 7,
  /** How long an order of what is free is kept, in days. */
  freeOrderKeptDays: 180,
  /** How long a request for an invoice is kept that nobody answered, and one that was answered or closed, in days. */
  invoiceWaitsDays: 90,
  invoiceKeptDays: 400,
  /** How long notices that were sent, and messages of the processor that were dealt with, are kept, in days: Stripe repeats for three. */
  handledKeptDays: 30,
  /** Largest notice of the payment processor, in bytes, and how old its signature may be, in seconds (docs.stripe.com/webhooks). */
  processorEventMaxBytes: 262_144,
  signatureMaxAgeSeconds: 300,
  /** Attempts to deliver one notice of an order before it is given up; they take about three days. */
  noticeAttemptsMax: 12,
  /** Longest header that carries a payment, in characters. */
  paymentHeaderMaxLength: 16_384,
  /** How long the purchase of a capsule is answered again to whoever presents the same payment, in hours. */
  paymentRepeatHours: 24,
  /** How long payments of capsules are kept, and those that certainly were not made, in days. */
  paymentKeptDays: 400,
  failedPaymentKeptDays: 7,
} as const;

/**
 * Rate limits in force, by name: `requests` in every window of `windowSeconds`, counted for the API key or for the
 * caller's network (IPv4 /24, IPv6 /64). They are counted in memory, approximately, and more strictly where a limiter is bound.
 */
export const RATE_LIMITS = {
  query: { requests: 120, windowSeconds: 60, per: 'key' },
  /** Takes the place of `query` for keys that an offer delivers. */
  query_raised: { requests: 480, windowSeconds: 60, per: 'key' },
  network: { requests: 600, windowSeconds: 60, per: 'network' },
  register: { requests: 20, windowSeconds: 3_600, per: 'network' },
  register_solved: { requests: 200, windowSeconds: 3_600, per: 'network' },
  keys: { requests: 60, windowSeconds: 3_600, per: 'key' },
  /** Not counted for the key: whoever else has it could use up what its owner needs to revoke it. */
  revoke: { requests: 120, windowSeconds: 3_600, per: 'network' },
  submit: { requests: 30, windowSeconds: 3_600, per: 'key' },
  /** Operations of checkout and orders; those without a key are counted for the network. */
  buy: { requests: 120, windowSeconds: 60, per: 'key' },
  invoice: { requests: 20, windowSeconds: 3_600, per: 'network' },
  /** Requests with a payment for a capsule: each asks the facilitator. */
  pay: { requests: 600, windowSeconds: 3_600, per: 'network' },
} as const satisfies Record<string, { requests: number; windowSeconds: number; per: 'key' | 'network' }>;

export type RateLimitName = keyof typeof RATE_LIMITS;

/**
 * Budgets of what anybody can leave in the database, by name: at most `requests` in a day (UTC), of all callers together, because many
 * networks together could otherwise write every row that a day has. Agents that the publisher knows have {@link KNOWN_AGENTS_SHARE} of
 * each besides, for themselves.
 *
 * The numbers fit D1's free plan, see {@link DATABASE_PLAN}: with all of them used up, the rest of a day's rows is there for paid orders,
 * messages of the payment processor, maintenance and the publisher. `tests/edge/every-route/row-costs.test.ts` measures what each costs.
 *
 * `withoutChallenge`: from so many on, a request needs a solved challenge. `stored`: most rows of a kind that may be there at a time.
 */
export const BUDGETS = {
  /** Rows in the registry of agents. */
  registrations: { requests: 500, withoutChallenge: 250, stored: { kind: 'agents', rows: 50_000 } },
  /** Revocations by agents of their own keys, and rotations with further revocations: every isolate has to know of them. */
  revocations: { requests: 600, withoutChallenge: 300 },
  rotations: { requests: 300, withoutChallenge: 150 },
  proposals: { requests: 150, withoutChallenge: 75, stored: { kind: 'receipts', rows: 30_000 } },
  /** Checkout sessions that are opened. */
  checkouts: { requests: 1_000, withoutChallenge: 500, stored: { kind: 'checkout_sessions', rows: 10_000 } },
  /** Other changes of checkout sessions that charge nothing. */
  checkout_changes: { requests: 1_000, withoutChallenge: 500 },
  /** Attempts of agents to pay a checkout session. */
  charges: { requests: 300, withoutChallenge: 150 },
  /** Orders of what is free, which agents complete. */
  free_orders: { requests: 100, withoutChallenge: 50, stored: { kind: 'free_orders', rows: 25_000 } },
  invoices: { requests: 150, withoutChallenge: 75, stored: { kind: 'invoice_requests', rows: 2_000 } },
  /** Idempotency keys that are kept of requests which were refused; without room none is kept. */
  key_bindings: { requests: 300, withoutChallenge: 300 },
  /** Payments for capsules that a facilitator has found good and that were not made; their protocols know no challenge. */
  payment_claims: { requests: 500, withoutChallenge: 500 },
} as const satisfies Record<string, Budget>;

/** Part of every budget that agents which the publisher knows have besides, for themselves. */
export const KNOWN_AGENTS_SHARE = 0.2;

/** A budget of all callers together, for one day. */
export interface Budget {
  readonly requests: number;
  readonly withoutChallenge: number;
  /** A kind of rows, as the database counts them, and how many. */
  readonly stored?: { readonly kind: string; readonly rows: number };
}

export type BudgetName = keyof typeof BUDGETS;

/** Length of the window of a budget, in seconds. */
export const BUDGET_WINDOW_SECONDS = 86_400;

/**
 * What D1's free plan gives: rows that may be written in a day, and bytes that may be stored (developers.cloudflare.com/d1/platform/pricing,
 * developers.cloudflare.com/d1/platform/limits); and what of these rows all budgets together may use, their removal included.
 */
export const DATABASE_PLAN = { rowsPerDay: 100_000, budgetedRowsPerDay: 85_000, storageBytes: 500_000_000 } as const;

/**
 * Quotas that the database counts exactly, by name: at most `requests` in a fixed window of `windowSeconds`, for the agent (all its
 * keys together), for the caller's network, for who pays, or for one solved challenge. One with a `budget` takes from that as well.
 */
export const QUOTAS = {
  /** Rows that registrations leave in the registry of agents; a key works without one. */
  registry: { requests: 20, windowSeconds: 3_600, per: 'network', budget: 'registrations' },
  /** Keys with the scope submit. */
  submit_keys: { requests: 5, windowSeconds: 86_400, per: 'network' },
  /** Revocations of an agent's own keys, whatever others of its network do. */
  own_revocations: { requests: 3, windowSeconds: 3_600, per: 'agent', budget: 'revocations' },
  /** Rotations, and revocations beyond an agent's own: every isolate has to know of them. */
  revocations: { requests: 60, windowSeconds: 3_600, per: 'network', budget: 'rotations' },
  proposals: { requests: 20, windowSeconds: 86_400, per: 'agent' },
  network_proposals: { requests: 30, windowSeconds: 86_400, per: 'network', budget: 'proposals' },
  /** Checkout sessions, of an agent with a key and of a network. */
  checkouts: { requests: 200, windowSeconds: 86_400, per: 'agent' },
  network_checkouts: { requests: 200, windowSeconds: 86_400, per: 'network', budget: 'checkouts' },
  /** Other changes of checkout sessions, and attempts of agents to pay them. */
  network_checkout_changes: { requests: 200, windowSeconds: 86_400, per: 'network', budget: 'checkout_changes' },
  network_charges: { requests: 50, windowSeconds: 86_400, per: 'network', budget: 'charges' },
  network_free_orders: { requests: 20, windowSeconds: 86_400, per: 'network', budget: 'free_orders' },
  /** Requests for an invoice. */
  invoices: { requests: 20, windowSeconds: 86_400, per: 'network', budget: 'invoices' },
  network_key_bindings: { requests: 100, windowSeconds: 86_400, per: 'network', budget: 'key_bindings' },
  /** Payments for capsules that one payer has begun and not made. */
  payer_claims: { requests: 20, windowSeconds: 86_400, per: 'payer', budget: 'payment_claims' },
  /** Uses of one solved challenge that lets a request through. */
  solved_challenges: { requests: 1, windowSeconds: 3_600, per: 'challenge' },
} as const satisfies Record<string, ExactQuota>;

/** A quota that the database counts. */
export interface ExactQuota {
  readonly requests: number;
  readonly windowSeconds: number;
  readonly per: 'agent' | 'network' | 'payer' | 'challenge';
  readonly budget?: BudgetName;
}

export type QuotaName = keyof typeof QUOTAS;
