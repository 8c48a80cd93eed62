import type { CapsuleStatus } from './capsule.ts';
import type { ResultKind } from './site-texts.ts';

/** A page that the search without functions can find. */
export interface SearchEntry {
  readonly kind: ResultKind;
  readonly title: string;
  readonly summary: string;
  /** Root-relative address. */
  readonly path: string;
  /** Tags of a capsule; absent without any. */
  readonly tags?: readonly string[];
  /** Language of the text; absent if it is the language of the interface. */
  readonly language?: string;
  /** Of a capsule that is not current. */
  readonly status?: CapsuleStatus;
}
