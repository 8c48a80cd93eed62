/** One line on the terminal that shows how far a command is. */
export interface ProgressLine {
  readonly show: (step: string, done: number, total?: number) => void;
  readonly clear: () => void;
}

/** Fewest items between two lines where lines cannot be replaced, as in the log of a build. */
const LOG_STEP = 1_000;

/** A line that replaces itself on a terminal; elsewhere, a line for every thousand items. */
export function progressLine(stream: NodeJS.WriteStream): ProgressLine {
  let isShown = false;
  const logged = new Map<string, number>();
  return {
    show: (step, done, total) => {
      const text = `${step} ${done.toLocaleString('en')}${total === undefined ? '' : ` of ${total.toLocaleString('en')}`}`;
      if (stream.isTTY) {
        stream.write(`\r\u001b[2K${text}`);
        isShown = true;
      } else if (done >= (logged.get(step) ?? 0) + LOG_STEP) {
        logged.set(step, done);
        stream.write(`${text}\n`);
      }
    },
    clear: () => {
      if (isShown) stream.write('\r\u001b[2K');
      isShown = false;
    },
  };
}
