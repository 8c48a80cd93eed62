import { attacker, issuer, nameOf, sha256 } from './parties.ts';
import { didDocument, JWKS, makeLineage } from './sample.ts';
import { entryOf, lineOf, makeBundle, type SampleBundle, type SampleManifest, sampleLineages } from './sample-bundle.ts';
import { at, changed, type Given, type Vector, vector } from './vector.ts';

const given = ({ manifest, parts }: SampleBundle, more: Partial<Given> = {}): Given => ({
  document: JSON.stringify(manifest),
  parts,
  trust: JWKS,
  ...more,
});

/** Vectors of manifests and bundles. */
export async function manifestVectors(): Promise<Vector[]> {
  const lineages = await sampleLineages(issuer);
  const bundle = await makeBundle(lineages, issuer);
  const { manifest, parts } = bundle;
  const [first, second] = [at(parts, 0), at(parts, 1)];
  const lines = first.split(/(?<=\n)/);
  const older = await makeLineage({ by: issuer, id: 'a-first' });
  const olderLineages = [older, ...lineages.slice(1)];
  const edited = (change: (statement: SampleManifest['statement']) => void): SampleBundle => ({
    manifest: changed(manifest, (copy) => change(copy.statement)),
    parts,
  });
  const signedWith = (change: (statement: SampleManifest['statement']) => void): Promise<SampleBundle> =>
    makeBundle(lineages, issuer, change);
  const known = (change: (statement: SampleManifest['statement']) => void): Partial<Given> => ({
    known: JSON.stringify(changed(manifest, (copy) => change(copy.statement))),
  });
  const brokenLine = await makeBundle(lineages, issuer, (statement) => {
    statement.bundle.parts = [entryOf(first.replace('"texts"', '"text"'), 0), entryOf(second, 1)];
  });
  const wrongOrder = [at(lineages, 1), at(lineages, 0), at(lineages, 2)];
  return [
    vector('manifest-clean', 'A signed manifest holds with its bundle.', given(bundle)),
    vector('manifest-clean-did', 'The same under a DID document.', given(bundle, { trust: didDocument([{ party: issuer }]) })),
    vector(
      'manifest-unsigned',
      'A manifest without signatures holds where no trust is given.',
      without(given(await makeBundle(await sampleLineages())), 'trust'),
    ),
    vector(
      'manifest-unsigned-with-trust',
      'Trust was given, and nothing is signed.',
      given(await makeBundle(await sampleLineages())),
      'signature',
    ),
    vector(
      'manifest-alone-unsigned',
      'A manifest without a signature over signed lineages.',
      given({ manifest: { ...manifest, signatures: [] }, parts }),
      'signature',
    ),
    vector('manifest-without-parts', 'Without parts only the manifest is checked.', without(given(bundle), 'parts')),
    vector(
      'manifest-empty',
      'A corpus without capsules.',
      given(
        await makeBundle([], issuer, (statement) => {
          statement.bundle.parts = [];
          statement.changes = { count: 0, digest: null };
        }),
        { parts: [] },
      ),
    ),
    vector(
      'manifest-changes-null-after-change',
      'A log of changes that has no end although it has events.',
      given(
        await signedWith((statement) => {
          statement.changes.digest = null;
        }),
      ),
      'form',
    ),
    vector(
      'part-cut',
      'The end of the last line of a part is missing.',
      given(bundle, { parts: [first.slice(0, -20), second] }),
      'json',
      'parts',
    ),
    vector(
      'part-without-last-line-feed',
      'The last line feed of a part is missing.',
      given(bundle, { parts: [first.slice(0, -1), second] }),
      'parts',
    ),
    vector('part-line-removed', 'A line is missing.', given(bundle, { parts: [at(lines, 1), second] }), 'parts', 'corpus'),
    vector(
      'part-last-line-removed',
      'The last line of a part is missing.',
      given(bundle, { parts: [at(lines, 0), second] }),
      'parts',
      'corpus',
    ),
    vector(
      'part-lines-swapped',
      'Two lines stand in another order.',
      given(bundle, { parts: [`${lines[1]}${lines[0]}`, second] }),
      'parts',
      'corpus',
    ),
    vector('part-line-twice', 'A line stands twice.', given(bundle, { parts: [`${first}${lines[1]}`, second] }), 'parts', 'corpus'),
    vector('part-empty-line', 'An empty line is no capsule.', given(bundle, { parts: [`${first}\n`, second] }), 'json', 'parts'),
    vector(
      'part-white-space',
      'A blank more in a line makes another part, though the same capsules.',
      given(bundle, { parts: [first.replace('{', '{ '), second] }),
      'parts',
    ),
    vector('part-missing', 'One of two parts is missing.', given(bundle, { parts: [first] }), 'parts', 'corpus'),
    vector('parts-none', 'All parts are missing.', given(bundle, { parts: [] }), 'parts', 'corpus'),
    vector(
      'part-too-many',
      'A part more than the manifest has.',
      given(bundle, { parts: [first, second, lineOf(await makeLineage({ by: issuer, id: 'd-fourth' }))] }),
      'parts',
      'corpus',
    ),
    vector('part-empty-too-many', 'An empty part more than the manifest has.', given(bundle, { parts: [first, second, ''] }), 'parts'),
    vector('parts-swapped', 'The parts stand in another order.', given(bundle, { parts: [second, first] }), 'parts', 'corpus'),
    vector(
      'part-with-byte-order-mark',
      'A part begins with a byte order mark.',
      given(bundle, { parts: [`\ufeff${first}`, second] }),
      'json',
      'parts',
    ),
    vector(
      'part-text-edited',
      'A text in a part was changed.',
      given(bundle, { parts: [first.replace('no more', 'much more'), second] }),
      'text',
      'parts',
    ),
    vector(
      'part-record-edited',
      'A record in a part was changed.',
      given(bundle, { parts: [first.replace('briefly', 'shortly'), second] }),
      'records',
      'parts',
      'signature',
    ),
    vector(
      'part-status-edited',
      'The status of a capsule in a part was changed.',
      given(bundle, { parts: [first.replace('"status":"superseded"', '"status":"current"'), second] }),
      'parts',
      'corpus',
      'signature',
    ),
    vector(
      'line-without-texts',
      'A line of the wrong form, in a part as the manifest says it.',
      given(brokenLine, { parts: [first.replace('"texts"', '"text"'), second] }),
      'form',
    ),
    vector(
      'line-text-left-out',
      'A line lacks the text of one of its versions.',
      given(bundle, {
        parts: [
          changedLine(at(lines, 0), (line) => {
            line.texts.pop();
          }) + lines[1],
          second,
        ],
      }),
      'form',
      'parts',
    ),
    vector(
      'line-texts-swapped',
      'The texts of a line stand in another order.',
      given(bundle, {
        parts: [
          changedLine(at(lines, 0), (line) => {
            line.texts.reverse();
          }) + lines[1],
          second,
        ],
      }),
      'form',
      'parts',
    ),
    vector(
      'manifest-count-edited',
      'The number of capsules was changed.',
      given(
        edited((statement) => {
          statement.capsules += 1;
        }),
      ),
      'corpus',
      'signature',
    ),
    vector(
      'manifest-versions-edited',
      'The number of versions was changed.',
      given(
        edited((statement) => {
          statement.versions -= 1;
        }),
      ),
      'corpus',
      'signature',
    ),
    vector(
      'manifest-corpus-digest-edited',
      'The digest of the corpus was changed.',
      given(
        edited((statement) => {
          statement.corpusDigest = nameOf('another');
        }),
      ),
      'corpus',
      'signature',
    ),
    vector(
      'manifest-corpus-digest-signed-wrong',
      'A signed manifest that names another corpus than its bundle.',
      given(
        await signedWith((statement) => {
          statement.corpusDigest = nameOf('another');
        }),
      ),
      'corpus',
    ),
    vector(
      'manifest-part-digest-edited',
      'The digest of a part was changed.',
      given(
        edited((statement) => {
          at(statement.bundle.parts, 0).digest['sha-256'] = sha256('x');
        }),
      ),
      'parts',
      'signature',
    ),
    vector(
      'manifest-part-lines-signed-wrong',
      'A signed manifest that counts the lines of a part wrong.',
      given(
        await signedWith((statement) => {
          at(statement.bundle.parts, 0).lines = 3;
        }),
      ),
      'parts',
    ),
    vector(
      'manifest-part-size-signed-wrong',
      'A signed manifest that counts the bytes of a part wrong.',
      given(
        await signedWith((statement) => {
          at(statement.bundle.parts, 0).size -= 1;
        }),
      ),
      'parts',
    ),
    vector(
      'manifest-not-ascending',
      'A signed manifest of a bundle that is not in order.',
      given(await makeBundle(wrongOrder, issuer)),
      'corpus',
    ),
    vector('manifest-expired', 'The manifest and all heads expired.', given(bundle, { now: '2027-01-01T00:00:00Z' }), 'fresh'),
    vector(
      'manifest-alone-expired',
      'The manifest expired, the heads did not.',
      given(
        await signedWith((statement) => {
          statement.validUntil = '2026-11-21T12:00:00Z';
        }),
      ),
      'fresh',
    ),
    vector(
      'manifest-issued-after-its-end',
      'A manifest that was issued after its validity ended.',
      given(
        await signedWith((statement) => {
          statement.issued = '2026-12-22T00:00:00Z';
        }),
      ),
      'fresh',
    ),
    vector(
      'manifest-known-same',
      'A manifest continues itself.',
      given(
        bundle,
        known(() => undefined),
      ),
    ),
    vector(
      'manifest-known-older',
      'A manifest continues one with fewer changes.',
      given(
        bundle,
        known((statement) => {
          statement.changes = { count: 0, digest: null };
          statement.issued = '2026-11-20T00:00:00Z';
        }),
      ),
    ),
    vector(
      'manifest-rollback-of-changes',
      'The older copy knows of more changes.',
      given(
        bundle,
        known((statement) => {
          statement.changes.count += 1;
        }),
      ),
      'known',
    ),
    vector(
      'manifest-rollback-of-time',
      'The older copy was issued later.',
      given(
        bundle,
        known((statement) => {
          statement.issued = '2026-11-21T00:00:01Z';
        }),
      ),
      'known',
    ),
    vector(
      'manifest-known-is-a-lineage',
      'The older copy is no manifest.',
      given(bundle, { known: JSON.stringify(at(lineages, 0)) }),
      'known',
    ),
    vector(
      'manifest-by-attacker',
      'A manifest by a key that is not trusted, over lineages that are signed.',
      given(await makeBundle(lineages, attacker)),
      'signature',
    ),
    vector(
      'manifest-signed-as-head',
      'A manifest that was signed as if it were a head.',
      given({ manifest: { ...manifest, signatures: [await issuer.sign('lineage-head', manifest.statement)] }, parts }),
      'signature',
    ),
    vector(
      'manifest-of-another-issuer',
      'A manifest of another issuer, signed by the key of this identity.',
      given(
        await signedWith((statement) => {
          statement.issuer = { id: 'did:web:other.example', name: 'Other' };
        }),
        { trust: didDocument([{ party: issuer }]) },
      ),
      'signature',
    ),
    vector(
      'manifest-by-key-of-another-identity',
      'The trust is of another identity.',
      given(bundle, { trust: didDocument([{ party: issuer }], 'did:web:other.example') }),
      'signature',
    ),
    vector(
      'bundle-with-older-capsule',
      'A capsule was replaced by its own older state, of which all signatures are valid.',
      given({ manifest, parts: (await makeBundle(olderLineages, issuer)).parts }),
      'parts',
      'corpus',
    ),
    vector(
      'bundle-with-older-capsule-and-manifest',
      'The same with a manifest that fits, which the older copy gives away.',
      given(
        await makeBundle(olderLineages, issuer, (statement) => {
          statement.changes.count = 3;
        }),
        { known: JSON.stringify(manifest) },
      ),
      'known',
    ),
    vector(
      'bundle-with-capsule-of-attacker',
      'A capsule was added under a manifest that fits but is not signed by the issuer.',
      given(await makeBundle([...lineages, await makeLineage({ by: attacker, id: 'd-fourth' })], attacker)),
      'signature',
    ),
    vector(
      'manifest-type-wrong',
      'A manifest of another type.',
      given(
        await signedWith((statement) => {
          statement['type'] = 'LineageHead';
        }),
      ),
      'form',
    ),
    vector(
      'manifest-member-twice',
      'A member of the statement stands twice.',
      given(bundle, { document: JSON.stringify(manifest).replace('"capsules":3', '"capsules":2,"capsules":3') }),
      'json',
    ),
    vector(
      'manifest-parts-object',
      'Parts that are no list.',
      given(
        await signedWith((statement) => {
          Object.assign(statement.bundle, { parts: {} });
        }),
      ),
      'form',
    ),
  ];
}

function without<K extends keyof Given>(all: Given, name: K): Given {
  const { [name]: _, ...rest } = all;
  return rest as Given;
}

const changedLine = (line: string, change: (line: { texts: unknown[] }) => void): string => {
  const read = JSON.parse(line) as { texts: unknown[] };
  change(read);
  return `${JSON.stringify(read)}\n`;
};
