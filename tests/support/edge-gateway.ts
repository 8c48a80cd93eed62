import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Miniflare } from 'miniflare';
import { ROOT, TEST_BASE_URL, FUNCTIONS_BUNDLE } from './paths.ts';

/** A secret for tests only: 32 counted bytes. */
export const TEST_SIGNING_SECRETS = `1:${Buffer.from(Array.from({ length: 32 }, (_, index) => index * 7 + 1)).toString('base64url')}`;

/** Variations of a tested service. */
export interface EdgeOptions {
  readonly signingSecrets?: string | undefined;
  /** Compiled functions to run, those of the tested build by default. */
  readonly bundle?: string;
  /** Blocks in KV: those of the build by default, none for an empty store. */
  readonly blocks?: 'built' | 'none';
}

/** The compiled functions in workerd, with real KV and D1 simulators. */
export interface EdgeGateway {
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  readonly miniflare: Miniflare;
  readonly stop: () => Promise<void>;
}

/** Starts the compiled functions; static files answer with their path, so that tests see that one was asked for. */
export async function startEdgeGateway(options: EdgeOptions = {}): Promise<EdgeGateway> {
  const secrets = 'signingSecrets' in options ? options.signingSecrets : TEST_SIGNING_SECRETS;
  const miniflare = new Miniflare({
    cf: false,
    workers: [
      {
        config: {
          name: 'gateway',
          compatibilityDate: '2026-10-01',
          manifest: { mainModule: 'index.js', modulesRoot: '/', modules: { 'index.js': { type: 'esm', contents: await readFile(options.bundle ?? FUNCTIONS_BUNDLE, 'utf8') } } },
          env: {
            CAPSULES: { type: 'kv', id: 'capsules' },
            STATE: { type: 'd1', id: 'state' },
            ASSETS: { type: 'fetcher', handler: (request: Request) => new Response(`file ${new URL(request.url).pathname}`, { headers: { 'Content-Type': 'text/html' } }) },
            ...(secrets === undefined ? {} : { SIGNING_SECRETS: { type: 'text', value: secrets } }),
          },
        },
      },
    ],
  } as unknown as ConstructorParameters<typeof Miniflare>[0]);
  if (options.blocks !== 'none') await seed(miniflare);
  await migrate(miniflare);
  return {
    miniflare,
    fetch: async (path, init) => (await miniflare.dispatchFetch(`${TEST_BASE_URL}${path}`, { redirect: 'manual', ...init } as never)) as unknown as Response,
    stop: () => miniflare.dispose(),
  };
}

async function seed(miniflare: Miniflare): Promise<void> {
  const namespace = await miniflare.getKVNamespace('CAPSULES');
  const folder = join(ROOT, '.akg/blocks');
  for (const name of await readdir(folder)) {
    const bytes = await readFile(join(folder, name));
    await namespace.put(`b/${name}`, bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer);
  }
}

async function migrate(miniflare: Miniflare): Promise<void> {
  const database = await miniflare.getD1Database('STATE');
  const folder = join(ROOT, 'src/platform/d1/migrations');
  for (const name of (await readdir(folder)).sort()) {
    const sql = (await readFile(join(folder, name), 'utf8')).replace(/^--.*$/gm, '');
    for (const statement of sql.split(';').filter((text) => text.trim() !== '')) await database.prepare(statement).run();
  }
}
