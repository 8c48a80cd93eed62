import { LIMITS } from '../../../schemas/limits.ts';
import { PATHS } from '../../../schemas/paths.ts';
import { type ErrorEntry, OUTAGE_RETRY_SECONDS } from '../../error-entry.ts';

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
