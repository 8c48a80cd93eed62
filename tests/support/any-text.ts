import * as fc from 'fast-check';

const SURROGATES_FROM = 0xd800;
const SURROGATE_COUNT = 0x800;
const LAST_CODE_POINT = 0x10ffff;

/** Every character of Unicode. That of fast-check, `binary`, keeps a table of all of them: 80 MB, and a second to make it in each process. */
const character = fc
  .integer({ min: 0, max: LAST_CODE_POINT - SURROGATE_COUNT })
  .map((number) => String.fromCodePoint(number < SURROGATES_FROM ? number : number + SURROGATE_COUNT));

/** Texts of any characters but halves of pairs. */
export function anyText(length: Pick<fc.StringConstraints, 'minLength' | 'maxLength'> = {}): fc.Arbitrary<string> {
  return fc.string({ ...length, unit: character });
}
