import * as z from 'zod';
import { BUDGETS, type BudgetName } from '../limits.ts';

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
