import * as z from 'zod';
import type { AuthorizationId, RecordedTransfer, TransferLedger } from '../gateway/commerce/payments/payment-ports.ts';
import type { Timers } from '../gateway/platform-ports.ts';
import { toBytes, toHex } from '../provenance/bytes-and-sha256.ts';
import { keccak256 } from '../provenance/canonical-json.ts';
import { type PaymentNetwork, SignedAuthorization } from '../schemas/commerce/stablecoin-payments.ts';
import { type Fetch, postJson, systemFetch } from './outgoing-requests.ts';

/** Deadline of one request to the node, in milliseconds; looking up a reservation takes at most three in sequence. */
const REQUEST_DEADLINE_MS = 2_000;

/** How long before its reservation an authorization may have been used, in seconds: clocks differ, and the payer may be faster than the reservation. */
const BEFORE_RESERVATION_SECONDS = 600;

/** Most blocks whose logs are requested: 66 minutes of Base. Nodes refuse wide ranges, and an authorization is valid for five minutes. */
const BLOCKS_MAX = 2_000;

const Quantity = z.string().regex(/^0x[0-9a-f]{1,12}$/);
const Hash = z.string().regex(/^0x[0-9a-f]{64}$/);
/** A transaction log as nodes return it (ethereum/execution-apis); quantities are hexadecimal, topics in lower case. */
const Log = z.object({
  address: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  topics: z.array(Hash).max(4),
  // Nodes send either case; comparisons are in lower case.
  data: z
    .string()
    .regex(/^0x[0-9a-fA-F]*$/)
    .transform((data) => data.toLowerCase()),
  blockNumber: Quantity,
  blockHash: Hash,
  transactionHash: Hash,
  logIndex: Quantity,
  // Whether a reorganization removed the block of the log.
  removed: z.boolean().optional(),
});
type Log = z.infer<typeof Log>;
const Block = z.object({ number: Quantity, timestamp: Quantity });
const Receipt = z.object({ status: z.literal('0x1'), transactionHash: Hash, blockHash: Hash, logs: z.array(Log) });

const USED_ELSEWHERE: RecordedTransfer = { kind: 'never', reason: 'invalid_exact_evm_nonce_already_used' };
const EXPIRED: RecordedTransfer = { kind: 'never', reason: 'invalid_exact_evm_payload_authorization_valid_before' };
const UNKNOWN: RecordedTransfer = { kind: 'unknown' };

type TokenNetwork = Pick<PaymentNetwork, 'asset' | 'blockSeconds'>;
type SentPayment = Parameters<TransferLedger['find']>[0];
type Call = <T>(method: string, params: readonly unknown[], schema: z.ZodType<T>) => Promise<T>;

/**
 * Transfers by EIP-3009 from a node of the network (ethereum/execution-apis). Only blocks that the node calls `safe` count. A response that is late,
 * malformed or contradictory proves nothing. The address may hold a key and is never logged.
 */
export function rpcTransferLedger(address: string, network: TokenNetwork, timers: Timers, fetch: Fetch = systemFetch): TransferLedger {
  const call: Call = async (method, params, schema) => {
    const body = { jsonrpc: '2.0', id: 1, method, params };
    const request = { name: `the node's ${method}`, deadlineMs: REQUEST_DEADLINE_MS, timers, fetch };
    const response = await postJson(address, body, request);
    return z.object({ result: schema }).parse(response).result;
  };
  return {
    find: (reservation) =>
      recordedTransfer(reservation, network, call).catch((error: unknown) => {
        // The message of a failed request may name the address.
        const reason = error instanceof Error ? error.name : 'unknown';
        console.error(JSON.stringify({ level: 'error', what: 'payment node', reason }));
        return UNKNOWN;
      }),
  };
}

