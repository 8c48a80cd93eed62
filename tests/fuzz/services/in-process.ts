import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { blockKey } from '../../../src/platform/block-stores.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { Kernel } from '../../../src/search/scoring-wasm/kernel.ts';
import { seededRandom } from '../../eval/random.ts';
import { compiledKernel } from '../../support/compiled-kernel.ts';
import { builtBlocks, builtGenerated, builtOpenApi, type Generated, TEST_SIGNING_SECRETS } from '../../support/edge-gateway.ts';
import { PUBLICATION } from '../../support/paths.ts';
import { simulatedDatabase } from '../../support/simulated/database.ts';
import { useDirectCrypto } from '../../support/simulated/direct-crypto.ts';
import { simulatedGateway } from '../../support/simulated/gateway.ts';
import { simulatedKeyValue } from '../../support/simulated/key-value.ts';
import { SimulatedTime, simulatedRuntime } from '../../support/simulated/time.ts';
import { bodyOf, type FuzzedService, type PlainReply, type PlainRequest } from '../plain-request.ts';

export interface InProcessOptions {
  readonly seed: number;
  /** `bench` lifts the rate limits. */
  readonly rateLimits: 'default' | 'bench';
  /** Told every HMAC that the service computes. */
  readonly onMac?: (bytes: Uint8Array) => void;
}

/** Milliseconds of simulated time from one request to the next. */
const STEP_MS = 25;

export async function startInProcess({ seed, rateLimits, onMac = () => undefined }: InProcessOptions): Promise<FuzzedService> {
  const built = await builtGenerated();
  const generated: Generated = { ...built, deployment: { ...built.deployment, rateLimits, intake: 'open' } };
  const time = new SimulatedTime(Date.UTC(2026, 10, 22));
  const undoCrypto = useDirectCrypto();
  const undoMacs = watchMacs(onMac);
  const database = simulatedDatabase(time);
  const keyValue = simulatedKeyValue(time);
  keyValue.fill([...(await builtBlocks())].map(([name, bytes]) => [blockKey(name), bytes] as const));
  const gateway = await simulatedGateway({
    generated,
    world: simulatedRuntime(time, seededRandom(seed)),
    database: database.binding(),
    keyValue: keyValue.binding('here'),
    assets: await builtPages(),
    signingSecrets: TEST_SIGNING_SECRETS,
    ranking: new Kernel(compiledKernel()),
  });
  const log: string[] = [];
  const ownError = console.error;
  console.error = (...values: unknown[]) => void log.push(values.map(String).join(' '));
  const { baseUrl } = generated.deployment;
  return {
    name: `in this process, rate limits ${rateLimits}`,
    baseUrl,
    send: async (plain) => {
      const request = asRequest(baseUrl, plain);
      if (request === undefined) return UNSENT;
      await time.advance(STEP_MS);
      const began = performance.now();
      const background: Promise<unknown>[] = [];
      const response = await gateway(request, (work) => void background.push(work));
      const body = await response.text();
      await Promise.all(background);
      return { status: response.status, headers: response.headers, body, ms: performance.now() - began };
    },
    nowMs: () => time.nowMs,
    takeLog: () => log.splice(0),
    stop: async () => {
      console.error = ownError;
      undoMacs();
      undoCrypto();
      database.close();
    },
  };
}

/** Stands for a request that the client of this machine refuses to send. */
export const UNSENT: PlainReply = { status: 0, headers: new Headers(), body: '', ms: 0 };

/** The request, or `undefined` if Fetch has no such request. */
function asRequest(baseUrl: string, plain: PlainRequest): Request | undefined {
  try {
    const body = bodyOf(plain);
    return new Request(baseUrl + plain.target, {
      method: plain.method,
      headers: plain.headers.map(([name, value]): [string, string] => [name, value]),
      ...(body === undefined ? {} : { body, duplex: 'half' }),
    });
  } catch {
    return undefined;
  }
}

function watchMacs(onMac: (bytes: Uint8Array) => void): () => void {
  const { subtle } = globalThis.crypto;
  const own = subtle.sign;
  const watched: typeof subtle.sign = async (...given) => {
    const bytes = await own.apply(subtle, given);
    onMac(new Uint8Array(bytes));
    return bytes;
  };
  Object.assign(subtle, { sign: watched });
  return () => void Object.assign(subtle, { sign: own });
}

/** What a file system takes as the name of a file, in bytes (NAME_MAX). */
const NAME_MAX_BYTES = 255;

/** Whether a host that keeps its files on a disk fails at a path, as that of `wrangler pages dev` does. */
function breaksDisk(path: string): boolean {
  return path.includes('\0') || path.split('/').some((name) => Buffer.byteLength(`${name}.html`) > NAME_MAX_BYTES);
}

/** The pages of the build, as the host of the site serves them, and the file that functions read. */
async function builtPages(): Promise<Fetcher> {
  const folder = join(PUBLICATION, 'dist');
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.html'));
  const pages = new Map<string, string>(
    await Promise.all(names.map(async (name) => [`/${name.replace(/\.html$/, '')}`, await readFile(join(folder, name), 'utf8')] as const)),
  );
  pages.set(PATHS.openApi, await builtOpenApi());
  return {
    fetch: async (input) => {
      const path = decodedPath(new URL(input instanceof Request ? input.url : input).pathname);
      if (breaksDisk(path)) return new Response('no such name can be looked for', { status: 502 });
      const page = pages.get(path);
      return new Response(page ?? 'not found', { status: page === undefined ? 404 : 200, headers: { 'Content-Type': 'text/html' } });
    },
  };
}

function decodedPath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
