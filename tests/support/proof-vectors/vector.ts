import type { CheckName } from '../../../src/provenance/verify/verify.ts';
import { applyChange, type Change, NOW, type SampleLineage, textsOf } from './sample.ts';

/** A document with what is known besides, and what a verifier must say of it. */
export interface Vector {
  readonly name: string;
  /** What is shown, in one sentence. */
  readonly about: string;
  readonly now: string;
  readonly document: string;
  readonly lineages?: Readonly<Record<string, string>>;
  readonly texts?: Readonly<Record<string, string>>;
  readonly parts?: readonly string[];
  readonly id?: string;
  readonly known?: string;
  readonly trust?: string;
  readonly expect: { readonly exit: 0 | 1 | 2; readonly failed: readonly CheckName[] };
}

/** What a vector gives besides its name. */
export type Given = Omit<Vector, 'name' | 'about' | 'now' | 'expect'> & { readonly now?: string };

/** Vector of a document on which exactly these checks fail; they decide the outcome. */
export function vector(name: string, about: string, { now = NOW, ...given }: Given, ...failed: CheckName[]): Vector {
  const exit = failed.some((check) => check !== 'signature') ? 1 : failed.length === 0 ? 0 : 2;
  return { name, about, now, ...given, expect: { exit, failed } };
}

/** A lineage with the id that was asked for and its texts. */
export const lineageGiven = (lineage: SampleLineage, more: Partial<Given> = {}): Given => ({
  document: JSON.stringify(lineage),
  id: lineage.id,
  texts: textsOf(lineage),
  ...more,
});

/** A copy of a document with something changed. */
export function changed<T extends object>(document: T, change: Change<T>): T {
  const copy = structuredClone(document);
  applyChange(copy, change);
  return copy;
}

/** Item of a list that must be there. */
export function at<T>(list: readonly T[], index: number): T {
  const item = list.at(index);
  if (item === undefined) throw new RangeError(`no item ${index}`);
  return item;
}
