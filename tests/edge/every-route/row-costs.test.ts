import { afterAll, beforeAll, expect, test } from 'vitest';
import { inlineSqlDatabase } from '../../../src/build/local/d1-connections.ts';
import type { PaymentProcessor } from '../../../src/gateway/commerce/cart/checkout-ports.ts';
import { paymentReservations } from '../../../src/platform/d1/payment-reservations.ts';
import { d1Quotas } from '../../../src/platform/d1/quotas.ts';
import { runMaintenance } from '../../../src/platform/d1/retention.ts';
import { BUDGETED_ROWS_PER_DAY, BUDGETS, type BudgetName, INSIGHT_ROWS_PER_DAY, KNOWN_AGENTS_SHARE } from '../../../src/schemas/limits.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { liveFlood } from '../../simulate/flood.ts';
import { ACP_SESSIONS, acpCart, acpHeaders, acpSessionPath, tokenPayment } from '../../support/acp.ts';
import { builtBlocks, runSql, uncountedGenerated, useEdgeGateway } from '../../support/edge-gateway.ts';
import { SAMPLE_OFFER } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { useDirectCrypto } from '../../support/simulated/direct-crypto.ts';
import { soldOffer } from '../../support/sold-offer.ts';
import { jsonRequest, type StoringOperation, storingRequest } from '../../support/storing-requests.ts';

const DAY_MS = 86_400_000;
/** By then nothing is needed any more that is ever removed. */
const LATER_MS = 500 * DAY_MS;

const FREE = 'free-of-charge';
const processor: PaymentProcessor = {
  takesRealMoney: false,
  charge: async () => ({ kind: 'declined', reason: 'generic_decline' }),
  openCheckout: async () => 'https://checkout.example/r',
};

const edge = useEdgeGateway({ blocks: 'none' });
/** Rows that were written since they were last asked for, as D1 bills them. */
let written = 0;
const database = inlineSqlDatabase(async (statements) => {
  const results = await runSql(edge.running().miniflare, statements);
  for (const { meta } of results) written += meta.rows_written;
  return results;
});
const { fetch: send } = useInProcessGateway(async () => {
  const { deployment } = await uncountedGenerated();
  return {
    database: database as unknown as D1Database,
    processor,
    generated: {
      deployment: {
        ...deployment,
        offers: [...deployment.offers, soldOffer({ id: FREE, amountMinor: 0, cadence: 'free' })],
        commerce: { ...deployment.commerce, processor: 'stripe' as const, merchantId: 'acct_1' },
      },
    },
  };
});

/** Rows that a piece of work writes, and that maintenance writes later to remove what it left. */
async function rowsWritten(work: () => Promise<Response>): Promise<number> {
  written = 0;
  const { status } = await work();
  expect([200, 201, 202, 303, 400, 402, 404]).toContain(status);
  await runMaintenance(database, Date.now() + LATER_MS);
  return written;
}

const sent = (id: StoringOperation) => async (): Promise<Response> => {
  const { path, init } = await storingRequest(id, send);
  return send(path, init);
};
const acp = async (path: string, body: unknown): Promise<Response> => send(path, jsonRequest(path, body, await acpHeaders()).init);
const openAcp = (offer: string): Promise<Response> => acp(ACP_SESSIONS, acpCart(offer));
const completeAcp = (offer: string) => async (): Promise<Response> => {
  const { id } = (await (await openAcp(offer)).json()) as { id: string };
  return acp(acpSessionPath(id, 'complete'), tokenPayment('spt_of_a_test'));
};
const register = (): Promise<Response> => {
  const path = `${PATHS.gateway}/register`;
  return send(path, jsonRequest(path, { agent_name: 'a' }, { 'Idempotency-Key': crypto.randomUUID() }).init);
};

