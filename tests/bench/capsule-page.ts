import { readdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';
import { blocksOf } from '../../src/build/corpus-blocks/generation-store.ts';
import { engineModules, PAGE_SERVER_FILE } from '../../src/build/functions-worker.ts';
import { wholeNumber } from '../../src/cli/define-command.ts';
import { passOfOrder } from '../../src/gateway/commerce/cart/access-passes.ts';
import { LIST_PAGE_SIZE } from '../../src/gateway/knowledge/capsule-lists/read-list.ts';
import { readSigningSecrets } from '../../src/platform/environment.ts';
import type { X402Items } from '../../src/protocols/x402/x402.ts';
import type { Deployment } from '../../src/schemas/deployment.ts';
import { type ListConditions, type ListDirectory, type ListRequest, listPath } from '../../src/schemas/knowledge/capsule-lists.ts';
import type { GenerationManifest } from '../../src/schemas/knowledge/generation-manifest.ts';
import { capsuleApiPath, capsuleFilePath, capsuleMarkdownPath, capsulePath, lineageFilePath, PATHS } from '../../src/schemas/paths.ts';
import { mean, percentile } from '../eval/statistics.ts';
import { newScript } from '../support/campaign.ts';
import { TEST_SIGNING_SECRETS } from '../support/edge-gateway.ts';
import { ROOT } from '../support/paths.ts';
import { childrenNamed, mainThreadCpuMsOf } from './process-figures.ts';

/**
 * CPU of the pages of capsules that functions serve, in workerd, in the thread that runs the isolate: after many pages, and the first of
 * fresh isolates. Blocks are in the memory of the worker and nothing is cached, so no simulator is measured; the cost of a request to an
 * unknown address is subtracted. Needs a build in which functions serve the pages. Linux only.
 */
const script = newScript('bench:pages', 'Measure the CPU of capsule pages that functions render. Linux only.')
  .argument('<folder>', 'folder with the .akg of a build, such as . after "npm run build", or .akg/local after "npm start"')
  .option('--isolates <number>', 'fresh isolates', wholeNumber(1), 7)
  .option('--pages <number>', 'pages of a warm isolate', wholeNumber(1), 300)
  .option(
    '--texts',
    'only a text that is sold beside a free one, over the API: unpaid (402), paid by x402, and opened by a pass; of any build',
  )
  .parse();
const [folder] = script.processedArgs;
const { isolates, pages, texts = false } = script.opts();
const akg = resolve(folder, '.akg');
const ORDER = `ord_${'ab'.repeat(12)}`;
const FACILITATOR = { '/verify': { isValid: true }, '/settle': { success: true, transaction: `0x${'5e'.repeat(32)}` } };
const ENTRY = `import { pagesFunction } from ${JSON.stringify(join(ROOT, 'src/functions/pages-function.ts'))};
import * as generated from ${JSON.stringify(join(akg, 'generated.js'))};
const deployment = { ...generated.deployment${texts ? ", rateLimits: 'bench'" : ''} };
const onRequest = pagesFunction({ ...generated, deployment }, () => import(${JSON.stringify(join(akg, 'server', PAGE_SERVER_FILE))}));
import blocks from './blocks.bin';
import index from './index.json';
const read = (key) => {
  const [start, end] = index[key.slice(2)] ?? [];
  return start === undefined ? undefined : blocks.slice(start, end);
};
const text = (bytes) => (bytes === undefined ? null : new TextDecoder().decode(bytes));
const CAPSULES = { get: async (key) => (Array.isArray(key) ? new Map(key.map((one) => [one, text(read(one))])) : (read(key) ?? null)) };
// Every pass is in force.
const passes = { results: [{ order_id: '${ORDER}', opens: 'all', ends_at_ms: null }] };
// A reservation of a payment is always new, and its row is what was bound.
const statement = (sql, values = []) => ({
  bind: (...bound) => statement(sql, bound),
  all: async () => passes,
  first: async () => null,
  results: () => {
    const columns = sql.startsWith('INSERT INTO payments') ? sql.slice(sql.indexOf('(') + 1, sql.indexOf(')')).split(', ') : undefined;
    return columns ? { results: [Object.fromEntries(columns.map((column, at) => [column, values[at]]))] } : passes;
  },
});
const STATE = ${texts ? '{ prepare: (sql) => statement(sql), batch: async (list) => list.map((one) => one.results()) }' : 'undefined'};
if (${texts}) globalThis.fetch = async (url) => Response.json(${JSON.stringify(FACILITATOR)}[url.slice(url.lastIndexOf('/'))]);
const ASSETS = { fetch: async () => new Response('missing', { status: 404 }) };
export default {
  fetch: (request, env, context) =>
    onRequest({ request, env: { ...env, CAPSULES, ASSETS, STATE }, waitUntil: (work) => context.waitUntil(work) }),
};`;

async function bundledBuild() {
  const [version] = JSON.parse(await readFile(join(akg, 'generations.json'), 'utf8')) as string[];
  const manifest = JSON.parse((await block(version ?? '')).toString()) as GenerationManifest;
  if (manifest.blocks.articles === undefined && !texts)
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
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir: akg, sourcefile: 'entry.js' },
    bundle: true,
    format: 'esm',
    target: 'es2024',
    // As wrangler bundles functions.
    conditions: ['workerd', 'worker', 'browser'],
    minify: true,
    write: false,
    outdir: akg,
    loader: { '.wasm': 'copy' },
    external: ['cloudflare:workers', './blocks.bin', './index.json'],
    plugins: [engineModules()],
    define: { 'globalThis.caches': 'undefined' },
    logLevel: 'error',
  });
  const modules = outputFiles.map(({ path, contents }) => {
    const isWasm = path.endsWith('.wasm');
    return [isWasm ? basename(path) : 'entry.js', { type: isWasm ? 'wasm' : 'esm', contents }] as const;
  });
  return {
    ids,
    manifest,
    modules: {
      ...Object.fromEntries(modules),
      'blocks.bin': { type: 'data', contents: Buffer.concat(parts) },
      'index.json': { type: 'json', contents: JSON.stringify(index) },
    },
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
    list('list by title', {}, 'title', middle),
    list('newest', {}, 'newest'),
    list('old in newest', {}, 'newest', middle),
    list('subject', { tag: subject }),
    list('type', { type: directory.facets.type.at(-1)?.[0] as ListConditions['type'] }),
    list('subject, newest', { tag: subject }, 'newest'),
    list('two filters', {
      type: directory.facets.type[0]?.[0] as ListConditions['type'],
      changed: directory.facets.changed[0]?.[0],
    }),
  ];
}

