import { issuer, nameOf } from './parties.ts';
import { addressOf, JWKS, makeLineage, PUBLISHER, textOf, textsOf } from './sample.ts';
import { at, changed, edited, lineageGiven, signedLineage, trusted, unsigned, type Vector, vector } from './vector.ts';

export async function editedLineageVectors(): Promise<Vector[]> {
  const signed = await makeLineage({ by: issuer });
  const three = await makeLineage({ by: issuer, count: 3 });
  const other = await makeLineage({ by: issuer, id: 'http-validators' });
  const recomputed = changed(signed, ({ versions, head }) => {
    const entry = at(versions, 0);
    entry.record.title = 'A claim that nobody made';
    entry.recordDigest = nameOf(entry.record);
    head.statement.head = entry.recordDigest;
  });
  const trust = JWKS;
  const address = addressOf(signed.id, '1.0.0');
  return [
    vector(
      'text-edited [text]: One word of the exact text was changed.',
      trusted(signed, { texts: { [address]: textOf(signed.id, 0).replace('costs', 'saves') } }),
    ),
    vector(
      'text-of-same-size-edited [text]: A text of the right size with another letter.',
      trusted(signed, { texts: { [address]: textOf(signed.id, 0).replace('line', 'lime') } }),
    ),
    vector(
      'text-with-crlf [text]: Line ends are bytes like others.',
      trusted(signed, { texts: { [address]: textOf(signed.id, 0).replaceAll('\n', '\r\n') } }),
    ),
    vector(
      'text-nfd [text]: A text in another normal form is another text.',
      trusted(signed, { texts: { [address]: textOf(signed.id, 0).normalize('NFD') } }),
    ),
    vector(
      'text-with-byte-order-mark [text]: A byte order mark is part of a text.',
      lineageGiven(signed, { trust, texts: { [address]: `\ufeff${textOf(signed.id, 0)}` } }),
    ),
    vector(
      'text-elsewhere-is-not-looked-at: A text that no record names proves nothing and fails nothing.',
      trusted(signed, { texts: { '/capsules/other/1.0.0.md': 'x' } }),
    ),
    vector(
      'record-title-edited [records signature]: The title in a record was changed.',
      edited(signed, ({ versions }) => Object.assign(at(versions, 0).record, { title: 'Another title' })),
    ),
    vector(
      'record-title-nfd [records signature]: A title in another normal form is another title.',
      edited(signed, ({ versions }) => Object.assign(at(versions, 0).record, { summary: 'Élan'.normalize('NFD') })),
    ),
    vector(
      'record-derived-from-removed [records signature]: A source was taken out of a record.',
      edited(signed, ({ versions }) => at(versions, 0).record.derivedFrom.pop()),
    ),
    vector(
      'record-member-added [records signature]: A member was added to a record.',
      edited(signed, ({ versions }) => Object.assign(at(versions, 0).record, { note: 'x' })),
    ),
    unsigned('record-digest-recomputed: A changed record with digests that fit again lacks a signature.', trusted(recomputed)),
    vector(
      'record-digest-recomputed-without-trust: Without trust a changed record with digests that fit again holds: it only fits together.',
      lineageGiven(recomputed),
    ),
    unsigned(
      'head-status-edited: The status in a head was changed.',
      edited(signed, ({ head }) => Object.assign(head.statement, { status: 'retracted' })),
    ),
    unsigned(
      'head-valid-until-removed: A head without its end is another head.',
      edited(signed, ({ head }) => Reflect.deleteProperty(head.statement, 'validUntil')),
    ),
    vector(
      'newest-dropped [head]: The newest version was left out.',
      edited(three, ({ versions }) => versions.pop()),
    ),
    vector(
      'oldest-dropped [chain head]: The oldest version was left out.',
      edited(three, ({ versions }) => versions.shift(), { texts: {} }),
    ),
    vector(
      'middle-dropped [chain head]: A version in the middle was left out.',
      edited(three, ({ versions }) => versions.splice(1, 1), { texts: textsOf(three) }),
    ),
    vector(
      'reordered [chain]: Two versions stand in another order.',
      edited(three, ({ versions }) => versions.unshift(...versions.splice(1, 1)), { texts: textsOf(three) }),
    ),
    vector(
      'version-twice [chain head]: A version stands twice.',
      edited(three, ({ versions }) => versions.splice(1, 0, at(versions, 1)), { texts: textsOf(three) }),
    ),
    vector(
      'lineage-of-another-capsule [subject]: The lineage is of another capsule than the one that was asked for.',
      trusted(other, { id: signed.id }),
    ),
    vector(
      'lineage-id-differs [subject]: The lineage has another id than its records.',
      edited(signed, { id: 'http-other' }, { texts: {}, id: 'http-other' }),
    ),
    vector(
      'lineage-id-alone-differs [subject]: The lineage has another id than its records and its head, which are of the capsule that was asked for.',
      lineageGiven({ ...signed, id: 'http-other' }, { trust, id: signed.id, texts: {} }),
    ),
    vector(
      'record-of-another-capsule [subject]: A record in the chain is of another capsule.',
      await signedLineage({
        count: 2,
        change: (record) => {
          if (record.sequence === 1) record.id = other.id;
        },
      }),
    ),
    vector(
      'head-of-another-capsule [subject head]: The head is of another capsule of the same issuer.',
      edited(signed, { head: other.head }),
    ),
    vector(
      'record-of-another-issuer [subject]: Records and head name different issuers.',
      await signedLineage({ change: { issuer: { ...PUBLISHER, id: 'did:web:other.example' } } }),
    ),
    vector(
      'sequence-wrong [chain]: A chain that does not count from 0.',
      await signedLineage({
        change: (record) => {
          record.sequence += 1;
        },
      }),
    ),
    vector(
      'versions-descend [chain]: A version that is smaller than the one before.',
      await signedLineage({ count: 2, change: (record) => Object.assign(record, { version: at(['1.10.0', '1.9.0'], record.sequence) }) }),
    ),
    vector(
      'versions-stay [chain]: Two records of one version in a chain.',
      await signedLineage({ count: 2, change: { version: '1.0.0' } }),
    ),
    vector(
      'previous-names-another-record [chain]: A record names another digest than that of the record before.',
      await signedLineage({
        count: 2,
        change: (record) => {
          if (record.previous) record.previous.recordDigest = nameOf('another');
        },
      }),
    ),
    vector(
      'previous-with-another-member [chain]: The record before is named by two members and no other.',
      await signedLineage({
        count: 2,
        change: (record) => {
          if (record.previous) Object.assign(record.previous, { note: 'x' });
        },
      }),
    ),
    vector(
      'previous-of-the-first [chain]: The first record has none before it, not even one without members.',
      await signedLineage({ change: { previous: {} } }),
    ),
    vector(
      'previous-absent [chain]: A second record without the one before.',
      await signedLineage({ count: 2, change: (record) => Reflect.deleteProperty(record, 'previous') }),
    ),
    vector('head-count-wrong [head]: A head that counts more versions than there are.', await signedLineage({ changeHead: { count: 2 } })),
    vector('head-version-wrong [head]: A head that names another version.', await signedLineage({ changeHead: { version: '1.1.0' } })),
  ];
}
