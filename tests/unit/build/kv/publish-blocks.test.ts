import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { BuiltGeneration } from '../../../../src/build/corpus-blocks/build-generation.ts';
import type { BlockNamespace } from '../../../../src/build/kv/block-namespace.ts';
import { requireOrderedOffers } from '../../../../src/build/kv/publish-blocks.ts';
import type { BuiltState } from '../../../../src/build/kv/publishing-state.ts';
import { blockKey } from '../../../../src/platform/block-stores.ts';
import { sha256Hex } from '../../../../src/provenance/bytes-and-sha256.ts';
import { UserError } from '../../../../src/publication/content-problem.ts';
import type { PublishedCapsule } from '../../../../src/text/publication-model.ts';
import { logOf } from '../../../support/generations.ts';
import { refundedEvent } from '../../../support/orders.ts';
import { makePublisherFolder, type PublisherFolder, writtenOver } from '../../../support/publisher-folder.ts';
import { type CommandOutcome, callAkg } from '../../../support/run-akg.ts';
import { contentOf } from '../../cli/capsules/published-world.ts';
import { useOrdersDatabase } from '../../cli/orders/orders-database.ts';
import { realCapsules } from '../../gateway/real-generation.ts';
import { offer, writeWorld } from '../../publication/content-world.ts';
import { day, edition, lost, useNamespace } from '../published-corpus.ts';

const { binding, namespace, freshMachine } = useNamespace();
let capsules: PublishedCapsule[];
beforeAll(async () => {
  capsules = await realCapsules();
});

const digests = async (): Promise<string[]> => (await namespace().list()).map(({ sha256 }) => sha256).sort();
const live = ({ version }: BuiltGeneration) => ({ version });

