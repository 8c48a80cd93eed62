import type { Item, Lineage } from './documents.ts';
import type { Note } from './findings.ts';
import { type Source, toText } from './json-text.ts';
import { differingField } from './told-fields.ts';

/** What `make` gives, or `otherwise` if it throws. */
export function attempt<T>(make: () => T, otherwise: T): T {
  try {
    return make();
  } catch {
    return otherwise;
  }
}

/** Checks what a capsule, or a result, says of a version against its lineage; gives the record of the version. */
export function checkFields(note: Note, item: Item, lineage: Lineage | undefined, isCapsule: boolean) {
  const { capsule_id, version } = item;
  const record = lineage?.versions.find((entry) => entry.record.version === version)?.record;
  const wrong = lineage && record ? attempt(() => differingField(item, record, lineage, isCapsule), 'a list') : 'no record';
  note('fields', !wrong, `${capsule_id} ${version}: ${wrong}`);
  return record;
}

/** Checks that a passage stands in a text where the result says, in UTF-16 code units. */
export const checkQuote = (note: Note, { capsule_id, quote: { start, end, text } }: Item, source: Source): boolean =>
  note('quote', start >= 0 && text.length === end - start && attempt(() => toText(source).slice(start, end) === text, false), capsule_id);
