import { describe, expect, test, vi } from 'vitest';
import { clickCounter } from '../../../src/platform/bind-gateway.ts';

describe('clickCounter', () => {
  test('writes a data point for each click where a dataset is bound', () => {
    const points: unknown[] = [];
    const { clicks, pending } = clickCounter({ writeDataPoint: (point) => void points.push(point) });
    clicks.count('review', 0);
    expect([points, pending]).toEqual([[{ indexes: ['review'], blobs: ['buy_click', 'review'], doubles: [1] }], undefined]);
  });

  test('never fails, so that a count prevents no checkout', () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { clicks } = clickCounter({
      writeDataPoint: () => {
        throw new Error('down');
      },
    });
    expect(() => clicks.count('review', 0)).not.toThrow();
    expect(log).toHaveBeenCalledOnce();
    log.mockRestore();
  });

  test('counts in the memory of the isolate without a dataset', () => {
    const { clicks, pending } = clickCounter(undefined);
    clicks.count('review', 0);
    expect(pending?.take(0)).toEqual([{ day: '1970-01-01', offerId: 'review', clicks: 1 }]);
  });
});
