import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Content } from '../../../src/authoring/content.ts';
import { checkPublishedVersions, readPublishedVersions, recordPublishedVersions } from '../../../src/publish/published-versions.ts';
import { realContent } from '../gateway/real-generation.ts';

let root: string;
let content: Content;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'akg-published-'));
  await mkdir(join(root, '.akg'));
  content = await realContent();
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

describe('versions that were published', () => {
  it('are none in a new folder, so that everything may be built', async () => {
    expect(await checkPublishedVersions(content, await readPublishedVersions(root))).toEqual([]);
  });

  it('may not come with another text, and may not be gone', async () => {
    await recordPublishedVersions(root, content);
    const published = await readPublishedVersions(root);
    expect(Object.keys(published).length).toBe(content.capsules.reduce((sum, { frozen }) => sum + frozen.length + 1, 0));
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
});
