import { readdirSync, readFileSync } from 'node:fs';

/** Memory of a process, in bytes: now, and at its peak. */
export interface ProcessMemory {
  readonly resident: number;
  readonly peak: number;
}

/** Ids of the running children of this process named `name`. Linux only, like this whole file. */
export function childrenNamed(name: string): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => {
      const stat = orNothing(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
      return stat !== undefined && parseStat(stat).name === name && parseStat(stat).parent === process.pid;
    });
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
function parseStat(stat: string): { readonly name: string; readonly parent: number } {
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
