import { BUDGET_PREFIX } from '../../src/platform/d1/quotas.ts';
import { BUDGETS, type BudgetName, LIMITS, QUOTAS, type QuotaName } from '../../src/schemas/limits.ts';
import type { SimulatedDatabase } from '../support/simulated/database.ts';
import type { Knowledge } from './knowledge.ts';
import { hold } from './violation.ts';

/** How long a request takes at most between the readings of the clock that its row and its quota are given. */
const TAKES_MS_MAX = 10_000;

export function holdQuotas({ database, known }: { readonly database: SimulatedDatabase; readonly known: Knowledge }): void {
  for (const { name, most } of database.look('SELECT name, MAX(count) AS most FROM quotas GROUP BY name'))
    hold('quota', Number(most) <= mostOf(String(name)), () => `${name}: ${most} are counted`);
  const receipts = database.look('SELECT agent, received_at_ms AS at_ms FROM receipts');
  holdRows('proposals', receipts, (row) => String(row.agent));
  holdRows('network_proposals', receipts, (row) => known.networks.get(`agt_${row.agent}`));
  const agents = database.look('SELECT agent, created_at_ms AS at_ms FROM agents');
  holdRows('registry', agents, (row) => known.networks.get(`agt_${row.agent}`));
}

function mostOf(name: string): number {
  return name.startsWith(BUDGET_PREFIX)
    ? BUDGETS[name.slice(BUDGET_PREFIX.length) as BudgetName].requests
    : QUOTAS[name as QuotaName].requests;
}

/** Whether anything that the database counts exactly is at its bound. */
export function isSomeQuotaUsedUp(database: SimulatedDatabase): boolean {
  const counted = database.look('SELECT name, MAX(count) AS most FROM quotas GROUP BY name');
  const [queue] = database.look("SELECT COUNT(*) AS waiting FROM proposals WHERE state = 'pending'");
  return Number(queue?.['waiting']) >= LIMITS.intakeQueueMax || counted.some(({ name, most }) => Number(most) >= mostOf(String(name)));
}

interface Row extends Record<string, unknown> {
  readonly agent?: string;
  readonly at_ms?: number;
}

function holdRows(name: QuotaName, rows: readonly Row[], subjectOf: (row: Row) => string | undefined): void {
  const { requests, windowSeconds } = QUOTAS[name];
  const windowMs = windowSeconds * 1_000;
  const counts = new Map<string, number>();
  for (const row of rows) {
    const subject = subjectOf(row);
    const atMs = Number(row.at_ms);
    // What is written at the end of a window may be counted in the next one.
    if (subject === undefined || windowMs - (atMs % windowMs) < TAKES_MS_MAX) continue;
    const window = `${subject} ${Math.floor(atMs / windowMs)}`;
    const count = (counts.get(window) ?? 0) + 1;
    counts.set(window, count);
    hold('quota', count <= requests, () => `${name}: ${count} rows of ${window}`);
  }
}
