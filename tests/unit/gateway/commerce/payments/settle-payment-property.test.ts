import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Facilitator, FacilitatorRequest, TransferLedger } from '../../../../../src/gateway/commerce/payments/payment-ports.ts';
import { paymentIdOf } from '../../../../../src/gateway/commerce/payments/settle-payment.ts';
import { reviewPayment, unsettledPayments } from '../../../../../src/platform/d1/payment-reservations.ts';
import { paymentDependencies, payWith, testAuthorization, testPayment, testResource, x402Headers } from '../../../../support/payments.ts';
import { simulatedDatabase } from '../../../../support/simulated/database.ts';
import type { Fault } from '../../../../support/simulated/faults.ts';
import { SimulatedTime } from '../../../../support/simulated/time.ts';

const BEGIN = Date.UTC(2027, 0, 1);
const RESOURCES = [testResource('one-thing'), testResource('other-thing')];
const IDENTIFIERS = [undefined, 'purchase-0000000000000001', 'purchase-0000000000000002'];

/**
 * What becomes of one call of the facilitator: it works, does nothing, works and loses its answer, says that it is not done yet, refuses
 * and does nothing, or does nothing and calls it settled without a transaction.
 */
type Weather = 'well' | 'down' | 'lost' | 'pending' | 'refuses' | 'unnamed';

/** A request with a payment: which authorization, at which address, under which identifier, and how its calls go. */
interface Attempt {
  readonly nonce: number;
  /** Whether the payer uses the nonce for somebody else at this moment, and sends no request. */
  readonly spends: boolean;
  readonly resource: number;
  readonly identifier: number;
  readonly verify: Weather;
  readonly settle: Weather;
  readonly database: readonly Fault[];
  /** How long its calls of the facilitator take, and how long after the one before it begins, in milliseconds. */
  readonly takesMs: number;
  readonly afterMs: number;
}

const attempts = fc.array(
  fc.record({
    nonce: fc.nat(2),
    spends: fc.constantFrom(false, false, false, true),
    resource: fc.nat(1),
    identifier: fc.nat(2),
    verify: fc.constantFrom<Weather>('well', 'well', 'well', 'down'),
    settle: fc.constantFrom<Weather>('well', 'well', 'down', 'lost', 'pending', 'refuses', 'unnamed'),
    database: fc.array(fc.constantFrom<Fault>('none', 'none', 'none', 'none', 'refused', 'reply_lost'), { maxLength: 6 }),
    takesMs: fc.nat(9_000),
    afterMs: fc.oneof(fc.nat(20), fc.nat(40_000)),
  }),
  { minLength: 1, maxLength: 14 },
);

const nonceOf = (index: number): string => `0x${String(index + 1).padStart(64, '0')}`;
const TRANSACTION = `0x${'5e'.repeat(32)}`;

class Network {
  readonly settled: string[] = [];
  readonly elsewhere: string[] = [];

  facilitator(verify: Weather, settle: Weather, time: SimulatedTime, takesMs: number): Facilitator {
    const isUsed = ({ signed }: FacilitatorRequest): boolean => this.isUsed(signed.authorization.nonce);
    return {
      verify: async (payment) => {
        await time.sleep(takesMs);
        if (verify !== 'well') return { kind: 'unknown' };
        return isUsed(payment) ? { kind: 'invalid', reason: 'invalid_exact_evm_nonce_already_used' } : { kind: 'valid' };
      },
      settle: async (payment) => {
        await time.sleep(takesMs);
        if (settle === 'down' || settle === 'unnamed') return { kind: 'unknown' };
        if (settle === 'refuses') return { kind: 'refused', reason: 'insufficient_funds', cause: 'nothing_sent' };
        if (isUsed(payment)) return { kind: 'refused', reason: 'invalid_exact_evm_nonce_already_used', cause: 'nonce_used' };
        this.settled.push(payment.signed.authorization.nonce);
        if (settle === 'well') return { kind: 'settled', transaction: TRANSACTION };
        return { kind: settle === 'lost' ? 'unknown' : 'pending' };
      },
    };
  }

  node(isUp: boolean): TransferLedger {
    return {
      find: async ({ nonce }) => {
        if (isUp && this.settled.includes(nonce)) return { kind: 'paid', transaction: TRANSACTION };
        return isUp && this.elsewhere.includes(nonce)
          ? { kind: 'never', reason: 'invalid_exact_evm_nonce_already_used' }
          : { kind: 'unknown' };
      },
    };
  }

  isUsed(nonce: string): boolean {
    return this.settled.includes(nonce) || this.elsewhere.includes(nonce);
  }

  spend(nonce: string): void {
    if (!this.isUsed(nonce)) this.elsewhere.push(nonce);
  }
}

