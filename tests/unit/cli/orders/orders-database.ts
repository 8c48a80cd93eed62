import { beforeEach } from 'vitest';
import { ordersCommand } from '../../../../src/cli/commands/orders.ts';
import { createSession } from '../../../../src/gateway/commerce/cart/checkout-sessions.ts';
import { handlePaymentEvent } from '../../../../src/gateway/commerce/orders/handle-payment-event.ts';
import { AGENT, checkoutDependenciesFor, paidEvent, requestOf, writeFacts } from '../../../support/orders.ts';
import { runTask } from '../../../support/run-akg.ts';
import { useDatabase } from '../../../support/simulated/use-database.ts';

export const NOW = Date.UTC(2027, 0, 1, 10, 20);
export const MINUTE = 60_000;
/** Text with a terminal escape sequence and a bidirectional override. */
export const HOSTILE = 'Eve\u001b[2J\u202e"x"';

/** A database of orders that every test gets empty, and the command `orders` on it. */
export function useOrdersDatabase() {
  const database = useDatabase(NOW);
  const run = (line: string, nowMs = NOW): Promise<string> => runTask(ordersCommand, line, database.binding(), { nowMs });
  let deps: ReturnType<typeof checkoutDependenciesFor>;
  beforeEach(() => {
    deps = checkoutDependenciesFor(database.binding(), { nowMs: NOW });
  });
  const handle = (event: Parameters<typeof handlePaymentEvent>[0]) => handlePaymentEvent(event, deps);

  /** A session over two reviews, opened by a buyer with a hostile name. */
  async function session(): Promise<string> {
    const content = { items: [{ id: 'review', quantity: 1, pointer: '' }], buyer: { full_name: HOSTILE, email: 'eve@buyer.example' } };
    const created = await createSession(requestOf('create', undefined), content, AGENT, writeFacts, deps);
    if (!created.ok) throw new Error(created.refusal.detail);
    return (JSON.parse(created.value.body) as { id: string }).id;
  }

  async function order(): Promise<{ id: string; sessionId: string; receipt: string }> {
    const sessionId = await session();
    await handle(paidEvent(sessionId, 24_000));
    const [row] = database.look('SELECT id, receipt FROM orders WHERE session_id = ?', sessionId);
    return { id: String(row?.['id']), receipt: String(row?.['receipt']), sessionId };
  }
  return { database, run, handle, session, order };
}