describe('publishBlocks()', () => {
  it('writes what is missing once, says of what kind it is, and writes nothing when nothing has changed', async () => {
    const machine = await freshMachine();
    const built = await machine.build(edition(capsules, 1));
    const first = await machine.publish(day(0), 'none');
    expect(first).toEqual({ written: built.blocks.size, total: built.blocks.size, removed: 0, complete: true });
    expect(machine.lines[0]).toMatch(
      /^KV: to write \d+ keys \(index \d+, documents \d+(, history \d+)?, lineages \d+, changes \d+, manifests 1\), /,
    );
    expect(machine.lines.at(-1)).toMatch(/writes \d+ of 1,000 \(\d+ %\) a day, deletes 0 of 1,000 .*storage .* of 1\.00 GB/);
    expect(await digests()).toEqual([...built.blocks.keys()].sort());
    expect((await namespace().list()).every(({ note }) => note?.written === `${day(0)}T12:00:00.000Z`)).toBe(true);
    expect((await machine.publish(day(1), 'none')).written).toBe(0);
  });

  it('writes nothing on a dry run, and says what it would write', async () => {
    const machine = await freshMachine();
    const built = await machine.build(edition(capsules, 1));
    expect(await machine.publish(day(0), 'none', { dryRun: true })).toMatchObject({ written: 0, complete: false });
    expect(machine.lines[0]).toContain(`to write ${built.blocks.size} keys`);
    expect(await digests()).toEqual([]);
  });

  it('writes so many keys a day, goes on where it stopped, and writes the manifest last', async () => {
    const machine = await freshMachine();
    const built = await machine.build(edition(capsules, 1));
    let number = 0;
    for (let left = built.blocks.size; left > 2; left -= 2, number += 1) {
      expect(await machine.publish(day(number), 'none', { limit: 2 })).toMatchObject({ written: 2, complete: false });
      expect(machine.lines.at(-1)).toContain('Do not deploy yet');
      expect(await digests()).not.toContain(built.version);
      expect(await digests()).toHaveLength(built.blocks.size - left + 2);
      // A second run on the same day adds nothing, and says why.
      expect(await machine.publish(day(number), 'none', { limit: 2 })).toMatchObject({ written: 0, complete: false });
      expect(machine.lines.join('\n')).toMatch(/writes 2 of 1,000 \(1 %\) a day, 2 of them earlier today/);
    }
    expect(await machine.publish(day(number), 'none', { limit: 2 })).toMatchObject({ complete: true });
    expect(await lost(namespace(), [built])).toEqual([]);
  });

  it('goes on after it was killed between two bulk writes, within the limit of the day', async () => {
    const killed: BlockNamespace = {
      ...namespace(),
      write: async (blocks) => {
        await namespace().write(blocks.slice(0, 3));
        throw new Error('killed');
      },
    };
    const machine = await freshMachine(killed);
    const built = await machine.build(edition(capsules, 1));
    await expect(machine.publish(day(0), 'none', { limit: 4 })).rejects.toThrow('killed');
    const next = await freshMachine();
    await next.build(edition(capsules, 1));
    expect(await next.publish(day(0), 'none', { limit: 4 })).toMatchObject({ written: 1, complete: false });
    expect(await next.publish(day(1), 'none')).toMatchObject({ written: built.blocks.size - 4, complete: true });
    expect(await lost(namespace(), [built])).toEqual([]);
  });

  it('refuses more keys than the free plan writes in a day, unless it is told to or writes a part', async () => {
    const written = new Set<string>();
    const memory: BlockNamespace = {
      list: async () => [],
      read: async () => new Map(),
      write: async (blocks) => {
        for (const { sha256 } of blocks) written.add(sha256);
      },
      remove: async () => undefined,
    };
    const machine = await freshMachine(memory);
    const built = await machine.build(edition(capsules, 1));
    const value = (number: number): Uint8Array => new TextEncoder().encode(String(number));
    const pages = new Map(
      await Promise.all(Array.from({ length: 1_001 }, async (_, at) => [await sha256Hex(value(at)), value(at)] as const)),
    );
    const documents = [...pages.keys()].map((sha256) => ({ sha256, bytes: 4, first: 'a', documents: 1 }));
    const { index } = built.manifest.blocks;
    const blocks = { index, documents, history: [], lineages: [], relatives: [], changes: [] };
    machine.store.listed = async () => [{ ...built, manifest: { ...built.manifest, blocks } }];
    const block = machine.store.block.bind(machine.store);
    machine.store.block = async (sha256) => pages.get(sha256) ?? block(sha256);
    await expect(machine.publish(day(0), 'none')).rejects.toThrow(
      /^[\d,]+ keys .* the free plan writes 1,000 a day\.\n.*on 2 days with --limit 1000 .*\n.*\$5 a month, .*--over-budget$/,
    );
    await expect(machine.publish(day(0), 'none', { limit: 1_001 })).rejects.toBeInstanceOf(UserError);
    expect(written.size).toBe(0);
    expect(await machine.publish(day(0), 'none', { limit: 1_000 })).toMatchObject({ written: 1_000, complete: false });
    expect(written).not.toContain(built.version);
    expect(await machine.publish(day(0), 'none', { overBudget: true })).toMatchObject({ written: 1_002 + index.length, complete: true });
  });

  it('does not write a block that is damaged on this machine', async () => {
    const machine = await freshMachine();
    const built = await machine.build(edition(capsules, 1));
    const block = machine.store.block.bind(machine.store);
    machine.store.block = async (sha256) => (sha256 === built.version ? block(sha256) : Uint8Array.from([1, 2, 3]));
    await expect(machine.publish(day(0), 'none')).rejects.toThrow(/missing in KV and on this machine/);
    expect(await digests()).toEqual([]);
  });

  it('has nothing to publish before the first build', async () => {
    await expect((await freshMachine()).publish(day(0), 'none')).rejects.toThrow('npm run build');
  });
});

