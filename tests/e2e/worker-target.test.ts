import { type ChildProcess, spawn } from 'node:child_process';
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { GenerationStore } from '../../src/build/corpus-blocks/generation-store.ts';
import { WORKER_FOLDER, writeWorker } from '../../src/build/functions-worker.ts';
import { ensureLocalSecret, withLocalBindings } from '../../src/build/local/local-stores.ts';
import { childEnvironment, wranglerProgram } from '../../src/build/run-process.ts';
import { writeWorkerSettings } from '../../src/build/wrangler-settings.ts';
import { loadPublisher } from '../../src/publication/read-publisher.ts';
import { STEMMERS } from '../../src/search/analysis/analysers.ts';
import { filesBelow } from '../support/files-below.ts';
import { SAMPLE_CAPSULE, SAMPLE_OFFER, TABLE } from '../support/function-routes.ts';
import { fillLocalKv } from '../support/local-kv.ts';
import { PUBLICATION, ROOT } from '../support/paths.ts';
import { freePort } from '../support/project-copy.ts';
import { words } from '../support/words.ts';

/** The built sample as a Pages project and as a Worker, both as wrangler serves them on this machine, over copies of the same stores. */
const folder = join(ROOT, '.akg/test-worker-target');
const servers: ChildProcess[] = [];
let pages = '';
let worker = '';

beforeAll(async () => {
  pages = `http://127.0.0.1:${await freePort()}`;
  worker = `http://127.0.0.1:${await freePort()}`;
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, '.akg'), { recursive: true });
  for (const name of ['wrangler.toml', 'functions', 'content', 'dist', '.akg/functions.js', '.akg/generated.js', '.akg/server'])
    await cp(join(PUBLICATION, name), join(folder, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  // The server of Pages takes the nearest folder with this file for the project, and reads its wrangler.toml and .dev.vars.
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  // As a build writes it for former addresses.
  await writeFile(join(folder, 'dist/_redirects'), '/former-page /about 308\n');
  await ensureLocalSecret(folder);
  await fillLocalKv(folder, new GenerationStore(PUBLICATION));
  await cp(join(folder, '.wrangler/state'), join(folder, 'state-of-pages'), { recursive: true });
  const servesPages = serve(pages, ['pages', 'dev', `--persist-to=${join(folder, 'state-of-pages')}`]);
  // A copy, because the server of Pages watches its own.
  const asWorker = join(folder, 'as-worker');
  await mkdir(asWorker);
  for (const name of ['wrangler.toml', 'dist']) await cp(join(folder, name), join(asWorker, name), { recursive: true });
  await rm(join(asWorker, 'dist', WORKER_FOLDER), { recursive: true });
  const generated = await readFile(join(folder, '.akg/generated.js'), 'utf8');
  const parts = { root: folder, server: join(folder, '.akg/server'), generated, unused: [], analysers: STEMMERS.keys() };
  await writeWorker(join(asWorker, 'dist'), { ...parts, target: 'workers' });
  const publisher = { ...(await loadPublisher(folder, { baseUrl: pages })), target: 'workers' as const };
  const { config } = await writeWorkerSettings(asWorker, 'site', publisher);
  await cp(join(folder, '.dev.vars'), join(config, '../.dev.vars'));
  await Promise.all([servesPages, serve(worker, ['dev', '--config', config, `--persist-to=${join(folder, '.wrangler/state')}`])]);
});
afterAll(async () => {
  for (const server of servers) server.kill();
  await rm(folder, { recursive: true, force: true });
});

/** Starts a server of wrangler at an address, and waits until it answers. */
async function serve(address: string, command: readonly string[]): Promise<void> {
  const options = [
    '--ip=127.0.0.1',
    `--port=${new URL(address).port}`,
    '--inspector-port=0',
    '--log-level=error',
    '--show-interactive-dev-session=false',
  ];
  const child = spawn(process.execPath, [await wranglerProgram(), ...command, ...options], {
    cwd: folder,
    env: childEnvironment(),
    stdio: 'ignore',
  });
  servers.push(child);
  await vi.waitUntil(
    () =>
      fetch(`${address}/robots.txt`)
        .then(({ ok }) => ok)
        .catch(() => false),
    { timeout: 60_000, interval: 100 },
  );
}

const AT_ONCE = 8;

