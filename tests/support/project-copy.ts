import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PUBLICATION, ROOT } from './paths.ts';

export interface ProjectCopy {
  readonly folder: string;
  readonly remove: () => Promise<void>;
}

/** Copies every file that git tracks or would track, with the content of the tested publication. */
export async function copyProject(): Promise<ProjectCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'akg-copy-'));
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(ROOT, file)));
  const archive = execFileSync('tar', ['cf', '-', '--null', '-T', '-'], { cwd: ROOT, input: files.join('\0'), maxBuffer: 2 ** 28 });
  execFileSync('tar', ['xf', '-', '-C', folder], { input: archive });
  await rm(join(folder, 'content'), { recursive: true });
  await cp(join(PUBLICATION, 'content'), join(folder, 'content'), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Ports below those that systems give to outgoing connections (from 32768 on Linux), so that none of these takes one between two starts. */
const FIRST_PORT = 20_000;
const PORT_COUNT = 10_000;

export async function freePort(): Promise<number> {
  const port = FIRST_PORT + randomInt(PORT_COUNT);
  return (await isFree(port)) ? port : freePort();
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

export interface StartedService {
  readonly baseUrl: string;
  readonly output: () => string;
  /** Sends SIGINT to the process group, as Ctrl-C in a terminal does, and gives the exit code. */
  readonly interrupt: () => Promise<number | null>;
  /** Sends SIGTERM to npm alone, as a supervisor does, and resolves once nothing writes to its output any more. */
  readonly terminate: () => Promise<unknown>;
  readonly exited: Promise<number | null>;
}

/** Runs `npm start` in a copy until it says that it is ready. */
export async function startService(folder: string, port: number, environment: Record<string, string> = {}): Promise<StartedService> {
  const { child, output, exited } = runStart(folder, port, environment);
  const endRest = (): void => endProcessesOf(folder);
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', () => {
      if (output().includes('Ready.')) resolve();
    });
    // npm may end and leave what it started, which then keeps the output open.
    child.once('exit', endRest);
    void exited.then((code) => reject(new Error(`npm start ended with ${code}:\n${output()}`)));
  });
  child.off('exit', endRest);
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    exited,
    output,
    interrupt: () => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
      return exited;
    },
    terminate: () => {
      child.kill('SIGTERM');
      return exited;
    },
  };
}

/** Runs `npm start` in a copy to its end. */
export async function startToEnd(
  folder: string,
  port: number,
  environment: Record<string, string> = {},
): Promise<{ exitCode: number | null; output: string }> {
  const { output, exited } = runStart(folder, port, environment);
  const exitCode = await exited;
  return { exitCode, output: output() };
}

function runStart(
  folder: string,
  port: number,
  environment: Record<string, string>,
): { child: ChildProcess; output: () => string; exited: Promise<number | null> } {
  const child = spawn('npm', ['--silent', 'start'], {
    cwd: folder,
    env: { ...environmentOfAShell(), PORT: String(port), ...environment },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return { child, output: () => text, exited: new Promise((resolve) => child.once('close', resolve)) };
}

function environmentOfAShell(): NodeJS.ProcessEnv {
  const ofVitest = ['BASE_URL', 'DEV', 'MODE', 'NODE_ENV', 'PROD', 'SSR', 'TEST'];
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofVitest.includes(name) && !name.startsWith('VITEST')));
}

function endProcessesOf(folder: string): void {
  for (const line of processesOf(folder)) {
    const pid = Number.parseInt(line, 10);
    for (const target of [-pid, pid])
      try {
        process.kill(target, 'SIGKILL');
      } catch {
        // It leads no group, or has ended.
      }
  }
}

/** Command lines of processes that were started from a folder or run on it. */
export function processesOf(folder: string): string[] {
  return execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(folder));
}
