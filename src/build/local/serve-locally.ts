import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { OnProgress } from '../../publication/progress.ts';
import { blockPath, PATHS } from '../../schemas/paths.ts';
import { buildIfChanged } from '../build-if-changed.ts';
import { withBuildLock } from '../build-lock.ts';
import { buildEnvironment, siteFolder } from '../build-site.ts';
import { GenerationStore } from '../generation/generation-store.ts';
import { publishBlocks } from '../publishing/publish-blocks.ts';
import { childEnvironment, WRANGLER_REGISTRY, wranglerProgram } from '../run-process.ts';
import { endWithNpm } from './end-with-npm.ts';
import { bindingNamespace, migrateLocally, withLocalBindings } from './local-bindings.ts';
import { localFolder, prepareLocalFolder } from './local-folder.ts';
import { freePort } from './local-port.ts';
import { ensureLocalSecret, exists, LOCAL_STATE } from './local-stores.ts';

/** Longest time until the first response of the server, in milliseconds. */
const START_TIMEOUT_MS = 60_000;

/**
 * Loaded before wrangler, whose server of files fails at an address below a file, such as `/llms.txt/`, because the file system reports that with
 * another error than a missing file. On Pages such an address is 404.
 */
const MISSING_BELOW_FILES = `data:text/javascript,${encodeURIComponent(
  `import fs from 'node:fs';
const { lstatSync } = fs;
fs.lstatSync = (path, options) => {
  try {
    return lstatSync(path, options);
  } catch (error) {
    if (error.code === 'ENOTDIR' && options?.throwIfNoEntry === false) return undefined;
    throw error;
  }
};`,
)}`;

type Report = (line: string) => void;

/**
 * Builds what has changed, fills the local stores and serves everything until it is stopped.
 *
 * @returns The exit code.
 */
export async function serveLocally(
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
  report: Report,
  onProgress?: OnProgress,
): Promise<number> {
  endWithNpm();
  const { port, address } = await freePort(environment['PORT'], 'npm start');
  await ensureLocalSecret(root);
  const baseUrl = environment['BASE_URL'] || address;
  const settings = { ...buildEnvironment(environment), baseUrl };
  // A build to deploy is served as it is, if it is of the same files for the same address.
  const { folder, isNew } = await buildIfChanged({
    ...settings,
    root,
    mode: 'edge',
    output: localFolder(root),
    reusable: root,
    report,
    onProgress,
  });
  if (!isNew) report('build: up to date');
  if (folder !== root) await prepareLocalFolder(root);
  await withLocalBindings(root, async ({ CAPSULES, STATE }) => {
    if (await exists(join(siteFolder(folder, 'edge'), blockPath('')))) {
      report('KV: not used, because the blocks are files of the site');
    } else {
      const seeded = await withBuildLock(folder, 'start', report, () =>
        publishBlocks(bindingNamespace(CAPSULES), new GenerationStore(folder), {
          overBudget: true,
          dropEarlier: true,
          findLive: async () => 'none',
          now: new Date(),
          report: () => undefined,
        }),
      );
      report(`KV: ${seeded.written} of ${seeded.total} keys written`);
    }
    await migrateLocally(STATE);
    report('D1: at the newest migration');
  });
  return serve(root, folder, { port, baseUrl }, report);
}

/** Runs the Pages server over a build as a child process, which ends with this one. */
function serve(
  root: string,
  folder: string,
  { port, baseUrl }: { readonly port: number; readonly baseUrl: string },
  report: Report,
): Promise<number> {
  const options = [
    '--ip=127.0.0.1',
    `--port=${port}`,
    `--persist-to=${join(root, LOCAL_STATE)}`,
    '--log-level=warn',
    '--show-interactive-dev-session=false',
  ];
  const child = spawn(process.execPath, ['--import', MISSING_BELOW_FILES, wranglerProgram(), 'pages', 'dev', ...options], {
    cwd: folder,
    env: childEnvironment({ WRANGLER_REGISTRY_PATH: join(root, WRANGLER_REGISTRY) }),
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

/** Waits until the service responds, then prints what to open and what to try. */
async function announce(address: string, baseUrl: string, report: Report, isStopping: () => boolean): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline && !isStopping()) {
    const response = await fetch(`${address}${PATHS.publicCapsules}/status`, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    if (response?.ok) {
      report(
        `\nReady. Open ${baseUrl} in a browser, or register an agent:\n  curl -s -X POST ${baseUrl}${PATHS.gateway}/register -H 'Content-Type: application/json' -d '{"agent_name":"My agent"}'\nStop with Ctrl-C.`,
      );
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  if (!isStopping()) report(`The service did not respond within ${START_TIMEOUT_MS / 1_000} seconds.`);
}
