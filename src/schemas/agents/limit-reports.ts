import * as z from 'zod';
import { FEATURE_PARTS, limitValues } from '../features.ts';
import { BUDGETS, type BudgetName, QUOTAS, RATE_LIMITS } from '../limits.ts';

/** Current state of a budget. */
const BudgetLevel = z
  .enum(['open', 'challenge_required', 'used_up', 'unknown'])
  .describe(
    'open: requests are accepted. challenge_required: only with a solved challenge. used_up: not before the window ends or rows are removed. unknown: the database cannot be reached. Up to half a minute old.',
  );

const BUDGET_NAMES = Object.keys(BUDGETS) as [BudgetName, ...BudgetName[]];

/** A published budget. */
export const PublishedBudget = z.object({
  name: z.enum(BUDGET_NAMES).describe('Name of the budget.').register(FEATURE_PARTS, limitValues(BUDGET_NAMES)),
  requests: z.int().min(1).describe('Requests accepted in a window, of all callers together.'),
  requests_without_challenge: z.int().min(0).describe('Requests accepted without a solved challenge.'),
  window_seconds: z.int().min(1).describe('Length of the window, in seconds; windows begin at midnight UTC.'),
  rows_stored_max: z.int().min(1).optional().describe('Most stored rows of this kind.'),
  level: BudgetLevel,
});
export type PublishedBudget = z.infer<typeof PublishedBudget>;

/** Names of budgets with their levels. */
export const PublishedBudgetLevels = z.array(PublishedBudget.pick({ name: true, level: true })).max(BUDGET_NAMES.length);

/** Published budgets. */
export const PublishedBudgets = z.array(PublishedBudget).max(BUDGET_NAMES.length);

const LIMIT_NAMES = [...Object.keys(RATE_LIMITS), ...Object.keys(QUOTAS)] as [
  keyof typeof RATE_LIMITS | keyof typeof QUOTAS,
  ...(keyof typeof RATE_LIMITS | keyof typeof QUOTAS)[],
];

/** A published rate limit or quota. */
export const PublishedRateLimit = z
  .object({
    name: z.enum(LIMIT_NAMES).describe('Name of the limit.').register(FEATURE_PARTS, limitValues(LIMIT_NAMES)),
    requests: z.int().min(1).describe('Requests allowed in a window.'),
    window_seconds: z.int().min(1).describe('Length of the window, in seconds.'),
    per: z
      .enum(['key', 'agent', 'network', 'payer', 'challenge'])
      .describe(
        'What the limit applies to: the API key, together with the other keys of its agent; the agent; the network of the request (IPv4 /24, IPv6 /64); the payer; or one solved challenge.',
      )
      .register(FEATURE_PARTS, { payments: { values: ['payer'], words: ' the payer;' } }),
    enforcement: z
      .enum(['isolate', 'location', 'exact'])
      .describe(
        'Where it is counted: isolate is the memory of one process, approximately; location adds a count for the whole network location; exact is the database.',
      ),
  })
  .describe('A rate limit or quota.');

/** Published rate limits and quotas. */
export const PublishedRateLimits = z.array(PublishedRateLimit).max(LIMIT_NAMES.length);
