import { toHex } from '../../../provenance/bytes.ts';
import { keccak256 } from '../../../provenance/canonical-json.ts';
import type { PaymentReservation } from './payment-ports.ts';

/** A transaction log as nodes return it (ethereum/execution-apis); quantities are hexadecimal, topics in lower case. */
export interface EventLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly logIndex: string;
  /** Whether a reorganization removed the block of the log. */
  readonly removed?: boolean | undefined;
}

export interface LoggedAuthorization {
  readonly asset: string;
  readonly payer: string;
  readonly nonce: string;
}

const hashOf = (signature: string): string => `0x${toHex(keccak256(new TextEncoder().encode(signature)))}`;
const TRANSFER = hashOf('Transfer(address,address,uint256)');
const AUTHORIZATION_USED = hashOf('AuthorizationUsed(address,bytes32)');
const AUTHORIZATION_CANCELED = hashOf('AuthorizationCanceled(address,bytes32)');
const AUTHORIZATION_STATE = hashOf('authorizationState(address,bytes32)').slice(0, 10);

export function loggedAuthorization(asset: string, { payer, nonce }: Pick<PaymentReservation, 'payer' | 'nonce'>): LoggedAuthorization {
  return { asset: asset.toLowerCase(), payer: word(payer), nonce: word(nonce) };
}

export function endOfAuthorization({ payer, nonce }: LoggedAuthorization): readonly (string | readonly string[])[] {
  return [[AUTHORIZATION_USED, AUTHORIZATION_CANCELED], payer, nonce];
}

export function authorizationStateCall({ payer, nonce }: LoggedAuthorization): string {
  return AUTHORIZATION_STATE + payer.slice(2) + nonce.slice(2);
}

/** How a log ends an authorization; `undefined` if it does not. */
export function endIn(
  { address, topics, removed }: EventLog,
  { asset, payer, nonce }: LoggedAuthorization,
): 'used' | 'canceled' | undefined {
  const isAboutIt = address.toLowerCase() === asset && topics[1] === payer && topics[2] === nonce && removed !== true;
  if (isAboutIt && topics[0] === AUTHORIZATION_USED) return 'used';
  return isAboutIt && topics[0] === AUTHORIZATION_CANCELED ? 'canceled' : undefined;
}

/**
 * Whether an authorization paid its amount to the seller. The token logs the transfer directly after `AuthorizationUsed`
 * (circlefin/stablecoin-evm, contracts/v2/EIP3009.sol), so each transfer of a transaction belongs to one nonce.
 *
 * @returns `undefined` if the transfer is not where the token logs it.
 */
export function hasPaid(
  used: EventLog,
  logs: readonly EventLog[],
  { asset, payer }: LoggedAuthorization,
  { payTo, amount }: Pick<PaymentReservation, 'payTo' | 'amount'>,
): boolean | undefined {
  const at = logs.findIndex((log) => log.logIndex === used.logIndex && log.topics.join() === used.topics.join());
  const next = at < 0 ? undefined : logs[at + 1];
  if (next === undefined || Number(next.logIndex) !== Number(used.logIndex) + 1 || next.removed === true) return undefined;
  if (next.address.toLowerCase() !== asset || next.topics[0] !== TRANSFER || next.topics[1] !== payer) return undefined;
  return next.topics[2] === word(payTo) && next.data === word(BigInt(amount).toString(16));
}

function word(hex: string): string {
  return `0x${hex.replace(/^0x/, '').toLowerCase().padStart(64, '0')}`;
}
