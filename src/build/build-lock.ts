import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { link, mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { hasEnded, processStat } from '../publication/process-table.ts';
import { BUILD_FOLDER } from './corpus-blocks/generation-store.ts';

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process was started; `null` where the system does not say. */
  readonly born: string | null;
  readonly work: string;
  /** Tells this lock from an earlier one of the same process. */
  readonly id: string;
}

/** How often somebody who waits looks again, and how often a holder shows other hosts that it is alive, in milliseconds. */
const RETRY_MS = 250;
const ALIVE_MS = 15_000;

/** Without a sign of life for as long, a holder on another host is gone, in milliseconds. */
const GONE_MS = 10 * ALIVE_MS;

/**
 * Does something that changes the build in a folder, which has `.akg/`, while nobody else does. If somebody else does, it says so once and
 * waits; `work` is named as in "another build is running". The lock of a process that was killed does not count.
 */
export async function withBuildLock<T>(output: string, work: string, report: (line: string) => void, use: () => Promise<T>): Promise<T> {
  const file = join(output, BUILD_FOLDER, 'lock');
  await mkdir(join(output, BUILD_FOLDER), { recursive: true });
  const own: Holder = { pid: process.pid, host: hostname(), born: birthOf(process.pid), work, id: randomUUID() };
  let hasReported = false;
  while (!(await take(file, own))) {
    const other = await holderOf(file);
    if (other === undefined || (await isGone(file, other))) {
      await removeLock(file, other);
      continue;
    }
    if (!hasReported) report(`waiting: a ${other.work} of this publication is running (process ${other.pid} on ${other.host})`);
    hasReported = true;
    await wait(RETRY_MS);
  }
  const alive = setInterval(() => void utimes(file, new Date(), new Date()).catch(() => undefined), ALIVE_MS).unref();
  const release = (): void => rmSync(file, { force: true });
  process.once('exit', release);
  try {
    return await use();
  } finally {
    clearInterval(alive);
    process.off('exit', release);
    release();
  }
}

async function take(file: string, own: Holder): Promise<boolean> {
  const draft = `${file}.${own.id}`;
  await writeFile(draft, JSON.stringify(own));
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function holderOf(file: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

async function isGone(file: string, { pid, host, born }: Holder): Promise<boolean> {
  if (host !== hostname()) {
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: 0 }));
    return Date.now() - mtimeMs > GONE_MS;
  }
  // Another process may have got the number since.
  return hasEnded(pid) || born !== birthOf(pid);
}

/** Removes the lock of a holder that is gone, and not one that somebody else has taken since. */
async function removeLock(file: string, gone: Holder | undefined): Promise<void> {
  const aside = `${file}.${randomUUID()}`;
  try {
    await rename(file, aside);
  } catch {
    // Somebody else has removed it.
    return;
  }
  if ((await holderOf(aside))?.id !== gone?.id) await link(aside, file).catch(() => undefined);
  await rm(aside, { force: true });
}

function birthOf(pid: number): string | null {
  return processStat(pid)?.born ?? null;
}
