import { describe, expect, it } from 'vitest';
import { agentOfOrder } from '../../../../src/gateway/commerce/orders/order-deliveries.ts';
import { LIMITS } from '../../../../src/schemas/limits.ts';
import { useOrdersDatabase } from '../orders/orders-database.ts';

const { database, order, run } = useOrdersDatabase();

describe('npm run orders -- refund', () => {
  it('records the running total of refunds, so that recording it twice counts once', async () => {
    const { id } = await order();
    const refund = (amount?: string) => run(`refund ${id}${amount === undefined ? '' : ` ${amount}`}`);
    expect(await refund('40')).toContain(`${id}: $40 of $240 recorded as refunded in total; it was $0 before\nIt delivers until`);
    for (const amount of ['40', '30', '30.00'])
      await expect(refund(amount)).rejects.toThrow(`${id}: nothing was changed. $40 of $240 is recorded as refunded already`);
    await expect(refund('30')).rejects.toThrow(`If $30 more was refunded, the total is $70: npm run orders -- refund ${id} 70`);
    await expect(refund('1.500')).rejects.toThrow('"1.500" is not an amount in USD, such as 19.50');
    expect(await refund('40.5')).toContain(`${id}: $40.50 of $240 recorded as refunded in total`);
    await expect(refund('240.01')).rejects.toThrow('cost $240');
    expect(database.look('SELECT refunded_minor FROM orders')).toEqual([{ refunded_minor: 4_050 }]);
    const all = await refund();
    expect(all).toContain(
      '$240 of $240 recorded as refunded in total; it was $40.50 before\nThat is the whole price: the order no longer delivers',
    );
    expect(all).toContain(`everything else within ${LIMITS.revocationMaxSeconds} seconds`);
    expect(database.look('SELECT agent FROM revocations')).toEqual([{ agent: await agentOfOrder({ id }) }]);
    await expect(refund()).rejects.toThrow('Its whole price, $240, is recorded as refunded already');
    expect(database.look('SELECT refunded_minor FROM orders')).toEqual([{ refunded_minor: 24_000 }]);
    expect(await run('list')).toContain('  refunded');
    expect(await run('counts')).toMatch(/2027-01-01 {2}order +1 {2}review\n2027-01-01 {2}refund +1 {2}review/);
    await expect(run('refund ord_none')).rejects.toThrow('there is no order');
  });

  it('ends what an order delivers without a refund, once', async () => {
    const { id } = await order();
    const withdraw = () => run(`withdraw ${id}`);
    expect(await withdraw()).toContain(`${id}: it no longer delivers anything, and its passes open nothing. No money was moved.`);
    await expect(withdraw()).rejects.toThrow(`${id} was withdrawn before; nothing was changed`);
    await expect(run('withdraw ord_none')).rejects.toThrow('there is no order');
    expect(database.look('SELECT agent FROM revocations')).toEqual([{ agent: await agentOfOrder({ id }) }]);
    expect(await run(`show ${id}`)).toMatch(/ {2}withdrawn 2027-01-01 10:20Z: it delivers nothing\n[\s\S]*order_withdrawn/);
  });

  it('shows amounts in the currency of the order', async () => {
    const { id } = await order();
    const [row] = database.look('SELECT content FROM orders');
    database.look('UPDATE orders SET content = ?', JSON.stringify({ ...JSON.parse(String(row?.['content'])), currency: 'JPY' }));
    expect(await run('list')).toContain('  ¥24,000  ');
    expect(await run(`refund ${id} 4000`)).toContain('¥4,000 of ¥24,000 recorded');
    await expect(run(`refund ${id} 4000.50`)).rejects.toThrow('is not an amount in JPY, such as 1950');
    expect(await run(`show ${id}`)).toContain('  total     ¥24,000, of which ¥4,000 refunded');
  });
});
