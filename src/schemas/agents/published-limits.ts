import * as z from 'zod';
import { BUDGETS, type BudgetName, QUOTAS, RATE_LIMITS } from '../limits.ts';

/** What a request that needs room in a budget meets at present. */
export const BudgetLevel = z
  .enum(['open', 'challenge_required', 'used_up', 'unknown'])
  .describe(
    'open: a request is let through. challenge_required: with a solved challenge. used_up: not before the window ends or rows are removed. unknown: the database cannot be asked. Up to half a minute old.',
  );
export type BudgetLevel = z.infer<typeof BudgetLevel>;

/** A budget as it is published. */
export const PublishedBudget = z.object({
  name: z.enum(Object.keys(BUDGETS) as [BudgetName, ...BudgetName[]]).describe('Name of the budget.'),
  requests: z.int().min(1).describe('Requests of all callers together that are let through in a window.'),
  requests_without_challenge: z.int().min(0).describe('From so many on, each request needs a solved challenge.'),
  window_seconds: z.int().min(1).describe('Length of the window, in seconds; windows begin at midnight UTC.'),
  rows_stored_max: z.int().min(1).optional().describe('Most rows of this kind that the database holds at a time.'),
  level: BudgetLevel,
});
export type PublishedBudget = z.infer<typeof PublishedBudget>;

/** Names of all limits, of both kinds. */
const LIMIT_NAMES = [...Object.keys(RATE_LIMITS), ...Object.keys(QUOTAS)] as [
  keyof typeof RATE_LIMITS | keyof typeof QUOTAS,
  ...(keyof typeof RATE_LIMITS | keyof typeof QUOTAS)[],
];

/** A rate limit or quota as it is published. */
export const PublishedRateLimit = z.object({
  name: z.enum(LIMIT_NAMES).describe('Name of the limit.'),
  requests: z.int().min(1).describe('Requests allowed in a window.'),
  window_seconds: z.int().min(1).describe('Length of the window, in seconds.'),
  per: z
    .enum(['key', 'agent', 'network', 'payer', 'challenge'])
    .describe(
      'What is counted: the API key, together with the other keys of its agent; the agent; the network that the request comes from (IPv4 /24, IPv6 /64); who pays; or one solved challenge.',
    ),
  enforcement: z
    .enum(['isolate', 'location', 'exact'])
    .describe(
      'Where it is counted: in the memory of one process and so approximately, in a location of the network as well, or exactly in the database.',
    ),
});
