import { SEARCH_FIELDS } from '../search-document.ts';

/** Bits for the occurrences of a term in each field, in the order of `SEARCH_FIELDS`; together 32. More do not count. */
const FIELD_BITS = [5, 6, 5, 8, 8] as const;

const SHIFTS = FIELD_BITS.map((_, field) => FIELD_BITS.slice(0, field).reduce((sum, bits) => sum + bits, 0));

/** Occurrences in each field as one number, so that a million documents fit into memory while they are built. */
export function packFrequencies(frequencies: ArrayLike<number>): number {
  let packed = 0;
  for (let field = 0; field < SEARCH_FIELDS.length; field++) {
    const most = 2 ** FIELD_BITS[field] - 1;
    packed |= Math.min(frequencies[field], most) << SHIFTS[field];
  }
  return packed >>> 0;
}

/** Occurrences in one field, out of a number of {@link packFrequencies}. */
export function unpackFrequency(packed: number, field: number): number {
  return (packed >>> SHIFTS[field]) & (2 ** FIELD_BITS[field] - 1);
}
