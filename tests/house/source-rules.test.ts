import { describe, expect, test } from 'vitest';
import { listFiles, parseSource, readSourceFiles } from './source-files.ts';
import { nameProblem, SOURCE_RULES } from './source-rules.ts';

const files = readSourceFiles();

describe.each(Object.entries(SOURCE_RULES))('%s', (_name, rule) => {
  test('in every file', () => {
    expect(files.flatMap((file) => rule(file))).toEqual([]);
  });
});

const PLANTED: [rule: keyof typeof SOURCE_RULES, path: string, code: string][] = [
  [
    'Cloudflare types and globals stand only in functions, platform and companion',
    'src/gateway/a.ts',
    'export const read = (store: KVNamespace) => store;',
  ],
  [
    'Cloudflare types and globals stand only in functions, platform and companion',
    'src/routes/a.ts',
    "import { env } from 'cloudflare:workers';",
  ],
  ['Cloudflare types and globals stand only in functions, platform and companion', 'src/gateway/a.ts', 'const cache = caches.default;'],
  ['SQL stands only in platform/d1', 'src/platform/kv/a.ts', "const q = 'select a from b';"],
  ['SQL stands only in platform/d1', 'src/gateway/a.ts', ['const q = `DELETE FROM agents WHERE id = $', '{id}`;'].join('')],
  ['KV keys are built only in platform/block-stores.ts', 'src/build/a.ts', ['const key = `b/$', '{digest}`;'].join('')],
  ['KV keys are built only in platform/block-stores.ts', 'src/platform/deadline.ts', "const key = 'b/' + digest;"],
  ['the clock is read only in platform, build and cli', 'src/gateway/a.ts', 'const now = Date.now();'],
  ['the clock is read only in platform, build and cli', 'src/publication/a.ts', 'const now = new Date();'],
  ['Math.random is used nowhere', 'src/platform/a.ts', 'const x = Math.random();'],
  ['zod is imported as a namespace, so that no locale is bundled', 'src/schemas/a.ts', "import { z } from 'zod';"],
  ['zod is imported as a namespace, so that no locale is bundled', 'src/schemas/a.ts', "import z from 'zod';"],
  ['no non-null assertion is made', 'src/site/a.astro', '---\nconst a = list[0]!;\n---\n<p>Buy now!</p>'],
  ['no value is of the type any', 'src/gateway/a.ts', 'const a = b as any;'],
  ['no file has more than 400 lines', 'src/gateway/a.ts', 'const a = 1;\n'.repeat(401)],
  ['nothing is left to do', 'src/gateway/a.ts', '/* TODO: finish */'],
];

test.each(PLANTED)('a planted violation is caught: %s: %s', (name, path, code) => {
  expect(SOURCE_RULES[name](parseSource(path, code))).toHaveLength(1);
});

test('what only looks like a violation is let through', () => {
  const innocent = parseSource(
    'src/gateway/a.ts',
    "const d = new Date(5); const t = 'select words from b/'; if (!a && a !== b) c = 'Buy now!'; const p = 'b/uy';",
  );
  const rules = Object.entries(SOURCE_RULES).filter(([name]) => !name.startsWith('SQL'));
  expect(rules.flatMap(([, rule]) => rule(innocent))).toEqual([]);
});

test('every file of src and functions is named for what it holds', () => {
  const paths = [...listFiles('src'), ...listFiles('functions')].filter((path) => /\.(ts|mjs|astro)$/.test(path));
  expect(paths.length).toBeGreaterThan(150);
  expect(paths.flatMap((path) => nameProblem(path) ?? [])).toEqual([]);
});

test.each([
  'src/gateway/utils.ts',
  'src/gateway/helpers/a.ts',
  'src/search/common.ts',
  'src/gateway/queryKnowledge.ts',
  'src/gateway/Agents/a.ts',
  'src/site/components/price-list.astro',
])('a bad name is caught: %s', (path) => {
  expect(nameProblem(path)).toBeDefined();
});

test('migrations are numbered without gaps and stand in platform/d1/migrations', () => {
  const sql = listFiles('src').filter((path) => path.endsWith('.sql'));
  expect(sql.length).toBeGreaterThan(0);
  for (const [index, path] of sql.entries())
    expect(path).toMatch(new RegExp(`^src/platform/d1/migrations/${String(index + 1).padStart(4, '0')}_[a-z0-9_]+\\.sql$`));
});
