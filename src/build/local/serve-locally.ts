import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { processStat } from '../../publication/process-table.ts';
import type { OnProgress } from '../../publication/worker-threads.ts';
import { blockPath, PATHS } from '../../schemas/paths.ts';
import { PREVIEW_PATH } from '../../site/dev/dev-server.ts';
import { siteFolder } from '../build-lifecycle.ts';
import { withBuildLock } from '../build-lock.ts';
import { buildIfChanged } from '../build-site.ts';
import { BUILD_FOLDER, GenerationStore } from '../corpus-blocks/generation-store.ts';
import { publishBlocks } from '../kv/publish-blocks.ts';
import { childEnvironment, endWithNpm, WRANGLER_REGISTRY, wranglerProgram } from '../run-process.ts';
import {
  bindingNamespace,
  ensureLocalSecret,
  freePort,
  LOCAL_STATE,
  localSettings,
  migrateLocally,
  withLocalBindings,
} from './local-stores.ts';

/** Longest time without progress until the first response of the server, in milliseconds. */
const STALLED_MS = 60_000;

/** CPU time that counts as progress, in ticks of 10 ms: more than probes cost a server that hangs. */
const PROGRESS_TICKS = 100;

/** Pause between probes of the server, and the longest time for each, in milliseconds. */
const PROBE_INTERVAL_MS = 2_000;
const PROBE_TIMEOUT_MS = 10_000;
/** Probes without a response after which the server counts as dead. */
const PROBES_MAX = 3;

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
  const adminSecret = await ensureLocalSecret(root);
  const settings = await localSettings(root, environment, address);
  const { baseUrl, demoPayments } = settings;
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
    if (existsSync(join(siteFolder(folder, 'edge'), blockPath('')))) {
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
  return serve(root, folder, { port, baseUrl, adminSecret, isDemo: demoPayments !== undefined }, report);
}

