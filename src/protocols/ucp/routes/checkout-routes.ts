import * as z from 'zod';
import {
  cancelUcpCheckout,
  completeUcpCheckout,
  createUcpCheckout,
  readUcpCheckout,
  type UcpChange,
  ucpKeyScope,
  updateUcpCheckout,
} from '../checkouts.ts';
import { profileOfHeader } from '../platform-profile.ts';
import type { KeyScope } from '../../../gateway/idempotency/bind-key.ts';
import { LIMITS } from '../../../schemas/limits.ts';
import { PATHS } from '../../../schemas/paths.ts';
import { UcpCheckoutAnswer, UcpCheckoutRequest, UcpCompleteRequest, UcpNothing } from '../schemas/checkout.ts';
import { defineRoute, type RouteInput } from '../../../http/define-route.ts';
import { UCP_BINDING, UCP_CHANGE_HEADERS, UCP_HEADERS } from '../http-binding.ts';
import { checkoutAnswer, onSessions } from '../answers.ts';

const CheckoutPath = z.object({
  id: z.string().min(1).max(LIMITS.shortTextMaxLength).describe('Id of the session, as its first answer gave it.'),
});
type CheckoutPath = z.infer<typeof CheckoutPath>;

/** What the operations on sessions have in common. */
const COMMON = {
  capability: 'commerce',
  access: 'open',
  servedBy: 'function',
  edge: true,
  protocol: UCP_BINDING,
  rateLimit: 'buy',
  cache: 'no-store',
} as const;

/** Errors of what changes a session that is there. */
const CHANGE_ERRORS = ['session_closed', 'request_in_flight', 'idempotency_conflict', 'not_configured', 'state_unavailable'] as const;
/** Idempotency keys belong to a platform, an operation and a session. */
function keysOf(change: UcpChange) {
  return async ({
    path,
    headers,
  }: Pick<RouteInput<CheckoutPath | undefined, undefined, unknown>, 'path' | 'headers'>): Promise<KeyScope> => {
    const profile = profileOfHeader(headers['ucp-agent']);
    if (!profile.ok) throw new TypeError('a request of the protocol came without a profile');
    return ucpKeyScope(change, path?.id, profile.value);
  };
}

const SESSIONS = `${PATHS.ucp}/checkout-sessions`;

export const createUcpCheckoutRoute = defineRoute<undefined, undefined, UcpCheckoutRequest>({
  ...COMMON,
  id: 'createUcpCheckout',
  method: 'POST',
  path: SESSIONS,
  summary: 'Open a checkout (UCP)',
  description:
    'Opens a session at the prices of the catalog. It waits for a person, who pays at its continue_url; the payment completes it. What cannot be sold in one session is answered with 200, the reason, and a page with the ways that are left.',
  headers: UCP_CHANGE_HEADERS,
  keyScope: keysOf('create'),
  body: UcpCheckoutRequest,
  responses: [
    { status: 201, description: 'The session.', content: { type: 'application/json', schema: UcpCheckoutAnswer } },
    checkoutAnswer('Why there is no session.'),
  ],
  errors: ['request_in_flight', 'idempotency_conflict', 'quota_exceeded', 'not_configured', 'state_unavailable'],
  handle: onSessions(({ body }, request, deps) => createUcpCheckout(body, request, deps)),
});

export const getUcpCheckoutRoute = defineRoute<CheckoutPath>({
  ...COMMON,
  id: 'getUcpCheckout',
  method: 'GET',
  path: `${SESSIONS}/{id}`,
  summary: 'Read a checkout (UCP)',
  description: 'A session as it is now: open, completed with its order, canceled or expired.',
  headers: UCP_HEADERS,
  pathParameters: CheckoutPath,
  responses: [checkoutAnswer('The session, or the message that there is none.')],
  errors: ['not_configured', 'state_unavailable'],
  handle: onSessions(({ path }, _request, deps) => readUcpCheckout(path.id, deps)),
});

export const updateUcpCheckoutRoute = defineRoute<CheckoutPath, undefined, UcpCheckoutRequest>({
  ...COMMON,
  id: 'updateUcpCheckout',
  method: 'PUT',
  path: `${SESSIONS}/{id}`,
  summary: 'Change a checkout (UCP)',
  description:
    'Puts what is sent in the place of what the session held. If it cannot be sold so, the answer is the session as it was, with the status error and the reason.',
  headers: UCP_CHANGE_HEADERS,
  keyScope: keysOf('update'),
  pathParameters: CheckoutPath,
  body: UcpCheckoutRequest,
  responses: [checkoutAnswer('The session, changed or with the reason why it is not.')],
  errors: CHANGE_ERRORS,
  handle: onSessions(({ path, body }, request, deps) => updateUcpCheckout(path.id, body, request, deps)),
});

export const completeUcpCheckoutRoute = defineRoute<CheckoutPath, undefined, UcpCompleteRequest>({
  ...COMMON,
  id: 'completeUcpCheckout',
  method: 'POST',
  path: `${SESSIONS}/{id}/complete`,
  summary: 'Ask to complete a checkout (UCP)',
  description:
    'No instrument of payment is taken, because the profile names no payment handler. The answer says so, and the session waits for a person at its continue_url as before.',
  headers: UCP_CHANGE_HEADERS,
  keyScope: keysOf('complete'),
  pathParameters: CheckoutPath,
  body: UcpCompleteRequest,
  bodyOptional: true,
  responses: [checkoutAnswer('The session, which a person has to pay.')],
  errors: CHANGE_ERRORS,
  handle: onSessions(({ path }, request, deps) => completeUcpCheckout(path.id, request, deps)),
});

export const cancelUcpCheckoutRoute = defineRoute<CheckoutPath, undefined, Record<string, unknown>>({
  ...COMMON,
  id: 'cancelUcpCheckout',
  method: 'POST',
  path: `${SESSIONS}/{id}/cancel`,
  summary: 'Cancel a checkout (UCP)',
  description: 'Gives a session up that is not paid.',
  headers: UCP_CHANGE_HEADERS,
  keyScope: keysOf('cancel'),
  pathParameters: CheckoutPath,
  body: UcpNothing,
  bodyOptional: true,
  responses: [checkoutAnswer('The session, canceled.')],
  errors: CHANGE_ERRORS,
  handle: onSessions(({ path }, request, deps) => cancelUcpCheckout(path.id, request, deps)),
});
