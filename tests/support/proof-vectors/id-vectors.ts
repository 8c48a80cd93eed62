import { failing, signedLineage, type Vector, vector } from './vector.ts';

const CYRILLIC_A = '\u0430';
const ZERO_WIDTH_JOINER = '\u200d';

/** Lineages whose ids look like others, or are none. */
export async function idVectors(): Promise<Vector[]> {
  const withId = async (title: string, id: string): Promise<Vector> => vector(failing('form', title), await signedLineage({ id }));
  return [
    await withId('id-with-cyrillic-letter: An id with a letter that only looks like a.', `http-c${CYRILLIC_A}ching`),
    await withId('id-with-line-feed: An id with a line feed at its end.', 'http-freshness\n'),
    await withId('id-with-joiner: An id with a character that is not seen.', `http-${ZERO_WIDTH_JOINER}freshness`),
    await withId('id-in-capitals: An id with a capital letter.', 'Http-freshness'),
    await withId('id-too-long: An id of 65 characters.', 'a'.repeat(65)),
    await withId('id-empty: An empty id.', ''),
    await withId('id-with-arabic-digit: An id with a digit that is none of 0 to 9.', 'http-\u0661'),
    vector('id-of-64: An id of 64 characters holds.', await signedLineage({ id: 'a'.repeat(64) })),
    vector('id-constructor: An id that is a word of programming languages is an id.', await signedLineage({ id: 'constructor' })),
  ];
}
