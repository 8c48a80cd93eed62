import { attacker, issuer, nameOf } from './parties.ts';
import { addressOf, didDocument, JWKS, makeLineage, PUBLISHER, textOf, textsOf, VALID_UNTIL } from './sample.ts';
import { at, changed, lineageGiven, type Vector, vector } from './vector.ts';

/** Lineages that hold. */
async function holding(): Promise<Vector[]> {
  const signed = await makeLineage({ by: issuer });
  const three = await makeLineage({ by: issuer, count: 3 });
  const extended = await makeLineage({ by: issuer, change: (record) => Object.assign(record, { extra: { b: [1, -2], a: null, ü: 'é' } }) });
  return [
    vector(
      'lineage-unsigned',
      'A lineage of one version without signatures holds where no trust is given.',
      lineageGiven(await makeLineage()),
    ),
    vector('lineage-signed-jwks', 'A signed lineage holds under a JWK Set.', lineageGiven(signed, { trust: JWKS })),
    vector(
      'lineage-signed-did',
      'A signed lineage holds under a DID document.',
      lineageGiven(signed, { trust: didDocument([{ party: issuer }]) }),
    ),
    vector('lineage-signed-without-trust', 'Signatures are not looked at without trust.', lineageGiven(signed)),
    vector(
      'lineage-signed-eddsa',
      'The older name EdDSA of the algorithm is accepted.',
      lineageGiven(await makeLineage({ by: issuer, alg: 'EdDSA' }), { trust: JWKS }),
    ),
    vector(
      'lineage-two-versions',
      'Two versions in a chain hold.',
      lineageGiven(await makeLineage({ by: issuer, count: 2 }), { trust: JWKS }),
    ),
    vector('lineage-three-versions', 'Three versions in a chain hold.', lineageGiven(three, { trust: JWKS })),
    vector(
      'lineage-superseded',
      'A superseded capsule has a head that says by what.',
      lineageGiven(
        await makeLineage({
          by: issuer,
          changeHead: (head) =>
            Object.assign(head, { status: 'superseded', statusReason: 'Said better elsewhere.', supersededBy: 'newer-words' }),
        }),
        { trust: JWKS },
      ),
    ),
    vector(
      'lineage-retracted',
      'A retracted capsule keeps its proofs.',
      lineageGiven(
        await makeLineage({
          by: issuer,
          changeHead: (head) => Object.assign(head, { status: 'retracted', statusReason: 'It was wrong.' }),
        }),
        { trust: JWKS },
      ),
    ),
    vector(
      'lineage-unknown-members',
      'Members that the format does not name are part of the statement and hold.',
      lineageGiven(extended, { trust: JWKS }),
    ),
    vector('lineage-no-texts', 'Without texts the check text is not made.', {
      document: JSON.stringify(signed),
      id: signed.id,
      trust: JWKS,
    }),
    vector('lineage-no-id-asked', 'Without an id that was asked for any lineage will do.', {
      document: JSON.stringify(signed),
      trust: JWKS,
    }),
    vector(
      'lineage-version-order-is-of-numbers',
      'Versions ascend by their numbers, of any length, not by their digits.',
      lineageGiven(
        await makeLineage({
          count: 3,
          change: (record) => {
            record.version = at(['1.9.0', '1.10.0', '12345678901234567890123.0.0'], record.sequence);
          },
        }),
      ),
    ),
    vector('known-is-the-same', 'A document continues itself.', lineageGiven(three, { trust: JWKS, known: JSON.stringify(three) })),
    vector(
      'known-is-shorter',
      'A lineage continues an older copy with fewer versions.',
      lineageGiven(three, { trust: JWKS, known: JSON.stringify(await makeLineage({ by: issuer, count: 2 })) }),
    ),
    vector(
      'head-valid-to-the-second',
      'A head is valid at the very second of validUntil.',
      lineageGiven(signed, { trust: JWKS, now: VALID_UNTIL }),
    ),
  ];
}

