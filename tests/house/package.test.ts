import { spawnSync } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { ENGINE_PACKAGE } from '../../src/build/engine-package.ts';
import { parseMarkdownOnce, walk } from '../../src/text/markdown/markdown-tree.ts';
import { ROOT } from '../support/paths.ts';

async function filesBelow(folder: string): Promise<string[]> {
  return (await readdir(join(ROOT, folder), { recursive: true })).map((name) => posix.join(folder, name));
}

/** What npm packs: `files` of package.json, and what is always packed. `lib` is compiled from `src`. */
async function packedFiles(): Promise<Set<string>> {
  const { files } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { readonly files: readonly string[] };
  const packed = new Set(['LICENSE', 'README.md', 'package.json']);
  for (const entry of files) {
    const [folder = '', ending] = entry.split('/*');
    if (entry === 'lib') for (const path of await filesBelow('src')) packed.add(path.replace(/^src/, 'lib'));
    else if (ending !== undefined)
      for (const name of await readdir(join(ROOT, folder))) name.endsWith(ending) && packed.add(`${folder}/${name}`);
    else if ((await stat(join(ROOT, entry))).isDirectory()) for (const path of [entry, ...(await filesBelow(entry))]) packed.add(path);
    else packed.add(entry);
  }
  return packed;
}

const packed = await packedFiles();
const textOf = (path: string): Promise<string> => readFile(join(ROOT, path.replace(/^lib/, 'src')), 'utf8');

test('every relative link of a packed text leads to a packed file', async () => {
  const texts = [...packed].filter((path) => path.endsWith('.md'));
  expect(texts.length).toBeGreaterThan(30);
  const dead: string[] = [];
  let links = 0;
  for (const path of texts) {
    walk(parseMarkdownOnce(await textOf(path)), (node) => {
      if ((node.type !== 'link' && node.type !== 'image' && node.type !== 'definition') || /^([a-z]+:|[#/{])/.test(decodeURI(node.url)))
        return;
      links += 1;
      const target = posix.join(posix.dirname(path), node.url.replace(/#.*/, '')).replace(/\/$/, '');
      if (!packed.has(target)) dead.push(`${path}: ${node.url}`);
    });
  }
  expect(links).toBeGreaterThan(100);
  expect(dead).toEqual([]);
});

test('every path in the installed engine that a new publication names is packed', async () => {
  const named = [...packed]
    .filter((path) => path.startsWith('lib/cli/new-publication/'))
    .map(async (path) => [
      ...(await textOf(path).catch(() => '')).matchAll(new RegExp(`node_modules/${ENGINE_PACKAGE}/([\\w./-]*\\w)`, 'g')),
    ]);
  const paths = (await Promise.all(named)).flat().map(([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(1);
  expect(paths.filter((path) => ![...packed].some((file) => file === path || file.startsWith(`${path}/`)))).toEqual([]);
});

const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Readonly<
  Record<'dependencies' | 'devDependencies' | 'optionalDependencies' | 'peerDependencies', Readonly<Record<string, string>>>
> & {
  readonly engines: { readonly node: string };
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
};

test('what few publications need is optional, in the version that is tested here or a later one, and the package brings no Node', () => {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = manifest;
  expect(Object.keys(peerDependencies)).toEqual([
    '@astrojs/cloudflare',
    '@viz-js/viz',
    'beautiful-mermaid',
    'mammoth',
    'stripe',
    'wrangler',
  ]);
  for (const [name, range] of Object.entries(peerDependencies)) {
    expect([name, range, peerDependenciesMeta[name]]).toEqual([name, `^${devDependencies[name]}`, { optional: true }]);
    expect(devDependencies[name]).toMatch(/^\d+\.\d+\.\d+$/);
    expect(dependencies).not.toHaveProperty([name]);
  }
  expect(Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) => /^node($|-)/.test(name))).toEqual([]);
});

test('akg says in one sentence that an older Node does not run it', () => {
  const older = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })";
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(older)}`, join(ROOT, 'src/cli/akg.mjs'), 'check'],
    { encoding: 'utf8' },
  );
  const floor = manifest.engines.node.replace('>=', '').replace(/\.0$/, '');
  expect([status, stderr]).toEqual([
    1,
    `akg needs Node ${floor} or later and this is 20.20.2: install a newer one (https://nodejs.org/en/download) and run the command again.\n`,
  ]);
});

/** Whether a version of Node is in a range of npm: alternatives of `>=`, `^` and plain versions. */
function accepts(range: string, version: readonly number[]): boolean {
  return range.split('||').some((alternative) => {
    const [, operator = '', text = ''] = /^\s*(>=|\^|)\s*([\d.]+)\s*$/.exec(alternative) ?? [];
    if (text === '') throw new Error(`a range of another form: ${range}`);
    const least = text.split('.').map(Number);
    const at = least.findIndex((part, index) => part !== version[index]);
    const isAtLeast = at === -1 || (least[at] ?? 0) < (version[at] ?? 0);
    return operator === '>=' ? isAtLeast : operator === '^' ? isAtLeast && least[0] === version[0] : at === -1;
  });
}

const NOT_LOADED: readonly string[] = [
  // Reads fonts from the network, for which no build here asks.
  'node_modules/unifont/node_modules/undici',
  // Where a package has no program for the machine.
  'node_modules/@napi-rs/wasm-runtime',
];

test('the oldest Node that the package states is one that everything it installs accepts', async () => {
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<
      Record<string, { readonly engines?: { readonly node?: string }; readonly dev?: true; readonly optional?: true }>
    >;
  };
  const { engines, peerDependencies } = manifest;
  expect(packages['']?.engines).toEqual(engines);
  const floor = engines.node.replace('>=', '').split('.').map(Number);
  const peers = new Set(Object.keys(peerDependencies).map((name) => `node_modules/${name}`));
  const installed = Object.entries(packages).filter(
    ([path, { dev, optional }]) => path !== '' && (peers.has(path) || !dev) && !optional && !NOT_LOADED.includes(path),
  );
  expect(installed.length).toBeGreaterThan(200);
  const refusing = installed.filter(([, { engines: own }]) => own?.node !== undefined && !accepts(own.node, floor));
  expect(refusing.map(([path, { engines: own }]) => `${path} wants ${own?.node}`)).toEqual([]);
  expect(await readFile(join(ROOT, 'README.md'), 'utf8')).toContain(`Node ${floor.slice(0, 2).join('.')} or later`);
});
