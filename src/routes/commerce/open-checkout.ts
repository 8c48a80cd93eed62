import * as z from 'zod';
import { openCheckout, type OpenedCheckout } from '../../gateway/commerce/sessions/open-checkout.ts';
import { isSessionId } from '../../gateway/commerce/sessions/session.ts';
import { ok, outage, type Result, refuse } from '../../gateway/result.ts';
import { checkoutItemsPath, checkoutSessionPath, orderPath, PATHS } from '../../schemas/paths.ts';
import { defineRoute, type FilledPage } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { pageOutcome } from '../../http/fill-page.ts';
import { html, type Piece } from '../../http/html.ts';
import { band, bill, blankPage, demonstration, refusalPageOf } from './page-parts.ts';

/** Any text is taken: what is no id is answered as one that nobody has. */
const OpenCheckoutPath = z.object({ session: z.string().max(64).describe('Id of a checkout session.') });
type OpenCheckoutPath = z.infer<typeof OpenCheckoutPath>;

const OpenCheckoutParameters = z.looseObject({
  returned: z.string().optional().describe('Present, whatever its value: the checkout was left, so show what became of the session.'),
});
type OpenCheckoutParameters = z.infer<typeof OpenCheckoutParameters>;

export const openCheckoutRoute = defineRoute<OpenCheckoutPath, OpenCheckoutParameters>({
  id: 'openCheckout',
  method: 'GET',
  path: checkoutSessionPath('{session}'),
  summary: 'Go to the checkout of a session',
  description:
    'While the session is open, 303 to the hosted checkout that charges exactly its lines; a page that says what became of it otherwise. Nothing is charged by a GET, and a HEAD makes nothing.',
  capability: 'commerce',
  access: 'open',
  servedBy: 'function',
  edge: true,
  pathParameters: OpenCheckoutPath,
  queryParameters: OpenCheckoutParameters,
  forwardsParameters: true,
  responses: [
    {
      status: 200,
      description: 'The page of a session that is not open, or that the buyer comes back to.',
      content: { type: 'text/html', schema: z.string() },
    },
    { status: 303, description: 'The hosted checkout.' },
  ],
  errors: ['session_not_found', 'processor_unavailable', 'state_unavailable', 'not_configured', 'file_unavailable'],
  rateLimit: 'buy',
  cache: 'no-store',
  refusalPage: (refusal, _request, deps) =>
    refusalPageOf(
      refusal.code === 'session_not_found' || refusal.code === 'invalid_request'
        ? 'There is no such checkout'
        : 'The checkout cannot be opened now',
      refusal,
      html`<p>Nothing was charged. Load this page again in a moment, or begin anew from the <a href="${PATHS.buy}">price list</a>.</p>
      <p class="more links"><a href="${PATHS.invoice}">Buying on invoice</a> <a href="${PATHS.contact}">Contact</a></p>`,
      deps,
    ),
  handle: async ({ path, query, isHead }, deps) => {
    const { commerce, deployment, clock } = deps;
    if (!isSessionId(path.session)) return refuse('session_not_found', 'No checkout session has this id.');
    if (commerce.orders === undefined) return outage('state_unavailable', 'No database is bound to this deployment.');
    const visit = { isReadOnly: isHead || query.returned !== undefined };
    const opened = await openCheckout(path.session, visit, { deployment, store: commerce.orders, clock, processor: commerce.processor });
    if (!opened.ok) return opened;
    if (opened.value.kind === 'leave') return ok({ kind: 'redirect', status: 303, location: opened.value.location });
    return pageOutcome(await sessionPage(opened.value, deps));
  },
});

/** The page of a session that leads to no checkout. */
function sessionPage(opened: OpenedCheckout & { readonly kind: 'show' }, deps: GatewayDependencies): Promise<Result<FilledPage>> {
  const { session, state, order } = opened;
  const again = checkoutItemsPath(session.lines.map(({ offerId, quantity }) => ({ id: offerId, quantity })));
  const here = checkoutSessionPath(session.id);
  const isFree = session.totalMinor === 0;
  const anew = html`<p><a class="button" href="${again}">${isFree ? 'Order' : 'Buy'} the same again</a></p>`;
  const [title, lead, next]: readonly [string, string, Piece] = {
    completed: [
      isFree ? 'This checkout is complete' : 'This checkout is paid',
      'The order is made. Its page says what happens next.',
      order ? html`<p><a class="button" href="${orderPath(order.receipt)}">Go to your order</a></p>` : undefined,
    ] as const,
    charging: [
      'A payment is under way',
      'The payment of this checkout has begun and is not settled yet. Load this page again in a moment.',
      undefined,
    ] as const,
    canceled: ['This checkout was canceled', 'It cannot be completed any more.', anew] as const,
    expired: ['The time of this checkout is over', 'It was not completed in time. Nothing was charged.', anew] as const,
    open: [
      'This checkout is open',
      isFree
        ? 'Nothing is to be paid for it. If you have just completed it, that can take a minute to be seen here.'
        : 'No payment has been reported yet. If you have just paid, that can take a minute: load this page again before you pay another time.',
      html`<p><a class="button" href="${here}?returned">Look again</a></p><p class="more">If you have not ${isFree ? 'completed it' : 'paid'}: <a href="${here}" rel="nofollow">go to the checkout</a>.</p>`,
    ] as const,
  }[state];
  const body = html`${next === undefined ? undefined : band('What now', next)}
  ${band('What it is for', html`${demonstration(session.lines)}${bill(session.lines, [['Total', session.totalMinor]])}`)}`;
  return blankPage({ title, lead, body }, 'secret', deps);
}
