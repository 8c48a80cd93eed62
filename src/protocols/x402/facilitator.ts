import type {
  Facilitator,
  FacilitatorRequest,
  PostToFacilitator,
  Settled,
  Verified,
} from '../../gateway/commerce/payments/payment-ports.ts';
import { TransactionHash } from '../../schemas/commerce/stablecoin-payments.ts';
import { declaredExtensions, requirementsOf, SettleResponse, VerifyResponse, X402_VERSION } from './payment-required.ts';

/** Longest time that a facilitator may take to verify a payment, and to settle it and wait for its network, in milliseconds. */
const VERIFY_DEADLINE_MS = 6_000;
const SETTLE_DEADLINE_MS = 20_000;

/** The network accepted the transaction and has not confirmed it (@x402/evm since 2.23; the second is the name in its specification). */
const PENDING: readonly string[] = ['settlement_pending', 'settle_pending'];

/**
 * The nonce of the authorization is used (@x402/evm 2.27; the second is its name in facilitators of version 1), maybe by another transfer: the
 * payer can sign a second authorization with the same nonce that pays somebody else.
 */
const NONCE_USED: readonly string[] = ['invalid_exact_evm_nonce_already_used', 'authorization_already_used'];

/**
 * Reasons that a facilitator gives before it sends anything (@x402/evm 2.27, exact/facilitator/errors.ts, the errors of verification;
 * x402 specification version 2, section 9). Not listed: unknown reasons, and `invalid_exact_evm_transaction_failed`, `invalid_transaction_state`,
 * `invalid_exact_evm_transfer_event_mismatch` and `unexpected_settle_error`, which also follow a transaction that was sent and whose outcome
 * the facilitator could not read or store.
 */
const NOTHING_SENT: ReadonlySet<string> = new Set([
  'asset_not_deployed_contract',
  'eip6492_factory_not_allowed',
  'insufficient_funds',
  'invalid_exact_evm_authorization_value',
  'invalid_exact_evm_eip3009_not_supported',
  'invalid_exact_evm_failed_to_parse_signature',
  'invalid_exact_evm_insufficient_balance',
  'invalid_exact_evm_missing_eip712_domain',
  'invalid_exact_evm_network_mismatch',
  'invalid_exact_evm_payload_authorization_valid_after',
  'invalid_exact_evm_payload_authorization_valid_before',
  'invalid_exact_evm_payload_authorization_value',
  'invalid_exact_evm_payload_authorization_value_mismatch',
  'invalid_exact_evm_payload_recipient_mismatch',
  'invalid_exact_evm_payload_signature',
  'invalid_exact_evm_payload_undeployed_smart_wallet',
  'invalid_exact_evm_recipient_mismatch',
  'invalid_exact_evm_scheme',
  'invalid_exact_evm_signature',
  'invalid_exact_evm_token_name_mismatch',
  'invalid_exact_evm_token_version_mismatch',
  'invalid_exact_evm_transaction_simulation_failed',
  'invalid_network',
  'invalid_payload',
  'invalid_payment_requirements',
  'invalid_scheme',
  'invalid_x402_version',
  'unsupported_scheme',
]);

/** A facilitator (x402 version 2, section 7). A missing or malformed response proves nothing. */
export function x402Facilitator(post: PostToFacilitator): Facilitator {
  return {
    verify: async (request) => verifiedBy(await post('/verify', bodyOf(request), VERIFY_DEADLINE_MS)),
    settle: async (request) => settledBy(await post('/settle', bodyOf(request), SETTLE_DEADLINE_MS)),
  };
}

function bodyOf({ signed, resource, terms, amount, payTo }: FacilitatorRequest): object {
  const requirements = requirementsOf(amount, payTo, terms);
  const { bazaar } = declaredExtensions(resource);
  return {
    x402Version: X402_VERSION,
    paymentPayload: {
      x402Version: X402_VERSION,
      resource: { url: resource.url, description: resource.title, mimeType: 'application/json' },
      accepted: requirements,
      payload: signed,
      extensions: { bazaar },
    },
    paymentRequirements: requirements,
  };
}

function verifiedBy(response: unknown): Verified {
  const parsed = VerifyResponse.safeParse(response);
  if (!parsed.success) return { kind: 'unknown' };
  return parsed.data.isValid ? { kind: 'valid' } : { kind: 'invalid', reason: plainReason(parsed.data.invalidReason ?? '') };
}

/** A success without a transaction proves nothing (x402 version 2, section 5.3, `transaction`). */
function settledBy(response: unknown): Settled {
  const parsed = SettleResponse.safeParse(response);
  if (!parsed.success) return { kind: 'unknown' };
  const { success, errorReason } = parsed.data;
  const hash = TransactionHash.safeParse(parsed.data.transaction);
  if (success) return hash.success ? { kind: 'settled', transaction: hash.data } : { kind: 'unknown' };
  const reason = errorReason ?? '';
  const named = hash.success ? { transaction: hash.data } : {};
  if (PENDING.includes(reason)) return { kind: 'pending', ...named };
  const cause = NOTHING_SENT.has(reason) ? 'nothing_sent' : NONCE_USED.includes(reason) ? 'nonce_used' : 'unknown';
  return { kind: 'refused', reason: plainReason(reason), cause, ...named };
}

function plainReason(reason: string): string {
  return /^[A-Za-z0-9_]{1,80}$/.test(reason) ? reason : 'refused_by_facilitator';
}
