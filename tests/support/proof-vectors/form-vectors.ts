import { issuer } from './parties.ts';
import { type Change, JWKS, makeLineage, type SampleHead, type SampleRecord } from './sample.ts';
import { at, edited, lineageGiven, signedLineage, trusted, unsigned, type Vector, vector } from './vector.ts';

/** Documents with members of the wrong form, however they are signed. */
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
