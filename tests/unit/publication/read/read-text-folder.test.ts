import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BuildCache, MemoryCache } from '../../../../src/publication/build-cache.ts';
import { indexedTextCache, indexedTextKey, indexText, parseWithSources } from '../../../../src/publication/read/read-text-file.ts';
import { type ReadOptions, readContent } from '../../../../src/publication/read-content.ts';
import { BODY, capsule, offer, publisher, TODAY, temporaryFolder, writeWorld } from '../content-world.ts';

/** Files of a publication that edits change, and what they may contain; `undefined` removes one. */
const VARIANTS: Readonly<Record<string, readonly (string | undefined)[]>> = {
  'publisher.yaml': [
    publisher(),
    publisher({ editorial: '{ words: { level: warn, min: 400 }, images: error }' }),
    publisher({ language: 'de', editorial: undefined }),
    publisher({ editorial: '{ hidden_characters: error, complete_front_matter: warn }' }),
  ],
  'capsules/a-capsule.md': [
    capsule(),
    capsule(
      { title: undefined, summary: undefined, sources: undefined },
      `# Wheels\n\nSee [b](b.md#spokes), [gone](gone.md) and ![](w.svg).\n`,
    ),
    capsule({ draft: 'true' }, `FILL IN: write\n\n[b](/capsules/b)\n`),
    capsule({ version: '1.1' }),
    capsule({}, `${BODY}\n[^two]: own note\n\n\`\`\`\ncode\n\`\`\`\n\nHidden\u200b here, $x^2$.\n`),
    capsule({}, BODY.replaceAll('\n', '\r\n')),
    '---\ntitle: [\n---\n\nText.\n',
    '---\ntitle: no end\n',
    'Only text, with {#no} front matter.   ',
    undefined,
  ],
  'capsules/b.md': [
    capsule({ derived_from: '[a-capsule]' }, `## Spokes\n\n${BODY}\n[a](a-capsule.md "t") [c](<notes/c d.md>) [c](notes/c d.md)\n`),
    capsule({ access: 'paid', price_usd: '0.05' }),
    capsule({ updated: undefined, created: undefined, tags: '[Über uns, "日本"]' }),
    undefined,
  ],
  'capsules/notes/c d.md': [capsule({ formerly: '[b]' }, `${BODY}[back](../b.md#rims)\n`), '', undefined],
  'offers/an-offer.md': [offer(), offer({ summary: undefined }, 'Look at [it](../capsules/b.md). Here.\n'), offer({ nam: 'x' })],
  'pages/about.md': [
    '# About\n\nWho we are, and [why](/capsules/b#spokes).\n',
    '---\ntitle: About\n---\n\n<script>x</script>\n',
    undefined,
  ],
  'capsules/w.svg': ['<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"></svg>', undefined],
};

async function write(root: string, path: string, text: string | undefined): Promise<void> {
  const file = join(root, 'content', path);
  await mkdir(dirname(file), { recursive: true });
  await (text === undefined ? rm(file, { force: true }) : writeFile(file, text));
}

const edits = fc.array(
  fc.constantFrom(...Object.keys(VARIANTS)).chain((path) => fc.tuple(fc.constant(path), fc.constantFrom(...(VARIANTS[path] ?? [])))),
  { minLength: 1, maxLength: 8 },
);

test('reading with cache results and a memory gives what reading from nothing gives, after any edits', async () => {
  await fc.assert(
    fc.asyncProperty(edits, async (changes) => {
      const root = await writeWorld({ 'capsules/b.md': VARIANTS['capsules/b.md']?.[0] });
      const memory = new MemoryCache();
      for (const [path, text] of changes) {
        await write(root, path, text);
        memory.forget([`content/${path}`]);
        const options: ReadOptions = { today: TODAY };
        const cache = new BuildCache(join(root, '.akg/kept'), 'this code');
        const fromNothing = await readContent(root, options);
        expect(await readContent(root, { ...options, cache })).toEqual(fromNothing);
        expect(await readContent(root, { ...options, cache, memory })).toEqual(fromNothing);
        cache.save();
        for (const { markdown, frontMatter } of fromNothing.content?.capsules ?? []) {
          if (frontMatter.access !== 'public') continue;
          const sourceKeys = frontMatter.sources.map(({ key }) => key);
          const known = indexedTextCache(cache).get(indexedTextKey(markdown, sourceKeys));
          expect(known).toEqual(indexText(parseWithSources(markdown, sourceKeys)));
        }
        cache.close();
      }
      await rm(root, { recursive: true, force: true });
    }),
    { numRuns: 6 },
  );
});

test('what was cache is not read again', async () => {
  const root = await writeWorld({ 'capsules/b.md': VARIANTS['capsules/b.md']?.[0] });
  const steps: string[] = [];
  const folder = join(root, '.akg/kept');
  const first = new BuildCache(folder, 'this code');
  await readContent(root, { today: TODAY, cache: first });
  first.save();
  const second = new BuildCache(folder, 'this code');
  const shelf = second.results<object>('texts-of-capsules');
  const set = shelf.set.bind(shelf);
  shelf.set = (from, value) => {
    steps.push('read again');
    set(from, value);
  };
  await readContent(root, { today: '2026-11-22', cache: second });
  expect(steps).toEqual([]);
  await write(root, 'capsules/b.md', VARIANTS['capsules/b.md']?.[2]);
  await readContent(root, { today: '2026-11-22', cache: second });
  expect(steps).toEqual(['read again']);
});

test('threads give what one thread gives', async () => {
  const root = await temporaryFolder();
  await writeWorld({ 'capsules/notes/c d.md': VARIANTS['capsules/notes/c d.md']?.[0] }, root);
  for (let at = 0; at < 40; at += 1)
    await write(
      root,
      `capsules/page-${at}.md`,
      capsule({ title: at % 9 === 0 ? '7' : `Page ${at}` }, `${BODY.slice(0, 200)}\n[next](page-${at + 1}.md)\n`),
    );
  const [without, threaded] = await Promise.all([0, 2].map((threads) => readContent(root, { today: TODAY, threads })));
  expect(threaded).toEqual(without);
  expect(without?.problems.length).toBeGreaterThan(4);
});
