import { expect, test } from 'vitest';
import type { InsightCount } from '../../../src/gateway/insights.ts';
import { insightEvents } from '../../../src/platform/bind-gateway.ts';

test('counts are data points where a dataset is bound; texts of questions stay in the database, which deletes them', async () => {
  const points: unknown[] = [];
  const stored: InsightCount[] = [];
  const add = insightEvents({ writeDataPoint: (point) => void points.push(point) }, async (_day, counts) => void stored.push(...counts));
  const question: InsightCount = { kind: 'question', name: 'Where is it?', count: 1 };
  await add(0, [{ kind: 'cart', name: 'review', count: 3 }, question], 1);
  await add(0, [{ kind: 'tool', name: 'search', count: 2 }], 1);
  expect(points).toEqual([
    { indexes: ['cart'], blobs: ['insight', 'cart', 'review'], doubles: [3] },
    { indexes: ['tool'], blobs: ['insight', 'tool', 'search'], doubles: [2] },
  ]);
  expect(stored).toEqual([question]);
});
