import type { Line, Order, Session } from '../../gateway/commerce/cart/checkout-ports.ts';
import { canBeCharged, continueUrl, isExpired } from '../../gateway/commerce/cart/checkout-sessions.ts';
import { demoDiscount, totalOf } from '../../gateway/commerce/cart/price-cart.ts';
import { type Deployment, policyLinks } from '../../schemas/deployment.ts';
import { PATHS } from '../../schemas/paths.ts';
import english from '../../text/strings/en-documents.json' with { type: 'json' };
import { ACP_VERSION, type AcpCheckoutSession, type AcpMessage, type AcpStatus, type AcpTotal } from './acp-schemas.ts';
import { acpOrder, acpTitle, acpTotals } from './order-event.ts';

export const ACP_HANDLER_ID = 'card_tokenized';

/** Member of {@link Session.details}: discount codes were sent. */
export const CODES_SENT = 'codes_sent';

export const CADENCES: Readonly<Record<Line['cadence'], string>> = {
  one_time: 'once',
  monthly: 'every month',
  annual: 'every year',
  free: 'free of charge',
};

type Settings = Pick<Deployment, 'baseUrl' | 'missingPages' | 'commerce' | 'offers'>;

/** `CheckoutSession`, or with an order `CheckoutSessionWithOrder` (schema.agentic_checkout.json). */
export function acpSession(
  session: Session,
  order: Order | undefined,
  settings: Settings,
  nowMs: number,
  remarks: readonly AcpMessage[] = [],
): AcpCheckoutSession {
  const { baseUrl } = settings;
  const { buyer } = session;
  const { processor, merchantId } = settings.commerce;
  const handlers = processor === 'stripe' && merchantId !== undefined && canBeCharged(session) ? [tokenHandler(merchantId)] : [];
  const status = statusOf(session, handlers.length > 0, nowMs);
  const isOpen = status === 'requires_escalation' || status === 'ready_for_payment';
  const delivery: AcpTotal = { type: 'total', display_text: 'Delivery', amount: 0 };
  return {
    id: session.id,
    protocol: { version: ACP_VERSION },
    status,
    currency: session.currency.toLowerCase(),
    capabilities: { payment: { handlers: isOpen ? handlers : [] } },
    ...(buyer?.email === undefined ? {} : { buyer: { ...buyer, email: buyer.email } }),
    line_items: session.lines.map(lineItem),
    fulfillment_options: [{ type: 'digital', id: 'digital', title: 'Digital delivery', totals: [delivery] }],
    selected_fulfillment_options: [{ type: 'digital', option_id: 'digital', item_ids: session.lines.map(({ offerId }) => offerId) }],
    totals: acpTotals(totalOf(session.lines), demoDiscount(session)),
    messages: [...messagesOf(session, status), ...remarks],
    links: [
      ...policyLinks(settings, [
        { type: 'terms_of_use', title: 'Terms', page: 'terms' },
        { type: 'privacy_policy', title: 'Privacy', page: 'privacy' },
        { type: 'return_policy', title: 'Refunds', page: 'refunds' },
      ] as const),
      { type: 'contact_us', title: 'Contact', url: baseUrl + PATHS.contact },
    ],
    ...(isOpen ? { continue_url: continueUrl(session, settings) } : {}),
    ...(session.notifyUrl === undefined ? {} : { metadata: { order_webhook_url: session.notifyUrl } }),
    created_at: new Date(session.createdAtMs).toISOString(),
    updated_at: new Date(session.updatedAtMs).toISOString(),
    expires_at: new Date(session.expiresAtMs).toISOString(),
    ...(order === undefined ? {} : { order: acpOrder(order, baseUrl) }),
  };
}

function statusOf(session: Session, canPayByToken: boolean, nowMs: number): AcpStatus {
  if (isExpired(session, nowMs)) return 'expired';
  if (session.state === 'charging') return 'complete_in_progress';
  if (session.state !== 'open') return session.state;
  return canPayByToken ? 'ready_for_payment' : 'requires_escalation';
}

function lineItem(line: Line): AcpCheckoutSession['line_items'][number] {
  const title = acpTitle(line);
  return {
    id: line.id,
    item: { id: line.offerId, name: title, unit_amount: line.unitMinor },
    quantity: line.quantity,
    name: title,
    unit_amount: line.unitMinor,
    custom_attributes: [{ display_name: 'Paid', value: CADENCES[line.cadence] }],
    ...(line.demo ? { disclosures: [{ type: 'disclaimer', content_type: 'plain', content: english.offers.demoOffer }] } : {}),
    totals: acpTotals(totalOf([line])),
  };
}

function messagesOf({ lines, details }: Session, status: AcpStatus): AcpMessage[] {
  const isDemo = lines.some(({ demo }) => demo);
  const messages: AcpMessage[] = [];
  const add = (content: string, message: Omit<AcpMessage, 'content_type' | 'content'>) =>
    messages.push({ ...message, content_type: 'plain', content });
  if (status === 'requires_escalation') {
    const pays = isDemo ? 'at continue_url.' : 'and pays at continue_url. The payment completes the session.';
    add(`The buyer reviews the order ${pays}`, { type: 'error', code: 'approval_required', resolution: 'requires_buyer_review' });
  }
  if (status === 'expired') add('The session has expired. Open a new one.', { type: 'error', code: 'expired', resolution: 'recoverable' });
  if (details[CODES_SENT] === true)
    add('Discount codes are not accepted. The prices are those of the catalog.', { type: 'warning', code: 'discount_code_invalid' });
  if (isDemo) add(english.offers.demoOffer, { type: 'info' });
  return messages;
}

/** As in the examples of the protocol (rfcs/rfc.payment_handlers.md, 10.4.1 `dev.acp.tokenized.card`). */
function tokenHandler(merchantId: string): AcpCheckoutSession['capabilities']['payment']['handlers'][number] {
  const schemas = 'https://acp.dev/schemas/handlers/tokenized.card';
  return {
    id: ACP_HANDLER_ID,
    name: 'dev.acp.tokenized.card',
    display_name: 'Card',
    version: '2026-01-22',
    spec: 'https://acp.dev/handlers/tokenized.card',
    requires_delegate_payment: true,
    requires_pci_compliance: false,
    psp: 'stripe',
    config_schema: `${schemas}/config.json`,
    instrument_schemas: [`${schemas}/instrument.json`],
    config: { merchant_id: merchantId, psp: 'stripe', accepted_brands: ['visa', 'mastercard', 'amex', 'discover'], supports_3ds: false },
  };
}
