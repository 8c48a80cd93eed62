import { createHmac } from 'node:crypto';
import type { SimulatedDatabase } from '../support/simulated/database.ts';
import type { ReceivedNotice } from './outside/receiver.ts';
import { hold } from './violation.ts';

interface OrderRow {
  readonly id: string;
  readonly total_minor: number;
  readonly refunded_minor: number;
  readonly content: string;
}

/** What a notice says was paid back. */
function refundedIn({ order }: ReceivedNotice): number {
  return order.totals.find(({ type }) => type === 'amount_refunded')?.amount ?? 0;
}

/** What is wrong with a notice as it arrives; `undefined` if it is true. */
export function holdNotice(database: SimulatedDatabase, notice: ReceivedNotice): string | undefined {
  const [row] = database.look('SELECT id, total_minor, refunded_minor, content FROM orders WHERE id = ?1', notice.order.id);
  const order = row as unknown as OrderRow | undefined;
  if (order === undefined) return `of no order: ${notice.body}`;
  const { notifyUrl } = JSON.parse(order.content) as { notifyUrl?: string };
  const total = notice.order.totals.find(({ type }) => type === 'total')?.amount;
  const refunded = refundedIn(notice);
  if (notice.url !== notifyUrl) return `sent to ${notice.url} instead of ${notifyUrl}`;
  if (total !== order.total_minor) return `a total of ${total} instead of ${order.total_minor}`;
  if (refunded > order.refunded_minor) return `${refunded} paid back instead of ${order.refunded_minor}`;
  if (notice.kind === 'order_update' && refunded === 0) return `news of nothing: ${notice.body}`;
  return undefined;
}

/**
 * Holds, once all notices were sent, that the agent of every order with an address heard that there is one and what was paid back, signed
 * for the agent.
 *
 * @param secrets Secrets of agents, by owner of the order.
 */
export function holdAllNotices(
  database: SimulatedDatabase,
  received: readonly ReceivedNotice[],
  secrets: ReadonlyMap<string, string>,
): void {
  for (const row of database.look('SELECT id, total_minor, refunded_minor, content FROM orders') as unknown as OrderRow[]) {
    const { notifyUrl, owner } = JSON.parse(row.content) as { notifyUrl?: string; owner: string };
    const heard = received.filter(({ order }) => order.id === row.id);
    if (notifyUrl === undefined) {
      hold('true-notice', heard.length === 0, () => `${row.id} has no address and was told of`);
      continue;
    }
    hold(
      'true-notice',
      heard.some(({ kind }) => kind === 'order_create'),
      () => `nobody was told that ${row.id} was made`,
    );
    const told = Math.max(...heard.map(refundedIn));
    hold('true-notice', told === row.refunded_minor, () => `of ${row.refunded_minor} paid back of ${row.id}, ${told} was told`);
    for (const { signature, body } of heard) {
      const [, seconds, mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
      const wanted = createHmac('sha256', secrets.get(owner) ?? '')
        .update(`${seconds}.${body}`)
        .digest('hex');
      hold('true-notice', mac === wanted, () => `the signature of a notice of ${row.id} is not that of ${owner}`);
    }
  }
}
