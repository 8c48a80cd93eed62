import { ActionError } from '../../administration/action-error.ts';
import { changeGrant, GRANTABLE_SCOPES, revokeAgent } from '../../administration/agents.ts';
import { markDone, markInvoice, orderNamed, reviewCapsulePayment } from '../../administration/orders.ts';
import { acceptInDatabase, rejectProposal, reopenRejected } from '../../administration/proposals.ts';
import { recordRefund } from '../../administration/refunds.ts';
import { sendWebhooks } from '../../gateway/commerce/orders/send-webhooks.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import type { Database } from '../../platform/d1/database.ts';
import { requeueWebhooks } from '../../platform/d1/order-administration.ts';
import { AgentId } from '../../schemas/agents.ts';
import { TransactionHash } from '../../schemas/commerce/stablecoin-payments.ts';

interface AdminRequest {
  readonly database: Database;
  readonly deps: GatewayDependencies;
  readonly subject: string;
  /** A field of the form, trimmed; empty if it is absent. */
  readonly value: (name: string) => string;
  readonly nowMs: number;
}

/** Webhooks that one request sends; the others are sent later. */
const WEBHOOKS_AT_ONCE = 10;

/**
 * What the dashboard does, by the words of the command that does the same. Each returns the lines of the command.
 *
 * @throws {ActionError} If it is refused.
 */
export const ADMIN_ACTIONS: Readonly<Record<string, (request: AdminRequest) => Promise<readonly string[]>>> = {
  'agents revoke': ({ database, subject, nowMs }) => revokeAgent(database, agentIn(subject), nowMs),
  'agents grant': ({ database, subject, value }) => changeGrant(database, agentIn(subject), scopeIn(value('scope')), true),
  'agents ungrant': ({ database, subject, value }) => changeGrant(database, agentIn(subject), scopeIn(value('scope')), false),
  'intake accept': ({ database, subject, nowMs }) => acceptInDatabase(database, subject, nowMs),
  'intake reject': ({ database, subject, value, nowMs }) => rejectProposal(database, subject, value('reason'), nowMs),
  'intake reopen': ({ database, subject }) => reopenRejected(database, subject),
  'orders invoice': ({ database, subject, value, nowMs }) =>
    markInvoice(subject, value('state') === 'closed' ? 'closed' : 'answered', database, nowMs),
  'orders refund': async ({ database, subject, value, nowMs }) => {
    const amount = value('amount') || undefined;
    if (amount !== undefined && !(/^\d{1,9}(\.\d{1,4})?$/.test(amount) && Number(amount) > 0))
      throw new ActionError('an amount is a positive number without a currency sign, such as 120 or 19.50: the total refunded so far');
    return recordRefund(await orderNamed(subject, database), amount, database, nowMs);
  },
  'orders done': ({ database, subject, nowMs }) => markDone(subject, database, nowMs),
  'orders payment': ({ database, subject, value, nowMs }) => {
    const transaction = value('transaction').toLowerCase();
    if (transaction === '') return reviewCapsulePayment(subject, { state: 'unpaid' }, database, nowMs);
    if (!TransactionHash.safeParse(transaction).success)
      throw new ActionError('a transaction looks like 0x and 64 hexadecimal digits; leave the field empty for a payment that was not made');
    return reviewCapsulePayment(subject, { state: 'settled', transaction }, database, nowMs);
  },
  'orders retry': async ({ database, deps: { commerce, secrets, deployment }, nowMs }) => {
    const { orders, webhooks: deliveries, writeOrderEvent, sendWebhook } = commerce;
    if (orders === undefined || deliveries === undefined || 'missing' in secrets)
      throw new ActionError('webhooks are signed with SIGNING_SECRETS, which is not set');
    const { results } = await requeueWebhooks(database, nowMs).all();
    const sending = { deliveries, orders, writeOrderEvent, sendWebhook, secrets, baseUrl: deployment.baseUrl };
    const { sent } = await sendWebhooks(sending, nowMs, WEBHOOKS_AT_ONCE);
    return [`${sent} of ${results.length} webhooks delivered; those that are left will be retried`];
  },
};

function agentIn(subject: string): string {
  if (!AgentId.safeParse(subject).success) throw new ActionError('an agent id looks like agt_0123456789abcdef');
  return subject.slice('agt_'.length);
}

function scopeIn(value: string): (typeof GRANTABLE_SCOPES)[number] {
  const scope = GRANTABLE_SCOPES.find((name) => name === value);
  if (scope === undefined) throw new ActionError(`a scope is one of ${GRANTABLE_SCOPES.join(', ')}`);
  return scope;
}
