import type { Equivalent } from './equivalent.ts';
import { AUTH_EQUIVALENTS } from './equivalents-auth.ts';
import { LIMITS_EQUIVALENTS } from './equivalents-limits.ts';
import { LINEAGE_EQUIVALENTS } from './equivalents-lineage.ts';
import { MONEY_EQUIVALENTS } from './equivalents-money.ts';

/** Changes that make no difference to any answer, of all areas. */
export const EQUIVALENTS: readonly Equivalent[] = [
  ...AUTH_EQUIVALENTS,
  ...LIMITS_EQUIVALENTS,
  ...LINEAGE_EQUIVALENTS,
  ...MONEY_EQUIVALENTS,
];
