import type { PaymentRequired } from '../../../protocols/x402/schemas.ts';
import { X402_VERSION } from '../../../protocols/x402/schemas.ts';
import { toBase64Url } from '../../../provenance/bytes.ts';
import type { Clock, Randomness, SigningSecrets } from '../../ports.ts';
import { type Refusal, refuse } from '../../result.ts';
import { MPP, mppChallenge, mppHeader } from '../../../protocols/mpp/challenge.ts';
import type { PaidResource } from './paid-resource.ts';
import type { PaymentClaim } from './payment-ports.ts';
import { type PaymentTerms, requirementsOf } from './payment-terms.ts';
import { declaredExtensions } from '../../../protocols/x402/extensions.ts';

/** What a challenge is made with. */
export interface ChallengeSource {
  readonly terms: PaymentTerms;
  /** Without secrets there is no challenge of MPP, whose id is a keyed digest. */
  readonly secrets: SigningSecrets | undefined;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Name of the publication. */
  readonly seller: string;
}

/** What is said of the payment that a challenge answers. */
export interface ChallengeReason {
  readonly code: 'payment_required' | 'payment_invalid';
  readonly detail: string;
  /** The fault by its name in x402. */
  readonly error: string;
  /** A settlement that was refused, for the header `PAYMENT-RESPONSE`. */
  readonly failed?: { readonly reason: string; readonly payer: string };
}

const UTF8 = new TextEncoder();

/** Longest name of a seller, and most tags, in `ResourceInfo` (@x402/core 2.27). */
const NAME_MAX = 32;
const TAGS_MAX = 5;

/** What x402 tells an unpaid request. */
export function paymentRequired(resource: PaidResource, terms: PaymentTerms, seller: string, error: string): PaymentRequired {
  const serviceName = plain(seller).slice(0, NAME_MAX).trim();
  const tags = resource.tags.slice(0, TAGS_MAX).map((tag) => tag.slice(0, NAME_MAX));
  return {
    x402Version: X402_VERSION,
    error,
    resource: {
      url: resource.url,
      description: `${resource.title} (version ${resource.version}): the whole text`,
      mimeType: 'application/json',
      ...(serviceName === '' ? {} : { serviceName }),
      ...(tags.length === 0 ? {} : { tags }),
    },
    accepts: [requirementsOf(resource, terms)],
    extensions: declaredExtensions(resource),
  };
}

/**
 * The answer 402: the challenge of x402 in the header `PAYMENT-REQUIRED` and as members of the body, and that of MPP in
 * `WWW-Authenticate`. Clients of both protocols pay the same terms.
 */
export async function challengeRefusal(
  { code, detail, error, failed }: ChallengeReason,
  resource: PaidResource,
  source: ChallengeSource,
): Promise<{ readonly ok: false; readonly refusal: Refusal }> {
  const { terms, secrets, clock, randomness, seller } = source;
  const members = paymentRequired(resource, terms, seller, error);
  const challenge = secrets && (await mppChallenge(resource, terms, secrets, randomness, clock.nowMs()));
  return refuse(code, detail, {
    members,
    headers: {
      'PAYMENT-REQUIRED': toBase64(members),
      ...(challenge ? { 'WWW-Authenticate': mppHeader(challenge) } : {}),
      ...(failed
        ? {
            'PAYMENT-RESPONSE': toBase64({
              success: false,
              errorReason: failed.reason,
              transaction: '',
              network: terms.networkId,
              payer: failed.payer,
            }),
          }
        : {}),
    },
  });
}

/** The receipt of a settled purchase, for clients of both protocols. Each time it is asked for it is the same. */
export function receiptHeaders(claim: PaymentClaim): Record<string, string> {
  const { transaction, network, payer, amount, settledAtMs = 0 } = claim;
  const receipt = {
    status: 'success',
    method: MPP.method,
    timestamp: new Date(settledAtMs).toISOString(),
    reference: transaction,
  };
  return {
    'PAYMENT-RESPONSE': toBase64({ success: true, transaction, network, payer, amount }),
    'Payment-Receipt': toBase64Url(UTF8.encode(JSON.stringify(receipt))),
    'Cache-Control': 'private, no-store',
  };
}

/** Printable ASCII alone: what is sent in headers, and what clients take as a name. */
function plain(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '');
}

function toBase64(value: unknown): string {
  return btoa(String.fromCharCode(...UTF8.encode(JSON.stringify(value))));
}
