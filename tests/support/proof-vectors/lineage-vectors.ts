import { attacker, issuer, nameOf, type Party, sha256 } from './parties.ts';
import { type Change, didDocument, JWKS, makeLineage, NOW, PUBLISHER, type SampleLineage, textOf, VALID_UNTIL } from './sample.ts';
import { bundleGiven, makeBundle, type SampleManifest, sampleLineages } from './sample-bundle.ts';
import { at, changed, failing, type Given, lineageGiven, signedLineage, trusted, unsigned, type Vector, vector } from './vector.ts';

async function holding(): Promise<Vector[]> {
  const signed = await makeLineage({ by: issuer });
  const three = await makeLineage({ by: issuer, count: 3 });
  const extended = await makeLineage({ by: issuer, change: { extra: { b: [1, -2], a: null, ü: 'é' } } });
  return [
    vector(
      'lineage-unsigned: A lineage of one version without signatures holds where no trust is given.',
      lineageGiven(await makeLineage()),
    ),
    vector('lineage-signed-jwks: A signed lineage holds under a JWK Set.', lineageGiven(signed, { trust: JWKS })),
    vector(
      'lineage-signed-did: A signed lineage holds under a DID document.',
      lineageGiven(signed, { trust: didDocument([{ party: issuer }]) }),
    ),
    vector('lineage-signed-without-trust: Signatures are not looked at without trust.', lineageGiven(signed)),
    vector(
      'lineage-signed-eddsa: The older name EdDSA of the algorithm is accepted.',
      lineageGiven(await makeLineage({ by: issuer, alg: 'EdDSA' }), { trust: JWKS }),
    ),
    vector(
      'lineage-two-versions: Two versions in a chain hold.',
      lineageGiven(await makeLineage({ by: issuer, count: 2 }), { trust: JWKS }),
    ),
    vector('lineage-three-versions: Three versions in a chain hold.', lineageGiven(three, { trust: JWKS })),
    vector(
      'lineage-superseded: A superseded capsule has a head that says by what.',
      lineageGiven(
        await makeLineage({
          by: issuer,
          changeHead: { status: 'superseded', statusReason: 'Said better elsewhere.', supersededBy: 'newer-words' },
        }),
        { trust: JWKS },
      ),
    ),
    vector(
      'lineage-retracted: A retracted capsule keeps its proofs.',
      lineageGiven(
        await makeLineage({
          by: issuer,
          changeHead: { status: 'retracted', statusReason: 'It was wrong.' },
        }),
        { trust: JWKS },
      ),
    ),
    vector(
      'lineage-unknown-members: Members that the format does not name are part of the statement and hold.',
      lineageGiven(extended, { trust: JWKS }),
    ),
    vector('lineage-no-texts: Without texts the check text is not made.', {
      document: JSON.stringify(signed),
      id: signed.id,
      trust: JWKS,
    }),
    vector('lineage-no-id-asked: Without an id that was asked for any lineage will do.', {
      document: JSON.stringify(signed),
      trust: JWKS,
    }),
    vector(
      'lineage-version-order-is-of-numbers: Versions ascend by their numbers, of any length, not by their digits.',
      lineageGiven(
        await makeLineage({
          count: 3,
          change: (record) => Object.assign(record, { version: at(['1.9.0', '1.10.0', '12345678901234567890123.0.0'], record.sequence) }),
        }),
      ),
    ),
    vector('known-is-the-same: A document continues itself.', lineageGiven(three, { trust: JWKS, known: JSON.stringify(three) })),
    vector(
      'known-is-shorter: A lineage continues an older copy with fewer versions.',
      lineageGiven(three, { trust: JWKS, known: JSON.stringify(await makeLineage({ by: issuer, count: 2 })) }),
    ),
    vector(
      'head-valid-for-a-second: A head may be issued at the very second of its validUntil.',
      lineageGiven(
        await makeLineage({
          by: issuer,
          changeHead: (head) => Object.assign(head, { validUntil: head.issued }),
        }),
        { trust: JWKS, now: '2026-11-19T00:00:00Z' },
      ),
    ),
    vector(
      'head-valid-to-the-second: A head is valid at the very second of validUntil.',
      lineageGiven(signed, { trust: JWKS, now: VALID_UNTIL }),
    ),
  ];
}

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
    changeHead: { issued: '2026-11-20T00:00:00Z' },
  });
  const retraction = await makeLineage({
    by: issuer,
    changeHead: { status: 'retracted', issued: '2026-11-21T00:00:00Z' },
  });
  return [
    vector('head-expired [fresh]: The head was valid until a second ago.', trusted(signed, { now: '2026-12-21T00:00:01Z' })),
    vector(
      'head-expired-without-trust [fresh]: An end of validity counts without trust too.',
      lineageGiven(signed, { now: '2027-01-01T00:00:00Z' }),
    ),
    vector(
      'head-issued-after-its-end [fresh]: A head that was issued after its validity ended.',
      await signedLineage({ changeHead: { issued: '2026-12-22T00:00:00Z' } }),
    ),
    vector(
      'record-expired [fresh]: A record that says until when it is valid is held to it.',
      lineageGiven(await makeLineage({ by: issuer, change: { validUntil: '2026-11-21T00:00:00Z' } }), {
        trust,
      }),
    ),
    vector('known-rollback [known]: The document has fewer versions than the older copy.', trusted(two, { known: JSON.stringify(three) })),
    vector(
      'known-fork [known]: The document has another second version than the older copy.',
      trusted(fork, { known: JSON.stringify(two) }),
    ),
    vector('known-head-is-newer [known]: The same records under an older head.', trusted(signed, { known: JSON.stringify(later) })),
    vector(
      'known-retraction-undone [known]: A head from before a retraction that is known.',
      trusted(signed, { known: JSON.stringify(retraction) }),
    ),
    vector(
      'known-of-another-capsule [known]: The older copy is of another capsule.',
      trusted(signed, { known: JSON.stringify(await makeLineage({ by: issuer, id: 'http-validators' })) }),
    ),
    vector(
      'known-is-garbage [known]: An older copy that cannot be read proves nothing, so the check fails.',
      trusted(signed, { known: 'garbage' }),
    ),
    vector('known-is-no-lineage [known]: An older copy of another form.', trusted(signed, { known: '{"versions":[],"head":null}' })),
    unsigned('all-by-attacker: A whole lineage by a key that is not trusted.', trusted(await makeLineage({ by: attacker }))),
  ];
}