const block = (name: string): Promise<Buffer> => readFile(join(akg, 'blocks', name));
const { ids, manifest, modules } = await bundledBuild();
const idAt = (position: number): string => ids[Math.floor((position * 0.618_034 * ids.length) % ids.length)] ?? '';

/** Runs `use` with a function that gives the CPU of one request to a fresh isolate, in milliseconds. */
async function inIsolate(
  use: (cpuOf: (path: string, status?: number, headers?: Readonly<Record<string, string>>) => Promise<number>) => Promise<void>,
): Promise<void> {
  const before = new Set(childrenNamed('workerd'));
  const env = { SIGNING_SECRETS: { type: 'text', value: TEST_SIGNING_SECRETS } };
  const config = { name: 'pages', compatibilityDate: '2026-10-01', manifest: { mainModule: 'entry.js', modulesRoot: '/', modules }, env };
  const miniflare = new Miniflare({
    cf: false,
    workers: [{ dev: { unsafeDirectSockets: [{}] }, config }],
  } as unknown as ConstructorParameters<typeof Miniflare>[0]);
  try {
    const { origin } = await miniflare.unsafeGetDirectURL('pages');
    const pid = childrenNamed('workerd').find((child) => !before.has(child)) ?? 0;
    let network = 0;
    await use(async (path, status = path === NOTHING ? 404 : 200, headers = {}) => {
      network += 1;
      const start = mainThreadCpuMsOf(pid);
      const response = await fetch(origin + path, { headers: { 'CF-Connecting-IP': `10.${network >> 8}.${network & 255}.1`, ...headers } });
      await response.arrayBuffer();
      if (response.status !== status) throw new Error(`${path} returned ${response.status}`);
      return mainThreadCpuMsOf(pid) - start;
    });
  } finally {
    await miniflare.dispose();
  }
}

