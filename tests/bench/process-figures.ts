import { readdirSync, readFileSync } from 'node:fs';

/** Memory of a process, in bytes: now, and at its peak. */
export interface ProcessMemory {
  readonly resident: number;
  readonly peak: number;
}

interface RunningProcess {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
}

/** Linux only, like this whole file. */
function runningProcesses(): RunningProcess[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      const stat = orNothing(() => readFileSync(`/proc/${entry}/stat`, 'utf8'));
      return stat === undefined ? [] : { pid: Number(entry), ...parseStat(stat) };
    });
}

const known = new Set<number>();

/**
 * The process id of the workerd that this process has started since this was last called.
 *
 * @throws {Error} If there is none or more than one.
 */
export function newWorkerd(): number {
  const started = runningProcesses().filter(({ name, parent, pid }) => name === 'workerd' && parent === process.pid && !known.has(pid));
  const [one, another] = started;
  if (one === undefined) throw new Error('workerd is not among the processes of /proc: only Linux can be measured');
  if (another !== undefined) throw new Error('another worker was started at the same time');
  known.add(one.pid);
  return one.pid;
}

/** Memory of a process and of all that it started, in bytes; 0 if it has ended. */
export function residentOfTree(root: number): number {
  const all = runningProcesses();
  const residentOf = (pid: number): number =>
    all
      .filter(({ parent }) => parent === pid)
      .reduce((sum, child) => sum + residentOf(child.pid), orNothing(() => memoryOf(pid).resident) ?? 0);
  return residentOf(root);
}

/** CPU time of a process in milliseconds, over all its current threads; 0 if it has ended. */
export function cpuMsOf(pid: number): number {
  const threads = orNothing(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  const times = threads.map((thread) => orNothing(() => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')));
  return times.reduce((sum, time) => sum + Number(time?.split(' ')[0] ?? 0), 0) / 1e6;
}

/** CPU time of the main thread of a process in milliseconds, in which workerd runs its isolates; 0 if it has ended. */
export function mainThreadCpuMsOf(pid: number): number {
  return Number(orNothing(() => readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8'))?.split(' ')[0] ?? 0) / 1e6;
}

export function memoryOf(pid: number): ProcessMemory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * 1024;
  return { resident: bytes('VmRSS'), peak: bytes('VmHWM') };
}

/** Parses `/proc/<pid>/stat`; the name is in brackets and may contain any character. */
function parseStat(stat: string): Omit<RunningProcess, 'pid'> {
  const end = stat.lastIndexOf(')');
  return { name: stat.slice(stat.indexOf('(') + 1, end), parent: Number(stat.slice(end + 2).split(' ')[1]) };
}

function orNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    // The process or thread has ended since it was listed.
    return undefined;
  }
}
