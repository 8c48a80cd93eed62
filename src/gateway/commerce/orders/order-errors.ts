import { LIMITS } from '../../../schemas/limits.ts';
import { type ErrorEntry, OFFERS, OUTAGE_RETRY_SECONDS, READ_OPENAPI, WAIT } from '../../error-entry.ts';

/** Errors of checkout and orders, as a part of the table of all errors. */
export const ORDER_ERRORS = {
  version_unsupported: {
    status: 400,
    title: 'The version of the protocol is missing or not spoken',
    retry: 'changed',
    explanation:
      'The request names no version of its protocol, or one that this deployment does not speak. The answer lists those that it speaks.',
    nextActions: [READ_OPENAPI],
  },
  signature_invalid: {
    status: 400,
    title: 'The signature does not fit',
    retry: 'never',
    explanation: 'The message is not signed with a secret of this deployment, was changed on its way, or is older than five minutes.',
    nextActions: [{ description: 'Send the body exactly as it was signed, with the signature made for this time.' }],
  },
  payment_declined: {
    status: 402,
    title: 'The payment was declined',
    retry: 'changed',
    explanation: 'The payment processor refused the payment. Nothing was charged, and the session is open as before.',
    nextActions: [{ description: 'Complete the session with another payment, under a new Idempotency-Key, or open its continue_url.' }],
  },
  offer_not_found: {
    status: 404,
    title: 'There is no such offer',
    retry: 'never',
    explanation: 'No offer has this id, or it is not sold any more.',
    nextActions: [OFFERS],
  },
  session_not_found: {
    status: 404,
    title: 'There is no such checkout session of yours',
    retry: 'never',
    explanation: 'The id is unknown, or the session belongs to another agent. Both are answered alike.',
    nextActions: [{ description: 'Create a new session.' }, OFFERS],
  },
  order_not_found: {
    status: 404,
    title: 'There is no such order or receipt',
    retry: 'never',
    explanation: 'The address of an order holds a long random text, and this one belongs to none.',
    nextActions: [{ description: 'Copy the whole address from the answer or the message that it came with.' }],
  },
  session_closed: {
    status: 409,
    title: 'The checkout session cannot be changed any more',
    retry: 'never',
    explanation: 'The session is completed, canceled or expired, or its payment is under way.',
    nextActions: [{ description: 'Read the session to see its state.' }, { description: 'Create a new session.' }],
  },
  request_in_flight: {
    status: 409,
    title: 'The same request is still being worked on',
    retry: 'later',
    retryAfterSeconds: 5,
    explanation: 'A request with the same Idempotency-Key, or a payment of the same session, has begun and is not done.',
    nextActions: [WAIT],
  },
  delivery_withdrawn: {
    status: 410,
    title: 'This is not handed over any more',
    retry: 'never',
    explanation:
      'The whole price of the order was paid back; or it is a key that was replaced or revoked, or has expired. The detail says which.',
    nextActions: [{ description: 'Use the key that replaced it, if there is one; or buy the offer again.' }, OFFERS],
  },
  cart_refused: {
    status: 422,
    title: 'These items cannot be bought here at once',
    retry: 'changed',
    explanation: `A hosted checkout link sells exactly one piece of one offer. More pieces, several offers, or offers with different billing periods cannot be charged by it; the page of the cart lists the ways that are left. Nothing sells more than ${LIMITS.quantityMax} pieces of an offer at once.`,
    nextActions: [{ description: 'Buy each piece in a session of its own, or ask for an invoice over all.' }, OFFERS],
  },
  payment_unsupported: {
    status: 422,
    title: 'This payment cannot be taken by the API',
    retry: 'changed',
    explanation:
      'The session is paid on the hosted checkout: no payment handler is configured, or the one that was named is not one of the session.',
    nextActions: [
      { description: 'Open the continue_url of the session, or let the buyer open it; the session is completed once it is paid.' },
    ],
  },
  processor_unavailable: {
    status: 503,
    title: 'The payment processor cannot be reached at the moment',
    retry: 'later',
    retryAfterSeconds: OUTAGE_RETRY_SECONDS,
    explanation:
      'The processor did not answer, so it is not known whether it charged. The same request under the same Idempotency-Key finds out and charges once.',
    nextActions: [WAIT],
  },
} as const satisfies Record<string, ErrorEntry>;
