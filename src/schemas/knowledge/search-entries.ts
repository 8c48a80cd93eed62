import type { CapsuleStatus } from './capsule.ts';
import type { ResultKind } from './site-texts.ts';

/** Kinds of pages that the search without functions finds. */
export const ENTRY_KINDS = ['capsule', 'guide', 'offer'] as const satisfies readonly ResultKind[];

/** A page that the search without functions can find. */
export interface SearchEntry {
  readonly kind: (typeof ENTRY_KINDS)[number];
  readonly title: string;
  readonly summary: string;
  readonly path: string;
  readonly tags?: readonly string[];
  /** Language of the text; absent if it is the language of the interface. */
  readonly language?: string;
  readonly status?: CapsuleStatus;
  /** Since when and why it is not current, and what replaces it, in the language of the interface. */
  readonly note?: string;
}
