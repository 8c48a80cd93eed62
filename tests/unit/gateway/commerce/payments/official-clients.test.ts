import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PaymentDependencies } from '../../../../../src/gateway/commerce/payments/pay-for-resource.ts';
import { systemRuntime } from '../../../../../src/platform/runtime.ts';
import { loadCommerceKit, type TestAccount, type TestFacilitator } from '../../../../support/commerce-kit.ts';
import { httpFacilitator, paymentDependencies, shopFetch, TEST_PAYMENTS, testResource } from '../../../../support/payments.ts';
import { type SimulatedDatabase, simulatedDatabase } from '../../../../support/simulated/database.ts';
import { SimulatedTime } from '../../../../support/simulated/time.ts';

const kit = await loadCommerceKit();

describe.skipIf(kit === undefined)('the official clients, by the official facilitator', () => {
  const one = testResource('one-thing');
  const other = testResource('other-thing');
  let facilitator: TestFacilitator;
  let buyer: TestAccount;
  let database: SimulatedDatabase;
  let deps: PaymentDependencies;
  let shop: typeof globalThis.fetch;
  if (kit === undefined) return;

  beforeEach(async () => {
    facilitator = await kit.startFacilitator();
    buyer = kit.newAccount();
    facilitator.fund(buyer.address, 1_000_000n);
    database = simulatedDatabase(new SimulatedTime(Date.now()));
    deps = await paymentDependencies(database.binding(), httpFacilitator(facilitator.url, systemRuntime.timers), Date.now);
    shop = shopFetch([one, other], deps);
  });
  afterEach(async () => {
    database.close();
    await facilitator.stop();
  });

  test('@x402/fetch pays and gets the text with a receipt', async () => {
    const response = await kit.x402Fetch(buyer, shop)(one.url);
    expect([response.status, await response.text()]).toEqual([200, 'text of 1.2.0']);
    const [transfer] = facilitator.transfers();
    expect(transfer).toMatchObject({ to: TEST_PAYMENTS.payTo, value: 50_000n });
    expect(kit.decodePaymentResponse(response.headers.get('payment-response') ?? '')).toMatchObject({
      success: true,
      transaction: transfer?.transaction,
      network: 'eip155:84532',
      payer: buyer.address.toLowerCase(),
    });
  });

  test.each(['eip155:8453', 'eip155:1', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'])(
    'the facilitator of tests does not start on %s',
    async (network) => {
      await expect(kit.startFacilitator({ network })).rejects.toThrow('is no test network');
    },
  );

  test('mppx pays and gets the text with a receipt', async () => {
    const response = await kit.mppFetch(buyer, shop)(one.url);
    expect([response.status, await response.text()]).toEqual([200, 'text of 1.2.0']);
    expect(JSON.parse(Buffer.from(response.headers.get('payment-receipt') ?? '', 'base64url').toString())).toMatchObject({
      status: 'success',
      method: 'evm',
      reference: facilitator.transfers()[0]?.transaction,
    });
  });
});
