import { acpSession } from '../gateway/orders/acp-session.ts';
import type { Order } from '../gateway/orders/order.ts';
import { ORDER_EVENT_HEADERS } from '../gateway/orders/acp-order-event.ts';
import { type Session, totalOf } from '../gateway/orders/session.ts';
import type { AcpOrderWebhook } from '../schemas/acp/checkout-session.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { LIMITS } from '../schemas/limits.ts';
import type { OperationExample, Publication } from './publication.ts';

const TIME_MS = Date.UTC(2026, 10, 22, 9, 30);
const BUYER = { email: 'ada@example.com', full_name: 'Ada Example' };

/** Requests and answers of the Agentic Commerce Protocol for an offer of the catalog, by operation; none where it is off. */
export function acpExamples({ deployment }: Pick<Publication, 'deployment'>): [string, OperationExample][] {
  const offer = deployment.offers.find(({ cadence }) => cadence === 'one_time') ?? deployment.offers[0];
  if (!deployment.commerce.acp || offer === undefined) return [];
  const open = openSession(offer);
  const answer = (session: Session, order?: Order): object => acpSession(session, order, deployment, TIME_MS);
  const named: Session = { ...open, buyer: { email: BUYER.email, name: BUYER.full_name }, revision: 2 };
  const completed: Session = { ...named, state: 'completed', revision: 4 };
  const parameters = { checkout_session_id: open.id };
  const webhook: AcpOrderWebhook = {
    object: 'order_webhook',
    request_member: 'metadata.order_webhook_url',
    allowed_hosts: ['agent.example'],
    signature_header: 'Merchant-Signature',
    headers: [...ORDER_EVENT_HEADERS],
    signing_secret: `whsec_${'A'.repeat(43)}`,
  };
  return [
    [
      'createCheckoutSession',
      {
        request: { line_items: [{ id: offer.id, quantity: 1 }], currency: 'usd', capabilities: {} },
        answer: answer(open),
      },
    ],
    ['getCheckoutSession', { parameters, answer: answer(open) }],
    ['updateCheckoutSession', { parameters, request: { buyer: BUYER }, answer: answer(named) }],
    [
      'completeCheckoutSession',
      {
        parameters,
        request: {
          payment_data: {
            handler_id: 'card_tokenized',
            instrument: { type: 'card', credential: { type: 'spt', token: 'spt_123' } },
          },
        },
        answer: answer(completed, orderOf(completed)),
      },
    ],
    [
      'cancelCheckoutSession',
      {
        parameters,
        request: { intent_trace: { reason_code: 'timing_deferred' } },
        answer: answer({ ...open, state: 'canceled', revision: 2 }),
      },
    ],
    ['getOrderWebhook', { answer: webhook }],
  ];
}

function openSession({ id, name, cadence, amountMinor, demo, currency }: Deployment['offers'][number]): Session {
  const lines = [{ id: 'li_1', offerId: id, name, cadence, unitMinor: amountMinor, quantity: 1, demo }];
  return {
    id: 'cs_0123456789abcdef0123456789abcdef',
    owner: 'agt_1122334455667788',
    channel: 'acp',
    state: 'open',
    currency,
    lines,
    totalMinor: totalOf(lines),
    buyer: undefined,
    notifyUrl: undefined,
    details: {},
    hosted: undefined,
    revision: 1,
    createdAtMs: TIME_MS,
    updatedAtMs: TIME_MS,
    expiresAtMs: TIME_MS + LIMITS.sessionHours * 3_600_000,
  };
}

function orderOf({ id, owner, channel, currency, lines, totalMinor, buyer, notifyUrl }: Session): Order {
  return {
    id: 'ord_0123456789abcdef01234567',
    receipt: 'rct_0123456789abcdef0123456789abcdef',
    sessionId: id,
    owner,
    channel,
    currency,
    lines,
    totalMinor,
    refundedMinor: 0,
    paymentReference: 'pi_example',
    buyer,
    notifyUrl,
    createdAtMs: TIME_MS,
    updatedAtMs: TIME_MS,
  };
}
