import type { CheckName } from '../../../src/provenance/verify/verify.ts';
import { issuer } from './parties.ts';
import { applyChange, type Change, JWKS, type LineageFacts, makeLineage, NOW, type SampleLineage, textsOf } from './sample.ts';

export interface Vector {
  readonly name: string;
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

export type Given = Omit<Vector, 'name' | 'about' | 'now' | 'expect'> & { readonly now?: string };

/**
 * Vector of a document.
 *
 * @param title Its name, in brackets the checks that fail, if any, and what it shows: `part-missing [parts corpus]: One of two parts …`.
 */
export function vector(title: string, { now = NOW, ...given }: Given): Vector {
  const [, name = '', checks, about = ''] = /^(\S+)(?: \[([a-z ]+)\])?: (.+)$/.exec(title) ?? [];
  const failed = (checks?.split(' ') ?? []) as CheckName[];
  const exit = failed.some((check) => check !== 'signature') ? 1 : failed.length === 0 ? 0 : 2;
  return { name, about, now, ...given, expect: { exit, failed } };
}

export const lineageGiven = (lineage: SampleLineage, more: Partial<Given> = {}): Given => ({
  document: JSON.stringify(lineage),
  id: lineage.id,
  texts: textsOf(lineage),
  ...more,
});

/** {@link lineageGiven} with trust in the issuer. */
export const trusted = (lineage: SampleLineage, more: Partial<Given> = {}): Given => lineageGiven(lineage, { trust: JWKS, ...more });

export const edited = (lineage: SampleLineage, change: Change<SampleLineage>, more: Partial<Given> = {}): Given =>
  trusted(changed(lineage, change), more);

export const signedLineage = async (facts: LineageFacts): Promise<Given> => trusted(await makeLineage({ by: issuer, ...facts }));
export const unsigned = (title: string, given: Given): Vector => vector(failing('signature', title), given);

/** A title with a check that fails, unless it names some itself. */
export const failing = (check: CheckName, title: string): string => (title.includes(' [') ? title : title.replace(': ', ` [${check}]: `));

export function changed<T extends object>(document: T, change: Change<T>): T {
  const copy = structuredClone(document);
  applyChange(copy, change);
  return copy;
}

/** Item of a list. @throws {RangeError} If it is absent. */
export function at<T>(list: readonly T[], index: number): T {
  const item = list.at(index);
  if (item === undefined) throw new RangeError(`no item ${index}`);
  return item;
}
