import type { Order } from '../../gateway/commerce/orders/order.ts';
import { continueUrl } from '../../gateway/commerce/sessions/open-checkout.ts';
import { isExpired, type Line, type Session } from '../../gateway/commerce/sessions/session.ts';
import { offers as strings } from '../../publication/strings/english/commerce.ts';
import { type Deployment, policyLinks } from '../../schemas/deployment.ts';
import { orderPath } from '../../schemas/paths.ts';
import type { UcpCheckout } from './schemas/checkout.ts';
import { type UcpMessage, type UcpMetadata, ucpMetadata } from './schemas/metadata.ts';

export type CheckoutSettings = Pick<Deployment, 'offers' | 'baseUrl' | 'missingPages' | 'commerce'>;

/** Additions to the session in a response. */
export interface CheckoutRemarks {
  /** `error` if the request was not carried out; `success` by default. */
  readonly status?: UcpMetadata['status'];
  /** Messages in addition to those of the state of the session. */
  readonly messages?: readonly UcpMessage[];
}

/** A session as UCP writes it. */
export function writeUcpCheckout(
  session: Session,
  order: Order | undefined,
  deployment: CheckoutSettings,
  nowMs: number,
  remarks: CheckoutRemarks = {},
): UcpCheckout {
  const status = statusOf(session, nowMs);
  const isOpen = status === 'requires_escalation' || status === 'complete_in_progress';
  const messages = [...(remarks.messages ?? []), ...messagesOf(session, status, nowMs)];
  return {
    ucp: ucpMetadata(remarks.status ?? 'success', 'checkout'),
    id: session.id,
    status,
    currency: session.currency,
    line_items: session.lines.map((line) => ({
      id: line.id,
      item: { id: line.offerId, title: line.name, price: line.unitMinor },
      quantity: line.quantity,
      totals: totals(line.unitMinor * line.quantity),
    })),
    totals: totals(session.totalMinor),
    ...(session.buyer === undefined ? {} : { buyer: session.buyer }),
    ...(messages.length > 0 ? { messages } : {}),
    links: policyLinks(deployment, [
      { type: 'terms_of_service', page: 'terms' },
      { type: 'privacy_policy', page: 'privacy' },
      { type: 'refund_policy', page: 'refunds' },
    ]),
    ...(isOpen ? { expires_at: new Date(session.expiresAtMs).toISOString(), continue_url: continueUrl(session, deployment) } : {}),
    ...(order === undefined ? {} : { order: { id: order.id, permalink_url: deployment.baseUrl + orderPath(order.receipt) } }),
  };
}

function statusOf(session: Session, nowMs: number): UcpCheckout['status'] {
  if (isExpired(session, nowMs)) return 'canceled';
  return ({ open: 'requires_escalation', charging: 'complete_in_progress', completed: 'completed', canceled: 'canceled' } as const)[
    session.state
  ];
}

function totals(amount: number): UcpCheckout['totals'] {
  return [
    { type: 'subtotal', display_text: 'Subtotal', amount },
    { type: 'total', display_text: 'Total', amount },
  ];
}

function messagesOf(session: Session, status: UcpCheckout['status'], nowMs: number): UcpMessage[] {
  if (isExpired(session, nowMs))
    return [
      {
        type: 'error',
        code: 'session_expired',
        content: 'The session has expired. Create a new one.',
        severity: 'unrecoverable',
      },
    ];
  if (status !== 'requires_escalation') return [];
  return [
    {
      type: 'error',
      code: 'payment_required',
      content: `A person ${session.lines.some(({ demo }) => demo) ? 'reviews the order' : 'pays on the hosted checkout'} at continue_url. This interface charges nothing.`,
      severity: 'requires_buyer_input',
    },
    ...session.lines.flatMap(lineMessages),
  ];
}

function lineMessages({ cadence, demo }: Line, index: number): UcpMessage[] {
  const path = `$.line_items[${index}]`;
  return [
    ...(demo
      ? [
          {
            type: 'warning' as const,
            code: 'demonstration',
            content: strings.demoOffer,
            path,
          },
        ]
      : []),
    ...(cadence === 'monthly' || cadence === 'annual'
      ? [{ type: 'info' as const, code: 'recurring_price', content: `Billed every ${cadence === 'monthly' ? 'month' : 'year'}.`, path }]
      : []),
  ];
}