/** Runs the Pages server over a build as a child process, which ends with this one. */
async function serve(
  root: string,
  folder: string,
  { port, ...served }: Pick<WatchedServer, 'baseUrl' | 'adminSecret' | 'isDemo'> & { readonly port: number },
  report: Report,
): Promise<number> {
  const options = [
    '--ip=127.0.0.1',
    `--port=${port}`,
    `--persist-to=${join(root, LOCAL_STATE)}`,
    '--log-level=warn',
    '--show-interactive-dev-session=false',
    // Any free port: two servers that start at once would choose the same one from 9229 on, and one would end.
    '--inspector-port=0',
  ];
  const child = spawn(process.execPath, ['--import', MISSING_BELOW_FILES, await wranglerProgram(), 'pages', 'dev', ...options], {
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
  return new Promise((resolve, reject) => {
    let failure: string | undefined;
    child.once('error', reject);
    child.once('exit', (code) => {
      if (failure !== undefined) report(failure);
      resolve(failure !== undefined ? 1 : stopping ? 0 : (code ?? 1));
    });
    const fail = (reason: string): void => {
      if (stopping) return;
      failure = reason;
      stop();
    };
    watchServer({
      address: `http://127.0.0.1:${port}`,
      ...served,
      group: child.pid ?? 0,
      report,
      isStopping: () => stopping,
    }).then(fail, reject);
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

interface WatchedServer {
  readonly address: string;
  readonly baseUrl: string;
  readonly adminSecret: string;
  /** Whether payments are a demonstration, if any text is sold. */
  readonly isDemo: boolean;
  readonly group: number;
  readonly report: Report;
  readonly isStopping: () => boolean;
}

/**
 * Waits until the service responds, prints what to open and what to try, and then probes it: wrangler goes on without workerd, and keeps the
 * port.
 *
 * @returns Why the server has to be stopped; an empty text if it is being stopped.
 */
async function watchServer({ address, baseUrl, adminSecret, isDemo, group, report, isStopping }: WatchedServer): Promise<string> {
  const responds = async (path: string): Promise<boolean> => {
    const response = await fetch(address + path, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }).catch(() => undefined);
    // workerd logs an error for a body that is not read to the end.
    await response?.text().catch(() => undefined);
    return response?.ok === true;
  };
  let progress = { cpu: 0, atMs: Date.now() };
  while (!isStopping() && !(await responds(PATHS.statusApi))) {
    const { cpu } = await stateOf(group);
    if (cpu - progress.cpu >= PROGRESS_TICKS) progress = { cpu, atMs: Date.now() };
    else if (Date.now() - progress.atMs > STALLED_MS)
      return `The service did not respond, and made no progress for ${STALLED_MS / 1_000} seconds. Start it again; if that does not help, delete .wrangler/ first.`;
    await wait(200);
  }
  if (isStopping()) return '';
  const sold = isDemo ? await soldIn(`${address}${PATHS.x402WellKnown}`) : undefined;
  const demo =
    sold === undefined ? '' : `\nPaid texts are a demonstration, which takes no money: any client of x402 or MPP can buy ${sold}`;
  report(
    `\nReady. Open ${baseUrl} in a browser, or register an agent:\n  curl -s -X POST ${baseUrl}${PATHS.gateway}/register -H 'Content-Type: application/json' -d '{"agent_name":"My agent"}'${demo}\nDashboard: ${baseUrl}${PATHS.admin}, secret ${adminSecret}\nStop with Ctrl-C.`,
  );
  let { runtimes } = await stateOf(group);
  for (let failed = 0; failed < PROBES_MAX; ) {
    await wait(PROBE_INTERVAL_MS, undefined, { ref: false });
    if (isStopping()) return '';
    const before = runtimes;
    ({ runtimes } = await stateOf(group));
    if (before !== '' && runtimes === '') break;
    // wrangler starts workerd again where it was ended, and seldom reaches the new one.
    failed = (await responds(PATHS.robots)) ? 0 : before === runtimes ? failed + 1 : PROBES_MAX;
  }
  return 'The service has stopped responding, probably because workerd was ended. Start it again.';
}

async function soldIn(descriptor: string): Promise<string | undefined> {
  const response = await fetch(descriptor, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }).catch(() => undefined);
  const { resources = [] } = ((await response?.json().catch(() => undefined)) ?? {}) as { readonly resources?: readonly string[] };
  return resources[0];
}

/**
 * CPU time of a process group, in ticks, and the ids of its processes of workerd. Where the system has no `/proc`, the time is a number that
 * always changes, and no runtime is seen.
 */
async function stateOf(group: number): Promise<{ readonly cpu: number; readonly runtimes: string }> {
  const ids = await readdir('/proc').catch(() => undefined);
  if (ids === undefined) return { cpu: Date.now(), runtimes: '' };
  const all = ids.filter((id) => /^\d+$/.test(id)).map((id) => ({ id, ...processStat(id) }));
  const members = all.filter((member) => member.group === group);
  return {
    cpu: members.reduce((sum, { cpu = 0 }) => sum + cpu, 0),
    runtimes: members.flatMap(({ id, name, state }) => (name === 'workerd' && state !== 'Z' ? id : [])).join(),
  };
}

/** Files that wrangler reads in the folder in which it runs. */
const COPIED = ['wrangler.toml', '.dev.vars'];

/** Folders that are not linked. `functions` is copied, so that its `../.akg` leads to the local build; functions import nothing from the others. */
const NOT_LINKED = ['functions', 'content', 'dist', 'dist-static', 'node_modules', 'public'];

/**
 * Folder of what `npm start` builds. It is laid out as the publication is, so that wrangler, run there, serves this build; `dist/` and
 * `.akg/` of the publication hold what `npm run build` made, and so what a deploy uploads.
 */
export function localFolder(root: string): string {
  return join(root, BUILD_FOLDER, 'local');
}

/** Puts the functions of a publication and the settings of wrangler into {@link localFolder}, and links the folders that functions may import from. */
async function prepareLocalFolder(root: string): Promise<void> {
  const folder = localFolder(root);
  await mkdir(folder, { recursive: true });
  for (const name of COPIED) await copyFile(join(root, name), join(folder, name));
  await rm(join(folder, 'functions'), { recursive: true, force: true });
  await cp(join(root, 'functions'), join(folder, 'functions'), { recursive: true });
  for (const entry of await readdir(root, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name.startsWith('.') || NOT_LINKED.includes(entry.name)) continue;
    await rm(join(folder, entry.name), { recursive: true, force: true });
    // Windows lets everybody make a junction, and only administrators a link.
    await symlink(join(root, entry.name), join(folder, entry.name), 'junction');
  }
}

/**
 * Serves a publication while it is written, drafts included, as it is after the last change or was before the last mistake.
 *
 * @returns The exit code, once it is stopped by a signal.
 * @throws {UserError} If the port is in use or a secret of this machine cannot be used.
 */
export async function serveDev(root: string, environment: Readonly<Record<string, string | undefined>>, report: Report): Promise<number> {
  endWithNpm();
  const { port, address } = await freePort(environment['PORT'], 'npm run dev');
  // `npm start` serves a build, and loads none of this.
  const [{ openDevPages }, { beginDev }] = await Promise.all([import('../astro-integration.ts'), import('../dev/start-dev-server.ts')]);
  const stopped = untilSignal();
  const live = await beginDev(root, environment, address, report, stopped);
  if (live === undefined) return 0;
  const pages = await openDevPages(root, port, live);
  report(
    `\n  Site     ${address}\n  Preview  ${address}${PREVIEW_PATH}\n  API      ${address}${PATHS.gateway}/capabilities\n\nSave a file below content/ to see it. Stop with Ctrl-C.\n`,
  );
  // Vite compiles what it serves at the first request, which takes seconds: a page of no capsule has it done before the first text is saved.
  void fetch(`${address}${PATHS.capsules}/-`)
    .then((page) => page.text())
    .catch(() => undefined);
  await stopped;
  await pages.stop();
  await live.close();
  return 0;
}

/** Resolves at the first signal to end. From then on the process ends with code 0: the signal is how this server is meant to end. */
function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => {
        // The simulators end the process themselves, with the code of the signal.
        process.once('exit', () => {
          process.exitCode = 0;
        });
        resolve();
      });
  });
}
