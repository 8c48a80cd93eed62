import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { optional } from './optional-tools.ts';
import { ROOT } from './paths.ts';

/** What a facilitator of tests does wrong: it breaks the connection before or after its work, answers late, or with something else. */
export interface FacilitatorFault {
  readonly verify?: 'down' | 'error' | 'late' | 'garbage' | 'redirect' | 'huge';
  readonly settle?:
    | ('down' | 'error' | 'late' | 'lost' | 'pending' | 'unnamed' | 'garbage' | 'redirect' | 'huge')
    | 'unconfirmed'
    | { readonly refuses: string; readonly transaction?: string };
  /** How late an answer is, in milliseconds. */
  readonly lateMs?: number;
  /** Called when the work is done and before it is answered. */
  readonly afterSettle?: (path: string) => Promise<void>;
}

/** What a node of tests does wrong, with all its answers or with those of one kind. */
export type NodeFault = 'down' | 'redirect' | 'garbage' | 'null' | 'rpc_error' | 'reverted' | 'other_log' | 'removed' | 'other_block';

export interface NodeCondition {
  readonly fault?: NodeFault;
  /** Age of the newest block that is safe from reorganization, in milliseconds. */
  readonly safeLagMs?: number;
}

/** The official facilitator over a token in memory, and at `/rpc` a node of its network. */
export interface TestFacilitator {
  readonly url: string;
  readonly balanceOf: (account: string) => bigint;
  readonly transfers: () => readonly {
    readonly transaction: string;
    readonly from: string;
    readonly to: string;
    readonly value: bigint;
    readonly nonce: string;
  }[];
  readonly fund: (account: string, units: bigint) => void;
  readonly setFault: (fault: FacilitatorFault) => void;
  readonly setNode: (condition: NodeCondition) => void;
  /** Has a payer use a nonce without the seller, perhaps beside an ordinary transfer of the same value. Gives the transaction. */
  readonly spendNonce: (
    account: TestAccount,
    spent: { readonly nonce: string; readonly to: string; readonly value: bigint; readonly alongside?: string },
  ) => Promise<string>;
  readonly cancel: (payer: string, nonce: string) => void;
  readonly stop: () => Promise<void>;
}

export interface TestAccount {
  readonly address: string;
  readonly privateKey: string;
}

export type MakeCardToken = (terms: {
  readonly amount: string;
  readonly currency: string;
  readonly networkId?: string | undefined;
  readonly expiresAt: number;
}) => Promise<string>;

/** The official clients and checkers in tests/commerce, with the types that tests need of them. */
export interface CommerceKit {
  readonly startFacilitator: (nowMs?: () => number) => Promise<TestFacilitator>;
  readonly newAccount: () => TestAccount;
  /** `@x402/fetch`, as its page shows it. */
  readonly x402Fetch: (account: TestAccount, fetch: typeof globalThis.fetch) => typeof globalThis.fetch;
  readonly x402FetchWithIdentifier: (account: TestAccount, identifier: string, fetch: typeof globalThis.fetch) => typeof globalThis.fetch;
  /** The client of the extension sign-in-with-x, by which a wallet reads again what it bought. */
  readonly signInFetch: (account: TestAccount, fetch: typeof globalThis.fetch) => typeof globalThis.fetch;
  readonly signIn: (account: TestAccount, challenge: unknown, changes?: Record<string, unknown>) => Promise<string>;
  /** A payment that the official client signs for a challenge, with members put in the place of its own. */
  readonly signX402: (account: TestAccount, required: unknown, changes?: Record<string, unknown>) => Promise<Record<string, unknown>>;
  readonly mppFetch: (account: TestAccount, fetch: typeof globalThis.fetch) => typeof globalThis.fetch;
  /** The same for payments by card; its own code makes the token that a wallet makes at Stripe. */
  readonly cardFetch: (createToken: MakeCardToken, fetch: typeof globalThis.fetch) => typeof globalThis.fetch;
  readonly decodePaymentResponse: (header: string) => Record<string, unknown>;
  readonly faultsOfPaymentRequired: (value: unknown) => string[];
  readonly faultsOfBazaar: (extension: unknown) => string[];
  /** The signed offers of a 402, verified by the keys of their did:web, which the client fetches. */
  readonly verifiedOffers: (required: unknown) => Promise<object[]>;
  /** The receipt of a purchase, verified likewise; `undefined` if there is none for the offer of the 402 and this payer. */
  readonly verifiedReceipt: (response: Response, required: unknown, payer: string) => Promise<object | undefined>;
  readonly paymentIdentifierSchema: unknown;
}

export const COMMERCE_FOLDER = join(ROOT, 'tests/commerce');

/** Path of an installed package of other parties, or of a file of it, as {@link optional} gives it. */
export function commercePackage(name: string): string | undefined {
  const path = join(COMMERCE_FOLDER, 'node_modules', name);
  return optional(`${name === '.' ? 'node_modules' : name} in tests/commerce (run npm ci there)`, existsSync(path) ? path : undefined);
}

/**
 * The kit, or `undefined` after one line that says what is skipped.
 *
 * @throws If its packages are missing although REQUIRE_ALL=1 forbids to skip.
 */
export async function loadCommerceKit(): Promise<CommerceKit | undefined> {
  if (commercePackage('.') === undefined) return undefined;
  // Named at run time, so that the types of the project do not depend on these packages.
  const path = join(COMMERCE_FOLDER, 'kit.ts');
  return ((await import(path)) as { kit: CommerceKit }).kit;
}
