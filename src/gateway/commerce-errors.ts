import { LIMITS } from '../schemas/limits.ts';
import { PATHS } from '../schemas/paths.ts';
import { type ErrorDeclaration, get, OFFERS, OUTAGE_RETRY_SECONDS, READ_OPENAPI, WAIT } from './error-next-actions.ts';

const SEND_PAYMENT_AGAIN = {
  description: 'Wait for the time in Retry-After, then send the same request with the same payment. Do not sign a new one.',
} as const;

export const COMMERCE_ERRORS = {
  payment_required: {
    status: 402,
    title: 'Payment required',
    explanation:
      'The capsule is paid: its summary, metadata and digest are free, and its text is sent once the payment in the challenge is settled. The challenge is in the headers and in the body.',
    nextActions: [
      { description: 'Pay with an x402 version 2 or MPP client: it reads the challenge, signs a payment and retries.' },
      get('Read the summary and the price of the capsule.', `${PATHS.publicCapsules}/browse`),
    ],
  },
  payment_invalid: {
    status: 402,
    title: 'Payment invalid',
    explanation:
      'The payment was made for other terms or another URL, has expired, or was rejected by the facilitator, or a credential of MPP cannot be read. This request charged nothing. "error" is the x402 error code, and the response contains a new challenge.',
    nextActions: [{ description: 'Read the challenge in this response, sign a new payment for its terms, and send the request with it.' }],
  },
  payment_conflict: {
    status: 409,
    title: 'Payment already used',
    explanation: `One authorization buys one resource. This one was first presented at another URL or in another payment, or was used and its purchase can no longer be replayed. A purchase is replayed for ${LIMITS.paymentRepeatHours} hours if its payment has a payment-identifier, is of MPP or was confirmed by the publisher, and for five minutes otherwise.`,
    nextActions: [{ description: 'Send the request without a payment to get a challenge, and sign a new authorization for it.' }],
  },
  payment_settling: {
    status: 409,
    title: 'Payment settlement in progress',
    retry: 'later',
    retryAfterSeconds: 3,
    explanation:
      'Another request with the same payment is settling it, or its response was lost less than a minute ago. Once the payment is settled, it returns the text, and it is not charged twice.',
    nextActions: [SEND_PAYMENT_AGAIN],
  },
  payment_unresolved: {
    status: 503,
    title: 'Settlement outcome unknown',
    retry: 'later',
    retryAfterSeconds: 300,
    explanation:
      'The outcome of the settlement is unknown, and the facilitator can no longer determine it: the authorization is used or expired. A used nonce does not show who was paid. The publisher looks the payment up on the network and confirms or rejects it; where a node of the network is configured, the service checks it whenever the payment is sent.',
    nextActions: [
      {
        description:
          'Do not pay again. Send the same request with the same payment later: it returns the text once the payment is confirmed.',
      },
      { description: 'Contact the publisher with the payment id from the detail, and with the transaction if your wallet shows one.' },
    ],
  },
  facilitator_unavailable: {
    status: 503,
    title: 'Payment facilitator unavailable',
    retry: 'later',
    retryAfterSeconds: OUTAGE_RETRY_SECONDS,
    explanation:
      'The facilitator or payment processor that settles payments did not respond or has not settled yet. Nothing is lost: the same payment, sent again while it is valid, is settled once and returns the text.',
    nextActions: [SEND_PAYMENT_AGAIN],
  },
  version_unsupported: {
    status: 400,
    title: 'Protocol version missing or unsupported',
    explanation:
      'The request states no protocol version, or one that this deployment does not support. The response lists the supported versions.',
    nextActions: [READ_OPENAPI],
  },
  signature_invalid: {
    status: 400,
    title: 'Invalid signature',
    retry: 'never',
    explanation: 'The message was not signed with a secret of this deployment, was changed in transit, or is older than five minutes.',
    nextActions: [{ description: 'Send the body exactly as it was signed, with a current signature.' }],
  },
  payment_declined: {
    status: 402,
    title: 'Payment declined',
    explanation: 'The payment processor declined the payment. Nothing was charged, and the session is open again.',
    nextActions: [{ description: 'Complete the session with another payment and a new Idempotency-Key, or open its continue_url.' }],
  },
  offer_not_found: {
    status: 404,
    title: 'Offer not found',
    retry: 'never',
    explanation: 'No offer has this id, it is no longer sold, or its price is quoted on request. "detail" states which.',
    nextActions: [OFFERS],
  },
  session_not_found: {
    status: 404,
    title: 'Checkout session not found',
    retry: 'never',
    explanation: 'The id is unknown, or the session belongs to another agent. Both get the same response.',
    nextActions: [{ description: 'Create a new session.' }, OFFERS],
  },
  order_not_found: {
    status: 404,
    title: 'Order or receipt not found',
    retry: 'never',
    explanation: 'The URL of an order contains a long random text, and no order has this one.',
    nextActions: [{ description: 'Copy the complete URL from the response or message that contained it.' }],
  },
  pass_exists: {
    status: 409,
    title: 'You have this already',
    retry: 'never',
    explanation:
      'The key has a pass for what the session sells, or has paid for it with credit, so it reads the texts without a payment. Nothing was charged.',
    nextActions: [{ description: 'Get the text with the key in Authorization. A pass can be bought again once it has ended.' }],
  },
  session_closed: {
    status: 409,
    title: 'Checkout session closed',
    retry: 'never',
    explanation: 'The session is completed, canceled or expired, or its payment is in progress.',
    nextActions: [{ description: 'Read the session to see its status.' }, { description: 'Create a new session.' }],
  },
  request_in_flight: {
    status: 409,
    title: 'Request still in progress',
    retry: 'later',
    retryAfterSeconds: 5,
    explanation: 'A request with the same Idempotency-Key, or a payment of the same session, is still in progress.',
    nextActions: [WAIT],
  },
  delivery_withdrawn: {
    status: 410,
    title: 'Delivery withdrawn',
    retry: 'never',
    explanation: 'The order was fully refunded, or the key that it delivered was replaced, revoked or has expired. "detail" states which.',
    nextActions: [{ description: 'Use the key that replaced it, if there is one, or buy the offer again.' }, OFFERS],
  },
  cart_refused: {
    status: 422,
    title: 'These items cannot be bought together',
    explanation: `A hosted checkout link sells one unit of one offer. It cannot charge more units, several offers, or offers with different billing periods; the cart page lists other ways to buy. A purchase has at most ${LIMITS.quantityMax} units of an offer.`,
    nextActions: [{ description: 'Buy each unit in a separate session, or request an invoice for all.' }, OFFERS],
  },
  payment_unsupported: {
    status: 422,
    title: 'Payment not supported by the API',
    explanation:
      'The session is paid on the hosted checkout: no payment handler is configured, or the session does not offer the one in the request.',
    nextActions: [{ description: 'Open the continue_url of the session, or send the buyer there; payment completes the session.' }],
  },
  processor_unavailable: {
    status: 503,
    title: 'Payment processor unavailable',
    retry: 'later',
    retryAfterSeconds: OUTAGE_RETRY_SECONDS,
    explanation:
      'The payment processor did not respond, so the outcome of the charge is unknown. Retrying with the same Idempotency-Key returns the outcome and charges at most once.',
    nextActions: [WAIT],
  },
  invalid_profile_url: {
    status: 400,
    title: 'Platform profile missing or malformed',
    explanation:
      'A Universal Commerce Protocol request states the https URL of its platform profile, in the header UCP-Agent or, over MCP, in meta. The URL is compared and never fetched.',
    nextActions: [{ description: 'Send UCP-Agent: profile="https://…", or over MCP meta["ucp-agent"].profile.' }],
  },
  rpc_method_not_found: {
    status: 404,
    title: 'Method not found',
    retry: 'never',
    explanation:
      'The JSON-RPC method does not exist at this address. MCP has initialize, ping, server/discover, tools/list and tools/call; A2A has SendMessage and the other operations of its specification.',
    nextActions: [{ description: 'Over MCP, list the tools with tools/list; over A2A, send a message with SendMessage.' }],
  },
} as const satisfies Record<string, ErrorDeclaration>;
