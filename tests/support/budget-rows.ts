import { BUDGET_PREFIX } from '../../src/platform/d1/quotas.ts';
import { BUDGET_WINDOW_SECONDS, BUDGETS, type BudgetName } from '../../src/schemas/limits.ts';

/** Sets what is used of every budget today, as if so many requests had come from all over the world. */
export async function useBudgets(
  database: D1Database,
  used: (budget: (typeof BUDGETS)[BudgetName]) => number,
  { subject = 'anybody', nowMs = Date.now() }: { readonly subject?: 'anybody' | 'known agents'; readonly nowMs?: number } = {},
): Promise<void> {
  const windowMs = BUDGET_WINDOW_SECONDS * 1_000;
  const endsAtMs = (Math.floor(nowMs / windowMs) + 1) * windowMs;
  await database.batch(
    (Object.keys(BUDGETS) as BudgetName[]).map((name) =>
      database
        .prepare('INSERT OR REPLACE INTO quotas (ends_at_ms, name, subject, count) VALUES (?1, ?2, ?3, ?4)')
        .bind(endsAtMs, BUDGET_PREFIX + name, subject, used(BUDGETS[name])),
    ),
  );
}
