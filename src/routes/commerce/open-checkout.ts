import * as z from 'zod';
import { openCheckout } from '../../gateway/commerce/sessions/open-checkout.ts';
import { isSessionId } from '../../gateway/commerce/sessions/session.ts';
import { ok, outage, refuse } from '../../gateway/result.ts';
import { defineRoute } from '../../http/define-route.ts';
import { checkoutSessionPath } from '../../schemas/paths.ts';

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
  errors: ['session_not_found', 'processor_unavailable', 'state_unavailable', 'not_configured'],
  rateLimit: 'buy',
  cache: 'no-store',
  refusalPage: (refusal) => ({ page: 'refusal', props: { subject: 'session', refusal }, visibility: 'secret' }),
  handle: async ({ path, query, isHead }, deps) => {
    const { commerce, deployment, clock } = deps;
    if (!isSessionId(path.session)) return refuse('session_not_found', 'No checkout session has this id.');
    if (commerce.orders === undefined) return outage('state_unavailable', 'No database is bound to this deployment.');
    const visit = { isReadOnly: isHead || query.returned !== undefined };
    const opened = await openCheckout(path.session, visit, { deployment, store: commerce.orders, clock, processor: commerce.processor });
    if (!opened.ok) return opened;
    if (opened.value.kind === 'leave') return ok({ kind: 'redirect', status: 303, location: opened.value.location });
    const { session, state, order } = opened.value;
    const { id, lines, totalMinor } = session;
    return ok({ kind: 'page', page: 'session', props: { id, state, lines, totalMinor, receipt: order?.receipt }, visibility: 'secret' });
  },
});