const NOTHING = '/api/nothing';
const FORMS = { page: capsulePath, markdown: capsuleMarkdownPath, JSON: capsuleFilePath, lineage: lineageFilePath } as const;
const print = (name: string, list: readonly number[], empty: number): void => {
  const figures = [mean(list), percentile(list, 0.5), percentile(list, 0.95)].map((value) => `${(value - empty).toFixed(2)} ms`);
  console.log(`${name.padEnd(24)} mean ${figures[0]}, median ${figures[1]}, p95 ${figures[2]}`);
};

/** A payment by x402 for a text, which the facilitator of this script accepts. */
function paymentFor(capsule: string, document: string): Readonly<Record<string, string>> {
  const item = (JSON.parse(document) as X402Items).items.find(({ resource: { url } }) => url.endsWith(capsuleApiPath(capsule)));
  const [accepted] = item?.accepts ?? [];
  if (accepted === undefined) throw new Error('this text is not paid in a token');
  const seconds = Math.floor(Date.now() / 1_000);
  const authorization = {
    from: `0x${'1'.repeat(40)}`,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: String(seconds - 600),
    validBefore: String(seconds + 86_400),
    nonce: `0x${'07'.repeat(32)}`,
  };
  const payment = { x402Version: 2, accepted, payload: { signature: `0x${'ab'.repeat(65)}`, authorization } };
  return { 'PAYMENT-SIGNATURE': btoa(JSON.stringify(payment)) };
}

/**
 * What a text costs that is sold: a challenge has keyed digests and a signature, a payment is reserved, verified and settled, and a pass is read
 * in the database. Database and facilitator answer at once here.
 */
async function measureTexts(): Promise<void> {
  const { deployment, documents } = (await import(join(akg, 'generated.js'))) as {
    deployment: Deployment;
    documents: Record<string, { body: string }>;
  };
  const sold = deployment.soldTexts?.[0]?.capsule_id;
  const secrets = await readSigningSecrets(TEST_SIGNING_SECRETS);
  if (sold === undefined || deployment.payments === undefined || 'missing' in secrets) throw new Error('this build sells no text');
  const free = ids.filter((id) => id !== sold);
  const pass = await passOfOrder(ORDER, secrets);
  const payment = paymentFor(sold, documents['x402_items']?.body ?? '{"items":[]}');
  await inIsolate(async (cpuOf) => {
    const costs: Record<'nothing' | 'free' | 'unpaid' | 'paid' | 'opened', number[]> = {
      nothing: [],
      free: [],
      unpaid: [],
      paid: [],
      opened: [],
    };
    // In turns, so that what else the machine does is in all of them.
    for (let turn = 0; turn < pages; turn += 1) {
      costs.nothing.push(await cpuOf(NOTHING));
      costs.free.push(await cpuOf(capsuleApiPath(free[turn % free.length] ?? '')));
      costs.unpaid.push(await cpuOf(capsuleApiPath(sold), 402));
      costs.paid.push(await cpuOf(capsuleApiPath(sold), 200, payment));
      costs.opened.push(await cpuOf(`${capsuleApiPath(sold)}?pass=${pass}`));
    }
    const empty = percentile(costs.nothing, 0.5);
    print('free text', costs.free, empty);
    print('402 of a sold text', costs.unpaid, empty);
    print('sold text, paid by x402', costs.paid, empty);
    print('sold text with a pass', costs.opened, empty);
    const ratio = (list: readonly number[]) => (percentile(list, 0.5) / percentile(costs.free, 0.5)).toFixed(2);
    console.log(
      `whole requests beside a free text: 402 ${ratio(costs.unpaid)}, paid ${ratio(costs.paid)}, with a pass ${ratio(costs.opened)}`,
    );
  });
}

console.log(`${ids.length} capsules`);
if (texts) {
  await measureTexts();
  process.exit();
}
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
print('first request, a page', fresh.first, percentile(fresh.nothing, 0.5));
print('second request, a page', fresh.second, 0);
print('first request, a list', ofLists, percentile(fresh.nothing, 0.5));
await inIsolate(async (cpuOf) => {
  const all = Array.from({ length: pages }, (_, position) => idAt(position));
  for (const id of all) await cpuOf(capsulePath(id));
  const nothing: number[] = [];
  for (const _ of all) nothing.push(await cpuOf(NOTHING));
  const empty = percentile(nothing, 0.5);
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
