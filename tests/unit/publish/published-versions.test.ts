import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Content } from '../../../src/authoring/content.ts';
import { publishCapsules } from '../../../src/authoring/published-capsules.ts';
import { extendLog, type LoggedChange } from '../../../src/provenance/change-log.ts';
import type { CapsuleFrontMatter } from '../../../src/schemas/capsule-front-matter.ts';
import { checkPublishedVersions, readPublishedVersions, recordPublishedVersions } from '../../../src/publish/published-versions.ts';
import { realContent } from '../gateway/real-generation.ts';

let root: string;
let content: Content;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'akg-published-'));
  await mkdir(join(root, '.akg'));
  const real = await realContent();
  content = { ...real, capsules: real.capsules.slice(0, 12) };
});
afterAll(() => rm(root, { recursive: true }));

function withText(id: string, markdown: string, version?: string): Content {
  return {
    ...content,
    capsules: content.capsules.map((capsule) =>
      capsule.id === id
        ? { ...capsule, markdown, frontMatter: { ...capsule.frontMatter, version: version ?? capsule.frontMatter.version } }
        : capsule,
    ),
  };
}

async function logOfContent(from: Content, before: readonly LoggedChange[] = []): Promise<LoggedChange[]> {
  return extendLog(
    before,
    (await publishCapsules(from)).map(({ lineage: { versions, head }, stateDate }) => ({ versions, head, stateDate })),
  );
}

describe('versions that were published', () => {
  it('are none in a new folder, so that everything may be built', async () => {
    expect(await checkPublishedVersions(content, await readPublishedVersions(root))).toEqual([]);
  });

  it('may not come with another text, and may not be gone', async () => {
    const log = await logOfContent(content);
    await recordPublishedVersions(root, log);
    const published = await readPublishedVersions(root);
    expect(Object.keys(published).length).toBe(content.capsules.reduce((sum, { frozen }) => sum + frozen.length + 1, 0));
    expect(Object.values(published).sort()).toEqual([...new Set(log.map(({ record_digest }) => record_digest))].sort());
    expect(await checkPublishedVersions(content, published)).toEqual([]);
    expect(await checkPublishedVersions(withText('bm25', 'Another text.\n'), published)).toMatchObject([
      { file: 'content/capsules/bm25.md', field: 'version', message: expect.stringContaining('npm run revise bm25') },
    ]);
    const without = { ...content, capsules: content.capsules.filter(({ id }) => id !== 'bm25') };
    expect(await checkPublishedVersions(without, published)).toMatchObject([
      { message: expect.stringContaining('was published and is gone') },
    ]);
    expect(await checkPublishedVersions(withText('bm25', 'Another text.\n', '2.0.0'), published)).toMatchObject([
      { message: expect.stringContaining('version 1.0.0 was published and is gone') },
    ]);
  });

  it.each<[fact: string, change: Partial<CapsuleFrontMatter>]>([
    ['title', { title: 'Another title of the same text' }],
    ['day', { updated: '2026-11-01' }],
    ['sources', { sources: [] }],
    ['licence', { license: 'CC0-1.0' }],
  ])('may not come with another %s', async (_fact, change) => {
    const edited = content.capsules.map((capsule) =>
      capsule.id === 'bm25' ? { ...capsule, frontMatter: { ...capsule.frontMatter, ...change } } : capsule,
    );
    expect(await checkPublishedVersions({ ...content, capsules: edited }, await readPublishedVersions(root))).toMatchObject([
      { file: 'content/capsules/bm25.md', field: 'version', message: expect.stringContaining('other facts about it') },
    ]);
  });

  it('are those at the end of the log: not what was removed, and the newest record of what was made anew', async () => {
    const other = await mkdtemp(join(tmpdir(), 'akg-published-'));
    await mkdir(join(other, '.akg'));
    const first = await logOfContent(content);
    const without = { ...content, capsules: content.capsules.filter(({ id }) => id !== 'bm25') };
    await recordPublishedVersions(other, await logOfContent(without, first));
    expect(Object.keys(await readPublishedVersions(other))).not.toContain('bm25@1.0.0');
    const changed = withText('bm25', 'Another text.\n');
    await recordPublishedVersions(other, await logOfContent(changed, first));
    expect(await checkPublishedVersions(changed, await readPublishedVersions(other))).toEqual([]);
    await rm(other, { recursive: true });
  });
});