describe('publishing over and over', () => {
  it('deletes what nobody can ask for after the grace, and never what the newest, a listed or the live generation consists of', async () => {
    const machine = await freshMachine();
    const built: BuiltGeneration[] = [];
    let most = 0;
    for (let number = 0; number < 18; number += 1) {
      const generation = await machine.build(edition(capsules, number));
      // Deploys lag behind: the one of two publishes ago is live.
      const deployed = built[1] ?? built[0];
      await machine.publish(day(number * 10), deployed ? live(deployed) : 'none');
      built.unshift(generation);
      const kept = built.filter(({ version }) => version === generation.version || generation.manifest.previous.includes(version));
      expect(kept).toHaveLength(Math.min(number + 1, 4));
      const listedByLive = built.filter(({ version }) => deployed?.manifest.previous.includes(version));
      expect(await lost(namespace(), [...kept, ...(deployed ? [deployed] : []), ...listedByLive])).toEqual([]);
      // Fell out of the list at most 30 days ago: a roll-back still works.
      expect(await lost(namespace(), built.slice(4, 8))).toEqual([]);
      most = Math.max(most, (await digests()).length);
    }
    expect(await lost(namespace(), built.slice(-5))).not.toEqual([]);
    const perGeneration = 3;
    expect(most).toBeLessThan((built[0]?.blocks.size ?? 0) + perGeneration * 14);
  });

  it('keeps the live generation whole however often and long nobody deploys', async () => {
    const machine = await freshMachine();
    const first = await machine.build(edition(capsules, 0));
    await machine.publish(day(0), 'none');
    const second = await machine.build(edition(capsules, 1));
    await machine.publish(day(1), live(first));
    for (let number = 2; number < 12; number += 1) {
      await machine.build(edition(capsules, number));
      await machine.publish(day(number * 60), live(second));
      expect(await lost(namespace(), [first, second])).toEqual([]);
    }
  });

  it('deletes nothing while it is not known what is live, and says so', async () => {
    const machine = await freshMachine();
    for (let number = 0; number < 8; number += 1) {
      await machine.build(edition(capsules, number));
      expect((await machine.publish(day(number * 60), { unknown: 'nobody answers' })).removed).toBe(0);
    }
    expect(machine.lines.join('\n')).toContain('nothing is deleted, because the live generation is unknown: nobody answers');
    await machine.build(edition(capsules, 8));
    expect((await machine.publish(day(480), { version: 'e'.repeat(64) })).removed).toBe(0);
    expect(machine.lines.join('\n')).toContain('is not in KV');
  });

  it('leaves alone what it did not write, and what was written within the grace', async () => {
    const machine = await freshMachine();
    const foreign = 'f'.repeat(64);
    await binding<{ put: (key: string, value: string) => Promise<void> }>().put(blockKey(foreign), 'of somebody else');
    const orphan = {
      sha256: 'a'.repeat(64),
      value: new Uint8Array([1]),
      note: { kind: 'index', bytes: 1, written: `${day(50)}T00:00:00.000Z` },
    } as const;
    await namespace().write([orphan]);
    await machine.build(edition(capsules, 0));
    await machine.publish(day(60), 'none');
    expect(await digests()).toEqual(expect.arrayContaining([foreign, orphan.sha256]));
    expect((await machine.publish(day(81), 'none')).removed).toBe(1);
    expect(await digests()).toContain(foreign);
    expect(await digests()).not.toContain(orphan.sha256);
  });

  it('starts the grace anew for a generation that is published again', async () => {
    const one = await freshMachine();
    const built = await one.build(edition(capsules, 0));
    await one.publish(day(0), 'none');
    await one.build(edition(capsules, 1));
    await one.publish(day(1), 'none');
    const other = await freshMachine();
    expect((await other.build(edition(capsules, 0))).version).toBe(built.version);
    expect(await other.publish(day(90), 'none', { dropEarlier: true })).toMatchObject({ written: 1 });
    expect((await namespace().list()).find(({ sha256 }) => sha256 === built.version)?.note?.written).toContain(day(90));
  });
});

/** Generations that another machine published one after another, the newest first. */
async function publishInTurn(count: number, everyDays = 1): Promise<BuiltGeneration[]> {
  const machine = await freshMachine();
  const built: BuiltGeneration[] = [];
  for (let number = 0; number < count; number += 1) {
    built.unshift(await machine.build(edition(capsules, number)));
    await machine.publish(day(number * everyDays), 'none');
  }
  return built;
}

