import type { Order } from '../../gateway/commerce/orders/order.ts';
import { EXAMPLE_SESSION_TIME_MS, exampleOffer, exampleSession, type Session } from '../../gateway/commerce/sessions/session.ts';
import type { OperationExample, Publication } from '../../publication/publication.ts';
import { ORDER_EVENT_HEADERS } from './order-event.ts';
import type { AcpOrderWebhook } from './schemas/responses.ts';
import { acpSession } from './write-session.ts';

const BUYER = { email: 'ada@example.com', full_name: 'Ada Example' };

/** Requests and responses of the Agentic Commerce Protocol for an offer of the catalog, by operation; none where it is off. */
export function acpExamples({ deployment }: Pick<Publication, 'deployment'>): [string, OperationExample][] {
  const offer = exampleOffer(deployment);
  if (!deployment.commerce.acp || offer === undefined) return [];
  const open = exampleSession(offer, { owner: 'agt_1122334455667788', channel: 'acp' });
  const write = (session: Session, order?: Order): object => acpSession(session, order, deployment, EXAMPLE_SESSION_TIME_MS);
  const named: Session = { ...open, buyer: BUYER, revision: 2 };
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
        response: write(open),
      },
    ],
    ['getCheckoutSession', { parameters, response: write(open) }],
    ['updateCheckoutSession', { parameters, request: { buyer: BUYER }, response: write(named) }],
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
        response: write(completed, orderOf(completed)),
      },
    ],
    [
      'cancelCheckoutSession',
      {
        parameters,
        request: { intent_trace: { reason_code: 'timing_deferred' } },
        response: write({ ...open, state: 'canceled', revision: 2 }),
      },
    ],
    ['getOrderWebhook', { response: webhook }],
  ];
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
    createdAtMs: EXAMPLE_SESSION_TIME_MS,
    updatedAtMs: EXAMPLE_SESSION_TIME_MS,
  };
}
