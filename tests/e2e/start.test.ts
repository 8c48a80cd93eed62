import { execFileSync } from 'node:child_process';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GenerationStore } from '../../src/build/corpus-blocks/generation-store.ts';
import { localFolder } from '../../src/build/local/serve-locally.ts';
import { DEMO_REFERENCES } from '../../src/schemas/commerce/stablecoin-payments.ts';
import { loadCommerceKit } from '../support/commerce-kit.ts';
import { contentsBelow } from '../support/files-below.ts';
import { HOSTILE_NAMES } from '../support/hostile-paths.ts';
import { ownAddresses } from '../support/links.ts';
import { fillLocalKv } from '../support/local-kv.ts';
import { PUBLICATION } from '../support/paths.ts';
import {
  copyProject,
  freePort,
  type ProjectCopy,
  processesOf,
  type StartedService,
  startService,
  startToEnd,
} from '../support/project-copy.ts';
import { callAkg } from '../support/run-akg.ts';
import { words } from '../support/words.ts';

const kit = await loadCommerceKit();
let copy: ProjectCopy;
let port: number;
/** Private key of the copy, made as a publisher makes it. */
let lineageKey: string;

beforeAll(async () => {
  copy = await copyProject();
  // What the build of the tests found in the same texts, and its generation as the one before, also in KV. `package.test.ts` begins without anything.
  const local = localFolder('');
  // The tested publication has no lock file, which decides what is kept.
  await rm(join(copy.folder, 'package-lock.json'));
  for (const name of ['kept', 'tried.json'])
    await cp(join(PUBLICATION, '.akg', name), join(copy.folder, '.akg', name), { recursive: true });
  for (const name of ['.akg/blocks', '.akg/generations.json'])
    await cp(join(PUBLICATION, name), join(copy.folder, local, name), { recursive: true });
  await fillLocalKv(copy.folder, new GenerationStore(PUBLICATION));
  port = await freePort();
  lineageKey = (await callAkg(['new-key'], copy.folder)).stdout.trim().replace('LINEAGE_KEY=', '');
  expect(lineageKey).toMatch(/^[\w-]{43}$/);
});
afterAll(() => copy.remove());

let running: StartedService | undefined;
afterAll(() => running?.interrupt());

async function start(key = lineageKey): Promise<StartedService> {
  running = await startService(copy.folder, port, { LINEAGE_KEY: key });
  return running;
}

/** Ends the service as Ctrl-C does, and sees that nothing of it is left. */
async function stop(): Promise<void> {
  await running?.interrupt();
  running = undefined;
  await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
  expect(processesOf(copy.folder)).toEqual([]);
}

const AT_ONCE = 8;

/** Addresses that are named, but take no GET, or a key or a question with it. */
const NO_DOCUMENTS = words`
    /api/v1/agent-gateway/register /api/v1/agent-gateway/query /api/v1/agent-gateway/keys/self /api/v1/agent-gateway/keys/rotate
    /api/v1/agent-gateway/keys/revoke /api/v1/capsules/fetch /api/v1/acp /api/v1/acp/checkout_sessions /api/v1/commerce/invoice-requests
    /api/v1/commerce/stripe-webhook /api/v1/ucp /api/v1/ucp/mcp /api/v1/ucp/catalog/search /api/v1/ucp/catalog/lookup
    /api/v1/ucp/catalog/product /api/v1/ucp/checkout-sessions /a2a /ask /mcp
  `;

const IDEMPOTENCY_KEY = 'e2e-registration-0123456789';

function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) });
}

async function register(baseUrl: string): Promise<string> {
  const response = await post(
    `${baseUrl}/api/v1/agent-gateway/register`,
    { agent_name: 'End to end' },
    { 'Idempotency-Key': IDEMPOTENCY_KEY },
  );
  expect(response.status).toBe(201);
  return ((await response.json()) as { api_key: string }).api_key;
}

