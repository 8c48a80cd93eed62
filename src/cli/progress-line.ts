import type { OnProgress } from '../publication/worker-threads.ts';

/** Shortest time between two writes to a terminal, in milliseconds. */
const TERMINAL_STEP_MS = 100;

/** Shortest time between two lines where lines cannot be replaced, as in the log of a pipeline, in milliseconds. */
const LOG_STEP_MS = 10_000;

/** A step is this old, and this share of it is done, before its end is estimated. */
const ESTIMATE_FROM_MS = 3_000;
const ESTIMATE_FROM_SHARE = 0.02;

/** Moves to the beginning of the line and erases it (ECMA-48, CR and EL). */
const ERASE = '\r\u001b[2K';

interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly write: (text: string) => unknown;
}

/**
 * A line that replaces itself on a terminal: step, counts and the time that is left. Elsewhere, and on a terminal that cannot erase
 * (`TERM=dumb`), a line every ten seconds of a step, so that a command of a few seconds writes none. @param nowMs A clock that only runs forward.
 */
export function progressLine(stream: Output, nowMs: () => number = () => performance.now()) {
  const isTerminal = stream.isTTY === true && process.env['TERM'] !== 'dumb';
  let step: { readonly name: string; readonly startedMs: number } | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  let isShown = false;
  const clear = (): void => {
    if (isShown) stream.write(ERASE);
    isShown = false;
  };
  const show: OnProgress = (name, done, total) => {
    const now = nowMs();
    if (step?.name !== name) {
      step = { name, startedMs: now };
      lastMs = isTerminal ? Number.NEGATIVE_INFINITY : now;
    }
    if (now - lastMs < (isTerminal ? TERMINAL_STEP_MS : LOG_STEP_MS)) return;
    lastMs = now;
    const text = describeStep(name, done, total, now - step.startedMs);
    if (!isTerminal) stream.write(`${text}\n`);
    else {
      // A longer line would wrap, and only its last part could be erased. A terminal of unknown width has 0 columns.
      stream.write(`${ERASE}${text.slice(0, (stream.columns || 80) - 1)}`);
      isShown = true;
    }
  };
  const print = (line: string): void => {
    clear();
    console.log(line);
  };
  return { show, print, clear };
}

/** Does a work with a line of progress on standard error, which is gone afterwards. */
export async function withProgress<T>(work: (progress: ReturnType<typeof progressLine>) => Promise<T>): Promise<T> {
  const progress = progressLine(process.stderr);
  return await work(progress).finally(progress.clear);
}

function describeStep(name: string, done: number | undefined, total: number | undefined, elapsedMs: number): string {
  const counts = done === undefined ? '' : ` ${done.toLocaleString('en')}${total === undefined ? '' : ` of ${total.toLocaleString('en')}`}`;
  if (done === undefined || total === undefined || done < total * ESTIMATE_FROM_SHARE || done >= total || elapsedMs < ESTIMATE_FROM_MS)
    return name + counts;
  return `${name}${counts}, ${formatDuration((elapsedMs * (total - done)) / done)} left`;
}

function formatDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
