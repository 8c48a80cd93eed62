import { describe, expect, test } from 'vitest';
import { PendingClicks } from '../../../../src/platform/d1/order-store.ts';

const NOW = Date.UTC(2027, 0, 1, 23, 59, 30);
const MINUTE = 60_000;
const HALF_HOUR = 30 * MINUTE;

describe('PendingClicks', () => {
  test('adds up clicks by offer and day, and gives them once', () => {
    const clicks = new PendingClicks();
    for (const offer of ['review', 'digest', 'review']) clicks.count(offer, NOW);
    clicks.count('review', NOW + MINUTE);
    expect(clicks.take(NOW + MINUTE)).toEqual([
      { day: '2027-01-01', offerId: 'review', clicks: 2 },
      { day: '2027-01-01', offerId: 'digest', clicks: 1 },
      { day: '2027-01-02', offerId: 'review', clicks: 1 },
    ]);
    expect(clicks.take(NOW + 9 * HALF_HOUR)).toEqual([]);
  });

  test('gives at most twenty offers, once in half an hour, and loses none of the others', () => {
    const clicks = new PendingClicks();
    for (let offer = 0; offer < 45; offer += 1) clicks.count(`offer-${offer}`, NOW);
    const batches = [0, HALF_HOUR - 1, HALF_HOUR, 2 * HALF_HOUR, 3 * HALF_HOUR].map((ms) => clicks.take(NOW + ms).length);
    expect(batches).toEqual([20, 0, 20, 5, 0]);
  });
});