describe('npm start', () => {
  let key: string;

  it('builds what changed after the generation before, writes only the keys that a change of one capsule touches, and answers from both', async () => {
    const path = join(copy.folder, 'content/capsules/minor-units.md');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace(/^title: .*$/m, 'title: Money travels as whole numbers of the smallest unit'));
    const service = await start();
    expect(service.output()).not.toContain('Using secrets defined in');
    const [, written, total] = /KV: (\d+) of (\d+) keys written/.exec(service.output()) ?? [];
    expect(Number(written)).toBeGreaterThan(0);
    expect(Number(written)).toBeLessThan(Number(total) / 2 + 3);
    key = await register(service.baseUrl);
    const status = (await (await fetch(`${service.baseUrl}/api/v1/capsules/public/status`)).json()) as {
      corpus: { generations: string[] };
    };
    const [newest, before] = status.corpus.generations;
    const ask = async (version: string | undefined): Promise<{ corpus_version: string; results: { title: string }[] }> => {
      const response = await post(
        `${service.baseUrl}/api/v1/agent-gateway/query`,
        { query: 'money integers smallest unit', max_results: 1, corpus_version: version },
        { Authorization: `Bearer ${key}` },
      );
      return (await response.json()) as { corpus_version: string; results: { title: string }[] };
    };
    expect((await ask(newest)).results[0]?.title).toBe('Money travels as whole numbers of the smallest unit');
    expect((await ask(before)).results[0]?.title).toMatch(/^Money travels as integers/);
  });

  it('sells its paid text to official clients without an account and a network, as a demonstration', async () => {
    const base = running?.baseUrl ?? '';
    const address = `${base}/capsules/payment-endpoint-checklist.md`;
    expect(running?.output()).toContain(
      `any client of x402 or MPP can buy ${base}/api/v1/agent-gateway/capsule/payment-endpoint-checklist`,
    );
    const refused = await fetch(address);
    expect([refused.status, await refused.text()]).toEqual([402, expect.stringContaining('This is a demonstration: no money is taken')]);
    for (const path of ['/.well-known/x402', '/capsules/payment-endpoint-checklist', '/docs/paying'])
      expect([path, await (await fetch(base + path)).text()]).toEqual([path, expect.stringContaining('emonstration: no money is taken')]);
    const { protocols } = (await (await fetch(`${base}/api/v1/agent-gateway/capabilities`)).json()) as {
      protocols: { name: string; demo?: true }[];
    };
    expect(protocols.flatMap(({ name, demo }) => (demo ? [name] : []))).toEqual(['x402', 'MPP']);
    if (kit === undefined) return;
    const { x402Fetch, mppFetch, cardFetch, newAccount, signX402 } = kit;
    for (const [pay, reference] of [
      [x402Fetch(newAccount(), fetch), DEMO_REFERENCES.token],
      [mppFetch(newAccount(), fetch), DEMO_REFERENCES.token],
      [cardFetch(async () => 'spt_of_nobody', fetch), DEMO_REFERENCES.card],
    ] as const) {
      const bought = await pay(address);
      const receipt = Buffer.from(bought.headers.get('payment-receipt') ?? '', 'base64url').toString();
      expect([bought.status, await bought.text(), receipt]).toEqual([
        200,
        expect.stringContaining('finds most leaks'),
        expect.stringContaining(`"reference":"${reference}`),
      ]);
    }
    const decoded = (header: string | null): unknown => JSON.parse(Buffer.from(header ?? '', 'base64').toString());
    const signed = await signX402(newAccount(), decoded(refused.headers.get('payment-required')));
    const payment = { ...signed, payload: { ...(signed['payload'] as object), signature: `0x${'11'.repeat(65)}` } };
    const forged = await fetch(address, { headers: { 'PAYMENT-SIGNATURE': Buffer.from(JSON.stringify(payment)).toString('base64') } });
    expect([forged.status, decoded(forged.headers.get('payment-required'))]).toEqual([
      402,
      expect.objectContaining({ error: 'invalid_exact_evm_signature' }),
    ]);
    const { stdout } = await callAkg(['orders', 'counts'], copy.folder);
    expect(stdout).toMatch(/1 {2}payment-endpoint-checklist \(demo\) by x402\n/);
  });

  it('serves the whole journey of an agent, and every address in every document answers, names that no file can have too', async () => {
    if (running === undefined) throw new Error('nothing is served');
    const service = running;
    const { baseUrl } = service;
    expect(service.output()).toContain(`Open ${baseUrl}`);
    expect(service.output()).toContain('curl -s -X POST');

    const answer = (await (
      await post(
        `${baseUrl}/api/v1/agent-gateway/query`,
        { query: 'x402 payment header', max_results: 3 },
        { Authorization: `Bearer ${key}` },
      )
    ).json()) as {
      results: {
        capsule_id: string;
        markdown_url: string;
        lineage_url: string;
        url: string;
        quote: { start: number; end: number; text: string };
      }[];
    };
    expect(answer.results.length).toBe(3);
    for (const result of answer.results) {
      const markdown = await (await fetch(result.markdown_url)).text();
      expect(markdown.slice(result.quote.start, result.quote.end)).toBe(result.quote.text);
      const api = await (await fetch(`${baseUrl}/api/v1/agent-gateway/capsule/${result.capsule_id}/lineage`)).text();
      expect(await (await fetch(result.lineage_url)).text()).toBe(api);
      const capsule = await (await fetch(`${baseUrl}/api/v1/agent-gateway/capsule/${result.capsule_id}`)).text();
      expect(await (await fetch(`${baseUrl}/capsules/${result.capsule_id}/capsule.json`)).text()).toBe(capsule);
      expect((await fetch(result.url)).status).toBe(200);
    }

    await writeFile(join(copy.folder, 'answer.json'), JSON.stringify(answer));
    for (const proved of [baseUrl, 'answer.json']) {
      const { exit, stdout } = await callAkg(['verify', proved, '--trust', `${baseUrl}/.well-known/did.json`], copy.folder);
      expect([proved, exit, stdout]).toEqual([proved, 0, expect.stringContaining('all checks pass; signed by did:web:')]);
    }
    expect((await (await fetch(`${answer.results[0]?.url}`)).text()).includes('Signed by <a')).toBe(true);

    const documents = words`
    /offers.json /offers.schema.json /.well-known/acp.json /.well-known/x402 /openapi.json /llms.txt /sitemap.xml /sitemap.md /feed.xml
    /robots.txt /.well-known/security.txt /api/v1/agent-gateway/capabilities /api/v1/acp/discover /api/v1/capsules/public/intake
    /api/v1/capsules/public/browse?limit=100 /api/v1/capsules/public/status /api/v1/capsules/public/changes?limit=1000
    /mirror/manifest.json /capsules/x402-v2.md
  `;
    const addresses = new Set<string>();
    for (const path of documents) {
      const response = await fetch(`${baseUrl}${path}`);
      expect(response.status, path).toBe(200);
      for (const address of ownAddresses(await response.text(), baseUrl)) addresses.add(address);
    }
    const failed: string[] = [];
    await severalAtOnce(addresses, async (address) => {
      if (isNoDocument(address.slice(baseUrl.length))) return;
      const status = await statusAt(address);
      const isPaid = address.includes('/payment-endpoint-checklist') && status === 402;
      if (status !== 200 && !isPaid) failed.push(`${status} ${address}`);
    });
    expect(failed).toEqual([]);
    expect(addresses.size).toBeGreaterThan(300);

    expect((await fetch(`${baseUrl}/wrangler.json`)).status).toBe(404);

    // `tests/edge/every-route/hostile-addresses.test.ts` tries all names; here some meet the server of `wrangler pages dev`.
    const faults: string[] = [];
    const names = HOSTILE_NAMES.filter((_, at) => at % 4 === 0);
    const folders = ['/api/v1/agent-gateway/capsule/', '/buy/', '/orders/a/b/'];
    await severalAtOnce(
      folders.flatMap((folder) => names.map((name) => folder + name)),
      async (path) => {
        const { status, body } = await fetch(baseUrl + path, { redirect: 'manual' });
        await body?.cancel();
        if (status >= 500) faults.push(`${path}: ${status}`);
      },
    );
    expect(faults).toEqual([]);
    for (const path of ['/llms.txt/', '/schemas/lineage/1.json/x', '/_headers', '/.well-known/api-catalog/x'])
      expect([path, (await fetch(baseUrl + path)).status]).toEqual([path, 404]);
    for (const path of ['/llms.txt', '/favicon.ico', '/capsules/bm25.md'])
      expect([path, (await fetch(baseUrl + path, { method: 'POST' })).headers.get('allow')?.startsWith('GET, HEAD')]).toEqual([path, true]);
    const markdown = await fetch(`${baseUrl}/capsules/bm25.md`, { headers: { 'Accept-Encoding': 'gzip' } });
    expect([markdown.headers.get('content-encoding'), (await markdown.text()).startsWith('---\n')]).toEqual(['gzip', true]);
    // A deploy would upload `dist/`.
    expect(await readdir(copy.folder)).not.toContain('dist');

    await stop();
    expect(service.output()).not.toContain(lineageKey);
    expect(await filesHolding(copy.folder, lineageKey)).toEqual([]);
  });

  it('starts again with the stores as they were, builds nothing, and ends if its runtime was killed', async () => {
    const service = await start();
    expect(service.output()).toMatch(/build: up to date\n[\s\S]*KV: 0 of \d+ keys written/);
    expect(await register(service.baseUrl)).toBe(key);

    // The runtime alone is killed, as by a system without memory.
    const servers = processesOf(copy.folder).map((line) => Number.parseInt(line, 10));
    const runtimes = execFileSync('ps', ['-eo', 'pid,pgid,args'], { encoding: 'utf8' })
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, group, ...args]) => servers.includes(Number(group)) && args.join(' ').includes('workerd serve'));
    expect(runtimes).not.toEqual([]);
    for (const [pid] of runtimes) process.kill(Number(pid), 'SIGKILL');
    expect(await service.exited).toBe(1);
    expect(service.output()).toContain('The service has stopped responding');
    running = undefined;
    expect(processesOf(copy.folder)).toEqual([]);
  });

  it('says in one line that the port is in use', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(port, '127.0.0.1', resolve));
    const { exitCode, output } = await startToEnd(copy.folder, port);
    await new Promise((resolve) => holder.close(resolve));
    expect(exitCode).toBe(1);
    expect(output.trim()).toBe(`port ${port} is in use; stop the program that uses it, or choose another port: PORT=8790 npm start`);
  });

  it('reports invalid content with file and line before it builds anything', async () => {
    const path = join(copy.folder, 'content/capsules/minor-units.md');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace(/^evidence: .*$/m, 'evidence: rumour'));
    const { exitCode, output } = await startToEnd(copy.folder, port);
    await writeFile(path, text);
    expect(exitCode).toBe(1);
    expect(output.trim()).toMatch(
      /^content has 1 mistake:\n {2}content\/capsules\/minor-units\.md:\d+ evidence: must be one of opinion, reported, documented, specified, measured$/,
    );
  });
});

