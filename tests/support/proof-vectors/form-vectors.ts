import { issuer } from './parties.ts';
import { type Change, didDocument, JWKS, makeLineage, NOW, type SampleHead, type SampleRecord } from './sample.ts';
import { at, edited, failing, lineageGiven, signedLineage, trusted, unsigned, type Vector, vector } from './vector.ts';

export async function formVectors(): Promise<Vector[]> {
  const trust = JWKS;
  const record = async (title: string, change: Change<SampleRecord>): Promise<Vector> => vector(title, await signedLineage({ change }));
  const head = async (title: string, changeHead: Change<SampleHead>): Promise<Vector> => vector(title, await signedLineage({ changeHead }));
  const clean = await makeLineage({ by: issuer });
  const two = await makeLineage({ by: issuer, count: 2 });
  const text = JSON.stringify(clean);
  return [
    await record('number-with-fraction [form]: A number in a statement that is not whole.', { weight: 63.5 }),
    await record('number-too-large [form]: A number in a statement that is 2 to the 53rd.', { weight: 2 ** 53 }),
    await record('number-too-small [form]: A number in a statement that is minus 2 to the 53rd.', { weight: [{ deep: -(2 ** 53) }] }),
    vector(
      'number-infinite [form]: A number in a statement that is too large for any.',
      trusted(clean, { document: text.replace('"sequence":0', '"sequence":0,"weight":1e400') }),
    ),
    vector(
      'number-2-53-plus-1 [form]: A number that would be rounded.',
      trusted(clean, { document: text.replace('"sequence":0', '"sequence":0,"weight":9007199254740993') }),
    ),
    vector(
      'number-at-the-bounds: The largest and the smallest whole number hold.',
      await signedLineage({ change: { weights: [2 ** 53 - 1, -(2 ** 53 - 1)] } }),
    ),
    vector(
      'number-as-63.0: A whole number may be written with a fraction of 0.',
      trusted(clean, { document: text.replace('"count":1', '"count":1.0').replace('"sequence":0', '"sequence":0.0') }),
    ),
    vector(
      'number-as-1e0: A whole number may be written with an exponent.',
      trusted(clean, { document: text.replace('"count":1', '"count":10e-1') }),
    ),
    vector('number-minus-zero: Minus zero is zero.', trusted(clean, { document: text.replace('"sequence":0', '"sequence":-0') })),
    await record('size-negative [text]: A size below 0.', { size: -1 }),
    await record('size-text [text]: A size that is a text.', (copy) => Object.assign(copy, { size: `${copy.size}` })),
    await record('sequence-true [chain]: A sequence that is true.', { sequence: true }),
    await record('record-type-wrong: The type of a record is not looked at: its schema says what it is.', { type: 'LineageHead' }),
    await record('record-schema-wrong [form]: A record of another schema.', { $schema: '/schemas/capsule-version/2.json' }),
    await record('record-title-null: A member that no check needs may have any form; the JSON Schemas say which is right.', {
      title: null,
    }),
    await record('record-previous-null [chain]: Null is not absent: a first record has no previous.', { previous: null }),
    await record('record-version-with-leading-zero [form]: A version with a leading zero.', { version: '1.00.0' }),
    await record('record-version-of-two [form]: A version of two numbers.', { version: '1.0' }),
    await record('record-version-of-four [form]: A version of four numbers.', { version: '1.0.0.1' }),
    await record('record-digest-in-capitals [text]: A digest in capital letters.', (copy) =>
      Object.assign(copy.digest, { 'sha-256': copy.digest['sha-256'].toUpperCase() }),
    ),
    await record('record-issuer-text [form]: An issuer that is a text.', { issuer: 'did:web:signpost.example' }),
    await head('head-type-wrong: The type of a head is not looked at either.', { type: 'CapsuleVersion' }),
    await head('head-status-unknown: A status that there is not is what the publisher said; the JSON Schemas say which there are.', {
      status: 'draft',
    }),
    await head('head-count-zero [head]: A head that counts 0.', { count: 0 }),
    await head('head-schema-wrong [form]: A head of the schema of records.', { $schema: '/schemas/capsule-version/1.json' }),
    await record('record-issuer-without-id [form]: An issuer whose id is no text.', { issuer: { id: 1 } }),
    await record('record-version-list [form]: A version in a list is no version.', (copy) =>
      Object.assign(copy, { version: [copy.version] }),
    ),
    await record('record-valid-until-no-time [form]: A validUntil of a record that is no time.', { validUntil: 'never' }),
    await record('record-size-absent [text]: A record that does not say how large its text is.', { size: undefined }),
    await record('record-digest-absent [text]: A record that does not say the digest of its text.', { digest: undefined }),
    await head('head-count-text [head]: A count that is a text.', { count: '1' }),
    await head('head-valid-until-null [form]: A validUntil that is null instead of absent.', { validUntil: null }),
    await head('head-valid-until-no-time [form]: A validUntil that is no time.', { validUntil: 'never' }),
    await head('head-name-without-algorithm [head]: A name without its algorithm.', (copy) =>
      Object.assign(copy, { head: copy.head.slice(7) }),
    ),
    vector('versions-empty [form]: A lineage without versions.', edited(clean, { versions: [] })),
    vector(
      'versions-object [form]: Versions that are no list.',
      lineageGiven(clean, { trust, document: JSON.stringify({ ...clean, versions: { 0: at(clean.versions, 0), length: 1 } }) }),
    ),
    vector(
      'signatures-absent [form]: A record without its list of signatures.',
      edited(clean, (copy) => Object.assign(at(copy.versions, 0), { signatures: undefined })),
    ),
    vector(
      'entry-digest-fraction [form]: The digest of a record that is a number with a fraction, which has no canonical form.',
      edited(two, (copy) => Object.assign(at(copy.versions, 0), { recordDigest: 0.5 })),
    ),
    vector(
      'signatures-text [form]: Signatures that are a text.',
      edited(clean, (copy) => Object.assign(copy.head, { signatures: 'none' })),
    ),
    vector(
      'signatures-of-other-kinds-besides: What is no signature counts for nothing beside a good one.',
      edited(clean, (copy) =>
        Object.assign(copy.head, { signatures: [null, 'none', 7, [], { protected: 1, signature: {} }, ...copy.head.signatures] }),
      ),
    ),
    unsigned(
      'signature-list: A good signature in an array.',
      edited(clean, (copy) => {
        const [one] = copy.head.signatures;
        Object.assign(copy.head, { signatures: [{ ...one, signature: [one?.signature] }] });
      }),
    ),
    await record('record-canonical-list [form]: An address in an array leads to no text.', (copy) =>
      Object.assign(copy, { canonical: [copy.canonical] }),
    ),
    await record('record-version-of-33-characters [form]: A version longer than 32 characters.', { version: `1.${'9'.repeat(29)}.0` }),
    await record('record-version-of-32-characters: A version of 32 characters.', { version: `1.${'9'.repeat(28)}.0` }),
    unsigned(
      'signature-without-protected: A signature without a header is none.',
      edited(clean, (copy) => Object.assign(copy.head, { signatures: [{ signature: '' }] })),
    ),
    vector('document-null [form]: A document that is null.', { document: 'null' }),
    vector('document-list [form]: A document that is a list.', { document: `[${text}]` }),
    vector('document-text [form]: A document that is a text.', { document: '"lineage"' }),
    vector('document-empty-object [form]: A document without members.', { document: '{}' }),
    vector('proto-member [form]: A member named __proto__ brings no members with it.', { document: `{"__proto__":${text}}`, trust }),
    vector(
      'proto-member-in-record [records signature]: A member named __proto__ is part of a record.',
      trusted(clean, { document: text.replace('"sequence":0', '"sequence":0,"__proto__":{"a":1}') }),
    ),
    vector(
      'proto-member-that-was-signed: A member named __proto__ that was signed holds.',
      await signedLineage({ change: (copy) => Object.defineProperty(copy, '__proto__', { value: { a: 1 }, enumerable: true }) }),
    ),
    vector(
      'names-outside-of-ascii: Names of members are ordered by UTF-16 code units, as RFC 8785 says.',
      await signedLineage({ change: { '😀': 1, '\ufb33': 2, '€': 3, '\r': 4, ö: 5, 1: 6 } }),
    ),
    vector(
      'control-characters-in-text: Control characters are escaped in the canonical form, as RFC 8785 says.',
      await signedLineage({ change: { summary: '\u0000\b\t\n\f\r\u001f\u007f\u0080\u2028"\\/</script>' } }),
    ),
  ];
}

