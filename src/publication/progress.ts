/**
 * Told how far a step of a long command is, as often as the step likes.
 *
 * @param step What is being done, as a user reads it: `Reading`.
 * @param done Left out where things are not counted.
 */
export type OnProgress = (step: string, done?: number, total?: number) => void;

/** Counts what is done in a step, and tells `onProgress` each time: call the result after each thing, or with the number of several. */
export function countProgress(step: string, total: number, onProgress: OnProgress | undefined): (done?: number) => void {
  let sum = 0;
  onProgress?.(step, 0, total);
  return (done = 1) => {
    sum += done;
    onProgress?.(step, sum, total);
  };
}