/** A payment for a capsule that a facilitator has found good and that was not made after all. */
const failedPayment = async (): Promise<Response> => {
  const reservations = paymentReservations(database);
  const quotas = d1Quotas(database, async (network) => network);
  const payer = crypto.randomUUID();
  const nowMs = Date.now();
  await quotas.take('payer_claims', payer, nowMs);
  const { reservation } = await reservations.reserve(
    {
      network: 'eip155:84532',
      asset: '0x0',
      payer,
      nonce: '0x1',
      identifier: 'an-identifier-of-a-test',
      resource: 'https://a.example',
      capsuleId: 'c',
      version: '1.0.0',
      amount: '1',
      payTo: '0x2',
      fingerprint: 'f',
      isSecret: true,
      signed: '{}',
    },
    nowMs,
    nowMs + 1,
  );
  await reservations.unsettled(reservation, reservation.attempt, { state: 'failed' }, nowMs);
  return new Response();
};

test('all budgets, used up in one day, leave rows of D1’s free plan for what is paid, for messages and for the publisher', async () => {
  const open = await rowsWritten(() => openAcp(SAMPLE_OFFER.id));
  const openUcp = await rowsWritten(sent('createUcpCheckout'));
  const beyond = async (work: () => Promise<Response>, before: number): Promise<number> => (await rowsWritten(work)) - before;
  const costs: Readonly<Record<BudgetName, number>> = {
    registrations: await rowsWritten(register),
    revocations: await rowsWritten(sent('revokeKey')),
    rotations: await rowsWritten(sent('rotateKey')),
    proposals: await rowsWritten(sent('submitProposal')),
    checkouts: Math.max(open, openUcp, await rowsWritten(sent('startCheckout')), await rowsWritten(sent('callUcpTool'))),
    checkout_changes: Math.max(
      await beyond(sent('updateCheckoutSession'), open),
      await beyond(sent('cancelCheckoutSession'), open),
      await beyond(sent('updateUcpCheckout'), openUcp),
      await beyond(sent('completeUcpCheckout'), openUcp),
      await beyond(sent('cancelUcpCheckout'), openUcp),
    ),
    charges: await beyond(completeAcp(SAMPLE_OFFER.id), open),
    free_orders: await beyond(completeAcp(FREE), open),
    invoices: await rowsWritten(sent('requestInvoice')),
    payment_claims: await rowsWritten(failedPayment),
    key_bindings: await rowsWritten(() => openAcp('no-such-offer')),
  };
  const days = Object.entries(costs).map(([name, rows]) => {
    const { requests } = BUDGETS[name as BudgetName];
    return { name, rows, requests, day: rows * (requests + Math.ceil(requests * KNOWN_AGENTS_SHARE)) };
  });
  const total = days.reduce((sum, { day }) => sum + day, 2 * INSIGHT_ROWS_PER_DAY);
  console.log(
    `rows of D1 for each request of a budget, and for a whole day:\n${days.map((row) => JSON.stringify(row)).join('\n')}\n${total}`,
  );
  expect(total).toBeLessThanOrEqual(BUDGETED_ROWS_PER_DAY);
});

let restore: () => void;
beforeAll(() => {
  restore = useDirectCrypto();
});
afterAll(() => restore());

/** Rows that one write which must not fail takes at the most, each counted twice for its index. */
const ROWS_OF_ONE_WRITE = 12;

/** A whole month, with budgets that are used up in its course, is lived by `npm run simulate:flood`. */
test('once the budgets are used up, a flood from hundreds of networks stores nothing, and what has to be stored is', async () => {
  // Rows that count what is asked are bounded by a number of their own.
  const generated = await uncountedGenerated();
  const flood = { days: 1, requestsPerDay: 600, networks: 300, seed: 7, generated, blocks: await builtBlocks(), beginsUsedUp: true };
  const [day] = await liveFlood(flood);
  expect(day).toMatchObject({ failed: [], reserved: 96 });
  expect(day?.rowsWritten).toBeLessThan(96 * ROWS_OF_ONE_WRITE);
  expect(day?.statuses).toMatchObject({ 429: expect.any(Number) as unknown });
});
