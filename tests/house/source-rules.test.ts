import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COMMERCE_FOLDER } from '../support/commerce-kit.ts';
import { listFiles, parseSource, readSourceFiles } from './source-files.ts';
import { nameProblem, SOURCE_RULES } from './source-rules.ts';

const files = readSourceFiles();

describe.each(Object.entries(SOURCE_RULES))('%s', (_name, rule) => {
  test('in every file', () => {
    expect(files.flatMap((file) => rule(file))).toEqual([]);
  });
});

const PLANTED: Readonly<Record<keyof typeof SOURCE_RULES, readonly [path: string, code: string]>> = {
  'Cloudflare types and globals stand only in functions, platform and companion': [
    'src/gateway/a.ts',
    'export const read = (store: KVNamespace) => store;',
  ],
  'SQL stands only in platform/d1': ['src/gateway/a.ts', ['const q = `DELETE FROM agents WHERE id = $', '{id}`;'].join('')],
  'KV keys are built only in platform/block-stores.ts': ['src/build/a.ts', ['const key = `b/$', '{digest}`;'].join('')],
  'the clock is read only in platform, build, cli and client': ['src/publication/a.ts', 'const now = new Date();'],
  'Math.random is used nowhere': ['src/platform/a.ts', 'const x = Math.random();'],
  'no Astro file holds a non-null assertion or any': ['src/site/a.astro', '---\nconst a = list[0]!;\n---\n<p>Buy now!</p>'],
  'no file has more than 500 lines': ['src/gateway/a.ts', 'const a = 1;\n'.repeat(501)],
  'nothing is left to do': ['src/gateway/a.ts', '/* TODO: finish */'],
};

test.each(Object.entries(SOURCE_RULES))('a planted violation is caught: %s', (name, rule) => {
  expect(rule(parseSource(...PLANTED[name as keyof typeof PLANTED]))).toHaveLength(1);
});

test('every file of src is named for what it holds', () => {
  const paths = listFiles('src').filter((path) => /\.(ts|mjs|astro)$/.test(path));
  expect(paths.length).toBeGreaterThan(150);
  expect(paths.flatMap((path) => nameProblem(path) ?? [])).toEqual([]);
});

test.each(['src/gateway/utils.ts', 'src/gateway/queryKnowledge.ts', 'src/gateway/Agents/a.ts', 'src/site/components/price-list.astro'])(
  'a bad name is caught: %s',
  (path) => expect(nameProblem(path)).toBeDefined(),
);

test('migrations are numbered without gaps and stand in platform/d1/migrations', () => {
  const sql = listFiles('src').filter((path) => path.endsWith('.sql'));
  expect(sql.length).toBeGreaterThan(0);
  for (const [index, path] of sql.entries())
    expect(path).toMatch(new RegExp(`^src/platform/d1/migrations/${String(index + 1).padStart(4, '0')}_[a-z0-9_]+\\.sql$`));
});

test('tests/commerce pins every package, and its lock file names no registry', () => {
  const manifest = JSON.parse(readFileSync(join(COMMERCE_FOLDER, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };
  for (const [name, version] of Object.entries(manifest.dependencies))
    expect(version, name).toMatch(/^(?:npm:@?[a-z0-9/-]+@)?\d+\.\d+\.\d+$/);
  expect(readFileSync(join(COMMERCE_FOLDER, 'package-lock.json'), 'utf8')).not.toContain('"resolved"');
});