async function recordedTransfer(reservation: SentPayment, { asset, blockSeconds }: TokenNetwork, call: Call): Promise<RecordedTransfer> {
  const [payer, nonce] = [word(reservation.payer), word(reservation.nonce)];
  const authorization = { asset: asset.address.toLowerCase(), payer, nonce };
  const safe = await call('eth_getBlockByNumber', ['safe', false], Block);
  const secondsAgo = Number(safe.timestamp) - (reservation.reservedAtMs / 1_000 - BEFORE_RESERVATION_SECONDS);
  const from = Math.max(0, Number(safe.number) - Math.max(0, Math.ceil(secondsAgo / blockSeconds)));
  const to = Math.min(Number(safe.number), from + BLOCKS_MAX - 1);
  const topics = [[AUTHORIZATION_USED, AUTHORIZATION_CANCELED], payer, nonce];
  const filter = { address: asset.address, fromBlock: quantity(from), toBlock: quantity(to), topics };
  const [log, ...others] = await call('eth_getLogs', [filter], z.array(Log));
  if (log === undefined) {
    const { validBefore } = SignedAuthorization.parse(JSON.parse(reservation.signed)).authorization;
    if (BigInt(safe.timestamp) < BigInt(validBefore)) return UNKNOWN;
    // An expired authorization can no longer be used (EIP-3009: block.timestamp < validBefore).
    const data = AUTHORIZATION_STATE + payer.slice(2) + nonce.slice(2);
    const state = await call('eth_call', [{ to: asset.address, data }, safe.number], Hash);
    return BigInt(state) === 0n ? EXPIRED : UNKNOWN;
  }
  const end = endIn(log, authorization);
  if (others.length > 0 || end === undefined || Number(log.blockNumber) > Number(safe.number)) return UNKNOWN;
  if (end === 'canceled') return USED_ELSEWHERE;
  const receipt = await call('eth_getTransactionReceipt', [log.transactionHash], Receipt);
  if (receipt.transactionHash !== log.transactionHash || receipt.blockHash !== log.blockHash) return UNKNOWN;
  const isPaid = hasPaid(log, receipt.logs, authorization, reservation);
  if (isPaid === undefined) return UNKNOWN;
  return isPaid ? { kind: 'paid', transaction: log.transactionHash } : USED_ELSEWHERE;
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`;
}

type LoggedAuthorization = Omit<AuthorizationId, 'network'>;

const hashOf = (signature: string): string => `0x${toHex(keccak256(toBytes(signature)))}`;
const TRANSFER = hashOf('Transfer(address,address,uint256)');
const AUTHORIZATION_USED = hashOf('AuthorizationUsed(address,bytes32)');
const AUTHORIZATION_CANCELED = hashOf('AuthorizationCanceled(address,bytes32)');
const AUTHORIZATION_STATE = hashOf('authorizationState(address,bytes32)').slice(0, 10);

function endIn({ address, topics, removed }: Log, { asset, payer, nonce }: LoggedAuthorization): 'used' | 'canceled' | undefined {
  const isAboutIt = address.toLowerCase() === asset && topics[1] === payer && topics[2] === nonce && removed !== true;
  if (isAboutIt && topics[0] === AUTHORIZATION_USED) return 'used';
  return isAboutIt && topics[0] === AUTHORIZATION_CANCELED ? 'canceled' : undefined;
}

/**
 * Whether an authorization paid its amount to the seller. The token logs the transfer directly after `AuthorizationUsed`
 * (circlefin/stablecoin-evm, contracts/v2/EIP3009.sol); `undefined` if it is not there.
 */
function hasPaid(used: Log, logs: readonly Log[], { asset, payer }: LoggedAuthorization, paid: SentPayment): boolean | undefined {
  const at = logs.findIndex((log) => log.logIndex === used.logIndex && log.topics.join() === used.topics.join());
  const next = at < 0 ? undefined : logs[at + 1];
  if (next === undefined || Number(next.logIndex) !== Number(used.logIndex) + 1 || next.removed === true) return undefined;
  if (next.address.toLowerCase() !== asset || next.topics[0] !== TRANSFER || next.topics[1] !== payer) return undefined;
  return next.topics[2] === word(paid.payTo) && next.data === word(BigInt(paid.amount).toString(16));
}

function word(hex: string): string {
  return `0x${hex.replace(/^0x/, '').toLowerCase().padStart(64, '0')}`;
}
