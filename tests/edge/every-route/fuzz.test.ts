import { describe, expect, test } from 'vitest';
import type { RunReport } from '../../fuzz/fuzz-run.ts';
import { fuzzService } from '../../fuzz/fuzz-service.ts';
import { DESCRIBED, FUNCTION_ROUTES } from '../../support/function-routes.ts';

/** A short piece of what `npm run fuzz` does at length; its seeds are fixed. */
const SEED = 20_261_130;
const SECONDS = 60;
const NEEDS_PROCESSOR: readonly string[] = ['completeCheckoutSession'];

/** Findings in few words, so that a failed test shows them. */
const found = ({ findings }: RunReport): string[] =>
  findings.map(({ operation, fault, lines }) => `${operation} ${fault}: ${lines.join(' ; ')}`);

describe('generated requests', () => {
  test('in this process: every answer is as the documents say, and every described operation is reached', async () => {
    const described = FUNCTION_ROUTES.filter((one) => DESCRIBED.some((each) => each.id === one.id));
    const reached = new Map<string, Set<number>>();
    const codes = new Set<string>();
    // Which operations a seed reaches follows from their schemas, so a second one has what the first missed.
    for (const seed of [SEED, SEED + 1]) {
      const report = await fuzzService('process', seed, { requests: 700, seconds: SECONDS });
      expect(found(report)).toEqual([]);
      for (const [id, statuses] of report.counts) reached.set(id, new Set([...(reached.get(id) ?? []), ...statuses.keys()]));
      for (const code of report.codes) codes.add(code);
    }
    for (const { id, route } of described) {
      const statuses = [...(reached.get(id) ?? [])];
      if (NEEDS_PROCESSOR.includes(id)) expect([id, statuses.length > 0]).toEqual([id, true]);
      else expect([id, route.responses.some(({ status }) => statuses.includes(status))]).toEqual([id, true]);
    }
    expect(codes.size).toBeGreaterThan(18);
  });

  test('in this process, with rate limits', async () => {
    expect(found(await fuzzService('limited', SEED, { requests: 100, seconds: SECONDS }))).toEqual([]);
  });

  test('in workerd', async () => {
    expect(found(await fuzzService('workerd', SEED, { requests: 40, seconds: SECONDS }))).toEqual([]);
  });
});
