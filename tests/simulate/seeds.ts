/** A lifetime that is lived again with every test run. */
export interface KeptLifetime {
  readonly seed: number;
  readonly run: number;
  readonly operations: number;
}

/**
 * Lifetimes that found something once are kept here, and a few that meet most operations. A change of the operations or of their weights
 * makes others of them.
 */
export const KEPT_LIFETIMES: readonly KeptLifetime[] = [
  { seed: 11, run: 1, operations: 60 },
  { seed: 11, run: 2, operations: 60 },
  { seed: 11, run: 3, operations: 60 },
  { seed: 11, run: 8, operations: 60 },
  { seed: 11, run: 13, operations: 80 },
  { seed: 11, run: 22, operations: 80 },
  // A payer uses a nonce for somebody else after a settlement without an answer.
  { seed: 7, run: 110, operations: 60 },
];