export const lineageVectors = async (): Promise<Vector[]> => [...(await holding()), ...(await outOfTime())];

/** Older copies with members of the wrong form, none of which may be converted into something that a document continues. */
export async function knownVectors(): Promise<Vector[]> {
  const two = await makeLineage({ by: issuer, count: 2 });
  const bundle = await makeBundle(await sampleLineages(issuer), issuer);
  const ofLineage = (title: string, change: Change<SampleLineage>): Vector =>
    vector(failing('known', title), lineageGiven(two, { trust: JWKS, known: JSON.stringify(changed(two, change)) }));
  const ofManifest = (title: string, change: (statement: SampleManifest['statement']) => void): Vector =>
    vector(
      failing('known', title),
      bundleGiven(bundle, { known: JSON.stringify(changed(bundle.manifest, ({ statement }) => change(statement))) }),
    );
  return [
    ofLineage('known-issued-list: An older head that was issued at a time in an array.', ({ head }) =>
      Object.assign(head.statement, { issued: [head.statement.issued] }),
    ),
    ofLineage('known-issued-empty: An older head that was issued at no time.', ({ head }) => Object.assign(head.statement, { issued: '' })),
    ofLineage('known-without-versions: An older copy without any version is none.', { versions: [] }),
    ofLineage('known-record-of-another-schema: An older copy with a record of another schema.', ({ versions }) =>
      Object.assign(at(versions, 0).record, { $schema: '/schemas/capsule-version/2.json' }),
    ),
    ofManifest('known-manifest-count-text: An older log whose number of events is a text.', ({ changes }) =>
      Object.assign(changes, { count: '3' }),
    ),
    ofManifest('known-manifest-count-null: An older log whose number of events is null.', ({ changes }) =>
      Object.assign(changes, { count: null }),
    ),
    ofManifest('known-manifest-count-list: An older log whose number of events is in an array.', ({ changes }) =>
      Object.assign(changes, { count: [3] }),
    ),
    ofManifest('known-manifest-count-fraction: An older log of three events and a half.', ({ changes }) =>
      Object.assign(changes, { count: 3.5 }),
    ),
    ofManifest('known-manifest-issued-list: An older manifest that was issued at a time in an array.', (statement) =>
      Object.assign(statement, { issued: [statement.issued] }),
    ),
    vector(
      'known-manifest-changes-text [known]: Two manifests whose log of changes is the same text.',
      bundleGiven(await makeBundle(await sampleLineages(issuer), issuer, { changes: 'the same' }), {
        known: JSON.stringify(changed(bundle.manifest, ({ statement }) => Object.assign(statement, { changes: 'the same' }))),
        now: NOW,
      }),
    ),
  ];
}

