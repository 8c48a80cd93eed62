import type { CapsuleSummary } from '../../schemas/knowledge/capsule.ts';

/** Order in which states are listed in results: what stands comes before what does not. */
const TIERS: Readonly<Record<CapsuleSummary['status'], number>> = { current: 0, superseded: 1, retracted: 2 };

/** Tier of a capsule in the index: documents of a lower one come first. */
export function capsuleTier({ status }: CapsuleSummary): number {
  return TIERS[status];
}
