/** A lifetime that is lived again with every test run. */
export interface KeptLifetime {
  readonly seed: number;
  readonly run: number;
  readonly operations: number;
}

/**
 * A few that meet most operations; a lifetime that finds something is kept here, too. A change of the operations or of their weights makes
 * others of them.
 */
export const KEPT_LIFETIMES: readonly KeptLifetime[] = [1, 2, 3, 5, 8, 13].map((run) => ({ seed: 11, run, operations: 80 }));
