import { issuer, nameOf } from './parties.ts';
import { addressOf, JWKS, makeLineage, PUBLISHER, textOf, textsOf } from './sample.ts';
import { at, changed, edited, lineageGiven, signedLineage, trusted, unsigned, type Vector, vector } from './vector.ts';

/** Lineages of which something was changed. */
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
      'text-edited',
      'One word of the exact text was changed.',
      trusted(signed, { texts: { [address]: textOf(signed.id, 0).replace('costs', 'saves') } }),
      'text',
    ),
    vector(
      'text-of-same-size-edited',
      'A text of the right size with another letter.',
      trusted(signed, { texts: { [address]: textOf(signed.id, 0).replace('line', 'lime') } }),
      'text',
    ),
    vector(
      'text-with-crlf',
      'Line ends are bytes like others.',
      trusted(signed, { texts: { [address]: textOf(signed.id, 0).replaceAll('\n', '\r\n') } }),
      'text',
    ),
    vector(
      'text-nfd',
      'A text in another normal form is another text.',
      trusted(signed, { texts: { [address]: textOf(signed.id, 0).normalize('NFD') } }),
      'text',
    ),
    vector(
      'text-with-byte-order-mark',
      'A byte order mark is part of a text.',
      lineageGiven(signed, { trust, texts: { [address]: `\ufeff${textOf(signed.id, 0)}` } }),
      'text',
    ),
    vector(
      'text-elsewhere-is-not-looked-at',
      'A text that no record names proves nothing and fails nothing.',
      trusted(signed, { texts: { '/capsules/other/1.0.0.md': 'x' } }),
    ),
    vector(
      'record-title-edited',
      'The title in a record was changed.',
      edited(signed, ({ versions }) => Object.assign(at(versions, 0).record, { title: 'Another title' })),
      'records',
      'signature',
    ),
    vector(
      'record-title-nfd',
      'A title in another normal form is another title.',
      edited(signed, ({ versions }) => Object.assign(at(versions, 0).record, { summary: 'Élan'.normalize('NFD') })),
      'records',
      'signature',
    ),
    vector(
      'record-derived-from-removed',
      'A source was taken out of a record.',
      edited(signed, ({ versions }) => at(versions, 0).record.derivedFrom.pop()),
      'records',
      'signature',
    ),
    vector(
      'record-member-added',
      'A member was added to a record.',
      edited(signed, ({ versions }) => Object.assign(at(versions, 0).record, { note: 'x' })),
      'records',
      'signature',
    ),
    unsigned('record-digest-recomputed', 'A changed record with digests that fit again lacks a signature.', trusted(recomputed)),
    vector(
      'record-digest-recomputed-without-trust',
      'Without trust a changed record with digests that fit again holds: it only fits together.',
      lineageGiven(recomputed),
    ),
    unsigned(
      'head-status-edited',
      'The status in a head was changed.',
      edited(signed, ({ head }) => Object.assign(head.statement, { status: 'retracted' })),
    ),
    unsigned(
      'head-valid-until-removed',
      'A head without its end is another head.',
      edited(signed, ({ head }) => Reflect.deleteProperty(head.statement, 'validUntil')),
    ),
    vector(
      'newest-dropped',
      'The newest version was left out.',
      edited(three, ({ versions }) => versions.pop()),
      'head',
    ),
    vector(
      'oldest-dropped',
      'The oldest version was left out.',
      edited(three, ({ versions }) => versions.shift(), { texts: {} }),
      'chain',
      'head',
    ),
    vector(
      'middle-dropped',
      'A version in the middle was left out.',
      edited(three, ({ versions }) => versions.splice(1, 1), { texts: textsOf(three) }),
      'chain',
      'head',
    ),
    vector(
      'reordered',
      'Two versions stand in another order.',
      edited(three, ({ versions }) => versions.unshift(...versions.splice(1, 1)), { texts: textsOf(three) }),
      'chain',
    ),
    vector(
      'version-twice',
      'A version stands twice.',
      edited(three, ({ versions }) => versions.splice(1, 0, at(versions, 1)), { texts: textsOf(three) }),
      'chain',
      'head',
    ),
    vector(
      'lineage-of-another-capsule',
      'The lineage is of another capsule than the one that was asked for.',
      trusted(other, { id: signed.id }),
      'subject',
    ),
    vector(
      'lineage-id-differs',
      'The lineage has another id than its records.',
      edited(signed, { id: 'http-other' }, { texts: {}, id: 'http-other' }),
      'subject',
    ),
    vector(
      'lineage-id-alone-differs',
      'The lineage has another id than its records and its head, which are of the capsule that was asked for.',
      lineageGiven({ ...signed, id: 'http-other' }, { trust, id: signed.id, texts: {} }),
      'subject',
    ),
    vector(
      'record-of-another-capsule',
      'A record in the chain is of another capsule.',
      await signedLineage({
        count: 2,
        change: (record) => {
          if (record.sequence === 1) record.id = other.id;
        },
      }),
      'subject',
    ),
    vector(
      'head-of-another-capsule',
      'The head is of another capsule of the same issuer.',
      edited(signed, { head: other.head }),
      'subject',
      'head',
    ),
    vector(
      'record-of-another-issuer',
      'Records and head name different issuers.',
      await signedLineage({ change: { issuer: { ...PUBLISHER, id: 'did:web:other.example' } } }),
      'subject',
    ),
    vector(
      'sequence-wrong',
      'A chain that does not count from 0.',
      await signedLineage({
        change: (record) => {
          record.sequence += 1;
        },
      }),
      'chain',
    ),
    vector(
      'versions-descend',
      'A version that is smaller than the one before.',
      await signedLineage({ count: 2, change: (record) => Object.assign(record, { version: at(['1.10.0', '1.9.0'], record.sequence) }) }),
      'chain',
    ),
    vector(
      'versions-stay',
      'Two records of one version in a chain.',
      await signedLineage({ count: 2, change: { version: '1.0.0' } }),
      'chain',
    ),
    vector(
      'previous-names-another-record',
      'A record names another digest than that of the record before.',
      await signedLineage({
        count: 2,
        change: (record) => {
          if (record.previous) record.previous.recordDigest = nameOf('another');
        },
      }),
      'chain',
    ),
    vector(
      'previous-with-another-member',
      'The record before is named by two members and no other.',
      await signedLineage({
        count: 2,
        change: (record) => {
          if (record.previous) Object.assign(record.previous, { note: 'x' });
        },
      }),
      'chain',
    ),
    vector(
      'previous-of-the-first',
      'The first record has none before it, not even one without members.',
      await signedLineage({ change: { previous: {} } }),
      'chain',
    ),
    vector(
      'previous-absent',
      'A second record without the one before.',
      await signedLineage({ count: 2, change: (record) => Reflect.deleteProperty(record, 'previous') }),
      'chain',
    ),
    vector(
      'head-count-wrong',
      'A head that counts more versions than there are.',
      await signedLineage({ changeHead: { count: 2 } }),
      'head',
    ),
    vector('head-version-wrong', 'A head that names another version.', await signedLineage({ changeHead: { version: '1.1.0' } }), 'head'),
  ];
}
