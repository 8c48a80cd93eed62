import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionResult,
  getAddress,
  type Hex,
  keccak256,
  numberToHex,
  parseAbi,
  parseSignature,
  recoverTypedDataAddress,
  serializeSignature,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { paymentNetwork } from '../../src/schemas/commerce/stablecoin-payments.ts';
import type { TestFacilitator } from '../support/commerce-kit.ts';

/** What is called on the token: by EIP-3009, with the parts of a signature or with all of it. */
const ABI = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function authorizationState(address, bytes32) view returns (bool)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);

const TRANSFER_TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

/** Seconds between two blocks, as on Base. */
const BLOCK_SECONDS = 2;

/** Arguments of `transferWithAuthorization`. */
type Transfer = readonly [Hex, Hex, bigint, bigint, bigint, Hex, number | bigint, Hex, Hex];

/** An event of the token. */
interface TokenEvent {
  readonly topics: Hex[];
  readonly data: Hex;
}

/** A log as a node gives it; quantities are hexadecimal. */
export interface TestLog extends TokenEvent {
  readonly address: Hex;
  readonly blockNumber: Hex;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  readonly logIndex: Hex;
}

/**
 * A token in memory that takes authorizations as the USD Coin of a test network does: it checks times, nonces, signatures and balances,
 * and nothing of it is worth anything.
 */
export class TestToken {
  readonly address: Hex;
  readonly transfers: ReturnType<TestFacilitator['transfers']>[number][] = [];
  readonly #name: string;
  readonly #version: string;
  readonly #chainId: number;
  readonly #balances = new Map<Hex, bigint>();
  readonly #used = new Set<string>();
  readonly #logs: TestLog[] = [];
  readonly #nowMs: () => number;

  /** @throws {RangeError} If the network is not a test network that is known. */
  constructor(network: string, nowMs: () => number) {
    const known = paymentNetwork(network);
    if (known === undefined || !known.isTest) throw new RangeError(`${network} is no test network`);
    this.address = getAddress(known.asset.address);
    this.#name = known.asset.name;
    this.#version = known.asset.version;
    this.#chainId = known.chainId;
    this.#nowMs = nowMs;
  }

  /** Makes units of the token out of nothing. */
  fund(account: Hex, units: bigint): void {
    this.#balances.set(getAddress(account), this.balanceOf(account) + units);
  }

  balanceOf(account: Hex): bigint {
    return this.#balances.get(getAddress(account)) ?? 0n;
  }

  /** Answers a call that changes nothing; a transfer is only tried. */
  async read(functionName: string, args: readonly unknown[] = []): Promise<unknown> {
    switch (functionName) {
      case 'balanceOf':
        return this.balanceOf(args[0] as Hex);
      case 'name':
        return this.#name;
      case 'version':
        return this.#version;
      case 'authorizationState':
        return this.#used.has(usedKey(args[0] as Hex, args[1] as Hex));
      case 'transferWithAuthorization':
        return this.#check(args as Transfer);
      case 'tryAggregate':
        return Promise.all((args[1] as { callData: Hex }[]).map(({ callData }) => this.readEncoded(callData)));
      default:
        throw new Error(`the token has no function ${functionName}`);
    }
  }