test('whatever fails, in whatever order: nothing is given unpaid, nothing is bought twice, and what was charged can be had', async () => {
  await fc.assert(
    fc.asyncProperty(attempts, fc.constantFrom('none', 'down', 'well'), async (planned, node) => {
      const time = new SimulatedTime(BEGIN);
      const database = simulatedDatabase(time);
      const network = new Network();
      const given: { nonce: string; identifier: string | undefined; url: string }[] = [];
      const running = new Set<{ readonly nonce: string; isAlone: boolean }>();
      const send = async (attempt: Attempt): Promise<string> => {
        const resource = RESOURCES[attempt.resource] ?? testResource();
        const faults = [...attempt.database];
        const deps = await paymentDependencies(
          database.binding({ fault: () => faults.shift() ?? 'none', latencyMs: () => 5 }),
          network.facilitator(attempt.verify, attempt.settle, time, attempt.takesMs),
          () => time.nowMs,
        );
        const nonce = nonceOf(attempt.nonce);
        const identifier = IDENTIFIERS[attempt.identifier];
        const signed = testAuthorization(BEGIN, { nonce, validBefore: String(BEGIN / 1_000 + 1_000_000) });
        const ledger = node === 'none' ? undefined : network.node(node === 'well');
        const headers = x402Headers(testPayment(resource, signed, identifier));
        const others = [...running].filter((other) => other.nonce === nonce);
        const request = { nonce, isAlone: others.length === 0 };
        for (const other of others) other.isAlone = false;
        running.add(request);
        const answer = await payWith(headers, resource, { ...deps, ledger });
        running.delete(request);
        if (answer.ok) given.push({ nonce, identifier, url: resource.url });
        // Nothing is called uncharged that was charged; of concurrent requests, one may be refused before another settles.
        else if (request.isAlone && answer.refusal.detail.includes('nothing was charged')) expect(network.settled).not.toContain(nonce);
        return answer.ok ? 'text' : answer.refusal.code;
      };
      const sent: Promise<unknown>[] = [];
      for (const attempt of planned) {
        if (attempt.spends) network.spend(nonceOf(attempt.nonce));
        else sent.push(send(attempt));
        await time.advance(attempt.afterMs);
      }
      await time.run(Promise.all(sent));

      const rows = () =>
        database.look('SELECT nonce, identifier, resource, state FROM payments') as {
          nonce: string;
          identifier: string | null;
          resource: string;
          state: string;
        }[];
      // Nothing is charged without a reservation, and a reservation buys one address.
      for (const nonce of network.settled) expect(rows().filter((row) => row.nonce === nonce)).toHaveLength(1);
      // Nothing is given unpaid: by its own nonce, or by the one that went under the identifier before.
      for (const { nonce, identifier, url } of given) {
        const paying = rows().filter(
          (row) => row.resource === url && (row.nonce === nonce || (identifier !== undefined && row.identifier === identifier)),
        );
        expect(paying.some((row) => network.settled.includes(row.nonce))).toBe(true);
      }
      // One nonce is given at one address.
      for (const nonce of new Set(given.map((one) => one.nonce))) {
        const own = rows().find((row) => row.nonce === nonce && row.identifier === null);
        if (own)
          expect(
            new Set(given.filter((one) => one.nonce === nonce && one.identifier === undefined).map(({ url }) => url)).size,
          ).toBeLessThanOrEqual(1);
      }
      // One identifier is charged once.
      for (const identifier of IDENTIFIERS.slice(1)) {
        const charged = rows().filter(
          (row) => row.identifier === identifier && network.settled.includes(row.nonce) && row.state !== 'failed',
        );
        expect(charged.length).toBeLessThanOrEqual(1);
      }
      // Whatever was charged can be had by sending the same payment again, at once or once the publisher has looked it up, and is not
      // charged again. Whatever paid somebody else gets nothing.
      await time.advance(31_000);
      const before = [...network.settled];
      const again = (row: ReturnType<typeof rows>[number]): Promise<string> =>
        time.run(
          send({
            nonce: Number(row.nonce.slice(2)) - 1,
            spends: false,
            resource: RESOURCES.findIndex(({ url }) => url === row.resource),
            identifier: IDENTIFIERS.indexOf(row.identifier ?? undefined),
            verify: 'well',
            settle: 'well',
            database: [],
            takesMs: 5,
            afterMs: 0,
          }),
        );
      for (const row of rows()) {
        if (network.elsewhere.includes(row.nonce)) expect([row, await again(row)]).not.toEqual([row, 'text']);
        if (!before.includes(row.nonce)) continue;
        let had = await again(row);
        if (had === 'payment_unresolved') {
          const { shown } = await time.run(unsettledPayments(database.binding(), time.nowMs, 10));
          const reservation = shown.find(({ nonce }) => nonce === row.nonce);
          expect([node, reservation?.state]).not.toEqual(['well', 'unresolved']);
          const verdict = { state: 'settled', transaction: TRANSACTION } as const;
          await time.run(reviewPayment(database.binding(), reservation ? paymentIdOf(reservation) : '', verdict, time.nowMs));
          had = await again(row);
        }
        const isLate = row.state === 'settled' && row.identifier === null;
        if (!isLate) expect([row, had]).toEqual([row, 'text']);
      }
      expect(network.settled).toEqual(before);
      database.close();
    }),
    { numRuns: 100 },
  );
});
