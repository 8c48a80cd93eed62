import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { rpcTransferLedger } from '../../../src/platform/ethereum-rpc-ledger.ts';
import { paymentNetwork } from '../../../src/schemas/commerce/stablecoin-payments.ts';
import { TEST_PAYMENTS, testAuthorization } from '../../support/payments.ts';
import { SimulatedTime } from '../../support/simulated/time.ts';

const NOW = Date.UTC(2027, 0, 1);
const ADDRESS = 'https://node.example/v2/secret-key';
const network = paymentNetwork(TEST_PAYMENTS.network);
if (network === undefined) throw new Error('there is a network');
const signed = testAuthorization(NOW);
const reservation = {
  payer: signed.authorization.from,
  nonce: signed.authorization.nonce,
  payTo: TEST_PAYMENTS.payTo,
  amount: '50000',
  signed: JSON.stringify(signed),
  reservedAtMs: NOW,
};
const json = (result: unknown): Response => new Response(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
const blockAt = (ms: number) => ({ number: `0x${(1_000_000).toString(16)}`, timestamp: `0x${(ms / 1_000).toString(16)}` });
let logged: string;
beforeEach(() => {
  logged = '';
  vi.spyOn(console, 'error').mockImplementation((line: string) => {
    logged += line;
  });
});
afterEach(() => vi.restoreAllMocks());

describe('rpcTransferLedger()', () => {
  test('aborts a request to a node that does not respond within two seconds', async () => {
    const time = new SimulatedTime(NOW);
    let signal: AbortSignal | null | undefined;
    const ledger = rpcTransferLedger(ADDRESS, network, time.timers, (_address, init) => {
      signal = init.signal;
      return new Promise(() => undefined);
    });
    expect(await time.run(ledger.find(reservation))).toEqual({ kind: 'unknown' });
    expect([time.nowMs - NOW, signal?.aborted]).toEqual([2_000, true]);
  });

  test('follows no redirect, and does not log the address', async () => {
    let redirect: unknown;
    const ledger = rpcTransferLedger(ADDRESS, network, new SimulatedTime(NOW).timers, (address, init) => {
      redirect = init.redirect;
      return Promise.reject(new TypeError(`cannot reach ${address}`));
    });
    expect(await ledger.find(reservation)).toEqual({ kind: 'unknown' });
    expect([redirect, logged.includes('payment node'), logged.includes('secret-key')]).toEqual(['manual', true, false]);
  });

  test.each([
    ['a minute', 60_000, 330],
    ['a day', 86_400_000, 1_999],
  ])('requests logs from ten minutes before the reservation, at most 2000 blocks: %s later', async (_when, afterMs, blocks) => {
    let filter: { fromBlock: string; toBlock: string; address: string } | undefined;
    const ledger = rpcTransferLedger(ADDRESS, network, new SimulatedTime(NOW).timers, async (_address, init) => {
      const { method, params } = JSON.parse(String(init.body)) as { method: string; params: (typeof filter)[] };
      if (method === 'eth_getBlockByNumber') return json(blockAt(NOW + afterMs));
      if (method === 'eth_getLogs') filter = params[0];
      return json(method === 'eth_getLogs' ? [] : `0x${'0'.repeat(63)}1`);
    });
    // Used, as the token says, and by no transfer of these blocks.
    expect(await ledger.find(reservation)).toEqual({ kind: 'unknown' });
    expect([Number(filter?.toBlock) - Number(filter?.fromBlock), filter?.address]).toEqual([blocks, network.asset.address]);
    expect(1_000_000 - Number(filter?.fromBlock)).toBe((afterMs / 1_000 + 600) / 2);
  });
});
