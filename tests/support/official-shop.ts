import { afterEach, beforeEach } from 'vitest';
import type { PaidResource } from '../../src/gateway/commerce/payments/payment-ports.ts';
import type { Timers } from '../../src/gateway/platform-ports.ts';
import { rpcTransferLedger } from '../../src/platform/ethereum-rpc-ledger.ts';
import type { CommerceKit, TestAccount, TestFacilitator } from './commerce-kit.ts';
import { httpFacilitator, paymentDependencies, shopFetch, testResource } from './payments.ts';
import { type SimulatedDatabase, simulatedDatabase } from './simulated/database.ts';
import { SimulatedTime } from './simulated/time.ts';

/** A shop in this process, the official facilitator beside it, and a buyer with a dollar of the test token. */
export interface OfficialShop {
  readonly one: PaidResource;
  readonly other: PaidResource;
  readonly facilitator: () => TestFacilitator;
  readonly buyer: () => TestAccount;
  readonly fetch: typeof globalThis.fetch;
  readonly states: () => unknown[];
  /** Shop of an isolate that begins now, over the same database, with or without a node of the network. */
  readonly begin: (node?: 'without node' | 'with node') => Promise<typeof globalThis.fetch>;
  readonly database: () => D1Database;
  /** Lets the clock of the shop go ahead, in milliseconds. */
  readonly pass: (ms: number) => void;
  readonly challenge: (resource: PaidResource) => Promise<unknown>;
  /** The buyer's x402 payment for the first resource, signed by the official client. */
  readonly sign: () => ReturnType<CommerceKit['signX402']>;
  readonly present: (resource: PaidResource, payment: unknown, fetch?: typeof globalThis.fetch) => Promise<Response>;
  /** Pays the first resource by MPP while settlements fail. @returns The Authorization that the official client sent. */
  readonly payUnsettled: (settle: 'down' | 'lost') => Promise<string>;
}

/** No deadline passes, however slow the machine is. */
const timers: Timers = { wait: () => ({ over: new Promise(() => undefined), cancel: () => undefined }) };

export function useOfficialShop(kit: CommerceKit): OfficialShop {
  const one = testResource('one-thing');
  const other = testResource('other-thing');
  let facilitator: TestFacilitator | undefined;
  let database: SimulatedDatabase | undefined;
  let buyer: TestAccount | undefined;
  let open: typeof globalThis.fetch | undefined;
  let aheadMs = 0;
  const begin: OfficialShop['begin'] = async (node = 'without node') => {
    const { url } = given(facilitator);
    const deps = await paymentDependencies(given(database).binding(), httpFacilitator(url, timers), () => Date.now() + aheadMs);
    const ledger = node === 'with node' ? rpcTransferLedger(`${url}/rpc`, given(deps.terms).network, timers) : undefined;
    return shopFetch([one, other], { ...deps, ledger });
  };
  beforeEach(async () => {
    aheadMs = 0;
    facilitator = await kit.startFacilitator(() => Date.now() + aheadMs);
    buyer = kit.newAccount();
    facilitator.fund(buyer.address, 1_000_000n);
    database = simulatedDatabase(new SimulatedTime(Date.now()));
    open = await begin();
  });
  afterEach(async () => {
    database?.close();
    await facilitator?.stop();
  });
  const fetch: typeof globalThis.fetch = (input, init) => given(open)(input, init);
  const challenge: OfficialShop['challenge'] = async ({ url }) => {
    const response = await fetch(url);
    return JSON.parse(Buffer.from(response.headers.get('payment-required') ?? '', 'base64').toString('utf8')) as unknown;
  };
  return {
    one,
    other,
    facilitator: () => given(facilitator),
    buyer: () => given(buyer),
    fetch,
    states: () =>
      given(database)
        .look('SELECT state FROM payments ORDER BY claimed_at_ms')
        .map(({ state }) => state),
    begin,
    database: () => given(database).binding(),
    pass: (ms) => {
      aheadMs += ms;
    },
    challenge,
    sign: async () => kit.signX402(given(buyer), await challenge(one)),
    present: (resource, payment, by = fetch) =>
      by(resource.url, { headers: { 'PAYMENT-SIGNATURE': Buffer.from(JSON.stringify(payment)).toString('base64') } }),
    payUnsettled: async (settle) => {
      let sent = '';
      const pay = kit.mppFetch(given(buyer), (input, init) => {
        sent = new Request(input, init).headers.get('authorization') ?? sent;
        return fetch(input, init);
      });
      given(facilitator).setFault({ settle });
      await pay(one.url).catch(() => undefined);
      given(facilitator).setFault({});
      return sent;
    },
  };
}

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the shop is open only inside of tests');
  return value;
}
