import * as z from 'zod';
import { openCheckout } from '../../gateway/commerce/sessions/open-checkout.ts';
import { isSessionId } from '../../gateway/commerce/sessions/session.ts';
import { ok, refuse } from '../../gateway/result.ts';
import { defineRoute, pageResponse } from '../../http/define-route.ts';
import { checkoutSessionPath } from '../../schemas/paths.ts';

/** Any text is accepted: an invalid id gets the same response as an unknown one. */
const OpenCheckoutPath = z.object({ session: z.string().max(64).describe('Id of a checkout session.') });

const OpenCheckoutParameters = z.looseObject({
  returned: z
    .string()
    .optional()
    .describe('If present, whatever its value: the buyer returns from the checkout, so show the state of the session.'),
});

export const openCheckoutRoute = defineRoute({
  id: 'openCheckout',
  feature: 'shop',
  method: 'GET',
  path: checkoutSessionPath('{session}'),
  summary: 'Go to the checkout of a session',
  description:
    'While the session is open, redirects with 303 to the hosted checkout, which charges exactly its lines. Otherwise a page shows the state of the session. A GET never charges, and a HEAD creates nothing.',
  capability: 'commerce',
  access: 'open',
  pathParameters: OpenCheckoutPath,
  queryParameters: OpenCheckoutParameters,
  forwardsParameters: true,
  responses: [
    pageResponse('The page of a session that is not open, or that the buyer returns to.'),
    { status: 303, description: 'The hosted checkout.' },
  ],
  needs: ['orders'],
  errors: ['session_not_found', 'processor_unavailable', 'state_unavailable', 'not_configured'],
  rateLimit: 'buy',
  refusalPage: (refusal) => ({ page: 'error', props: { subject: 'session', refusal }, visibility: 'secret' }),
  handle: async ({ path, query, isHead }, deps) => {
    const { commerce, deployment, clock } = deps;
    if (!isSessionId(path.session)) return refuse('session_not_found', 'No checkout session has this id.');
    const visit = { isReadOnly: isHead || query.returned !== undefined };
    const opened = await openCheckout(path.session, visit, { deployment, store: commerce.orders, clock, processor: commerce.processor });
    if (!opened.ok) return opened;
    if (opened.value.kind === 'leave') return ok({ kind: 'redirect', status: 303, location: opened.value.location });
    const { session, state, order } = opened.value;
    const { id, lines, currency, totalMinor } = session;
    return ok({
      kind: 'page',
      page: 'session',
      props: { id, state, lines, currency, totalMinor, receipt: order?.receipt },
      visibility: 'secret',
    });
  },
});
