import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { blocksOf } from '../../src/build/corpus-blocks/generation-store.ts';
import { engineModules, PAGE_SERVER_FILE } from '../../src/build/functions-worker.ts';
import { wholeNumber } from '../../src/cli/define-command.ts';
import { LIST_PAGE_SIZE } from '../../src/gateway/knowledge/capsule-lists/read-list.ts';
import { type ListConditions, type ListDirectory, type ListRequest, listPath } from '../../src/schemas/knowledge/capsule-lists.ts';
import type { GenerationManifest } from '../../src/schemas/knowledge/generation-manifest.ts';
import { capsuleFilePath, capsuleMarkdownPath, capsulePath, lineageFilePath, PATHS } from '../../src/schemas/paths.ts';
import { mean, median, percentile } from '../eval/statistics.ts';
import { newScript } from '../support/campaign.ts';
import { TEST_SIGNING_SECRETS } from '../support/edge-gateway.ts';
import { ROOT } from '../support/paths.ts';
import { bundleWorker, startWorkerd, type WorkerModules } from '../support/workerd.ts';
import { mainThreadCpuMsOf, newWorkerd } from './process-figures.ts';

/**
 * CPU of the pages of capsules that functions serve, in workerd, in the thread that runs the isolate: after many pages, and the first of
 * fresh isolates. Blocks are in the memory of the worker and nothing is cached, so no simulator is measured; the cost of a request to an
 * unknown address is subtracted. Needs a build in which functions serve the pages. Linux only.
 */
const script = newScript('bench:pages', 'Measure the CPU of capsule pages that functions render. Linux only.')
  .argument('<folder>', 'folder with the .akg of a build, such as . after "npm run build", or .akg/local after "npm start"')
  .option('--isolates <number>', 'fresh isolates', wholeNumber(1), 7)
  .option('--pages <number>', 'pages of a warm isolate', wholeNumber(1), 300)
  .parse();
const [folder] = script.processedArgs;
const { isolates, pages } = script.opts();
const akg = resolve(folder, '.akg');
const ENTRY = `import { pagesFunction } from ${JSON.stringify(join(ROOT, 'src/functions/pages-function.ts'))};
import * as generated from ${JSON.stringify(join(akg, 'generated.js'))};
const onRequest = pagesFunction(generated, () => import(${JSON.stringify(join(akg, 'server', PAGE_SERVER_FILE))}));
import blocks from './blocks.bin';
import index from './index.json';
const read = (key) => {
  const [start, end] = index[key.slice(2)] ?? [];
  return start === undefined ? undefined : blocks.slice(start, end);
};
const text = (bytes) => (bytes === undefined ? null : new TextDecoder().decode(bytes));
const CAPSULES = { get: async (key) => (Array.isArray(key) ? new Map(key.map((one) => [one, text(read(one))])) : (read(key) ?? null)) };
const ASSETS = { fetch: async () => new Response('missing', { status: 404 }) };
export default {
  fetch: (request, env, context) =>
    onRequest({ request, env: { ...env, CAPSULES, ASSETS }, waitUntil: (work) => context.waitUntil(work) }),
};`;

async function bundledBuild() {
  const [version] = JSON.parse(await readFile(join(akg, 'generations.json'), 'utf8')) as string[];
  const manifest = JSON.parse((await block(version ?? '')).toString()) as GenerationManifest;
  if (manifest.blocks.articles === undefined)
    throw new Error('in this build the pages of capsules are files: build with "capsule_pages: edge"');
  const index: Record<string, [start: number, end: number]> = {};
  const parts: Buffer[] = [];
  let end = 0;
  for (const name of await readdir(join(akg, 'blocks'))) {
    const bytes = await block(name);
    index[name] = [end, end + bytes.length];
    end += bytes.length;
    parts.push(bytes);
  }
  const pages = (await blocksOf({ version: version ?? '', manifest }, block)).filter(({ kind }) => kind === 'documents');
  const documents = await Promise.all(pages.map(({ sha256 }) => block(sha256)));
  const ids = documents.flatMap((page) => JSON.parse(page.toString().split('\n')[0] ?? '') as string[]);
  const bundled = await bundleWorker({
    stdin: { contents: ENTRY, resolveDir: akg },
    minify: true,
    external: ['cloudflare:*', './blocks.bin', './index.json'],
    plugins: [engineModules()],
    define: { 'globalThis.caches': 'undefined' },
  });
  return {
    ids,
    manifest,
    modules: {
      ...bundled,
      'blocks.bin': { type: 'data', contents: Buffer.concat(parts) },
      'index.json': { type: 'json', contents: JSON.stringify(index) },
    } as WorkerModules,
  };
}

const LIST_RUNS = 50;

