import type { PaymentAdapters, PostToFacilitator } from '../gateway/commerce/payments/payment-ports.ts';
import { paymentTerms } from '../gateway/commerce/payments/payment-terms.ts';
import type { PaymentDependencies } from '../gateway/commerce/payments/settle-payment.ts';
import type { NotConfigured, ReturnableQuotas, SigningSecrets, Timers } from '../gateway/platform-ports.ts';
import { isDemonstration } from '../schemas/commerce/stablecoin-payments.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { DeadlineError, type Runtime } from './clock-and-deadlines.ts';
import { paymentReservations } from './d1/payment-reservations.ts';
import { demoFacilitator, demoProcessor } from './demo-payments.ts';
import type { Environment } from './environment.ts';
import { type Fetch, postJson, ResponseError, systemFetch } from './outgoing-requests.ts';
import { stripeOf } from './stripe/stripe-payments.ts';

/** Addresses that an RPC node may have: https, or this machine. */
const NODE_ADDRESS = /^(https:\/\/|http:\/\/127\.0\.0\.1:\d{1,5}(\/|$))/;

/** Without signing secrets MPP issues no challenges; x402 works. The demonstration is for a loopback address only. */
export async function paymentDependencies(
  environment: Environment,
  secrets: SigningSecrets | NotConfigured,
  deployment: Deployment,
  payments: NonNullable<Deployment['payments']>,
  { clock, randomness, timers }: Runtime,
  quotas: ReturnableQuotas | undefined,
  { schemes, facilitator }: PaymentAdapters,
): Promise<PaymentDependencies | NotConfigured> {
  const { STATE, PAYMENT_RPC_URL = '' } = environment;
  const { facilitator: address = '', stripeProfile: cardProfile } = payments;
  const terms = paymentTerms(deployment);
  if (STATE === undefined) return { missing: 'This deployment has no database, so it can take no payments.' };
  if (PAYMENT_RPC_URL !== '' && !(NODE_ADDRESS.test(PAYMENT_RPC_URL) && URL.canParse(PAYMENT_RPC_URL)))
    return { missing: 'PAYMENT_RPC_URL is not an https address, so no payments are taken.' };
  const isDemo = isDemonstration(cardProfile) && deployment.keyPrefix === 'akg_test_';
  const processor = cardProfile === undefined ? undefined : isDemo ? demoProcessor() : stripeOf(environment, deployment.keyPrefix);
  if (processor !== undefined && 'missing' in processor) return processor;
  return {
    terms,
    cardProfile,
    processor,
    schemes,
    facilitator: isDemo ? demoFacilitator() : facilitator(facilitatorPost(address, timers)),
    ledger:
      PAYMENT_RPC_URL === '' || terms === undefined || isDemo
        ? undefined
        : (await import('./ethereum-rpc-ledger.ts')).rpcTransferLedger(PAYMENT_RPC_URL, terms.network, timers),
    reservations: paymentReservations(STATE),
    quotas,
    secrets: 'missing' in secrets ? undefined : secrets,
    clock,
    randomness,
    seller: payments.sellerName ?? deployment.name,
    baseUrl: deployment.baseUrl,
    icon: payments.icon,
  };
}

/** A response that is late, too long or not JSON counts as none. `address` has no slash at the end. */
export function facilitatorPost(address: string, timers: Timers, fetch: Fetch = systemFetch): PostToFacilitator {
  return async (path, body, deadlineMs) => {
    try {
      return await postJson(address + path, body, { name: `the facilitator's ${path}`, deadlineMs, timers, fetch });
    } catch (error) {
      const reason = error instanceof DeadlineError || error instanceof ResponseError ? error.message : String(error);
      console.error(JSON.stringify({ level: 'error', what: 'facilitator', path, reason }));
      return undefined;
    }
  };
}