/** Headers that differ from one response to the next, or that only one of the servers on this machine sends. */
const OWN_HEADERS = words`cf-cache-status connection content-encoding content-length date keep-alive payment-required ratelimit ratelimit-policy
  transfer-encoding x-request-id x-server-env`;

async function answer(origin: string, path: string, headers: Record<string, string>) {
  const response = await fetch(origin + path, { headers, redirect: 'manual' });
  const body = Buffer.from(await response.arrayBuffer()).toString('latin1');
  const sent = [...response.headers].filter(([name]) => !OWN_HEADERS.includes(name));
  return {
    // Redirects of the two servers of files differ in their kind alone.
    status: response.status === 307 ? 308 : response.status,
    headers: Object.fromEntries(
      sent.map(([name, value]) => [
        name,
        // Each server of files has tags, and a type of scripts, of its own.
        name === 'etag' ? 'a tag' : value.replaceAll(origin, '').replace('application/javascript', 'text/javascript; charset=utf-8'),
      ]),
    ),
    body: body.replaceAll(origin, '').replace(/[0-9a-f]{24}/g, 'an id'),
  };
}

it('answers what the Pages project answers: status, headers and bytes, at every document, form and kind of page', async () => {
  const files = (await filesBelow(join(folder, 'dist'))).map((path) => `/${path}`);
  // Of files that differ in their name alone, one.
  const kinds = Map.groupBy(files, (file) =>
    file
      .replace(/[^/.]+(?=\.[^/]*$)/, '')
      .replace(/\/capsules\/[^/]+\//, '/capsules/*/')
      .replace(/\d/g, ''),
  );
  const chosen = [...kinds].flatMap(([kind, all]) => (kind.split('/').length > 2 ? all.slice(0, 1) : all));
  const paths = new Set([
    ...chosen.flatMap((file) => [file, file.replace(/(?:index)?\.html$/, '')]),
    ...TABLE.filter(({ method, path }) => method === 'GET' && !/[{*]/.test(path) && !path.includes('status')).map(({ path }) => path),
    ...words`/admin /former-page /capsules/payment-endpoint-checklist.md /nothing /nothing/ /capsules/nothing /capsules/nothing.md /api/v1/nothing /.assetsignore /_headers /_routes.json /_worker.js/index.js`,
    ...[`/buy/${SAMPLE_OFFER.id}?go`, `/buy/${SAMPLE_OFFER.alias}`, `/capsules/${SAMPLE_CAPSULE}?x=1`],
  ]);
  const requests = [...paths].flatMap((path) => {
    // Other forms than pages are not negotiated.
    const accepted = /\.(?!html$)[a-z0-9]+$/.test(path) ? ['*/*'] : ['*/*', 'text/markdown', 'application/json'];
    return accepted.map((accept) => ({ path, accept }));
  });
  const differing: string[] = [];
  for (let from = 0; from < requests.length; from += AT_ONCE)
    await Promise.all(
      requests.slice(from, from + AT_ONCE).map(async ({ path, accept }) => {
        const [ofPages, ofWorker] = await Promise.all([pages, worker].map((origin) => answer(origin, path, { Accept: accept })));
        // What counts limits is another in the Worker, and this document says so; challenges are random.
        const isOwn = path.endsWith('/capabilities') || path.endsWith('/challenge');
        if (isOwn ? ofPages?.status !== ofWorker?.status : JSON.stringify(ofPages) !== JSON.stringify(ofWorker))
          differing.push(`${path} (${accept})`);
      }),
    );
  expect(differing).toEqual([]);
  expect(paths.size).toBeGreaterThan(200);
});

it('counts limits for the location, and does the work of the companion on its schedule', async () => {
  const capabilities = await fetch(`${worker}/api/v1/agent-gateway/capabilities`);
  expect(await capabilities.json()).toMatchObject({ rate_limits: { enforcement: 'location' } });
  const run = await fetch(`${worker}/cdn-cgi/handler/scheduled?cron=*/5+*+*+*+*`);
  expect([run.status, await run.text()]).toEqual([200, 'ok']);
  const days = await withLocalBindings(folder, ({ STATE }) => STATE.prepare('SELECT checks, failures FROM status_days').all());
  expect(days.results).toEqual([{ checks: 1, failures: 0 }]);
});
