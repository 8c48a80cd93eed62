import * as z from 'zod';
import { toHex } from '../gateway/hexadecimal.ts';
import type { RecordedTransfer, TransferLedger } from '../gateway/payments/payment-ports.ts';
import type { Timers } from '../gateway/ports.ts';
import { keccak256 } from '../provenance/keccak256.ts';
import type { PaymentNetwork } from '../schemas/payment-networks.ts';
import { SignedAuthorization } from '../schemas/x402.ts';
import { type Fetch, postJson, systemFetch } from './post-json.ts';

/** Longest time that one request to the node may take, in milliseconds; a claim is looked up with at most three, one after another. */
const REQUEST_DEADLINE_MS = 2_000;

/** How long before its claim an authorization may have been used, in seconds: clocks differ, and the payer may be faster than the claim. */
const BEFORE_CLAIM_SECONDS = 600;

/** Most blocks whose logs are asked for: 66 minutes of Base. Nodes refuse wide ranges, and an authorization is good for five minutes. */
const BLOCKS_MAX = 2_000;

const Quantity = z.string().regex(/^0x[0-9a-f]{1,12}$/);
const Hash = z.string().regex(/^0x[0-9a-f]{64}$/);
const Log = z.object({
  address: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  topics: z.array(Hash).max(4),
  data: z.string(),
  blockNumber: Quantity,
  blockHash: Hash,
  transactionHash: Hash,
  logIndex: Quantity,
  removed: z.boolean().optional(),
});
type Log = z.infer<typeof Log>;
const Block = z.object({ number: Quantity, timestamp: Quantity });
const Receipt = z.object({ status: z.literal('0x1'), transactionHash: Hash, blockHash: Hash, blockNumber: Quantity, logs: z.array(Log) });

/** First topic of an event, or the beginning of a call: the hash of its signature. */
const hashOf = (signature: string): string => `0x${toHex(keccak256(new TextEncoder().encode(signature)))}`;
const TRANSFER = hashOf('Transfer(address,address,uint256)');
const AUTHORIZATION_USED = hashOf('AuthorizationUsed(address,bytes32)');
const AUTHORIZATION_CANCELED = hashOf('AuthorizationCanceled(address,bytes32)');
const AUTHORIZATION_STATE = hashOf('authorizationState(address,bytes32)').slice(0, 10);

/** 32 bytes as topics and data have them. */
const word = (hex: string): string => `0x${hex.replace(/^0x/, '').toLowerCase().padStart(64, '0')}`;

const USED_ELSEWHERE: RecordedTransfer = { kind: 'never', reason: 'invalid_exact_evm_nonce_already_used' };
const EXPIRED: RecordedTransfer = { kind: 'never', reason: 'invalid_exact_evm_payload_authorization_valid_before' };
const UNKNOWN: RecordedTransfer = { kind: 'unknown' };

/**
 * Transfers by EIP-3009 as a node of the network has them, over JSON-RPC (ethereum/execution-apis). Only blocks count that the node calls
 * `safe`. The node is trusted for what it says; an answer that is late, of another shape, or contradicts itself proves nothing.
 *
 * @param address Of the node; it may hold a key, and is never logged.
 */
export function rpcTransferLedger(
  address: string,
  { asset, blockSeconds }: Pick<PaymentNetwork, 'asset' | 'blockSeconds'>,
  timers: Timers,
  fetch: Fetch = systemFetch,
): TransferLedger {
  const call = async <T>(method: string, params: readonly unknown[], schema: z.ZodType<T>): Promise<T> => {
    const body = { jsonrpc: '2.0', id: 1, method, params };
    const answer = await postJson(address, body, REQUEST_DEADLINE_MS, `the node's ${method}`, timers, fetch);
    return z.object({ result: schema }).parse(answer).result;
  };
  return {
    find: async ({ payer, nonce, payTo, amount, signed, claimedAtMs }) => {
      try {
        const safe = await call('eth_getBlockByNumber', ['safe', false], Block);
        const used = { asset: asset.address.toLowerCase(), payer: word(payer), nonce: word(nonce) };
        const secondsAgo = Number(safe.timestamp) - (claimedAtMs / 1_000 - BEFORE_CLAIM_SECONDS);
        const from = Math.max(0, Number(safe.number) - Math.max(0, Math.ceil(secondsAgo / blockSeconds)));
        const to = Math.min(Number(safe.number), from + BLOCKS_MAX - 1);
        const topics = [[AUTHORIZATION_USED, AUTHORIZATION_CANCELED], used.payer, used.nonce];
        const filter = { address: asset.address, fromBlock: quantity(from), toBlock: quantity(to), topics };
        const [log, ...others] = await call('eth_getLogs', [filter], z.array(Log));
        if (log === undefined) {
          const { validBefore } = SignedAuthorization.parse(JSON.parse(signed)).authorization;
          if (BigInt(safe.timestamp) < BigInt(validBefore)) return UNKNOWN;
          const data = AUTHORIZATION_STATE + used.payer.slice(2) + used.nonce.slice(2);
          // Once it has expired, an authorization that is not used never will be (EIP-3009: block.timestamp < validBefore).
          return BigInt(await call('eth_call', [{ to: asset.address, data }, safe.number], Hash)) === 0n ? EXPIRED : UNKNOWN;
        }
        if (others.length > 0 || !isLogOf(log, used) || Number(log.blockNumber) > Number(safe.number)) return UNKNOWN;
        if (log.topics[0] === AUTHORIZATION_CANCELED) return USED_ELSEWHERE;
        const receipt = await call('eth_getTransactionReceipt', [log.transactionHash], Receipt);
        if (receipt.transactionHash !== log.transactionHash || receipt.blockHash !== log.blockHash) return UNKNOWN;
        const transfer = transferBy(log, receipt.logs, used);
        if (transfer === undefined) return UNKNOWN;
        const isToSeller = transfer.topics[2] === word(payTo) && transfer.data === word(BigInt(amount).toString(16));
        return isToSeller ? { kind: 'paid', transaction: log.transactionHash } : USED_ELSEWHERE;
      } catch (error) {
        const reason = error instanceof z.ZodError ? 'the node answered in another shape' : error instanceof Error ? error.name : 'unknown';
        console.error(JSON.stringify({ level: 'error', what: 'payment node', reason }));
        return UNKNOWN;
      }
    },
  };
}

/** The use of an authorization, as topics have it. */
interface UsedAuthorization {
  readonly asset: string;
  readonly payer: string;
  readonly nonce: string;
}

function isLogOf({ address, topics, removed }: Log, { asset, payer, nonce }: UsedAuthorization): boolean {
  const isKnown = topics[0] === AUTHORIZATION_USED || topics[0] === AUTHORIZATION_CANCELED;
  return isKnown && address.toLowerCase() === asset && topics[1] === payer && topics[2] === nonce && removed !== true;
}

/**
 * The transfer that an authorization was used for. The token logs it directly after `AuthorizationUsed`
 * (circlefin/stablecoin-evm, contracts/v2/EIP3009.sol), so that of several transfers in one transaction each belongs to one nonce.
 */
function transferBy(used: Log, logs: readonly Log[], { asset, payer }: UsedAuthorization): Log | undefined {
  const at = logs.findIndex((log) => log.logIndex === used.logIndex && log.topics.join() === used.topics.join());
  const next = at < 0 ? undefined : logs[at + 1];
  if (next === undefined || Number(next.logIndex) !== Number(used.logIndex) + 1 || next.removed === true) return undefined;
  return next.address.toLowerCase() === asset && next.topics[0] === TRANSFER && next.topics[1] === payer ? next : undefined;
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`;
}