/** Lineages of which something was changed. */
async function edited(): Promise<Vector[]> {
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
      lineageGiven(signed, { trust, texts: { [address]: textOf(signed.id, 0).replace('costs', 'saves') } }),
      'text',
    ),
    vector(
      'text-of-same-size-edited',
      'A text of the right size with another letter.',
      lineageGiven(signed, { trust, texts: { [address]: textOf(signed.id, 0).replace('line', 'lime') } }),
      'text',
    ),
    vector(
      'text-with-crlf',
      'Line ends are bytes like others.',
      lineageGiven(signed, { trust, texts: { [address]: textOf(signed.id, 0).replaceAll('\n', '\r\n') } }),
      'text',
    ),
    vector(
      'text-nfd',
      'A text in another normal form is another text.',
      lineageGiven(signed, { trust, texts: { [address]: textOf(signed.id, 0).normalize('NFD') } }),
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
      lineageGiven(signed, { trust, texts: { '/capsules/other/1.0.0.md': 'x' } }),
    ),
    vector(
      'record-title-edited',
      'The title in a record was changed.',
      lineageGiven(
        changed(signed, ({ versions }) => {
          at(versions, 0).record.title = 'Another title';
        }),
        { trust },
      ),
      'records',
      'signature',
    ),
    vector(
      'record-title-nfd',
      'A title in another normal form is another title.',
      lineageGiven(
        changed(signed, ({ versions }) => {
          at(versions, 0).record['summary'] = 'Élan'.normalize('NFD');
        }),
        { trust },
      ),
      'records',
      'signature',
    ),
    vector(
      'record-derived-from-removed',
      'A source was taken out of a record.',
      lineageGiven(
        changed(signed, ({ versions }) => {
          at(versions, 0).record.derivedFrom.pop();
        }),
        { trust },
      ),
      'records',
      'signature',
    ),
    vector(
      'record-member-added',
      'A member was added to a record.',
      lineageGiven(
        changed(signed, ({ versions }) => {
          at(versions, 0).record['note'] = 'x';
        }),
        { trust },
      ),
      'records',
      'signature',
    ),
    vector(
      'record-digest-recomputed',
      'A changed record with digests that fit again lacks a signature.',
      lineageGiven(recomputed, { trust }),
      'signature',
    ),
    vector(
      'record-digest-recomputed-without-trust',
      'Without trust a changed record with digests that fit again holds: it only fits together.',
      lineageGiven(recomputed),
    ),
    vector(
      'head-status-edited',
      'The status in a head was changed.',
      lineageGiven(
        changed(signed, ({ head }) => {
          head.statement.status = 'retracted';
        }),
        { trust },
      ),
      'signature',
    ),
    vector(
      'head-valid-until-removed',
      'A head without its end is another head.',
      lineageGiven(
        changed(signed, ({ head }) => {
          delete head.statement.validUntil;
        }),
        { trust },
      ),
      'signature',
    ),
    vector(
      'newest-dropped',
      'The newest version was left out.',
      lineageGiven(
        changed(three, ({ versions }) => {
          versions.pop();
        }),
        { trust },
      ),
      'head',
    ),
    vector(
      'oldest-dropped',
      'The oldest version was left out.',
      lineageGiven(
        changed(three, ({ versions }) => {
          versions.shift();
        }),
        { trust, texts: {} },
      ),
      'chain',
      'head',
    ),
    vector(
      'middle-dropped',
      'A version in the middle was left out.',
      lineageGiven(
        changed(three, ({ versions }) => {
          versions.splice(1, 1);
        }),
        { trust, texts: textsOf(three) },
      ),
      'chain',
      'head',
    ),
    vector(
      'reordered',
      'Two versions stand in another order.',
      lineageGiven(
        changed(three, ({ versions }) => {
          versions.unshift(...versions.splice(1, 1));
        }),
        { trust, texts: textsOf(three) },
      ),
      'chain',
    ),
    vector(
      'version-twice',
      'A version stands twice.',
      lineageGiven(
        changed(three, ({ versions }) => {
          versions.splice(1, 0, at(versions, 1));
        }),
        { trust, texts: textsOf(three) },
      ),
      'chain',
      'head',
    ),
    vector(
      'lineage-of-another-capsule',
      'The lineage is of another capsule than the one that was asked for.',
      lineageGiven(other, { trust, id: signed.id }),
      'subject',
    ),
    vector(
      'lineage-id-differs',
      'The lineage has another id than its records.',
      lineageGiven(
        changed(signed, (copy) => {
          copy.id = 'http-other';
        }),
        { trust, texts: {}, id: 'http-other' },
      ),
      'subject',
    ),
    vector(
      'head-of-another-capsule',
      'The head is of another capsule of the same issuer.',
      lineageGiven(
        changed(signed, (copy) => {
          copy.head = other.head;
        }),
        { trust },
      ),
      'subject',
      'head',
    ),
    vector(
      'record-of-another-issuer',
      'Records and head name different issuers.',
      lineageGiven(
        await makeLineage({
          by: issuer,
          change: (record) => {
            record.issuer = { ...PUBLISHER, id: 'did:web:other.example' };
          },
        }),
        { trust },
      ),
      'subject',
    ),
    vector(
      'sequence-wrong',
      'A chain that does not count from 0.',
      lineageGiven(
        await makeLineage({
          by: issuer,
          change: (record) => {
            record.sequence += 1;
          },
        }),
        { trust },
      ),
      'chain',
    ),
    vector(
      'versions-descend',
      'A version that is smaller than the one before.',
      lineageGiven(
        await makeLineage({
          by: issuer,
          count: 2,
          change: (record) => {
            record.version = at(['1.10.0', '1.9.0'], record.sequence);
          },
        }),
        { trust },
      ),
      'chain',
    ),
    vector(
      'previous-names-another-record',
      'A record names another digest than that of the record before.',
      lineageGiven(
        await makeLineage({
          by: issuer,
          count: 2,
          change: (record) => {
            if (record.previous) record.previous.recordDigest = nameOf('another');
          },
        }),
        { trust },
      ),
      'chain',
    ),
    vector(
      'previous-absent',
      'A second record without the one before.',
      lineageGiven(
        await makeLineage({
          by: issuer,
          count: 2,
          change: (record) => {
            delete record.previous;
          },
        }),
        { trust },
      ),
      'chain',
    ),
    vector(
      'head-count-wrong',
      'A head that counts more versions than there are.',
      lineageGiven(
        await makeLineage({
          by: issuer,
          changeHead: (head) => {
            head.count = 2;
          },
        }),
        { trust },
      ),
      'head',
    ),
    vector(
      'head-version-wrong',
      'A head that names another version.',
      lineageGiven(
        await makeLineage({
          by: issuer,
          changeHead: (head) => {
            head.version = '1.1.0';
          },
        }),
        { trust },
      ),
      'head',
    ),
  ];
}