async function tombstoneOf({ id, versions }: SampleLineage, changes: object = {}, by: Party | null = issuer): Promise<object> {
  const statement = {
    $schema: '/schemas/tombstone/1.json',
    type: 'Tombstone',
    id,
    issuer: PUBLISHER,
    status: 'taken_down',
    statusReason: 'It contained personal data.',
    legal: true,
    count: 0,
    versions: versions.map(({ record }, at) => ({
      version: record.version,
      recordDigest: nameOf(record),
      digest: { 'sha-256': sha256(textOf(id, at)) },
    })),
    issued: '2026-11-21T00:00:00Z',
    ...changes,
  };
  return { id, versions: [], head: { statement, signatures: by ? [await by.sign('tombstone', statement)] : [] } };
}

const given = (document: object, more: Partial<Given> = {}): Given => ({
  document: JSON.stringify(document),
  trust: JWKS,
  now: NOW,
  ...more,
});

export async function tombstoneVectors(): Promise<Vector[]> {
  const two = await makeLineage({ by: issuer, count: 2 });
  const other = await makeLineage({ by: issuer, count: 2, id: 'another-capsule' });
  const tombstone = await tombstoneOf(two);
  const known = JSON.stringify(two);
  return [
    vector('tombstone: What remains of a capsule that was taken down.', given(tombstone, { id: two.id })),
    vector('tombstone-known: A tombstone that names all versions of an older copy.', given(tombstone, { known })),
    vector('tombstone-known-tombstone: A tombstone that is known already.', given(tombstone, { known: JSON.stringify(tombstone) })),
    vector(
      'tombstone-of-one-of-two [known]: A tombstone that does not name the newest version of an older copy.',
      given(await tombstoneOf(await makeLineage({ by: issuer, count: 1 })), { known }),
    ),
    vector(
      'tombstone-before-copy [known]: A tombstone that was issued before an older copy.',
      given(await tombstoneOf(two, { issued: '2020-01-01T00:00:00Z' }), { known }),
    ),
    vector('tombstone-of-another [subject]: The tombstone of another capsule.', given(await tombstoneOf(other), { id: two.id })),
    vector('tombstone-by-attacker [signature]: A tombstone that the issuer did not sign.', given(await tombstoneOf(two, {}, attacker))),
    vector('tombstone-unsigned: A tombstone without a signature, without trust.', {
      document: JSON.stringify(await tombstoneOf(two, {}, null)),
      now: NOW,
    }),
    vector('tombstone-with-count [head]: A tombstone that counts a version.', given(await tombstoneOf(two, { count: 2 }))),
    vector('tombstone-with-head [head]: A tombstone that names a newest record.', given(await tombstoneOf(two, { head: nameOf(two) }))),
    vector('tombstone-with-version [head]: A tombstone that names a newest version.', given(await tombstoneOf(two, { version: '1.0.0' }))),
    vector(
      'tombstone-without-digests [form]: A tombstone whose versions have no digests.',
      given(await tombstoneOf(two, { versions: [{ version: '1.0.0' }] })),
    ),
    vector('tombstone-versions-text [form]: A tombstone whose versions are a text.', given(await tombstoneOf(two, { versions: 'all' }))),
    vector('tombstone-with-records [form]: A tombstone beside records.', given({ ...tombstone, versions: two.versions })),
    vector('tombstone-as-head [form]: A lineage without versions, whose head is no tombstone.', given({ ...two, versions: [] })),
  ];
}