/** Files below a folder whose text holds a secret; installed packages are left out. */
async function filesHolding(folder: string, secret: string): Promise<string[]> {
  const files = await contentsBelow(folder);
  expect(files.size).toBeGreaterThan(500);
  return [...files].flatMap(([path, text]) => (text.includes(secret) ? [path] : []));
}

async function statusAt(address: string): Promise<number> {
  const first = await fetch(address, { redirect: 'manual' });
  const isAlias = first.status === 302 && new URL(address).pathname.startsWith('/buy/');
  const { status, body } = isAlias ? await fetch(first.headers.get('location') ?? '', { redirect: 'manual' }) : first;
  await body?.cancel();
  return status;
}

async function severalAtOnce<T>(items: Iterable<T>, look: (item: T) => Promise<void>): Promise<void> {
  const left = [...items].values();
  const next = async (): Promise<void> => {
    for (const item of left) await look(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}

/** Addresses that name something without answering a plain GET: operations that take a POST, and the base of a protocol. */
function isNoDocument(path: string): boolean {
  return (
    NO_DOCUMENTS.includes(path) ||
    path.startsWith('/#') ||
    /^\/(api\/v1\/capsules\/public\/intake\/rcp_|orders\/(rct|inv)_|checkout\/cs_)/.test(path)
  );
}
