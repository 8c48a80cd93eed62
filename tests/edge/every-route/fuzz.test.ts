import { describe, expect, test } from 'vitest';
import type { RunReport } from '../../fuzz/fuzz-run.ts';
import { fuzzService } from '../../fuzz/fuzz-service.ts';
import { DESCRIBED, FUNCTION_ROUTES } from '../../support/function-routes.ts';

/** A short piece of what `npm run fuzz` does at length; its seeds are fixed. */
const SEED = 20_261_125;
const SECONDS = 60;

/** Operations that do what they are for only where a payment processor is connected. */
const NEEDS_PROCESSOR: readonly string[] = ['completeCheckoutSession'];

/** Findings in few words, so that a failed test shows them. */
const found = ({ findings }: RunReport): string[] =>
  findings.map(({ operation, fault, lines }) => `${operation} ${fault}: ${lines.join(' ; ')}`);

describe('generated requests', () => {
  test('in this process: every answer is as the documents say, and every described operation is reached', async () => {
    const report = await fuzzService('process', SEED, { requests: 1_000, seconds: SECONDS });
    expect(found(report)).toEqual([]);
    for (const { id, route } of FUNCTION_ROUTES.filter((one) => DESCRIBED.some((each) => each.id === one.id))) {
      const statuses = [...(report.counts.get(id)?.keys() ?? [])];
      if (NEEDS_PROCESSOR.includes(id)) expect([id, statuses.length > 0]).toEqual([id, true]);
      else expect([id, route.responses.some(({ status }) => statuses.includes(status))]).toEqual([id, true]);
    }
    expect(report.codes.size).toBeGreaterThan(18);
  });

  test('in this process, with rate limits', async () => {
    const report = await fuzzService('limited', SEED, { requests: 150, seconds: SECONDS });
    expect(found(report)).toEqual([]);
  });

  test('in workerd', async () => {
    const report = await fuzzService('workerd', SEED, { requests: 40, seconds: SECONDS });
    expect(found(report)).toEqual([]);
  });
});
