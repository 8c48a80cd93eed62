import { attacker, issuer, nameOf, type Party, sha256 } from './parties.ts';
import { JWKS, makeLineage, NOW, PUBLISHER, type SampleLineage, textOf } from './sample.ts';
import { type Given, type Vector, vector } from './vector.ts';

/** The tombstone of a lineage, and changes of its statement before it is signed. */
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

/** Lineages of capsules that were taken down. */
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
