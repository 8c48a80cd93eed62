import type { Deployment } from '../../schemas/deployment.ts';
import { checkoutSessionPath } from '../../schemas/paths.ts';
import { continueUrl } from '../commerce/continue-url.ts';
import type { Clock } from '../ports.ts';
import { ok, outage, type Result, refuse } from '../result.ts';
import type { Missing } from './commerce-dependencies.ts';
import { isMistaken, NO_MONEY_FOR_DEMONSTRATIONS } from './complete-session.ts';
import type { OrderStore, PaymentProcessor } from './order-ports.ts';
import type { Order } from './order.ts';
import { isExpired, type Session } from './session.ts';

/** What opening the checkout of a session needs. */
export interface OpeningDependencies {
  readonly deployment: Pick<Deployment, 'offers' | 'baseUrl' | 'commerce'>;
  readonly store: OrderStore;
  readonly clock: Clock;
  readonly processor: PaymentProcessor | Missing | undefined;
}

/** Where a session is paid, or what it became. */
export type OpenedCheckout =
  | { readonly kind: 'leave'; readonly location: string }
  | { readonly kind: 'show'; readonly state: Session['state'] | 'expired'; readonly session: Session; readonly order: Order | undefined };

/** How a checkout is looked at. */
export interface CheckoutVisit {
  /** Whether nothing may be made: the caller wants headers alone, or comes back from the checkout. */
  readonly onlyLooks: boolean;
}

/** How often a checkout is kept anew when a change of its session came first. */
const ATTEMPTS_MAX = 4;

/**
 * Where an open session is paid: on the hosted link of its offer where that charges exactly the session, else on a checkout that the
 * processor makes for it. The processor is asked under a key of the session and its revision, so that however often this is called, one
 * revision has one checkout. Nothing is charged.
 */
export async function openCheckout(id: string, { onlyLooks }: CheckoutVisit, deps: OpeningDependencies): Promise<Result<OpenedCheckout>> {
  const { deployment, store, clock, processor } = deps;
  const nowMs = clock.nowMs();
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const known = await store.look(undefined, id, nowMs).catch(() => undefined);
    if (known === undefined) return outage('state_unavailable', 'The database did not answer.');
    const { session, order } = known;
    if (session === undefined) return refuse('session_not_found', 'No checkout session has this id.');
    const state = isExpired(session, nowMs) ? 'expired' : session.state;
    if (state !== 'open' || onlyLooks) return ok({ kind: 'show', state, session, order });
    const way = continueUrl(session, deployment);
    if (way !== deployment.baseUrl + checkoutSessionPath(id)) return ok({ kind: 'leave', location: way });
    if (session.hosted) return ok({ kind: 'leave', location: session.hosted.url });
    if (processor === undefined) return refuse('not_configured', 'This deployment makes no checkouts.');
    if ('missing' in processor) return refuse('not_configured', processor.missing);
    if (isMistaken(session, processor)) return refuse('not_configured', NO_MONEY_FOR_DEMONSTRATIONS);
    const hosted = await processor
      .openCheckout({
        sessionId: id,
        lines: session.lines,
        currency: session.currency,
        email: session.buyer?.email,
        returnUrl: `${deployment.baseUrl}${checkoutSessionPath(id)}?returned`,
        idempotencyKey: `${id}-${session.revision}`,
      })
      .catch(() => undefined);
    if (hosted === undefined) return refuse('processor_unavailable', 'The processor made no checkout; nothing was charged.');
    const stored = await store
      .apply({
        session: { ...session, hosted, revision: session.revision + 1, updatedAtMs: nowMs },
        isNew: false,
        log: [{ kind: 'checkout_opened', atMs: nowMs, detail: { total_minor: session.totalMinor } }],
        counts: [],
        notify: undefined,
        nowMs,
      })
      .catch(() => undefined);
    if (stored === undefined) return outage('state_unavailable', 'The database did not answer; nothing was charged.');
    if (stored.applied) return ok({ kind: 'leave', location: hosted.url });
  }
  return outage('state_unavailable', 'Other changes of the session came first, again and again.');
}
