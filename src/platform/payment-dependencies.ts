import type { PaymentDependencies } from '../gateway/commerce/payments/pay-for-resource.ts';
import type { PostToFacilitator } from '../gateway/commerce/payments/payment-ports.ts';
import type { PaymentAdapters } from '../gateway/commerce/payments/payment-scheme.ts';
import { paymentTerms } from '../gateway/commerce/payments/payment-terms.ts';
import type { ReturnableQuotas, SigningSecrets, Timers } from '../gateway/ports.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { paymentClaims } from './d1/payment-claims.ts';
import { DeadlineError } from './deadline.ts';
import type { Environment } from './environment.ts';
import { rpcTransferLedger } from './ethereum-rpc-ledger.ts';
import { type Fetch, postJson, ResponseError, systemFetch } from './post-json.ts';
import type { Runtime } from './runtime.ts';

/** Addresses that a node may have: https, or this machine. */
const NODE_ADDRESS = /^(https:\/\/|http:\/\/127\.0\.0\.1:\d{1,5}(\/|$))/;

/**
 * What selling capsules works with on Cloudflare, or why it cannot; `undefined` while payments are off. Without secrets there is no
 * challenge of MPP, and x402 works.
 */
export function paymentDependencies(
  { STATE, PAYMENT_RPC_URL = '' }: Pick<Environment, 'STATE' | 'PAYMENT_RPC_URL'>,
  secrets: SigningSecrets | { readonly missing: string },
  deployment: Deployment,
  { clock, randomness, timers }: Runtime,
  quotas: ReturnableQuotas | undefined,
  { schemes, facilitator }: PaymentAdapters,
): PaymentDependencies | { readonly missing: string } | undefined {
  const terms = paymentTerms(deployment);
  if (terms === undefined || deployment.payments === undefined) return undefined;
  if (STATE === undefined) return { missing: 'This deployment has no database, so it can take no payments.' };
  if (PAYMENT_RPC_URL !== '' && !(NODE_ADDRESS.test(PAYMENT_RPC_URL) && URL.canParse(PAYMENT_RPC_URL)))
    return { missing: 'PAYMENT_RPC_URL is not an https address, so no payments are taken.' };
  return {
    terms,
    schemes,
    facilitator: facilitator(facilitatorPost(deployment.payments.facilitator, timers)),
    ledger: PAYMENT_RPC_URL === '' ? undefined : rpcTransferLedger(PAYMENT_RPC_URL, terms.network, timers),
    claims: paymentClaims(STATE),
    quotas,
    secrets: 'missing' in secrets ? undefined : secrets,
    clock,
    randomness,
    seller: deployment.name,
  };
}

/**
 * Posts JSON to a facilitator. Redirects are not followed: whoever answers for the facilitator could say that anything was paid. A response
 * that is late, too long or not JSON counts as none.
 *
 * @param address Without a slash at the end.
 */
export function facilitatorPost(address: string, timers: Timers, fetch: Fetch = systemFetch): PostToFacilitator {
  return async (path, body, deadlineMs) => {
    try {
      return await postJson(address + path, body, deadlineMs, `the facilitator's ${path}`, timers, fetch);
    } catch (error) {
      const reason = error instanceof DeadlineError || error instanceof ResponseError ? error.message : String(error);
      console.error(JSON.stringify({ level: 'error', what: 'facilitator', path, reason }));
      return undefined;
    }
  };
}
