import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useDirectCrypto } from '../../support/simulated/direct-crypto.ts';
import { DamageCampaign, type DamagedRun } from './damage-campaign.ts';

/** `DAMAGE_RUNS=2000 npx vitest run --project unit tests/unit/faults/damaged-blocks.test.ts` runs a larger campaign, of a new seed. */
const { DAMAGE_RUNS, DAMAGE_SEED } = process.env;
const RUNS = Number(DAMAGE_RUNS ?? 20);
const SEED = Number(DAMAGE_SEED ?? (DAMAGE_RUNS === undefined ? 1 : Date.now() % 2 ** 31));

/** A second for each run, besides what any test may take. */
const CAMPAIGN_TIMEOUT_MS = 120_000 + RUNS * 1_000;

let campaign: DamageCampaign;
let restore: () => void;
beforeAll(async () => {
  restore = useDirectCrypto();
  campaign = await DamageCampaign.prepare();
});
afterAll(() => restore());

/** Makes some runs, and gives those in which an answer was wrong. */
async function runAll(count: number, run: (number: number) => Promise<DamagedRun>): Promise<{ runs: DamagedRun[]; wrong: DamagedRun[] }> {
  const runs: DamagedRun[] = [];
  for (let number = 0; number < count; number++) runs.push(await run(number));
  return { runs, wrong: runs.filter((one) => one.wrong.length > 0) };
}

describe('a store in which a block is damaged and keeps its length', () => {
  it('is asked for every kind of block, and answers everything while all are whole', () => {
    expect(campaign.kinds).toEqual([
      'index',
      'documents',
      'history',
      'lineages',
      'changes',
      'texts',
      'site_index',
      'site_texts',
      'files',
      'manifest',
    ]);
    expect(campaign.unanswered).toEqual([]);
  });

  it(
    'answers as if nothing was damaged, from the generation before and says so, or refuses, whatever was damaged',
    async () => {
      console.log(`${RUNS} damaged stores of seed ${SEED}`);
      const { runs, wrong } = await runAll(RUNS, (number) => campaign.run(SEED, number));
      expect(wrong).toEqual([]);
      const sum = (name: keyof DamagedRun['counts']): number => runs.reduce((total, { counts }) => total + counts[name], 0);
      console.log(
        `${sum('same')} answers as if nothing was damaged, ${sum('earlier')} of the generation before, ${sum('refused')} refused`,
      );
      expect(Math.min(sum('same'), sum('earlier'), sum('refused'))).toBeGreaterThan(RUNS);
    },
    CAMPAIGN_TIMEOUT_MS,
  );

  it('gives no other answer after twenty bytes of the index were changed', async () => {
    const { wrong } = await runAll(3, (number) => campaign.run(SEED, number, { kinds: ['index'], damages: ['20 bytes'] }));
    expect(wrong).toEqual([]);
  });
});
