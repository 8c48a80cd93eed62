import { readFileSync } from 'node:fs';

export function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/**
 * What the system says of a process (proc_pid_stat(5)): CPU time and start in ticks, and `state` `Z` for one that has ended and waits for its
 * parent to notice. `undefined` without such a process, and where the system has no `/proc`.
 */
export function processStat(pid: number | string) {
  try {
    // The name of the program, in parentheses, may contain anything.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const nameEnd = stat.lastIndexOf(')');
    const name = stat.slice(stat.indexOf('(') + 1, nameEnd);
    const fields = stat.slice(nameEnd + 2).split(' ');
    const numbers = fields.map(Number);
    const [state, born] = [fields[0], fields[19]];
    const [, parent, group] = numbers;
    return { name, state, parent, group, cpu: (numbers[11] ?? 0) + (numbers[12] ?? 0), born };
  } catch {
    return undefined;
  }
}
