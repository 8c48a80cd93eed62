import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { checkGatewayImports, checkImports, IMPORT_MAP, roomOf } from './import-map.ts';
import { importsOf, parseSource, readSourceFiles, type SourceFile } from './source-files.ts';

const files = readSourceFiles();

test('every import goes down the map, and every file stands in a room', () => {
  const { violations, edges } = checkImports(files);
  expect(violations).toEqual([]);
  expect(edges).toBeGreaterThan(300);
});

/** Files that import each other, each circle as a path that ends where it begins. Imports of types count. */
function circlesOf(sources: readonly SourceFile[]): string[] {
  const imports = new Map(
    sources.map((file) => [file.path, importsOf(file).map(({ specifier }) => posix.join(posix.dirname(file.path), specifier))]),
  );
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, above: readonly string[]): void => {
    const at = above.indexOf(path);
    if (at >= 0) circles.push([...above.slice(at), path].join(' -> '));
    if (at >= 0 || done.has(path)) return;
    for (const to of imports.get(path) ?? []) visit(to, [...above, path]);
    done.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
  return circles;
}

test('no file imports itself through others, types counted', () => {
  expect(circlesOf(files)).toEqual([]);
  const planted = [
    parseSource('src/text/a.ts', "import type { X } from './b.ts';"),
    parseSource('src/text/b.ts', "export { y } from '../schemas/c.ts';"),
    parseSource('src/schemas/c.ts', "const a = await import('../text/a.ts');"),
  ];
  expect(circlesOf(planted)).toEqual(['src/text/a.ts -> src/text/b.ts -> src/schemas/c.ts -> src/text/a.ts']);
});

test('publication has at most eight floors of imports', () => {
  const imports = new Map(
    files
      .filter(({ path }) => path.startsWith('src/publication/'))
      .map((file) => [file.path, importsOf(file).map(({ specifier }) => posix.join(posix.dirname(file.path), specifier))]),
  );
  const floorOf = (path: string): number => 1 + Math.max(0, ...(imports.get(path) ?? []).filter((to) => imports.has(to)).map(floorOf));
  expect(Math.max(...[...imports.keys()].map(floorOf))).toBeLessThanOrEqual(8);
});

test('the walk reads files of every room, Astro files among them', () => {
  expect(files.length).toBeGreaterThan(150);
  expect([...new Set(files.map(({ path }) => roomOf(path)))].sort()).toEqual(Object.keys(IMPORT_MAP).sort());
  expect(files.filter(({ path }) => path.endsWith('.astro')).length).toBeGreaterThan(20);
});

test.each([
  [
    'src/gateway/agents/a.ts',
    "\nimport type { X } from '../../platform/environment.ts';",
    ':2 imports src/platform/environment.ts: gateway may not import platform',
  ],
  [
    'src/http/a.ts',
    "type A = import('../routes/route-table.ts').RouteSettings;",
    ':1 imports src/routes/route-table.ts: http may not import routes',
  ],
  [
    'src/publication/a.ts',
    "const a = await import('../gateway/errors.ts');",
    ':1 imports src/gateway/errors.ts: publication may not import gateway',
  ],
  ['src/publication/read/a.ts', "import { x } from '../check/b.ts';", ':1 imports src/publication/check/b.ts, a later stage'],
  ...['gateway', 'http', 'protocols', 'routes', 'platform', 'functions', 'client'].map((room) => [
    `src/${room}/a.ts`,
    "import type { X } from '../publication/read-content.ts';",
    `:1 imports src/publication/read-content.ts: ${room} may not import publication`,
  ]),
  [
    'src/site/routes/a.astro',
    "<p>import y from '../../build/a.ts'</p>\n<script>\nimport { x } from '../../platform/clock-and-deadlines.ts';\n</script>",
    ':3 imports src/platform/clock-and-deadlines.ts: site may not import platform',
  ],
  ['src/routes/a.ts', "import { cors } from 'hono/cors';", ':1 imports hono/cors, which only src/http may'],
  ['src/platform/kv/a.ts', "import { createHash } from 'node:crypto';", ':1 imports node:crypto: no package for platform'],
  ['src/gateway/a.ts', "import { x } from '../../tests/x.ts';", ':1 imports tests/x.ts, which stands in no room'],
  ['src/helpers/a.ts', '', ':1 stands in no room'],
])('a planted violation is caught in %s', (path, code, reason) => {
  expect(checkImports([parseSource(path, code)]).violations).toEqual([path + reason]);
});

test('the folders of the gateway import in one direction, and its ports import types of ports only', () => {
  expect(checkGatewayImports(files)).toEqual([]);
});

test.each([
  [
    'src/gateway/commerce/catalog/a.ts',
    "import { x } from '../cart/b.ts';",
    ':1 imports src/gateway/commerce/cart/b.ts, which stands above',
  ],
  ['src/gateway/a.ts', "import { x } from './agents/b.ts';", ':1 imports src/gateway/agents/b.ts, which stands above'],
  [
    'src/gateway/commerce/orders/order-ports.ts',
    "import type { X } from '../cart/price-cart.ts';",
    ':1 imports src/gateway/commerce/cart/price-cart.ts: a port imports types of ports only',
  ],
  ['src/gateway/shop/a.ts', '', ':1 stands in a folder that GATEWAY_FOLDERS does not name'],
])('a planted arrow in the gateway is caught in %s', (path, code, reason) => {
  expect(checkGatewayImports([parseSource(path, code)])).toEqual([path + reason]);
});