describe('a machine that has never published', () => {
  it('refuses to end pinned answers, and lists the earlier generations once they are restored', async () => {
    const built = await publishInTurn(5);
    const fresh = await freshMachine();
    await fresh.build(edition(capsules, 9));
    const before = await digests();
    await expect(fresh.publish(day(6), 'none')).rejects.toThrow(/restore:kv/);
    expect(await digests()).toEqual(before);
    expect(await fresh.restore()).toBe(4);
    expect(await fresh.store.changes()).toEqual(logOf(built[0] as BuiltGeneration));
    const newest = await fresh.build(edition(capsules, 9));
    expect(logOf(newest)).toEqual(logOf(built[0] as BuiltGeneration));
    expect(newest.manifest.previous).toEqual(built.slice(0, 3).map(({ version }) => version));
    await fresh.publish(day(6), live(built[0] as BuiltGeneration));
    expect(await lost(namespace(), [newest, ...built.slice(0, 3)])).toEqual([]);
    expect((await fresh.build(edition(capsules, 9))).version).toBe(newest.version);
  });

  it('deletes, without any history of its own, exactly what is due', async () => {
    const built = await publishInTurn(6, 10);
    const fresh = await freshMachine();
    await fresh.restore();
    const newest = await fresh.build(edition(capsules, 6));
    // The first generation fell out on day 40, the second on day 50: one is 35 days ago, the other 25.
    const { removed } = await fresh.publish(day(75), live(built[0] as BuiltGeneration));
    expect(removed).toBeGreaterThan(0);
    expect(await lost(namespace(), [newest, ...built.slice(0, 5)])).toEqual([]);
    expect((await lost(namespace(), built.slice(5))).length).toBeGreaterThan(0);
  });

  it('knows which of several generations published at once is the newest', async () => {
    const old = await freshMachine();
    const built: BuiltGeneration[] = [];
    for (let number = 0; number < 4; number += 1) built.unshift(await old.build(edition(capsules, number)));
    const versions = built.map(({ version }) => version);
    await old.publish(day(0), 'none');
    const notes = new Map((await namespace().list()).map(({ sha256, note }) => [sha256, note?.written]));
    expect(versions.map((version) => notes.get(version)?.slice(-4))).toEqual(['003Z', '002Z', '001Z', '000Z']);
    const fresh = await freshMachine();
    expect(await fresh.restore()).toBe(4);
    expect((await fresh.store.listed()).map(({ version }) => version)).toEqual(versions);
    expect((await fresh.publish(day(1), 'none')).written).toBe(0);
    expect((await fresh.build(edition(capsules, 4))).manifest.previous).toEqual(versions.slice(0, 3));
  });

  it('restores what the newest generation lists, and not what it dropped', async () => {
    const one = await freshMachine();
    await one.build(edition(capsules, 0));
    await one.publish(day(0), 'none');
    const other = await freshMachine();
    const newest = await other.build(edition(capsules, 1));
    await other.publish(day(1), 'none', { dropEarlier: true });
    const fresh = await freshMachine();
    expect(await fresh.restore()).toBe(1);
    expect((await fresh.store.history()).map(({ version }) => version)).toEqual([newest.version]);
  });

  it('takes a damaged manifest for a missing one, the newest or another', async () => {
    const built = await publishInTurn(4);
    const restoredWithout = async (damaged: readonly number[]): Promise<(number | undefined)[]> => {
      const broken = new Set(damaged.map((at) => built[at]?.version));
      const fresh = await freshMachine({
        ...namespace(),
        read: async (wanted) =>
          new Map(
            [...(await namespace().read(wanted))].map(
              ([sha256, bytes]) => [sha256, broken.has(sha256) ? bytes.slice(0, 99) : bytes] as const,
            ),
          ),
      });
      await fresh.restore();
      return (await fresh.store.history()).map(({ version }) => built.findIndex((generation) => generation.version === version));
    };
    expect(await restoredWithout([1])).toEqual([0, 2, 3]);
    expect(await restoredWithout([0])).toEqual([1, 2, 3]);
    expect(await restoredWithout([0, 1, 2, 3])).toEqual([]);
  });

  it('restores no generation of which a block is missing', async () => {
    const built = await publishInTurn(2);
    const [only] = [...(built[0]?.blocks.keys() ?? [])].filter((sha256) => !built[1]?.blocks.has(sha256) && sha256 !== built[0]?.version);
    await namespace().remove([only ?? '']);
    const fresh = await freshMachine();
    expect(await fresh.restore()).toBe(1);
    expect((await fresh.store.history()).map(({ version }) => version)).toEqual([built[1]?.version]);
  });
});