  /** Transfers by an authorization, and gives the hash of the transaction. */
  async transfer(args: readonly unknown[]): Promise<Hex> {
    const transfer = args as Transfer;
    await this.#check(transfer);
    const [from, to, value, , , nonce] = transfer;
    // Between the check and here another transfer may have come.
    if (this.#used.has(usedKey(from, nonce))) throw new Error('FiatTokenV2: authorization is used or canceled');
    this.#used.add(usedKey(from, nonce));
    this.#balances.set(getAddress(from), this.balanceOf(from) - value);
    this.fund(to, value);
    const transaction = keccak256(
      encodeAbiParameters([{ type: 'address' }, { type: 'bytes32' }, { type: 'uint256' }], [from, nonce, value]),
    );
    this.transfers.push({ transaction, from, to, value, nonce });
    this.#log(transaction, [authorizationEvent('AuthorizationUsed', from, nonce), transferEvent(from, to, value)]);
    return transaction;
  }

  /** Has a payer sign and settle an authorization, perhaps with an ordinary transfer in front of it in the same transaction. */
  async spendNonce(privateKey: Hex, { nonce, to, value, alongside }: Parameters<TestFacilitator['spendNonce']>[1]): Promise<Hex> {
    const account = privateKeyToAccount(privateKey);
    const now = BigInt(Math.floor(this.#nowMs() / 1_000));
    const message = { from: account.address, to: to as Hex, value, validAfter: now - 60n, validBefore: now + 300n, nonce: nonce as Hex };
    const signature = await account.signTypedData({
      domain: this.#domain(),
      types: TRANSFER_TYPES,
      primaryType: 'TransferWithAuthorization',
      message,
    });
    const { r, s, yParity } = parseSignature(signature);
    const before = this.#logs.length;
    const { from, validAfter, validBefore } = message;
    const transaction = await this.transfer([from, message.to, value, validAfter, validBefore, message.nonce, yParity + 27, r, s]);
    if (alongside !== undefined) {
      const own = this.#logs.splice(before).map(({ topics, data }) => ({ topics, data }));
      this.#log(transaction, [transferEvent(from, alongside as Hex, value), ...own, transferEvent(from, alongside as Hex, value)]);
    }
    return transaction;
  }

  /** Cancels an authorization, so that its nonce is used and nobody is paid. */
  cancel(payer: string, nonce: string): void {
    this.#used.add(usedKey(payer as Hex, nonce as Hex));
    this.#log(keccak256(nonce as Hex), [authorizationEvent('AuthorizationCanceled', payer as Hex, nonce as Hex)]);
  }

  /** Number and time of the block of a moment. */
  blockAt(timeMs: number): { readonly number: Hex; readonly timestamp: Hex } {
    const number = Math.floor(timeMs / 1_000 / BLOCK_SECONDS);
    return { number: numberToHex(number), timestamp: numberToHex(number * BLOCK_SECONDS) };
  }

  /** All logs of the network, the oldest first. */
  logs(): readonly TestLog[] {
    return this.#logs;
  }

  #log(transactionHash: Hex, events: readonly TokenEvent[]): void {
    const { number } = this.blockAt(this.#nowMs());
    const first = this.#logs.filter(({ blockNumber }) => blockNumber === number).length;
    for (const [at, event] of events.entries())
      this.#logs.push({
        ...event,
        address: this.address,
        blockNumber: number,
        blockHash: keccak256(number),
        transactionHash,
        logIndex: numberToHex(first + at),
      });
  }

  #domain() {
    return { name: this.#name, version: this.#version, chainId: this.#chainId, verifyingContract: this.address };
  }

  /** Answers a call that was encoded. */
  async readEncoded(data: Hex): Promise<{ success: boolean; returnData: Hex }> {
    try {
      const { functionName, args } = decodeFunctionData({ abi: ABI, data });
      const result = await this.read(functionName, args ?? []);
      return {
        success: true,
        returnData: encodeFunctionResult({ abi: ABI, functionName, result } as Parameters<typeof encodeFunctionResult>[0]),
      };
    } catch {
      return { success: false, returnData: '0x' };
    }
  }

  async #check([from, to, value, validAfter, validBefore, nonce, v, r, s]: Transfer): Promise<undefined> {
    const now = BigInt(Math.floor(this.#nowMs() / 1_000));
    if (now <= validAfter) throw new Error('FiatTokenV2: authorization is not yet valid');
    if (now >= validBefore) throw new Error('FiatTokenV2: authorization is expired');
    if (this.#used.has(usedKey(from, nonce))) throw new Error('FiatTokenV2: authorization is used or canceled');
    const signer = await recoverTypedDataAddress({
      domain: this.#domain(),
      types: TRANSFER_TYPES,
      primaryType: 'TransferWithAuthorization',
      message: { from, to, value, validAfter, validBefore, nonce },
      signature: serializeSignature({ r, s, yParity: Number(v) >= 27 ? Number(v) - 27 : Number(v) }),
    });
    if (getAddress(signer) !== getAddress(from)) throw new Error('FiatTokenV2: invalid signature');
    if (this.balanceOf(from) < value) throw new Error('ERC20: transfer amount exceeds balance');
    return undefined;
  }
}

function usedKey(account: Hex, nonce: Hex): string {
  return `${account} ${nonce}`.toLowerCase();
}

function authorizationEvent(eventName: 'AuthorizationUsed' | 'AuthorizationCanceled', authorizer: Hex, nonce: Hex): TokenEvent {
  return { topics: encodeEventTopics({ abi: ABI, eventName, args: { authorizer, nonce } }) as Hex[], data: '0x' };
}

function transferEvent(from: Hex, to: Hex, value: bigint): TokenEvent {
  return {
    topics: encodeEventTopics({ abi: ABI, eventName: 'Transfer', args: { from, to } }) as Hex[],
    data: encodeAbiParameters([{ type: 'uint256' }], [value]),
  };
}
