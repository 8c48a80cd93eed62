import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { today } from '../../src/build/deployment.ts';
import { readContent } from '../../src/publication/read-content.ts';
import { GenerationManifest } from '../../src/schemas/knowledge/generation.ts';
import { CANARY_SENTENCE, canariesIn, PLANTED, plantPaidCapsule } from '../support/paid-content.ts';
import { ROOT, TEST_BASE_URL } from '../support/paths.ts';
import { makeProjectFolder } from '../support/project-folder.ts';

/** What a build of a copy of the project left on disk, but for its sources. */
interface BuiltCopy {
  readonly files: ReadonlyMap<string, string>;
  /** What the build said. */
  readonly lines: readonly string[];
}

let remove: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const one of remove) await one();
  remove = [];
});

async function buildCopy(): Promise<BuiltCopy> {
  const copy = await makeProjectFolder('paid', ['content', 'CHANGELOG.md']);
  remove.push(copy.remove);
  await plantPaidCapsule(copy.root, { withPayments: true });
  const lines: string[] = [];
  await copy.build({
    root: copy.root,
    mode: 'edge',
    today: '2026-11-22',
    baseUrl: TEST_BASE_URL,
    rateLimits: undefined,
    mayBeUnsigned: true,
    isTrial: true,
    report: (line) => lines.push(line),
  });
  const files = await filesBelow(copy.root);
  for (const path of files.keys()) if (/^(content|src|public)\//.test(path)) files.delete(path);
  return { files, lines };
}

/** Texts of all files below a folder, by their paths in it; packages that are linked in are not looked at. */
async function filesBelow(folder: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files.set(relative(folder, path), await readFile(path, 'latin1'));
  }
  return files;
}

const pathsWith = ({ files }: BuiltCopy, isWanted: (text: string) => boolean): string[] =>
  [...files].filter(([, text]) => isWanted(text)).map(([path]) => path);

describe('a build with a paid capsule, where payments are on', () => {
  let built: BuiltCopy;
  beforeAll(async () => {
    built = await buildCopy();
  });

  it('has its text in one block for KV, and in no page, file, module or cache', () => {
    const generations = JSON.parse(built.files.get('.akg/generations.json') ?? '[]') as string[];
    const manifest = GenerationManifest.parse(JSON.parse(built.files.get(`.akg/blocks/${generations[0]}`) ?? ''));
    const texts = (manifest.blocks.texts ?? []).map(({ sha256 }) => `.akg/blocks/${sha256}`);
    expect(texts.length).toBeGreaterThan(0);
    expect(pathsWith(built, (text) => canariesIn(text).length > 0).sort()).toEqual(
      texts.filter((path) => canariesIn(built.files.get(path) ?? '').length > 0).sort(),
    );
    expect(texts.some((path) => built.files.get(path)?.includes(CANARY_SENTENCE))).toBe(true);
  });

  it('has a page for it that says what it costs, and links to nothing that is not there', () => {
    const page = built.files.get(`dist/capsules/${PLANTED}.html`) ?? '';
    expect(page).toContain('0.05 USD');
    expect(page).toContain(`${TEST_BASE_URL}/api/v1/agent-gateway/capsule/${PLANTED}`);
    expect(page).not.toMatch(new RegExp(`/capsules/${PLANTED}(/[0-9.]+)?\\.md`));
    for (const [, anchor] of page.matchAll(/href="#([^"]+)"/g)) expect(page, anchor).toContain(`id="${anchor}"`);
    expect([...built.files.keys()].filter((path) => path.startsWith(`dist/capsules/${PLANTED}`)).sort()).toEqual(
      [`${PLANTED}.html`, `${PLANTED}/capsule.json`, `${PLANTED}/lineage.json`].map((name) => `dist/capsules/${name}`),
    );
  });

  it('lists it where capsules are listed', () => {
    for (const path of ['capsules.html', 'llms.txt', 'feed.xml', 'sitemap.xml', 'sitemap.md'])
      expect(built.files.get(`dist/${path}`), path).toContain(PLANTED);
    expect(built.lines.join('\n')).not.toContain('left out');
  });
});

describe('the build of the project, where payments are off, and the frontend-only one, where they are on and nothing is paid', () => {
  it.each(['dist', 'dist-static', '.akg/functions'])('has nothing of its paid capsules in %s', async (folder) => {
    const { content } = await readContent(ROOT, { today: today() });
    const paid = content?.capsules.filter(({ frontMatter }) => frontMatter.access === 'paid') ?? [];
    expect(paid.length).toBeGreaterThan(0);
    const files = await filesBelow(join(ROOT, folder));
    expect(files.size).toBeGreaterThan(0);
    for (const { id, markdown } of paid) {
      const [sentence = ''] = markdown.split('\n');
      const holding = [...files].filter(([, text]) => text.includes(id) || text.includes(sentence)).map(([path]) => path);
      expect(holding, id).toEqual([]);
    }
  });
});
