import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { payFor } from '../../../../src/gateway/payments/pay-for.ts';
import type { AskedPayment, Facilitator } from '../../../../src/gateway/payments/payment-ports.ts';
import { paymentDependencies, testAuthorization, testPayment, testResource, x402Headers } from '../../../support/payments.ts';
import { simulatedDatabase } from '../../../support/simulated/database.ts';
import type { Fault } from '../../../support/simulated/faults.ts';
import { SimulatedTime } from '../../../support/simulated/time.ts';

const BEGIN = Date.UTC(2027, 0, 1);
const RESOURCES = [testResource('one-thing'), testResource('other-thing')];
const IDENTIFIERS = [undefined, 'purchase-0000000000000001', 'purchase-0000000000000002'];

/** What becomes of one call of the facilitator: it works, does nothing, works and loses its answer, or says that it is not done yet. */
type Weather = 'well' | 'down' | 'lost' | 'pending';

/** A request with a payment: which authorization, at which address, under which identifier, and how its calls go. */
interface Attempt {
  readonly nonce: number;
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
    resource: fc.nat(1),
    identifier: fc.nat(2),
    verify: fc.constantFrom<Weather>('well', 'well', 'well', 'down'),
    settle: fc.constantFrom<Weather>('well', 'well', 'down', 'lost', 'pending'),
    database: fc.array(fc.constantFrom<Fault>('none', 'none', 'none', 'none', 'refused', 'reply_lost'), { maxLength: 6 }),
    takesMs: fc.nat(9_000),
    afterMs: fc.oneof(fc.nat(20), fc.nat(40_000)),
  }),
  { minLength: 1, maxLength: 14 },
);

const nonceOf = (index: number): string => `0x${String(index + 1).padStart(64, '0')}`;

/** A network of one payer, with a facilitator before it. */
class Network {
  readonly settled: string[] = [];

  facilitator(verify: Weather, settle: Weather, time: SimulatedTime, takesMs: number): Facilitator {
    const nonceIn = ({ signed }: AskedPayment): string => signed.authorization.nonce;
    return {
      verify: async (payment) => {
        await time.sleep(takesMs);
        if (verify !== 'well') return { kind: 'unknown' };
        return this.settled.includes(nonceIn(payment))
          ? { kind: 'invalid', reason: 'invalid_exact_evm_nonce_already_used' }
          : { kind: 'valid' };
      },
      settle: async (payment) => {
        await time.sleep(takesMs);
        if (settle === 'down') return { kind: 'unknown' };
        if (this.settled.includes(nonceIn(payment)))
          return { kind: 'refused', reason: 'invalid_exact_evm_nonce_already_used', transaction: '' };
        this.settled.push(nonceIn(payment));
        if (settle === 'well') return { kind: 'settled', transaction: `0x${'5e'.repeat(32)}` };
        return { kind: settle === 'lost' ? 'unknown' : 'pending' };
      },
    };
  }
}

test('whatever fails, in whatever order: nothing is given unpaid, nothing is bought twice, and what was charged can be had', async () => {
  await fc.assert(
    fc.asyncProperty(attempts, async (planned) => {
      const time = new SimulatedTime(BEGIN);
      const database = simulatedDatabase(time);
      const network = new Network();
      /** Addresses that each nonce or identifier got a text at. */
      const given: { nonce: string; identifier: string | undefined; url: string }[] = [];
      const send = async (attempt: Attempt): Promise<boolean> => {
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
        const answer = await payFor(resource, 'It is sold.', x402Headers(testPayment(resource, signed, identifier)), deps);
        if (answer.ok) given.push({ nonce, identifier, url: resource.url });
        if (answer.ok) expect(network.settled.length).toBeGreaterThan(0);
        return answer.ok;
      };
      const running: Promise<unknown>[] = [];
      for (const attempt of planned) {
        running.push(send(attempt));
        await time.advance(attempt.afterMs);
      }
      await time.run(Promise.all(running));

      const rows = () =>
        database.look('SELECT nonce, identifier, resource, state FROM payments') as {
          nonce: string;
          identifier: string | null;
          resource: string;
          state: string;
        }[];
      // Nothing is charged without a claim, and a claim buys one address.
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
      // Whatever was charged can be had by sending the same payment again, once all is well, and is not charged again.
      await time.advance(31_000);
      const before = [...network.settled];
      for (const row of rows().filter(({ nonce }) => before.includes(nonce))) {
        const again = send({
          nonce: Number(row.nonce.slice(2)) - 1,
          resource: RESOURCES.findIndex(({ url }) => url === row.resource),
          identifier: IDENTIFIERS.indexOf(row.identifier ?? undefined),
          verify: 'well',
          settle: 'well',
          database: [],
          takesMs: 5,
          afterMs: 0,
        });
        const isLate = row.state === 'settled' && row.identifier === null;
        const had = await time.run(again);
        if (!isLate) expect([row, had]).toEqual([row, true]);
      }
      expect(network.settled).toEqual(before);
      database.close();
    }),
    { numRuns: 250 },
  );
});