const BUILT: BuiltState = {
  generation: 'a'.repeat(64),
  baseUrl: 'https://a.test',
  storage: 'kv',
  mode: 'static',
  versions: [],
  offers: [],
  log: [],
};

let publisher: PublisherFolder;
beforeAll(async () => {
  publisher = await makePublisherFolder(['content']);
  await mkdir(join(publisher.folder, '.akg'));
});
afterAll(() => publisher.remove());

// Vitest sets BASE_URL.
const publish = (...args: string[]): Promise<CommandOutcome> => callAkg(['publish', ...args], publisher.folder, { BASE_URL: '' });
const noteBuilt = (built: BuiltState): Promise<void> => writeFile(join(publisher.folder, '.akg/built.json'), JSON.stringify(built));

describe('akg publish', () => {
  it.each(['http://127.0.0.1:8788', 'http://localhost'])('refuses a build for %s, which nobody else can open', async (baseUrl) => {
    await noteBuilt({ ...BUILT, baseUrl });
    const { exit, output } = await publish('--static', '--dry-run');
    expect([exit, output]).toEqual([
      1,
      expect.stringContaining(`the newest build is for this machine: its addresses begin with ${baseUrl}`),
    ]);
  });

  it('refuses without a build with functions, and accepts a frontend-only build for a site', async () => {
    await noteBuilt(BUILT);
    expect(await publish()).toMatchObject({
      exit: 1,
      output: expect.stringContaining('there is no build with functions to publish: run "npm run build" first'),
    });
    expect(await publish('--static', '--dry-run')).toMatchObject({ exit: 0 });
  });

  it('takes the last build of a kind after one of the other kind', async () => {
    await noteBuilt({ ...BUILT, mode: 'edge', other: BUILT });
    expect(await publish('--static', '--dry-run')).toMatchObject({
      exit: 0,
      output: 'content/published.jsonl would list the build in dist-static/. Nothing was changed.\n',
    });
    await noteBuilt({ ...BUILT, mode: 'edge' });
    expect(await publish('--static', '--dry-run')).toMatchObject({
      exit: 1,
      output: expect.stringContaining('there is no frontend-only build to publish: run "npm run build:static" first'),
    });
  });
});

const { database, handle, order } = useOrdersDatabase();

/** What the check of a publication with these offer files says; `undefined` if nothing. */
async function refusalWith(files: Readonly<Record<string, string>>, lines: string[] = []): Promise<string | undefined> {
  const { offers } = await contentOf(await writeWorld(files));
  const names = offers.flatMap(({ id, frontMatter }) => [id, ...frontMatter.aliases]);
  return requireOrderedOffers(writtenOver(database.binding()), names, (line) => void lines.push(line)).then(
    () => undefined,
    (error: Error) => error.message,
  );
}

test('refuses to drop an offer that has orders, until it is there, discontinued, or an alias of another', async () => {
  const first = await order();
  const { sessionId } = await order();
  expect(first.sessionId).not.toBe(sessionId);
  expect(await refusalWith({})).toMatch(/missing in content\/offers: "review" \(2 orders\).*add "discontinued: <day>".*--drop-offers/);
  expect(await refusalWith({ 'offers/review.md': offer() })).toBeUndefined();
  expect(await refusalWith({ 'offers/review.md': offer({ discontinued: '2026-11-10' }) })).toBeUndefined();
  expect(await refusalWith({ 'offers/site-review.md': offer({ aliases: '[review]' }) })).toBeUndefined();
  await handle(refundedEvent(`pi_${sessionId}`, 24_000, 'evt_refund'));
  expect(await refusalWith({})).toContain('"review" (1 order)');
  await handle(refundedEvent(`pi_${first.sessionId}`, 24_000, 'evt_refund_2'));
  expect(await refusalWith({})).toBeUndefined();
});

test('goes on without a database that can be read, and says so', async () => {
  const lines: string[] = [];
  database.look('DROP TABLE orders');
  expect(await refusalWith({}, lines)).toBeUndefined();
  expect(lines).toEqual([expect.stringContaining('orders: not compared with content/offers, because the database cannot be read')]);
});