/** Heads and copies out of their time. */
async function outOfTime(): Promise<Vector[]> {
  const trust = JWKS;
  const two = await makeLineage({ by: issuer, count: 2 });
  const three = await makeLineage({ by: issuer, count: 3 });
  const signed = await makeLineage({ by: issuer });
  const fork = await makeLineage({
    by: issuer,
    count: 2,
    change: (record) => {
      if (record.sequence === 1) record.title = 'Another second version';
    },
  });
  const later = await makeLineage({
    by: issuer,
    changeHead: (head) => {
      head.issued = '2026-11-20T00:00:00Z';
    },
  });
  const retraction = await makeLineage({
    by: issuer,
    changeHead: (head) => Object.assign(head, { status: 'retracted', issued: '2026-11-21T00:00:00Z' }),
  });
  return [
    vector('head-expired', 'The head was valid until a second ago.', lineageGiven(signed, { trust, now: '2026-12-21T00:00:01Z' }), 'fresh'),
    vector(
      'head-expired-without-trust',
      'An end of validity counts without trust too.',
      lineageGiven(signed, { now: '2027-01-01T00:00:00Z' }),
      'fresh',
    ),
    vector(
      'head-issued-after-its-end',
      'A head that was issued after its validity ended.',
      lineageGiven(
        await makeLineage({
          by: issuer,
          changeHead: (head) => {
            head.issued = '2026-12-22T00:00:00Z';
          },
        }),
        { trust },
      ),
      'fresh',
    ),
    vector(
      'known-rollback',
      'The document has fewer versions than the older copy.',
      lineageGiven(two, { trust, known: JSON.stringify(three) }),
      'known',
    ),
    vector(
      'known-fork',
      'The document has another second version than the older copy.',
      lineageGiven(fork, { trust, known: JSON.stringify(two) }),
      'known',
    ),
    vector(
      'known-head-is-newer',
      'The same records under an older head.',
      lineageGiven(signed, { trust, known: JSON.stringify(later) }),
      'known',
    ),
    vector(
      'known-retraction-undone',
      'A head from before a retraction that is known.',
      lineageGiven(signed, { trust, known: JSON.stringify(retraction) }),
      'known',
    ),
    vector(
      'known-of-another-capsule',
      'The older copy is of another capsule.',
      lineageGiven(signed, { trust, known: JSON.stringify(await makeLineage({ by: issuer, id: 'http-validators' })) }),
      'known',
    ),
    vector(
      'known-is-garbage',
      'An older copy that cannot be read proves nothing, so the check fails.',
      lineageGiven(signed, { trust, known: 'garbage' }),
      'known',
    ),
    vector(
      'known-is-no-lineage',
      'An older copy of another form.',
      lineageGiven(signed, { trust, known: '{"versions":[],"head":null}' }),
      'known',
    ),
    vector(
      'all-by-attacker',
      'A whole lineage by a key that is not trusted.',
      lineageGiven(await makeLineage({ by: attacker }), { trust }),
      'signature',
    ),
  ];
}

/** Vectors of what a lineage says of itself. */
export const lineageVectors = async (): Promise<Vector[]> => [...(await holding()), ...(await edited()), ...(await outOfTime())];
