import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkPublishedVersions, versionsOf } from '../../../src/build/check-published-versions.ts';
import {
  logToContinue,
  noteBuildPublished,
  noteBuilt,
  noteRestored,
  publishedLedger,
  readBuilt,
  readBuiltOf,
  readPublished,
  versionsInLog,
} from '../../../src/build/kv/publishing-state.ts';
import { extendLog, type LoggedChange } from '../../../src/provenance/change-log.ts';
import type { AuthoredContent } from '../../../src/publication/authored-content.ts';
import { publishCapsules } from '../../../src/publication/publish/published-capsules.ts';
import { EMPTY_LEDGER, extendLedger, type LedgerVersion, type PublishedLedger } from '../../../src/publication/read/version-ledger.ts';
import type { CapsuleFrontMatter } from '../../../src/schemas/knowledge/capsule-front-matter.ts';
import { realContent } from '../gateway/real-generation.ts';
import { sharedFolder, temporaryFolder } from '../publication/content-world.ts';

const root = sharedFolder();
let content: AuthoredContent;

beforeAll(async () => {
  const real = await realContent();
  content = { ...real, capsules: real.capsules.filter(({ frozen }, at) => at < 12 || frozen.length > 0) };
});

function withText(id: string, markdown: string, version?: string): AuthoredContent {
  return {
    ...content,
    capsules: content.capsules.map((capsule) =>
      capsule.id === id
        ? { ...capsule, markdown, frontMatter: { ...capsule.frontMatter, version: version ?? capsule.frontMatter.version } }
        : capsule,
    ),
  };
}

async function logOfContent(from: AuthoredContent, before: readonly LoggedChange[] = []): Promise<LoggedChange[]> {
  return extendLog(
    before,
    (await publishCapsules(from)).map(({ lineage: { versions, head }, metadata }) => ({ versions, head, stateDate: metadata.status_date })),
  );
}

const published = (): Promise<PublishedLedger> => publishedLedger(root, EMPTY_LEDGER);

const byName = (versions: readonly LedgerVersion[]): Record<string, string> =>
  Object.fromEntries(versions.map(({ capsule, version, record }) => [`${capsule}@${version}`, record]));

const inLog = (log: readonly LoggedChange[]): Record<string, string> => byName(versionsInLog(log));
const inContent = async (from: AuthoredContent): Promise<Record<string, string>> => byName(await versionsOf(from));

describe('checkPublishedVersions()', () => {
  it('allows everything in a new folder', async () => expect(await checkPublishedVersions(content, await published())).toEqual([]));

  it('reports a published version with another text, and a missing one', async () => {
    const log = await logOfContent(content);
    await noteRestored(root, log);
    const ledger = await published();
    const versions = [...ledger.versions.values()].flat();
    expect(byName(versions)).toEqual(byName(versionsInLog(log)));
    expect(versions.length).toBe(content.capsules.reduce((sum, { frozen }) => sum + frozen.length + 1, 0));
    expect(versions.map(({ record }) => `sha256:${record}`).sort()).toEqual(
      [...new Set(log.map(({ record_digest }) => record_digest))].sort(),
    );
    expect(await checkPublishedVersions(content, ledger)).toEqual([]);
    expect(await checkPublishedVersions(withText('bm25', 'Another text.\n'), ledger)).toMatchObject([
      { file: 'content/capsules/bm25.md', field: 'version', message: expect.stringContaining('npm run revise bm25') },
    ]);
    const without = { ...content, capsules: content.capsules.filter(({ id }) => id !== 'bm25') };
    for (const changed of [without, withText('bm25', 'Another text.\n', '2.0.0')])
      expect(await checkPublishedVersions(changed, ledger)).toMatchObject([
        { message: expect.stringContaining('version 1.0.0 was published and is missing') },
      ]);
  });

  it.each<[fact: string, change: Partial<CapsuleFrontMatter>]>([
    ['title', { title: 'Another title of the same text' }],
    ['day', { updated: '2026-11-01' }],
    ['sources', { sources: [] }],
    ['licence', { license: 'CC0-1.0' }],
  ])('reports a published version with another %s', async (_fact, change) => {
    const edited = content.capsules.map((capsule) =>
      capsule.id === 'bm25' ? { ...capsule, frontMatter: { ...capsule.frontMatter, ...change } } : capsule,
    );
    expect(await checkPublishedVersions({ ...content, capsules: edited }, await published())).toMatchObject([
      { file: 'content/capsules/bm25.md', field: 'version', message: expect.stringContaining('npm run revise bm25') },
    ]);
  });

  it('takes the versions at the end of the log: without removed capsules, with every record of those published again', async () => {
    const first = await logOfContent(content);
    const without = { ...content, capsules: content.capsules.filter(({ id }) => id !== 'bm25') };
    const removed = await logOfContent(without, first);
    expect(inLog(removed)).toEqual(await inContent(without));
    const again = await logOfContent(withText('bm25', 'Another text.\n', '2.0.0'), removed);
    expect(inLog(again)).toEqual(await inContent(withText('bm25', 'Another text.\n', '2.0.0')));
    const changed = withText('bm25', 'Another text.\n');
    expect(inLog(await logOfContent(changed, first))).toEqual(await inContent(changed));
  });

  it('reports another issuer once, not for every version', async () => {
    const first = await logOfContent(content);
    const moved = { ...content, publisher: { ...content.publisher, issuer: 'did:web:elsewhere.example' } };
    expect(moved.capsules.some(({ frozen }) => frozen.length > 0)).toBe(true);
    expect(inLog(await logOfContent(moved, first))).toEqual(await inContent(moved));
    expect(await checkPublishedVersions(moved, extendLedger(EMPTY_LEDGER, await versionsOf(content)))).toMatchObject([
      { file: 'content/publisher.yaml', message: expect.stringContaining('has another issuer') },
    ]);
  });
});

