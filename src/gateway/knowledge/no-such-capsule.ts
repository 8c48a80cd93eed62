import { refuse } from '../result.ts';

/** What is said of an id that no public capsule has: of one that never was, of a draft, and of one that cannot be an id. */
export const NO_SUCH_CAPSULE = 'No public capsule has this id.';

/** Refusal for such an id. */
export function noSuchCapsule() {
  return refuse('capsule_not_found', NO_SUCH_CAPSULE);
}
