import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import { type ErrorEntry, OFFERS, OUTAGE_RETRY_SECONDS, READ_OPENAPI, WAIT } from '../next-steps.ts';

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

/** Errors of paid capsules, as a part of the table of all errors. */
export const PAYMENT_ERRORS = {
  payment_required: {
    status: 402,
    title: 'Payment required',
    retry: 'changed',
    explanation:
      'The capsule is paid: its summary, sources and digest are free, and its text is sent once the payment in the challenge is settled. The challenge is in the headers and in the body.',
    nextActions: [
      { description: 'Pay with a client of x402 version 2 or of MPP: it reads the challenge, signs and sends the request again.' },
      { description: 'Read the summary and the price of the capsule.', method: 'GET', path: `${PATHS.publicCapsules}/browse` },
    ],
  },
  payment_invalid: {
    status: 402,
    title: 'The payment is not valid',
    retry: 'changed',
    explanation:
      'The payment could not be read, was made for other terms or another address, has expired, or was refused by the facilitator. This request charged nothing. "error" names the fault as x402 does, and the response holds a new challenge.',
    nextActions: [{ description: 'Read the challenge in this response, sign a new payment for its terms, and send the request with it.' }],
  },
  payment_conflict: {
    status: 409,
    title: 'The payment was used for something else',
    retry: 'changed',
    explanation: `One authorization buys one thing. This one was presented at another address first, was presented in another payment, or was used and its purchase can no longer be replayed. A purchase is replayed for ${LIMITS.paymentRepeatHours} hours if its payment has a payment-identifier, is of MPP or was confirmed by the publisher, and for five minutes otherwise.`,
    nextActions: [{ description: 'Send the request without a payment to get a challenge, and sign a new authorization for it.' }],
  },
  payment_settling: {
    status: 409,
    title: 'The payment is being settled by another request',
    retry: 'later',
    retryAfterSeconds: 3,
    explanation:
      'Another request with the same payment is settling it, or its response was lost less than a minute ago. The same payment gets the text as soon as it is settled, and is not charged twice.',
    nextActions: [{ description: 'Wait the time in Retry-After, then send the same request with the same payment. Sign no new one.' }],
  },
  payment_unresolved: {
    status: 503,
    title: 'It is not known whether the payment was settled',
    retry: 'later',
    retryAfterSeconds: 300,
    explanation:
      'The outcome of the settlement is unknown, and the facilitator can no longer determine it: the authorization is used or expired. A used nonce does not show who was paid. The publisher looks the payment up on the network and confirms or rejects it; where a node of the network is configured, the service looks it up itself each time the payment is sent.',
    nextActions: [
      {
        description: 'Do not pay again. Send the same request with the same payment later: it gets the text once the payment is confirmed.',
      },
      { description: 'Contact the publisher with the payment id from the detail, and with the transaction if your wallet shows one.' },
    ],
  },
  facilitator_unavailable: {
    status: 503,
    title: 'The payment cannot be settled at the moment',
    retry: 'later',
    retryAfterSeconds: OUTAGE_RETRY_SECONDS,
    explanation:
      'The facilitator that settles payments did not answer, or has not settled yet. Nothing was released, and nothing is lost: the same payment, sent again while it is good, is settled once and gets the text.',
    nextActions: [{ description: 'Wait the time in Retry-After, then send the same request with the same payment. Sign no new one.' }],
  },
} as const satisfies Record<string, ErrorEntry>;

/** Errors of the Universal Commerce Protocol, as a part of the table of all errors. */
export const UCP_ERRORS = {
  invalid_profile_url: {
    status: 400,
    title: 'The profile of the platform is missing or malformed',
    retry: 'changed',
    explanation:
      'A request of the Universal Commerce Protocol names the profile of the platform that sends it, at an https address: in the header UCP-Agent, or over MCP in meta. The address is compared and never fetched.',
    nextActions: [{ description: 'Send UCP-Agent: profile="https://…", or over MCP meta["ucp-agent"].profile.' }],
  },
  rpc_method_not_found: {
    status: 404,
    title: 'There is no such method',
    retry: 'never',
    explanation:
      'The request of JSON-RPC names a method that is not served here. Those are initialize, ping, server/discover, tools/list and tools/call.',
    nextActions: [{ description: 'Ask for tools/list, and call a tool with tools/call.' }],
  },
} as const satisfies Record<string, ErrorEntry>;
