import { runMaintenance } from '../../../src/platform/d1/retention.ts';
import { below } from '../../eval/random.ts';
import type { Lifetime } from '../lifetime.ts';
import { CONDITIONS, type Condition } from '../place.ts';
import { hold } from '../violation.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Time passes: mostly moments, sometimes longer than anything is kept. */
export async function passTime(life: Lifetime): Promise<void> {
  const upTo = life.pickWeighted([
    [30, 2_000],
    [25, 40_000],
    [20, 4 * MINUTE_MS],
    [10, 20 * MINUTE_MS],
    [6, 3 * HOUR_MS],
    [3, 2 * DAY_MS],
    [2, 100 * DAY_MS],
  ]);
  const ms = 1 + below(life.random, upTo);
  life.note(`${ms} ms pass`);
  await life.time.sleep(ms);
}

export async function changeWeather(life: Lifetime): Promise<void> {
  const place = life.pick(life.places);
  const condition = (): Condition => (life.chance(0.5) ? 'well' : life.pick(CONDITIONS));
  life.weather(place, condition(), condition());
}

export async function clearWeather(life: Lifetime): Promise<void> {
  for (const place of life.places) life.weather(place, 'well', 'well');
}

export async function replaceIsolate(life: Lifetime): Promise<void> {
  const place = life.pick(life.places);
  if (life.chance(0.7)) {
    const ended = life.isolate(place);
    life.note(`${ended.name} ends`);
    life.endIsolate(ended);
  }
  if (place.isolates.length < 4) life.note(`${life.startIsolate(place).name} begins`);
}

export async function crashIsolate(life: Lifetime): Promise<void> {
  const isolate = life.isolate();
  isolate.callsLeft = below(life.random, 4);
  life.note(`${isolate.name} has ${isolate.callsLeft} calls to live`);
}

/** The publisher writes the blocks of the next deploy; some come late, or the publisher forgets some until later. */
export async function publish(life: Lifetime): Promise<void> {
  const next = life.stage.builds[life.published + 1];
  if (next === undefined) return;
  const all = life.chance(0.7);
  const namespace = life.keyValue.binding('publisher');
  const kept = [...next.blocks].filter(([key]) => !life.keyValue.stored.has(key) && (all || life.chance(0.5)));
  life.note(`${kept.length} blocks of deploy ${life.published + 1} are written`);
  const written = await Promise.allSettled(kept.map(([key, bytes]) => namespace.put(key, bytes)));
  // Two publishers at a time may write a key twice in a second; one of them comes too early then, and does not deploy.
  if (written.some(({ status }) => status === 'rejected')) return;
  if (all || life.chance(0.5)) life.published = Math.max(life.published, life.stage.builds.indexOf(next));
}

export async function mendBlocks(life: Lifetime): Promise<void> {
  const namespace = life.keyValue.binding('publisher');
  const missing = life.stage.builds
    .slice(0, life.published + 1)
    .flatMap(({ blocks }) => [...blocks])
    .filter(([key], at, all) => !life.keyValue.stored.has(key) && all.findIndex(([other]) => other === key) === at);
  life.note(`${missing.length} blocks are written that were missing`);
  await Promise.allSettled(missing.map(([key, bytes]) => namespace.put(key, bytes)));
}

/** A deploy reaches a location, or an earlier one is put back: isolates there are replaced, all at once or as they end. */
export async function rollOut(life: Lifetime): Promise<void> {
  const place = life.pick(life.places);
  place.build = life.chance(0.85) ? life.published : below(life.random, life.published + 1);
  life.note(`${place.name} runs deploy ${place.build}`);
  for (const isolate of [...place.isolates]) {
    if (isolate.build === place.build || life.chance(0.3)) continue;
    life.endIsolate(isolate);
    life.startIsolate(place);
  }
}

export async function maintenance(life: Lifetime): Promise<void> {
  const place = life.pick(life.places);
  const report = await runMaintenance(life.database.binding(), life.time.nowMs + place.skewMs);
  life.note(`maintenance: ${JSON.stringify(report)}`);
  hold(
    'answered',
    Object.values(report).every((task) => 'deleted' in task),
    () => JSON.stringify(report),
  );
}
