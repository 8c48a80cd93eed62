import type { Line, Order, Session } from '../../gateway/commerce/cart/checkout-ports.ts';
import {
  type CheckoutDependencies,
  cancelSession,
  changeOpenSession,
  continueUrl,
  createSession,
  isExpired,
  type OpenChange,
  readSession,
  type SessionContent,
  type SessionOwner,
  type SessionResponse,
  updateSession,
  type WriteSession,
} from '../../gateway/commerce/cart/checkout-sessions.ts';
import { type CartItem, demoDiscount, totalOf } from '../../gateway/commerce/cart/price-cart.ts';
import { findOffer, payableCurrencies, payablePriceIn } from '../../gateway/commerce/catalog/find-offer.ts';
import { shortDigest } from '../../gateway/digests-and-base62.ts';
import type { KeyedRequest, KeyScope } from '../../gateway/idempotency/bind-idempotency-key.ts';
import { ok, type Result, refuse } from '../../gateway/result.ts';
import { Buyer } from '../../schemas/commerce/orders.ts';
import { type Deployment, policyLinks } from '../../schemas/deployment.ts';
import { orderPath } from '../../schemas/paths.ts';
import { dayOf } from '../../schemas/time.ts';
import english from '../../text/strings/en-documents.json' with { type: 'json' };
import { ignoredMessages, isUcpOutcome, ucpError, ucpMessages } from './http-binding.ts';
import { UcpCheckout, UcpCheckoutRequest, type UcpMessage, type UcpMetadata, ucpMetadata } from './ucp-schemas.ts';

/** Owner of all sessions of UCP: it has no API keys, and anyone who knows the unguessable id of a session can use it. */
const OWNER = 'ucp';

export type UcpChange = 'create' | 'update' | 'complete' | 'cancel';

export interface UcpRequest {
  readonly profile: string;
  readonly idempotencyKey: string | undefined;
  readonly sentBody: unknown;
}

/** Opens a session for the items, or reports as an outcome of UCP why they cannot be sold. */
export async function createUcpCheckout(
  body: UcpCheckoutRequest,
  request: UcpRequest,
  deps: CheckoutDependencies,
  holder?: string,
): Promise<Result<SessionResponse>> {
  const by: SessionOwner = { owner: OWNER, channel: 'ucp', agent: undefined, holder };
  const content = contentOf(body, deps);
  if (!content.ok) return withOutcome(content, deps);
  const remarks = remarksOn(body, deps);
  const keyed = await keyedRequest('create', undefined, request);
  return withOutcome(await createSession(keyed, content.value, by, written(deps, 201, remarks), deps), deps);
}

export async function readUcpCheckout(id: string, deps: CheckoutDependencies, remarks?: CheckoutRemarks): Promise<Result<SessionResponse>> {
  const known = await readSession(id, OWNER, deps);
  if (!known.ok) return withOutcome(known, deps);
  return ok({ ...written(deps, 200, remarks)(known.value.session, known.value.order), isReplay: false });
}

/**
 * If the new content cannot be sold, the response is the unchanged session with the status `error` and the reason: a response without a
 * session means that there is none (error_response.json).
 */
export async function updateUcpCheckout(
  id: string,
  body: UcpCheckoutRequest,
  request: UcpRequest,
  deps: CheckoutDependencies,
): Promise<Result<SessionResponse>> {
  const content = contentOf(body, deps);
  const write = written(deps, 200, remarksOn(body, deps));
  const updated = content.ok
    ? await updateSession(await keyedRequest('update', id, request), id, content.value, OWNER, write, deps)
    : content;
  if (updated.ok || !isUcpOutcome(updated.refusal) || updated.refusal.code === 'session_not_found') return withOutcome(updated, deps);
  const { refusal } = updated;
  const read = await readUcpCheckout(id, deps, { status: 'error', messages: ucpMessages(refusal, 'recoverable') });
  return read.ok ? ok({ refusal, ...read.value }) : read;
}

/** Reports that a person must pay: no instrument is accepted or stored. */
export async function completeUcpCheckout(id: string, request: UcpRequest, deps: CheckoutDependencies): Promise<Result<SessionResponse>> {
  const change = () => ok<OpenChange>({ becomes: {}, log: { kind: 'payment_escalated', detail: {} } });
  const write = written(deps, 200, { messages: [NO_INSTRUMENT] });
  return withOutcome(await changeOpenSession(await keyedRequest('complete', id, request), id, OWNER, change, write, deps), deps);
}

const NO_INSTRUMENT: UcpMessage = {
  type: 'error',
  code: 'payment_unsupported',
  content: 'No payment instrument is accepted, and nothing was charged. A person continues at continue_url.',
  severity: 'requires_buyer_input',
};

export async function cancelUcpCheckout(id: string, request: UcpRequest, deps: CheckoutDependencies): Promise<Result<SessionResponse>> {
  return withOutcome(await cancelSession(await keyedRequest('cancel', id, request), id, OWNER, written(deps, 200), deps), deps);
}

/**
 * Keys belong to a platform, by the URL of its profile. The URL is not verified: a key must be as hard to guess as a session, and only a
 * request with the same body gets the same response.
 */
export async function ucpKeyScope(change: UcpChange, id: string | undefined, profile: string): Promise<KeyScope> {
  const caller = `ucp-${await shortDigest(profile, 16)}`;
  return { caller, endpoint: `ucp ${change}${id === undefined ? '' : ` ${id}`}` };
}

