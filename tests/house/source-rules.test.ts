import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { COMMERCE_FOLDER } from '../support/commerce-kit.ts';
import { importsOf, lineOf, listFiles, parseSource, readSourceFiles, type SourceFile, walkCode } from './source-files.ts';

type SourceRule = (file: SourceFile) => string[];

const CLOUDFLARE_TYPES =
  /^(KVNamespace|D1(Database|Result|PreparedStatement|Response)|PagesFunction|EventContext|Fetcher|R2(Bucket|Object)|Durable\w+|AnalyticsEngineDataset|ExecutionContext|ExportedHandler|RateLimit|CfProperties|IncomingRequestCfProperties|Service|HTMLRewriter|WebSocketPair)$/;
const SQL =
  /\b(SELECT\s[\s\S]*\b(FROM|LIMIT)\b|INSERT\s+(OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|(CREATE|DROP|ALTER)\s+(TABLE|INDEX))\b/i;

const inFolder =
  (...folders: string[]) =>
  (path: string): boolean =>
    folders.some((folder) => path === folder || path.startsWith(`${folder}/`));

/** Rule that reports nodes for which `find` gives a message, outside the places that `allows` names. */
function nodeRule(allows: (path: string) => boolean, find: (node: ts.Node, file: SourceFile) => string | undefined): SourceRule {
  return (file) => {
    const found: string[] = [];
    if (allows(file.path)) return found;
    walkCode(file, (node) => {
      const message = find(node, file);
      if (message !== undefined) found.push(`${file.path}:${lineOf(file, node)} ${message}`);
    });
    return found;
  };
}

const textOf = (node: ts.Node): string | undefined =>
  ts.isStringLiteralLike(node) ||
  node.kind === ts.SyntaxKind.TemplateHead ||
  node.kind === ts.SyntaxKind.TemplateMiddle ||
  node.kind === ts.SyntaxKind.TemplateTail
    ? (node as ts.LiteralLikeNode).text
    : undefined;

const isCallOf = (node: ts.Node, object: string, method: string): boolean =>
  ts.isCallExpression(node) &&
  ts.isPropertyAccessExpression(node.expression) &&
  node.expression.name.text === method &&
  node.expression.expression.getText() === object;

const SOURCE_RULES = {
  'Cloudflare types and globals stand only in functions and platform': (file) => [
    ...nodeRule(inFolder('src/functions', 'src/platform'), (node) => {
      if (ts.isIdentifier(node) && CLOUDFLARE_TYPES.test(node.text) && ts.isTypeReferenceNode(node.parent))
        return `names the Cloudflare type ${node.text}`;
      return ts.isPropertyAccessExpression(node) && node.name.text === 'default' && node.getText() === 'caches.default'
        ? 'uses caches.default'
        : undefined;
    })(file),
    ...(inFolder('src/functions', 'src/platform')(file.path)
      ? []
      : importsOf(file)
          .filter(({ specifier }) => /^(cloudflare:|@cloudflare\/workers-types)/.test(specifier))
          .map(({ specifier, line }) => `${file.path}:${line} imports ${specifier}`)),
  ],
  'SQL stands only in platform/d1': nodeRule(inFolder('src/platform/d1'), (node) =>
    SQL.test(textOf(node) ?? '') ? 'holds SQL' : undefined,
  ),
  'KV keys are built only in platform/block-stores.ts': nodeRule(inFolder('src/platform/block-stores.ts'), (node) =>
    /^b\/$|^b\/[0-9a-f*]/.test(textOf(node) ?? '') ? 'builds a KV key' : undefined,
  ),
  // Pages that are built without `npm run build`, as by `astro dev`, have nobody who tells them the day.
  // The client runs in programs of others, which may give it a clock. A page of the API says how long the answer to its request took.
  'the clock is read only in platform, build, cli and client': nodeRule(
    inFolder(
      'src/platform',
      'src/build',
      'src/cli',
      'src/site/collection-entries.ts',
      'src/client/gateway-client.ts',
      'src/site/components/ApiTrial.astro',
    ),
    (node) => {
      if (isCallOf(node, 'Date', 'now') || isCallOf(node, 'performance', 'now')) return 'reads the clock';
      return ts.isNewExpression(node) && node.expression.getText() === 'Date' && (node.arguments ?? []).length === 0
        ? 'reads the clock'
        : undefined;
    },
  ),
  'Math.random is used nowhere': nodeRule(
    () => false,
    (node) => (isCallOf(node, 'Math', 'random') ? 'uses Math.random' : undefined),
  ),
  // Biome has the same rules for all other files.
  'no Astro file holds a non-null assertion or any': nodeRule(
    (path) => !path.endsWith('.astro'),
    (node) => (ts.isNonNullExpression(node) ? 'asserts with !' : node.kind === ts.SyntaxKind.AnyKeyword ? 'uses any' : undefined),
  ),
  'no file has more than 500 lines': (file) =>
    file.text.replace(/\n$/, '').split('\n').length > 500 ? [`${file.path}:501 has more than 500 lines`] : [],
  'nothing is left to do': (file) =>
    file.text
      .split('\n')
      .flatMap((line, index) =>
        /\b(TODO|FIXME|XXX|HACK)\b/.test(line) ? [`${file.path}:${index + 1} holds a note of unfinished work`] : [],
      ),
} as const satisfies Record<string, SourceRule>;

function nameProblem(path: string): string | undefined {
  const parts = path.split('/');
  const [name = ''] = parts.slice(-1);
  const stem = name.replace(/(\.config|\.d)?\.(ts|mjs|astro)$/, '');
  const isAddress = /^src\/site\/(routes|on-demand|without-functions)\//.test(path);
  const kebab = /^[a-z0-9]+(-[a-z0-9]+)*$/;
  const plain = isAddress ? stem.replace(/\.md$/, '').replace(/^\[{1,2}(?:\.\.\.)?(.*?)\]{1,2}$/, '$1') : stem;
  const pascal = path.endsWith('.astro') && !isAddress;
  if ([...parts.slice(0, -1), stem].some((part) => /^(utils?|helpers?|common|misc|shared|lib|manager|service)$/i.test(part)))
    return `${path} has a catch-all name`;
  if (pascal ? !/^[A-Z][A-Za-z0-9]*$/.test(plain) : !kebab.test(plain)) return `${path} is not ${pascal ? 'PascalCase' : 'kebab-case'}`;
  return parts.slice(1, -1).some((folder) => !kebab.test(folder.replace(/^\[(.*)\]$/, '$1')))
    ? `${path} is in a folder that is not kebab-case`
    : undefined;
}

const files = readSourceFiles();

describe.each(Object.entries(SOURCE_RULES))('%s', (_name, rule) => {
  test('in every file', () => expect(files.flatMap((file) => rule(file))).toEqual([]));
});

const PLANTED: Readonly<Record<keyof typeof SOURCE_RULES, readonly [path: string, code: string]>> = {
  'Cloudflare types and globals stand only in functions and platform': [
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

/** What may read a text that is sold: each file gives it only to who has paid. */
const READERS = ['src/gateway/commerce/orders/order-deliveries.ts', 'src/gateway/commerce/payments/capsule-paywall.ts'];

function callersOf(name: string): string[] {
  const callers = readSourceFiles().filter((file) => {
    let calls = false;
    walkCode(file, (node) => {
      if (!ts.isCallExpression(node)) return;
      const { expression } = node;
      const called = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
      if (ts.isIdentifier(called) && called.text === name) calls = true;
    });
    return calls;
  });
  return callers.map(({ path }) => path).sort();
}

test('a text that is sold is read by what has seen it paid, and by nothing else', () => {
  expect(callersOf('readPaidText')).toEqual(READERS);
  // The publisher's own command reads what was published, to freeze it.
  expect(callersOf('paidText')).toEqual(['src/build/recover-published-text.ts', 'src/gateway/knowledge/read-capsule.ts']);
});
