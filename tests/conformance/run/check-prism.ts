import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { PATHS } from '../../../src/schemas/paths.ts';
import { freePort } from '../../support/project-copy.ts';
import { solveChallenge } from '../../support/solve-challenge.ts';
import { type CheckedSite, type Checker, checkerEnvironment, checkerProgram, findingsRow } from './checker.ts';

const CAPSULE = 'minor-units';

/** Prism between a client and the site: it tells which requests and responses differ from the API description. */
export const prism: Checker = {
  name: 'prism',
  modes: ['edge', 'static'],
  check: async (site) => {
    const proxy = await startProxy(site);
    try {
      const responses = site.mode === 'edge' ? await useService(proxy.origin) : await useFiles(proxy.origin, site.origin);
      return [findingsRow('Prism', responses.flatMap(finding), `${responses.length} responses`)];
    } finally {
      await proxy.stop();
    }
  },
};

interface Answered {
  readonly path: string;
  readonly text: string;
}

const read = async (response: Response): Promise<Answered> => ({ path: response.url, text: await response.text() });

/** Every operation that an agent without money uses, once, and two mistakes. */
async function useService(origin: string): Promise<readonly Answered[]> {
  const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${origin}${path}`, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) });
  const challenge = await fetch(`${origin}${PATHS.gateway}/challenge`);
  const asked = (await challenge.clone().json()) as { readonly token: string; readonly difficulty_bits: number };
  const solved = challenge.ok && asked.difficulty_bits > 0 ? { challenge: await solveChallenge(asked) } : {};
  const registered = await post(`${PATHS.gateway}/register`, { agent_name: 'Conformance run', ...solved });
  const { api_key: key } = (await registered.clone().json()) as { readonly api_key?: string };
  const authorized = { Authorization: `Bearer ${key}` };
  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> => fetch(`${origin}${path}`, { headers });
  const responses = [
    challenge,
    registered,
    await get(`${PATHS.gateway}/keys/self`, authorized),
    await post(`${PATHS.gateway}/query`, { query: 'How long does a client wait before it tries again?' }, authorized),
    await post(`${PATHS.gateway}/query`, { query: '' }, authorized),
    await post(`${PATHS.capsulesApi}/fetch`, { ids: [CAPSULE] }),
    await get(`${PATHS.gateway}/search?q=caching`),
    await get(`${PATHS.gateway}/capsule/${CAPSULE}`),
    await get(`${PATHS.gateway}/capsule/${CAPSULE}/lineage`),
    await get(`${PATHS.gateway}/capsule/${CAPSULE}/related`),
    await get(`${PATHS.gateway}/capsule/no-such-capsule`),
    await get(`${PATHS.gateway}/capabilities`),
    await get(`${PATHS.publicCapsules}/browse`),
    await get(`${PATHS.publicCapsules}/status`),
    await get(`${PATHS.publicCapsules}/changes`),
    await get(PATHS.offersJson),
    await get(`${PATHS.ask}?query=caching`),
  ];
  return Promise.all(responses.map(read));
}

/** Every operation without parameters that a site of files describes. */
async function useFiles(proxy: string, origin: string): Promise<readonly Answered[]> {
  const { paths } = (await (await fetch(`${origin}${PATHS.openApi}`)).json()) as { readonly paths: Readonly<Record<string, object>> };
  const named = Object.keys(paths).filter((path) => !path.includes('{'));
  const answers: Answered[] = [];
  for (const path of named) answers.push(await read(await fetch(`${proxy}${path}`)));
  return answers;
}

/** What Prism objects to: it puts a problem of its own in the place of the response. */
function finding({ path, text }: Answered): readonly string[] {
  if (!text.includes('stoplight.io/prism/errors')) return [];
  const { validation = [], title } = JSON.parse(text) as {
    readonly title: string;
    readonly validation?: readonly { readonly message: string }[];
  };
  return [`${path}: ${title}: ${validation.map(({ message }) => message).join('; ')}`];
}

async function startProxy({ folder, origin }: CheckedSite): Promise<{ readonly origin: string; readonly stop: () => Promise<void> }> {
  const port = await freePort();
  // Requests are ours, and some of them mistaken on purpose: Prism judges only what comes back.
  const args = ['proxy', join(folder, PATHS.openApi), origin, '--port', String(port), '--errors', '--validate-request', 'false'];
  const child = spawn(process.execPath, [checkerProgram('prism'), ...args], {
    env: checkerEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('is listening')) resolve();
    });
    void ended.then(() => reject(new Error(`Prism ended: ${output}`)));
  });
  const stop = async (): Promise<void> => {
    child.kill();
    await ended;
  };
  return { origin: `http://127.0.0.1:${port}`, stop };
}
