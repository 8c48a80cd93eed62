import { describe, expect, it } from 'vitest';
import { paymentReservations } from '../../../../src/platform/d1/payment-reservations.ts';
import { testAuthorization } from '../../../support/payments.ts';
import { MINUTE, NOW, useOrdersDatabase } from './orders-database.ts';

const { database, run } = useOrdersDatabase();

describe('payments for capsules', () => {
  const TX = `0x${'5e'.repeat(32)}`;
  const PAYMENT = {
    network: 'eip155:84532',
    asset: '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
    payer: '0x1111111111111111111111111111111111111111',
    nonce: `0x${'07'.repeat(32)}`,
    identifier: undefined,
    resource: 'https://sold.example/one',
    capsuleId: 'one-thing',
    version: '1.0.0',
    amount: '50000',
    payTo: '0x000000000000000000000000000000000000dead',
    fingerprint: 'ab'.repeat(32),
    isSecret: false,
    signed: JSON.stringify(testAuthorization(NOW)),
  };
  const ID = `pay_${'ab'.repeat(16)}`;
  const reservations = () => paymentReservations(database.binding());
  const begin = async (more: Partial<typeof PAYMENT> = {}) => reservations().reserve({ ...PAYMENT, ...more }, NOW, NOW + MINUTE);

  it('lists unresolved payments, and unsettled ones after their time has passed', async () => {
    await begin();
    expect(await run('list', NOW + 5 * MINUTE)).toBe('there are no orders');
    const line = `  ${ID}  2027-01-01 10:20Z  0.05 USDC for one-thing may have been paid by ${PAYMENT.payer}: look it up on the network`;
    expect(await run('list', NOW + 7 * MINUTE)).toContain(`says what to do)\n${line}`);
    await reservations().unsettled(PAYMENT, 1, { state: 'unresolved' }, NOW);
    expect(await run('list', NOW)).toContain(line);
    await begin({ nonce: '0x2', fingerprint: 'cd'.repeat(32) });
    expect(await run('list --limit 1', NOW + 7 * MINUTE)).toContain('  and 1 more: npm run orders -- list --limit 1000');
  });

  it('shows how to find the outcome, and the transaction that the facilitator named', async () => {
    await begin();
    await reservations().unsettled(PAYMENT, 1, { state: 'unresolved', transaction: TX }, NOW);
    const shown = await run(`show ${ID}`);
    for (const part of [
      `${ID}  unresolved`,
      '0.05 USDC on Base Sepolia',
      PAYMENT.nonce,
      `${TX}, named by the facilitator and not confirmed`,
      `npm run orders -- payment ${ID} settled <transaction>`,
      'although 2027-01-01 10:25Z is past',
      `npm run orders -- payment ${ID} unpaid`,
    ])
      expect(shown).toContain(part);
  });

  it('records a payment as settled, and refuses another outcome later', async () => {
    await begin();
    await reservations().unsettled(PAYMENT, 1, { state: 'unresolved' }, NOW);
    const settled = `payment ${ID} settled ${TX.toUpperCase().replace('0X', '0x')}`;
    expect(await run(settled)).toContain('is recorded as settled');
    expect(await reservations().find(PAYMENT, undefined)).toMatchObject({
      state: 'settled',
      transaction: TX,
      settledAtMs: NOW,
      reviewedAtMs: NOW,
    });
    expect(await run(settled)).toContain('nothing was changed');
    await expect(run(`payment ${ID} unpaid`)).rejects.toThrow(`settled by ${TX} before; nothing was changed`);
    expect(await run(`show ${ID}`)).not.toContain('to do');
    expect(await run('list', NOW + 7 * MINUTE)).toBe('there are no orders');
  });

  it('records a payment as unpaid, unless a request is settling it', async () => {
    await begin();
    const unpaid = `payment ${ID} unpaid`;
    await expect(run(unpaid)).rejects.toThrow('a request is settling');
    expect(await run(unpaid, NOW + 2 * MINUTE)).toContain('is recorded as unpaid');
    expect(await reservations().find(PAYMENT, undefined)).toMatchObject({ state: 'failed', transaction: '' });
    await expect(run(`show pay_${'0'.repeat(32)}`)).rejects.toThrow('there is no payment');
  });
});