export async function keyedRequest(change: UcpChange, id: string | undefined, { profile, ...request }: UcpRequest): Promise<KeyedRequest> {
  return { ...(await ucpKeyScope(change, id, profile)), ...request };
}

function preferredCurrency({ context, currency }: UcpCheckoutRequest): string | undefined {
  return (context?.currency ?? currency)?.toUpperCase();
}

/**
 * The preferred currency if every item has a price in it, else US dollars: the buyer gives a hint, and the business determines the currency
 * (UCP 2026-08-25, `common/types/context.json`).
 */
function currencyOf(body: UcpCheckoutRequest, { deployment, clock }: CheckoutDependencies): string {
  const preferred = preferredCurrency(body);
  if (preferred === undefined || !payableCurrencies(deployment).includes(preferred)) return 'USD';
  const today = dayOf(clock.nowMs());
  const isPriced = body.line_items.every(({ item }) => {
    const offer = findOffer(deployment.offers, item.id, today);
    return offer === undefined || payablePriceIn(offer, preferred, deployment.commerce) !== undefined;
  });
  return isPriced ? preferred : 'USD';
}

function remarksOn(body: UcpCheckoutRequest, deps: CheckoutDependencies): CheckoutRemarks {
  const preferred = preferredCurrency(body);
  const currency = currencyOf(body, deps);
  const ignored = ignoredMessages(UcpCheckoutRequest, body, UcpCheckout);
  if (preferred === undefined || preferred === currency) return { messages: ignored };
  const content = `The prices are in ${currency}, because not everything in this checkout has a price in the preferred currency. Currencies of the catalog: ${payableCurrencies(deps.deployment).join(', ')}.`;
  return { messages: [...ignored, { type: 'info', code: 'currency_not_offered', content }] };
}

function contentOf(body: UcpCheckoutRequest, deps: CheckoutDependencies): Result<SessionContent & { readonly items: readonly CartItem[] }> {
  const { line_items: items, buyer } = body;
  const other = items.findIndex(({ item: { quantity_unit: unit } }) => unit && ((unit.unit ?? 'C62') !== 'C62' || (unit.scale ?? 0) !== 0));
  if (other >= 0)
    return refuse('cart_refused', 'Offers are sold by the piece only (unit C62).', {
      errors: [{ pointer: `/line_items/${other}/item/quantity_unit`, message: 'must be C62, scale 0' }],
      protocolCode: 'quantity_unit_mismatch',
    });
  return ok({
    currency: currencyOf(body, deps),
    items: items.map(({ item, quantity }, index) => ({ id: item.id, quantity, pointer: `/line_items/${index}` })),
    // The body replaces the whole session, so an omitted buyer is removed.
    buyer: buyer === undefined ? null : Buyer.parse(buyer),
  });
}

function written(deps: CheckoutDependencies, status: 200 | 201, remarks?: CheckoutRemarks): WriteSession {
  return (session, order) => ({
    status,
    body: JSON.stringify(writeUcpCheckout(session, order, deps.deployment, deps.clock.nowMs(), remarks)),
  });
}

/** The binding handles refusals that are no outcomes. */
function withOutcome(result: Result<SessionResponse>, { deployment }: CheckoutDependencies): Result<SessionResponse> {
  if (result.ok || !isUcpOutcome(result.refusal)) return result;
  const { refusal } = result;
  return ok({ status: 200, body: JSON.stringify(ucpError(refusal, deployment.baseUrl, 'checkout')), isReplay: false, refusal });
}

interface CheckoutRemarks {
  /** `error` if the request was not carried out; `success` by default. */
  readonly status?: UcpMetadata['status'];
  readonly messages?: readonly UcpMessage[];
}

export function writeUcpCheckout(
  session: Session,
  order: Order | undefined,
  deployment: Pick<Deployment, 'offers' | 'baseUrl' | 'missingPages' | 'commerce'>,
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
    totals: totals(totalOf(session.lines), demoDiscount(session)),
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
  if (session.state === 'charging') return 'complete_in_progress';
  return session.state === 'open' ? 'requires_escalation' : session.state;
}

function totals(amount: number, discount = 0): UcpCheckout['totals'] {
  return [
    { type: 'subtotal', display_text: 'Subtotal', amount },
    ...(discount > 0 ? [{ type: 'discount', display_text: english.offers.demoDiscount, amount: -discount } as const] : []),
    { type: 'total', display_text: 'Total', amount: amount - discount },
  ];
}

function messagesOf(session: Session, status: UcpCheckout['status'], nowMs: number): UcpMessage[] {
  const expired = 'The session has expired. Create a new one.';
  if (isExpired(session, nowMs)) return [{ type: 'error', code: 'session_expired', content: expired, severity: 'unrecoverable' }];
  if (status !== 'requires_escalation') return [];
  const step = session.lines.some(({ demo }) => demo) ? 'reviews the order' : 'pays on the hosted checkout';
  const content = `A person ${step} at continue_url. This interface charges nothing.`;
  const payment: UcpMessage = { type: 'error', code: 'payment_required', content, severity: 'requires_buyer_input' };
  return [payment, ...session.lines.flatMap(lineMessages)];
}

function lineMessages({ cadence, demo }: Line, index: number): UcpMessage[] {
  const path = `$.line_items[${index}]`;
  const period = cadence === 'monthly' ? 'month' : cadence === 'annual' ? 'year' : undefined;
  return [
    ...(demo ? [{ type: 'warning', code: 'demonstration', content: english.offers.demoOffer, path } as const] : []),
    ...(period ? [{ type: 'info', code: 'recurring_price', content: `Billed every ${period}.`, path } as const] : []),
  ];
}
