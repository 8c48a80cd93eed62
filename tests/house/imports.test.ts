import { expect, test } from 'vitest';
import { checkImports, IMPORT_MAP, roomOf } from './import-map.ts';
import { parseSource, readSourceFiles } from './source-files.ts';

const files = readSourceFiles();

test('every import goes down the map, and every file stands in a room', () => {
  const { violations, edges } = checkImports(files);
  expect(violations).toEqual([]);
  expect(edges).toBeGreaterThan(300);
});

test('the walk reads files of every room, Astro files among them', () => {
  expect(files.length).toBeGreaterThan(150);
  expect([...new Set(files.map(({ path }) => roomOf(path)))].sort()).toEqual(Object.keys(IMPORT_MAP).sort());
  expect(files.filter(({ path }) => path.endsWith('.astro')).length).toBeGreaterThan(20);
});

const PLANTED: [path: string, code: string, line: number, reason: string][] = [
  [
    'src/gateway/a.ts',
    "import { x } from '../routes/route-table.ts';",
    1,
    'imports src/routes/route-table.ts: gateway may not import routes',
  ],
  [
    'src/gateway/agents/a.ts',
    "\nimport type { X } from '../../platform/environment.ts';",
    2,
    'imports src/platform/environment.ts: gateway may not import platform',
  ],
  ['src/search/a.ts', "import { LIMITS } from '../schemas/limits.ts';", 1, 'imports src/schemas/limits.ts: search may not import schemas'],
  ['src/provenance/a.ts', "export { x } from '../search/rank.ts';", 1, 'imports src/search/rank.ts: provenance may not import search'],
  ['src/schemas/a.ts', "import { stemmer } from 'stemmer';", 1, 'imports stemmer: no package for schemas'],
  [
    'src/publication/a.ts',
    "const a = await import('../gateway/errors.ts');",
    1,
    'imports src/gateway/errors.ts: publication may not import gateway',
  ],
  [
    'src/http/a.ts',
    "type A = import('../routes/route-table.ts').RouteSettings;",
    1,
    'imports src/routes/route-table.ts: http may not import routes',
  ],
  ['src/routes/a.ts', "import { Hono } from 'hono';", 1, 'imports hono, which only src/http may'],
  ['src/routes/a.ts', "import { cors } from 'hono/cors';", 1, 'imports hono/cors, which only src/http may'],
  [
    'src/protocols/acp/a.ts',
    "import { llmsTxt } from '../../documents/llms-txt.ts';",
    1,
    'imports src/documents/llms-txt.ts: protocols may not import documents',
  ],
  [
    'src/site/pages/a.astro',
    "---\nconst a = 1;\nimport { x } from '../../build/generation.ts';\n---\n<p>import y from '../../platform/a.ts'</p>",
    3,
    'imports src/build/generation.ts: site may not import build',
  ],
  [
    'src/site/pages/a.astro',
    "<p>x</p>\n<script>\nimport { x } from '../../platform/runtime.ts';\n</script>",
    3,
    'imports src/platform/runtime.ts: site may not import platform',
  ],
  ['src/platform/kv/a.ts', "import { createHash } from 'node:crypto';", 1, 'imports node:crypto: no package for platform'],
  ['src/documents/a.ts', "import { x } from '../site/format.ts';", 1, 'imports src/site/format.ts: documents may not import site'],
  [
    'functions/a.ts',
    "import { x } from '../src/build/deployment.ts';",
    1,
    'imports src/build/deployment.ts: functions may not import build',
  ],
  ['src/gateway/a.ts', "import { x } from '../../tests/x.ts';", 1, 'imports tests/x.ts, which stands in no room'],
];

test.each(PLANTED)('a planted violation is caught in %s', (path, code, line, reason) => {
  expect(checkImports([parseSource(path, code)]).violations).toEqual([`${path}:${line} ${reason}`]);
});

test.each(['src/orphan.ts', 'src/helpers/a.ts', 'src/gateway.ts'])('a file outside every room is caught: %s', (path) => {
  expect(checkImports([parseSource(path, '')]).violations).toEqual([`${path}:1 stands in no room`]);
});

test('allowed edges are let through', () => {
  const allowed: [string, string][] = [
    ['src/documents/a.ts', "import { routeTable } from '../routes/route-table.ts';"],
    ['src/site/a.ts', "import { ERRORS } from '../gateway/errors.ts';"],
    ['src/cli/commands/a.ts', "import { x } from '../../build/today.ts'; import { readFile } from 'node:fs/promises';"],
    ['src/gateway/a.ts', "const text = \"import { x } from '../routes/route-table.ts'\"; // import('../routes/route-table.ts')"],
  ];
  expect(checkImports(allowed.map(([path, code]) => parseSource(path, code))).violations).toEqual([]);
});
