import { expect, test } from 'vitest';
import { intakeQueue, type ProposalStore } from '../../../../src/gateway/intake/proposal-queue.ts';

const HOUR_MS = 3_600_000;
const notAsked = (): never => {
  throw new Error('not asked for');
};

function slowQueue() {
  const asked: ((facts: Awaited<ReturnType<ProposalStore['queue']>>) => void)[] = [];
  const time = { nowMs: 1_000_000 };
  const proposals: ProposalStore = {
    load: notAsked,
    store: notAsked,
    read: notAsked,
    queue: () => new Promise((answer) => asked.push(answer)),
  };
  return { asked, time, queue: intakeQueue(proposals, { nowMs: () => time.nowMs }) };
}

test('while one request asks, others are told what is known and do not ask too', async () => {
  const { asked, time, queue } = slowQueue();
  const atOnce = [queue.read(), queue.read()];
  for (const answer of asked) answer({ waiting: 3, medianWaitMs: 2 * HOUR_MS });
  const counted = { waiting: 3, median_wait_hours: 2 };
  expect([...(await Promise.all(atOnce)), await queue.read()]).toEqual([counted, counted, counted]);
  expect(asked).toHaveLength(2);
  time.nowMs += 60_000;
  const second = queue.read();
  expect(await queue.read()).toEqual(counted);
  asked[2]?.({ waiting: 4, medianWaitMs: undefined });
  expect([await second, await queue.read()]).toEqual(Array(2).fill({ waiting: 4, median_wait_hours: null }));
  expect(asked).toHaveLength(3);
});

test('a request that never comes to its end keeps others from asking for five seconds only', async () => {
  const { asked, time, queue } = slowQueue();
  const known = queue.read();
  asked[0]?.({ waiting: 3, medianWaitMs: undefined });
  await known;
  time.nowMs += 60_000;
  void queue.read();
  time.nowMs += 4_999;
  expect(await queue.read()).toEqual({ waiting: 3, median_wait_hours: null });
  time.nowMs += 1;
  const next = queue.read();
  asked[2]?.({ waiting: 0, medianWaitMs: undefined });
  expect(await next).toEqual({ waiting: 0, median_wait_hours: null });
});