const CYRILLIC_A = '\u0430';
const ZERO_WIDTH_JOINER = '\u200d';

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

export async function timeVectors(): Promise<Vector[]> {
  const issuedAt = async (title: string, issued: string): Promise<Vector> =>
    vector(failing('form', title), lineageGiven(await makeLineage({ by: issuer, change: { issued } }), { trust: JWKS }));
  return [
    await issuedAt('record-issued-without-zone: A time without its zone.', '2026-11-19T00:00:00'),
    await issuedAt('record-issued-with-offset: A time in another zone.', '2026-11-19T00:00:00+00:00'),
    await issuedAt('record-issued-with-fraction: A time with a fraction of a second.', '2026-11-19T00:00:00.000Z'),
    await issuedAt('record-issued-no-date: A 30th of February.', '2026-02-30T00:00:00Z'),
    await issuedAt('record-issued-hour-24: An hour 24.', '2026-11-19T24:00:00Z'),
    await issuedAt('record-issued-lower-case: A time in small letters.', '2026-11-19t00:00:00z'),
    await issuedAt('record-issued-year-0000: A year 0000, which the calendar of dates has not.', '0000-02-29T00:00:00Z'),
    await issuedAt('record-issued-leap-second: A second 60.', '2016-12-31T23:59:60Z'),
    await issuedAt('record-issued-with-blank: A blank in place of the T.', '2026-11-19 00:00:00Z'),
    await issuedAt('record-issued-after-white-space: A time after a blank.', ' 2026-11-19T00:00:00Z'),
    await issuedAt('record-issued-in-other-digits: A time in Arabic digits.', '٢٠٢٦-11-19T00:00:00Z'),
    vector(
      'record-issued-at-the-bounds: The first and the last second of all timestamps, under keys that were not retired.',
      lineageGiven(
        await makeLineage({
          by: issuer,
          count: 2,
          change: (record: SampleRecord) =>
            Object.assign(record, { issued: record.sequence === 0 ? '0001-01-01T00:00:00Z' : '9999-12-31T23:59:59Z' }),
          changeHead: { issued: NOW },
        }),
        { trust: didDocument([{ party: issuer }]) },
      ),
    ),
    vector(
      'now-is-no-timestamp [fresh]: Nothing is fresh at a time that is none.',
      lineageGiven(await makeLineage({ by: issuer }), { trust: JWKS, now: '2026-11-22' }),
    ),
    await issuedAt('record-issued-year-of-six-digits: A year of six digits with its sign.', '+012026-11-19T00:00:00Z'),
  ];
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, item]) => [name, reversed(item)]),
  );
}

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
