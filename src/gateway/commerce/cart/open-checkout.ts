import { canonicalDigest } from '../../../provenance/canonical-json.ts';
import type { Deployment } from '../../../schemas/deployment.ts';
import { checkoutSessionPath } from '../../../schemas/paths.ts';
import type { Clock, NotConfigured } from '../../ports.ts';
import { ok, outage, type Result, refuse } from '../../result.ts';
import { hasId, payablePriceIn } from '../catalog/find-offer.ts';
import type { Order, OrderStore, PaymentProcessor, Session } from './checkout-ports.ts';
import { isExpired } from './checkout-sessions.ts';
import { hostedLinkFor } from './permalink.ts';
import { cartPath, fitsHostedLink, hasSingleBillingInterval } from './price-cart.ts';

export const DEMO_NOT_CHARGED = 'The session contains a demonstration: no money is taken, and nothing is delivered.';

export function wouldChargeForDemo(
  { lines }: Pick<Session, 'lines'>,
  { takesRealMoney }: Pick<PaymentProcessor, 'takesRealMoney'>,
): boolean {
  return takesRealMoney && lines.some(({ demo }) => demo);
}

/** Whether a payment token can pay a session: everything in it is paid once. */
export function canBeCharged({ lines }: Pick<Session, 'lines'>): boolean {
  return hasSingleBillingInterval(lines) && lines.every(({ cadence }) => cadence === 'one_time' || cadence === 'free');
}

interface OpeningDependencies {
  readonly deployment: Pick<Deployment, 'offers' | 'baseUrl' | 'commerce'>;
  readonly store: OrderStore;
  readonly clock: Clock;
  readonly processor: PaymentProcessor | NotConfigured | undefined;
}

export type OpenedCheckout =
  | { readonly kind: 'leave'; readonly location: string }
  | { readonly kind: 'show'; readonly state: Session['state'] | 'expired'; readonly session: Session; readonly order: Order | undefined };

/**
 * The URL where a person pays exactly the total of a session: the hosted link of its offer, which carries the session id; the page of its
 * own checkout where the payment processor creates one; or the cart page with other ways to buy, if a newer catalog changed the price or
 * dropped the offer.
 */
export function continueUrl(
  { id, lines, currency }: Pick<Session, 'id' | 'lines' | 'currency'>,
  { offers, baseUrl, commerce }: Pick<Deployment, 'offers' | 'baseUrl' | 'commerce'>,
): string {
  const [line] = lines;
  const offer = line && offers.find((candidate) => hasId(candidate, line.offerId));
  const price = offer && payablePriceIn(offer, currency, commerce);
  const isUnchanged = price?.amountMinor === line?.unitMinor && offer?.cadence === line?.cadence;
  if (fitsHostedLink(lines) && isUnchanged && price?.checkoutUrl !== undefined) return hostedLinkFor(id, price.checkoutUrl);
  if (commerce.processor === 'stripe') return baseUrl + checkoutSessionPath(id);
  return baseUrl + cartPath(lines, currency);
}

/**
 * Opens the checkout of a session: the hosted link of its offer if that charges exactly the session, else a checkout that the payment
 * processor creates. Its idempotency key is derived from session and cart, so that a cart has one checkout. Nothing is stored or charged: a
 * session expires before the payment processor forgets its keys (24 hours, docs.stripe.com/api/idempotent_requests).
 *
 * @param isReadOnly Whether nothing may be created: a HEAD request, or a return from the checkout.
 */
export async function openCheckout(id: string, isReadOnly: boolean, deps: OpeningDependencies): Promise<Result<OpenedCheckout>> {
  const { deployment, store, clock, processor } = deps;
  const nowMs = clock.nowMs();
  const stored = await store.load(undefined, id, nowMs).catch(() => undefined);
  if (stored === undefined) return outage('state_unavailable', 'The database did not respond.');
  const { session, order } = stored;
  if (session === undefined) return refuse('session_not_found', 'No checkout session has this id.');
  const state = isExpired(session, nowMs) ? 'expired' : session.state;
  if (state !== 'open' || isReadOnly) return ok({ kind: 'show', state, session, order });
  const location = continueUrl(session, deployment);
  if (location !== deployment.baseUrl + checkoutSessionPath(id)) return ok({ kind: 'leave', location });
  if (processor === undefined) return refuse('not_configured', 'This deployment creates no checkouts.');
  if ('missing' in processor) return refuse('not_configured', processor.missing);
  if (wouldChargeForDemo(session, processor)) return refuse('not_configured', DEMO_NOT_CHARGED);
  const payable = { lines: session.lines, currency: session.currency, email: session.buyer?.email };
  const digest = (await canonicalDigest({ ...payable, email: payable.email ?? null })).slice('sha256:'.length);
  const hosted = await processor
    .openCheckout({
      ...payable,
      sessionId: id,
      returnUrl: `${deployment.baseUrl}${checkoutSessionPath(id)}?returned`,
      idempotencyKey: `${id}-${digest.slice(0, 32)}`,
    })
    .catch(() => undefined);
  if (hosted === undefined) return refuse('processor_unavailable', 'The payment processor created no checkout; nothing was charged.');
  return ok({ kind: 'leave', location: hosted.url });
}
