import { issuer } from './parties.ts';
import { JWKS, makeLineage } from './sample.ts';
import { failing, lineageGiven, signedLineage, trusted, type Vector, vector } from './vector.ts';

/** The same value with the members of all objects in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, item]) => [name, reversed(item)]),
  );
}

/** Documents that are not the JSON that the format asks for. */
export async function jsonVectors(): Promise<Vector[]> {
  const trust = JWKS;
  const lineage = await makeLineage({ by: issuer });
  const given = trusted(lineage);
  const text = given.document;
  const broken = (title: string, document: string): Vector => vector(failing('json', title), { ...given, document });
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  return [
    broken('json-cut: The end of the document is missing.', text.slice(0, -1)),
    broken('json-empty: Nothing at all.', ''),
    broken('json-trailing-comma: A comma before a bracket.', text.replace(/}$/, ',}')),
    broken('json-after-the-end: Something after the end of the document.', `${text}x`),
    broken('json-nan: NaN is no JSON.', text.replace('"weight":0.5', '"weight":NaN')),
    broken('json-single-quotes: Names in single quotes are no JSON.', text.replace('"edges"', "'edges'")),
    broken('json-control-character: A line feed inside a string is no JSON.', text.replace('A sentence', 'A\nsentence')),
    broken('json-leading-zero: Numbers have no leading zero.', text.replace('"sequence":0', '"sequence":00')),
    broken('byte-order-mark: A document begins without a byte order mark.', `\ufeff${text}`),
    broken('member-twice: A member of the lineage stands twice.', text.replace('{', '{"id":"http-freshness",')),
    broken(
      'member-twice-with-escape: A member stands twice, once with an escape in its name.',
      text.replace('{', '{"\\u0069d":"http-freshness",'),
    ),
    broken('member-twice-in-record: A member of a record stands twice.', text.replace('"sequence":0', '"sequence":0,"sequence":0')),
    broken(
      'member-twice-in-head: A member of a head stands twice.',
      text.replace('"status":"current"', '"status":"retracted","status":"current"'),
    ),
    broken(
      'member-twice-in-graph: A member stands twice outside of statements.',
      text.replace('"truncated":false', '"truncated":false,"truncated":false'),
    ),
    broken(
      'member-twice-in-list: A member of an object in a list stands twice.',
      text.replace('"distance":0', '"distance":0,"distanc\\u0065":0'),
    ),
    broken('proto-twice: A member named __proto__ is a member, and stands twice.', text.replace('{', '{"__proto__":{},"__proto__":{},')),
    broken('half-pair-high: The first half of a surrogate pair alone.', text.replace('A sentence', 'A \\ud83d sentence')),
    broken('half-pair-low: The second half of a surrogate pair alone.', text.replace('A sentence', 'A \\ude00 sentence')),
    broken(
      'half-pairs-in-wrong-order: The halves of a surrogate pair in the wrong order.',
      text.replace('A sentence', 'A \\ude00\\ud83d sentence'),
    ),
    broken(
      'half-pair-in-name: Half of a surrogate pair in the name of a member.',
      text.replace('"truncated":false', '"truncated":false,"\\ud83d":0'),
    ),
    broken(
      'half-pair-unescaped: Half of a surrogate pair that is no escape is no Unicode.',
      text.replace('A sentence', 'A \ud83d sentence'),
    ),
    broken('nested-65-deep: Arrays and objects 65 deep.', text.replace('"edges":[]', `"edges":${nested(63)}`)),
    broken('nested-10000-deep: Arrays 10000 deep must not exhaust a verifier.', nested(10_000)),
    vector('nested-64-deep: Arrays and objects 64 deep hold.', {
      ...given,
      document: text.replace('"edges":[]', `"edges":${nested(62)}`),
    }),
    vector(
      'pair-in-escapes: A whole surrogate pair in escapes is one character.',
      lineageGiven(
        await makeLineage({
          by: issuer,
          change: { title: '😀' },
        }),
        {
          trust,
          document: JSON.stringify(
            await makeLineage({
              by: issuer,
              change: { title: '😀' },
            }),
          ).replaceAll('😀', '\\ud83d\\ude00'),
        },
      ),
    ),
    vector('escapes-and-white-space: Escapes, white space and the order of members make no difference to statements.', {
      ...given,
      document: JSON.stringify(reversed(lineage), null, 2).replaceAll('caching', '\\u0063aching').replaceAll('/', '\\/'),
    }),
    vector(
      'colons-in-strings: Colons and quotation marks in strings are no members.',
      await signedLineage({ change: { summary: 'a: "b": \\": c\\\\' } }),
    ),
    vector('numbers-outside-of-statements: Numbers outside of statements may be any.', {
      ...given,
      document: text.replace('"weight":0.5', '"weight":[1e400,-0,9007199254740993,0.1]'),
    }),
  ];
}
