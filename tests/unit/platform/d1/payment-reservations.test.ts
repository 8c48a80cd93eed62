import { describe, expect, test } from 'vitest';
import type { Purchase } from '../../../../src/gateway/commerce/payments/payment-ports.ts';
import { paymentReservations } from '../../../../src/platform/d1/payment-reservations.ts';
import { deleteOldRows } from '../../../../src/platform/d1/retention.ts';
import { LIMITS } from '../../../../src/schemas/limits.ts';
import { useDatabase } from '../../../support/simulated/use-database.ts';

const NOW = Date.UTC(2027, 0, 1);
const LEASE = NOW + 30_000;
const PURCHASE: Purchase = {
  network: 'eip155:84532',
  asset: '0xa',
  payer: '0xb',
  nonce: '0xc',
  identifier: undefined,
  resource: 'https://sold.example/one',
  capsuleId: 'one',
  version: '1.0.0',
  amount: '50000',
  payTo: '0xd',
  fingerprint: 'f',
  isSecret: false,
  signed: '{}',
};
const other = (changes: Partial<Purchase>): Purchase => ({ ...PURCHASE, ...changes });
const database = useDatabase(NOW);
const reservations = () => paymentReservations(database.binding());

describe('paymentReservations()', () => {
  test('gives an authorization to one purchase, and returns its reservation to others', async () => {
    expect(await reservations().find(PURCHASE, undefined)).toBeUndefined();
    const made = await reservations().reserve(PURCHASE, NOW, LEASE);
    expect(made).toEqual({
      isOurs: true,
      reservation: {
        ...PURCHASE,
        state: 'settling',
        attempt: 1,
        leaseUntilMs: LEASE,
        reservedAtMs: NOW,
        settledAtMs: undefined,
        reviewedAtMs: undefined,
        transaction: '',
      },
    });
    expect(await reservations().reserve(other({ resource: 'https://sold.example/two', fingerprint: 'g' }), NOW, LEASE + 1)).toEqual({
      ...made,
      isOurs: false,
    });
    expect(await reservations().find(PURCHASE, undefined)).toEqual(made.reservation);
    expect((await reservations().reserve(other({ payer: '0xe' }), NOW, LEASE)).isOurs).toBe(true);
  });

  test('gives an identifier of a payer to one purchase at a time, also to requests at the same time', async () => {
    const identifier = 'purchase-0000000000000001';
    const made = await Promise.all(['0x1', '0x2', '0x3'].map((nonce) => reservations().reserve(other({ nonce, identifier }), NOW, LEASE)));
    expect(made.map(({ isOurs }) => isOurs)).toEqual([true, false, false]);
    expect(made.map(({ reservation }) => reservation.nonce)).toEqual(['0x1', '0x1', '0x1']);
    expect((await reservations().reserve(other({ nonce: '0x4', payer: '0xe', identifier }), NOW, LEASE)).isOurs).toBe(true);
    await reservations().unsettled(other({ nonce: '0x1' }), 1, { state: 'failed' }, NOW);
    expect(await reservations().find(other({ nonce: '0x2' }), identifier)).toBeUndefined();
    expect(await reservations().reserve(other({ nonce: '0x2', identifier }), NOW, LEASE)).toMatchObject({
      isOurs: true,
      reservation: { nonce: '0x2' },
    });
  });

  test('is taken over when its lease is over, once for each attempt', async () => {
    await reservations().reserve(PURCHASE, NOW, LEASE);
    expect(await reservations().takeOver(PURCHASE, 1, LEASE - 1, LEASE + 30_000)).toBeUndefined();
    expect(await reservations().takeOver(PURCHASE, 2, LEASE, LEASE + 30_000)).toBeUndefined();
    expect(await reservations().takeOver(PURCHASE, 1, LEASE, LEASE + 30_000)).toMatchObject({ attempt: 2, leaseUntilMs: LEASE + 30_000 });
    expect(await reservations().takeOver(PURCHASE, 1, LEASE + 60_000, LEASE + 90_000)).toBeUndefined();
  });

  test('is released only by its own attempt, and can be claimed again after a failure', async () => {
    await reservations().reserve(PURCHASE, NOW, LEASE);
    await reservations().unsettled(PURCHASE, 2, { state: 'failed' }, NOW);
    expect(await reservations().find(PURCHASE, undefined)).toMatchObject({ state: 'settling', leaseUntilMs: LEASE });
    await reservations().unsettled(PURCHASE, 1, { state: 'settling' }, NOW);
    expect(await reservations().find(PURCHASE, undefined)).toMatchObject({ state: 'settling', leaseUntilMs: NOW });
    await reservations().unsettled(PURCHASE, 1, { state: 'failed' }, NOW);
    const again = await reservations().reserve(other({ resource: 'https://sold.example/two', fingerprint: 'g' }), NOW, LEASE);
    expect(again).toMatchObject({
      isOurs: true,
      reservation: { state: 'settling', attempt: 2, resource: 'https://sold.example/two', fingerprint: 'g' },
    });
    expect(await reservations().takeOver(PURCHASE, 1, LEASE, LEASE)).toBeUndefined();
  });

  test('says whether an attempt was noted, and keeps the transaction that was named last', async () => {
    const tx = `0x${'aa'.repeat(32)}`;
    await reservations().reserve(PURCHASE, NOW, LEASE);
    expect(await reservations().unsettled(PURCHASE, 2, { state: 'failed' }, NOW)).toBe(false);
    expect(await reservations().unsettled(PURCHASE, 1, { state: 'settling', transaction: tx }, NOW)).toBe(true);
    expect(await reservations().unsettled(PURCHASE, 1, { state: 'unresolved' }, NOW)).toBe(true);
    expect(await reservations().find(PURCHASE, undefined)).toMatchObject({ state: 'unresolved', transaction: tx });
    expect(await reservations().takeOver(PURCHASE, 1, LEASE, LEASE)).toBeUndefined();
    expect((await reservations().reserve(PURCHASE, LEASE, LEASE)).isOurs).toBe(false);
    expect(await reservations().unsettled(PURCHASE, 1, { state: 'failed' }, NOW)).toBe(true);
    expect(await reservations().unsettled(PURCHASE, 1, { state: 'failed' }, NOW)).toBe(false);
    expect(await reservations().reserve(PURCHASE, LEASE, LEASE)).toMatchObject({
      isOurs: true,
      reservation: { transaction: '', reviewedAtMs: undefined },
    });
  });

  test('stays settled, whatever else is noted', async () => {
    await reservations().reserve(PURCHASE, NOW, LEASE);
    await reservations().settled(other({ resource: 'https://sold.example/two' }), '0x9', NOW);
    expect(await reservations().find(PURCHASE, undefined)).toMatchObject({ state: 'settling' });
    await reservations().settled(PURCHASE, '0x1', NOW + 5);
    await reservations().settled(PURCHASE, '0x2', NOW + 9);
    await reservations().unsettled(PURCHASE, 1, { state: 'failed' }, NOW);
    expect(await reservations().takeOver(PURCHASE, 1, LEASE, LEASE)).toBeUndefined();
    expect(await reservations().reserve(PURCHASE, NOW, LEASE)).toMatchObject({
      isOurs: false,
      reservation: { state: 'settled', transaction: '0x1', settledAtMs: NOW + 5 },
    });
  });

  test('is settled also by a response after the attempt was released', async () => {
    await reservations().reserve(PURCHASE, NOW, LEASE);
    await reservations().unsettled(PURCHASE, 1, { state: 'failed' }, NOW);
    await reservations().settled(PURCHASE, '0x1', NOW);
    expect(await reservations().find(PURCHASE, undefined)).toMatchObject({ state: 'settled' });
  });

  test('is kept for the published times, never deleted while its outcome is unknown', async () => {
    const failedEndMs = NOW + LIMITS.failedPaymentKeptDays * 86_400_000;
    const endMs = NOW + LIMITS.paymentKeptDays * 86_400_000;
    for (const nonce of ['0x1', '0x2', '0x3', '0x5', '0x6']) await reservations().reserve(other({ nonce }), NOW, LEASE);
    for (const nonce of ['0x1', '0x2']) await reservations().settled(other({ nonce }), `0x${'aa'.repeat(32)}`, NOW);
    await reservations().unsettled(other({ nonce: '0x3' }), 1, { state: 'failed' }, NOW);
    await reservations().unsettled(other({ nonce: '0x6' }), 1, { state: 'unresolved' }, NOW);
    const rows = () => database.look('SELECT nonce FROM payments').length;
    const deleteOld = (nowMs: number, limit: number) =>
      Promise.all(deleteOldRows(database.binding(), 'payments', nowMs, limit).map((statement) => statement.all()));
    await deleteOld(failedEndMs - 1, 2);
    expect(rows()).toBe(5);
    await deleteOld(failedEndMs, 2);
    expect(rows()).toBe(4);
    await deleteOld(endMs - 1, 2);
    expect(rows()).toBe(4);
    await deleteOld(endMs, 1);
    expect(rows()).toBe(3);
    await reservations().reserve(other({ nonce: '0x4' }), endMs, LEASE);
    expect(database.look('SELECT nonce FROM payments ORDER BY nonce').map(({ nonce }) => nonce)).toEqual(['0x4', '0x5', '0x6']);
  });
});
