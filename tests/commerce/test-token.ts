import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionResult,
  getAddress,
  keccak256,
  parseAbi,
  recoverTypedDataAddress,
  serializeSignature,
  type Hex,
  type Log,
} from 'viem';
import { paymentNetwork } from '../../src/schemas/payment-networks.ts';

/** What is called on the token: by EIP-3009, with the parts of a signature or with all of it. */
const ABI = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function authorizationState(address, bytes32) view returns (bool)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);

/** Arguments of `transferWithAuthorization`. */
type Transfer = readonly [Hex, Hex, bigint, bigint, bigint, Hex, number | bigint, Hex, Hex];

/** A transfer that came about. */
export interface TestTransfer {
  readonly transaction: Hex;
  readonly from: Hex;
  readonly to: Hex;
  readonly value: bigint;
  readonly nonce: Hex;
}

/**
 * A token in memory that takes authorizations as the USD Coin of a test network does: it checks times, nonces, signatures and balances,
 * and nothing of it is worth anything.
 */
export class TestToken {
  readonly address: Hex;
  readonly transfers: TestTransfer[] = [];
  readonly #name: string;
  readonly #version: string;
  readonly #chainId: number;
  readonly #balances = new Map<Hex, bigint>();
  readonly #used = new Set<string>();
  readonly #nowMs: () => number;

  /** @throws {RangeError} If the network is not a test network that is known. */
  constructor(network: string, nowMs: () => number = Date.now) {
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
        return Promise.all((args[1] as { callData: Hex }[]).map(({ callData }) => this.#readEncoded(callData)));
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
    return transaction;
  }

  /** What the network logged of a transaction. */
  logsOf(transaction: Hex): Log[] {
    return this.transfers
      .filter((transfer) => transfer.transaction === transaction)
      .map(
        ({ from, to, value }) =>
          ({
            address: this.address,
            topics: encodeEventTopics({ abi: ABI, eventName: 'Transfer', args: { from, to } }),
            data: encodeAbiParameters([{ type: 'uint256' }], [value]),
          }) as unknown as Log,
      );
  }

  async #readEncoded(data: Hex): Promise<{ success: boolean; returnData: Hex }> {
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
      domain: { name: this.#name, version: this.#version, chainId: this.#chainId, verifyingContract: this.address },
      types: {
        TransferWithAuthorization: [
          { name: 'from', type: 'address' },
          { name: 'to', type: 'address' },
          { name: 'value', type: 'uint256' },
          { name: 'validAfter', type: 'uint256' },
          { name: 'validBefore', type: 'uint256' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
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
