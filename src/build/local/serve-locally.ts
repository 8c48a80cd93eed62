import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { paymentOverrides } from '../../publication/payment-settings.ts';
import { LOCAL_PORT } from '../../schemas/deployment.ts';
import { blockPath, PATHS } from '../../schemas/paths.ts';
import { buildIfChanged } from '../build-if-changed.ts';
import { GenerationStore } from '../generation/generation-store.ts';
import type { BlockNamespace } from '../publishing/block-namespace.ts';
import { publishBlocks, type PublishOutcome } from '../publishing/publish-blocks.ts';
import { childEnvironment } from '../run-process.ts';
import { UserError } from '../user-error.ts';
import { bindingNamespace, migrateLocally, withLocalBindings } from './local-bindings.ts';
import { ensureLocalSecret, exists, LOCAL_STATE, wranglerProgram } from './local-stores.ts';

/** Longest time that the server may take to answer for the first time, in milliseconds. */
const START_TIMEOUT_MS = 60_000;

/** How to serve. */
export interface ServeOptions {
  readonly root: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly report: (line: string) => void;
}

/** Builds what has changed, fills the local stores and serves everything until it is told to stop. Gives the exit code. */
export async function serveLocally({ root, environment, report }: ServeOptions): Promise<number> {
  const port = readPort(environment['PORT']);
  if (!(await portIsFree(port)))
    throw new UserError(`port ${port} is taken; stop what uses it, or choose another one: PORT=8790 npm start`);
  await ensureLocalSecret(root);
  const baseUrl = environment['BASE_URL'] || (port === 80 ? 'http://127.0.0.1' : `http://127.0.0.1:${port}`);
  const built = await buildIfChanged(
    root,
    'edge',
    {
      baseUrl,
      checkoutHost: environment['CHECKOUT_HOST'],
      ...paymentOverrides(environment),
      rateLimits: environment['RATE_LIMITS'],
      storage: environment['STORAGE'],
      lineageKey: environment['LINEAGE_KEY'],
    },
    report,
  );
  if (!built) report('build: nothing has changed');
  await withLocalBindings(root, async ({ CAPSULES, STATE }) => {
    if (await exists(join(root, 'dist', blockPath('')))) {
      report('KV: not used, the blocks are files of the site');
    } else {
      const seeded = await seed(bindingNamespace(CAPSULES), new GenerationStore(root));
      report(`KV: ${seeded.written} of ${seeded.total} keys written`);
    }
    await migrateLocally(root, STATE);
    report('D1: at the newest migration');
  });
  return serve(root, port, baseUrl, report);
}

/** Fills the local KV; no budget counts here, and what is served is what was just built. */
function seed(namespace: BlockNamespace, store: GenerationStore): Promise<PublishOutcome> {
  return publishBlocks(namespace, store, {
    overBudget: true,
    dropEarlier: true,
    findLive: async () => 'none',
    now: new Date(),
    report: () => undefined,
  });
}

function readPort(text: string | undefined): number {
  if (text === undefined || text === '') return LOCAL_PORT;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new UserError(`PORT=${text} is not a port number from 1 to 65535`);
  return port;
}

function portIsFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/** Runs the Pages server as a child and ends it together with this process. */
function serve(root: string, port: number, baseUrl: string, report: ServeOptions['report']): Promise<number> {
  const args = [
    wranglerProgram(root),
    'pages',
    'dev',
    '--ip',
    '127.0.0.1',
    '--port',
    String(port),
    '--persist-to',
    LOCAL_STATE,
    '--log-level',
    'warn',
    '--show-interactive-dev-session=false',
  ];
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: childEnvironment(),
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
  let stopping = false;
  const stop = (): void => {
    stopping = true;
    endGroup(child.pid, 'SIGTERM');
    setTimeout(() => endGroup(child.pid, 'SIGKILL'), 3_000).unref();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  process.on('exit', () => endGroup(child.pid, 'SIGKILL'));
  void announce(`http://127.0.0.1:${port}`, baseUrl, report, () => stopping);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(stopping ? 0 : (code ?? 1)));
  });
}

function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has ended already.
  }
}

/** Waits until the service answers, then says what to open and what to try. */
async function announce(address: string, baseUrl: string, report: ServeOptions['report'], isStopping: () => boolean): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline && !isStopping()) {
    const answered = await fetch(`${address}${PATHS.publicCapsules}/status`, { signal: AbortSignal.timeout(5_000) }).then(
      (response) => response.ok,
      () => false,
    );
    if (answered) {
      report(
        `\nReady. Open ${baseUrl} in a browser, or register an agent:\n  curl -s -X POST ${baseUrl}${PATHS.gateway}/register -H 'Content-Type: application/json' -d '{"agent_name":"My agent"}'\nStop with Ctrl-C.`,
      );
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  if (!isStopping()) report(`The service did not answer within ${START_TIMEOUT_MS / 1_000} seconds.`);
}