it('a build is known after one of the other kind, until something is published that it does not continue', async () => {
  const folder = await temporaryFolder();
  const log = await logOfContent(content, []);
  const built = { generation: 'a'.repeat(64), baseUrl: 'https://a.test', storage: 'kv', versions: [], offers: [], log } as const;
  await noteBuilt(folder, { ...built, mode: 'edge' }, false, await readBuilt(folder));
  for (const offers of [['first'], ['second']])
    await noteBuilt(folder, { ...built, mode: 'static', offers }, false, await readBuilt(folder));
  expect(await readBuiltOf(folder, 'edge')).toEqual({ ...built, mode: 'edge' });
  expect(await readBuiltOf(folder, 'static')).toMatchObject({ mode: 'static', offers: ['second'] });
  await noteBuildPublished(
    folder,
    { ...built, mode: 'static', log: await logOfContent(withText('bm25', 'Other.\n', '1.1.0'), log) },
    '2026-11-23',
  );
  expect(await readBuiltOf(folder, 'edge')).toBeUndefined();
});

describe('logToContinue()', () => {
  const build = async (folder: string, from: AuthoredContent, isTrial: boolean): Promise<LoggedChange[]> => {
    const log = await logOfContent(from, await logToContinue(folder, isTrial));
    const versions = await versionsOf(from);
    const built = {
      generation: 'a'.repeat(64),
      baseUrl: 'https://a.test',
      storage: 'kv',
      mode: 'edge',
      versions,
      offers: [],
      log,
    } as const;
    await noteBuilt(folder, built, isTrial);
    return log;
  };
  const publish = async (folder: string): Promise<void> => {
    const built = await readBuilt(folder);
    if (built) await noteBuildPublished(folder, built, '2026-11-23');
  };

  it('continues the published log: unpublished and local builds leave no event', async () => {
    const folder = await temporaryFolder();
    await build(folder, content, false);
    await publish(folder);
    const published = await readPublished(folder);
    await build(folder, withText('bm25', 'Tried out.\n', '1.1.0'), true);
    await build(folder, withText('bm25', 'With a slip.\n', '1.1.0'), false);
    const final = await build(folder, withText('bm25', 'Without it.\n', '1.1.0'), false);
    expect(final.slice(0, published.length)).toEqual(published);
    expect(final.slice(published.length).map(({ event, capsule_id }) => [event, capsule_id])).toEqual([['revised', 'bm25']]);
    await publish(folder);
    expect(await readPublished(folder)).toEqual(final);
  });

  it('continues the last local build in a local one, until something else is published', async () => {
    const folder = await temporaryFolder();
    const first = await build(folder, content, true);
    expect((await build(folder, withText('bm25', 'Tried out.\n', '1.1.0'), true)).slice(0, first.length)).toEqual(first);
    const other = await build(folder, withText('bm25f', 'Published.\n', '1.1.0'), false);
    await publish(folder);
    expect(await logToContinue(folder, true)).toEqual(other);
  });

  it('is empty if the file is damaged', async () => {
    const folder = await temporaryFolder();
    await build(folder, content, false);
    await publish(folder);
    const path = join(folder, '.akg/published.json');
    await writeFile(path, (await readFile(path, 'utf8')).slice(0, 1_000));
    expect(await logToContinue(folder, false)).toEqual([]);
  });
});