async function listAddresses(): Promise<{ readonly name: string; readonly path: string }[]> {
  const directory = JSON.parse((await block(manifest.blocks.facets?.[0]?.sha256 ?? '')).toString()) as ListDirectory;
  const [subject = ''] = directory.subjects.toSorted(([, a], [, b]) => b - a)[0] ?? [];
  const middle = Math.ceil(directory.counts.capsules / LIST_PAGE_SIZE / 2);
  const list = (name: string, conditions: ListConditions, sort: ListRequest['sort'] = 'title', page = 1) => ({
    name,
    path: listPath({ conditions, sort, page }),
  });
  return [
    list('list by title', {}),
    list('newest', {}, 'newest'),
    list('old in newest', {}, 'newest', middle),
    list('subject', { tag: subject }),
    list('type', { type: directory.facets.type.at(-1)?.[0] as ListConditions['type'] }),
    list('subject, newest', { tag: subject }, 'newest'),
    list('two filters', { type: directory.facets.type[0]?.[0] as ListConditions['type'], changed: directory.facets.changed[0]?.[0] }),
  ];
}

const block = (name: string): Promise<Buffer> => readFile(join(akg, 'blocks', name));
const { ids, manifest, modules } = await bundledBuild();
const idAt = (position: number): string => ids[Math.floor((position * 0.618_034 * ids.length) % ids.length)] ?? '';

/** Runs `use` with a function that gives the CPU of one request to a fresh isolate, in milliseconds. */
async function inIsolate(use: (cpuOf: (path: string) => Promise<number>) => Promise<void>): Promise<void> {
  const env = { SIGNING_SECRETS: { type: 'text', value: TEST_SIGNING_SECRETS } };
  const miniflare = startWorkerd([{ name: 'pages', modules, env }]);
  try {
    const { origin } = await miniflare.unsafeGetDirectURL('pages');
    const pid = newWorkerd();
    let network = 0;
    await use(async (path) => {
      network += 1;
      const start = mainThreadCpuMsOf(pid);
      const response = await fetch(origin + path, { headers: { 'CF-Connecting-IP': `10.${network >> 8}.${network & 255}.1` } });
      await response.arrayBuffer();
      if (response.status !== (path === NOTHING ? 404 : 200)) throw new Error(`${path} returned ${response.status}`);
      return mainThreadCpuMsOf(pid) - start;
    });
  } finally {
    await miniflare.dispose();
  }
}

const NOTHING = '/api/nothing';
const FORMS = { page: capsulePath, markdown: capsuleMarkdownPath, JSON: capsuleFilePath, lineage: lineageFilePath } as const;
const print = (name: string, list: readonly number[], empty: number): void => {
  const figures = [mean(list), median(list), percentile(list, 0.95)].map((value) => `${(value - empty).toFixed(2)} ms`);
  console.log(`${name.padEnd(24)} mean ${figures[0]}, median ${figures[1]}, p95 ${figures[2]}`);
};

console.log(`${ids.length} capsules`);
const fresh: { readonly nothing: number[]; readonly first: number[]; readonly second: number[] } = { nothing: [], first: [], second: [] };
for (let isolate = 0; isolate < isolates; isolate += 1) {
  await inIsolate(async (cpuOf) => void fresh.nothing.push(await cpuOf(NOTHING)));
  await inIsolate(async (cpuOf) => {
    fresh.first.push(await cpuOf(capsulePath(idAt(isolate))));
    fresh.second.push(await cpuOf(capsulePath(idAt(isolate + isolates))));
  });
}
const lists = await listAddresses();
const ofLists: number[] = [];
for (let isolate = 0; isolate < isolates; isolate += 1)
  await inIsolate(async (cpuOf) => void ofLists.push(await cpuOf(lists[isolate % lists.length]?.path ?? PATHS.capsules)));
print('first request, no page', fresh.nothing, 0);
print('first request, a page', fresh.first, median(fresh.nothing));
print('second request, a page', fresh.second, 0);
print('first request, a list', ofLists, median(fresh.nothing));
await inIsolate(async (cpuOf) => {
  const all = Array.from({ length: pages }, (_, position) => idAt(position));
  for (const id of all) await cpuOf(capsulePath(id));
  const nothing: number[] = [];
  for (const _ of all) nothing.push(await cpuOf(NOTHING));
  const empty = median(nothing);
  for (const [name, pathOf] of Object.entries(FORMS)) {
    const costs: number[] = [];
    for (const id of all) costs.push(await cpuOf(pathOf(id)));
    print(`warm, ${name}`, costs, empty);
  }
  for (const { name, path } of lists) {
    const costs: number[] = [];
    for (const _ of all.slice(0, LIST_RUNS)) costs.push(await cpuOf(path));
    print(`warm, ${name}`, costs.slice(1), empty);
  }
});
