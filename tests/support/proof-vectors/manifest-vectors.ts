import { attacker, issuer, nameOf, sha256 } from './parties.ts';
import { type Change, didDocument } from './sample.ts';
import { bundleGiven as given, makeBundle, type SampleBundle, type SampleManifest, sampleLineages } from './sample-bundle.ts';
import { at, changed, type Given, unsigned, type Vector, vector } from './vector.ts';

export async function manifestVectors(): Promise<Vector[]> {
  const lineages = await sampleLineages(issuer);
  const bundle = await makeBundle(lineages, issuer);
  const { manifest, parts } = bundle;
  const edited = (change: Change<SampleManifest['statement']>): SampleBundle => ({
    manifest: { ...manifest, statement: changed(manifest.statement, change) },
    parts,
  });
  const signedWith = (change: Change<SampleManifest['statement']>): Promise<SampleBundle> => makeBundle(lineages, issuer, change);
  const known = (change: Change<SampleManifest['statement']>): Partial<Given> => ({
    known: JSON.stringify({ ...manifest, statement: changed(manifest.statement, change) }),
  });
  const wrongOrder = [at(lineages, 1), at(lineages, 0), at(lineages, 2)];
  return [
    vector('manifest-clean: A signed manifest holds with its bundle.', given(bundle)),
    vector('manifest-clean-did: The same under a DID document.', given(bundle, { trust: didDocument([{ party: issuer }]) })),
    vector(
      'manifest-unsigned: A manifest without signatures holds where no trust is given.',
      without(given(await makeBundle(await sampleLineages())), 'trust'),
    ),
    unsigned('manifest-unsigned-with-trust: Trust was given, and nothing is signed.', given(await makeBundle(await sampleLineages()))),
    unsigned(
      'manifest-alone-unsigned: A manifest without a signature over signed lineages.',
      given({ manifest: { ...manifest, signatures: [] }, parts }),
    ),
    vector('manifest-without-parts: Without parts only the manifest is checked.', without(given(bundle), 'parts')),
    vector(
      'manifest-empty: A corpus without capsules.',
      given(
        await makeBundle([], issuer, (statement) => {
          statement.bundle.parts = [];
          statement.changes = { count: 0, digest: null };
        }),
        { parts: [] },
      ),
    ),
    vector(
      'manifest-count-edited [corpus signature]: The number of capsules was changed.',
      given(
        edited((statement) => {
          statement.capsules += 1;
        }),
      ),
    ),
    vector(
      'manifest-versions-edited [corpus signature]: The number of versions was changed.',
      given(
        edited((statement) => {
          statement.versions -= 1;
        }),
      ),
    ),
    vector(
      'manifest-corpus-digest-edited [corpus signature]: The digest of the corpus was changed.',
      given(edited({ corpusDigest: nameOf('another') })),
    ),
    vector(
      'manifest-corpus-digest-signed-wrong [corpus]: A signed manifest that names another corpus than its bundle.',
      given(await signedWith({ corpusDigest: nameOf('another') })),
    ),
    vector(
      'manifest-part-digest-edited [parts signature]: The digest of a part was changed.',
      given(edited((statement) => Object.assign(at(statement.bundle.parts, 0).digest, { 'sha-256': sha256('x') }))),
    ),
    vector(
      'manifest-part-lines-signed-wrong [parts]: A signed manifest that counts the lines of a part wrong.',
      given(await signedWith((statement) => Object.assign(at(statement.bundle.parts, 0), { lines: 3 }))),
    ),
    vector(
      'manifest-part-size-signed-wrong [parts]: A signed manifest that counts the bytes of a part wrong.',
      given(
        await signedWith((statement) => {
          at(statement.bundle.parts, 0).size -= 1;
        }),
      ),
    ),
    vector(
      'manifest-not-ascending [corpus]: A signed manifest of a bundle that is not in order.',
      given(await makeBundle(wrongOrder, issuer)),
    ),
    vector('manifest-expired [fresh]: The manifest and all heads expired.', given(bundle, { now: '2027-01-01T00:00:00Z' })),
    vector(
      'manifest-alone-expired [fresh]: The manifest expired, the heads did not.',
      given(await signedWith({ validUntil: '2026-11-21T12:00:00Z' })),
    ),
    vector(
      'manifest-issued-after-its-end [fresh]: A manifest that was issued after its validity ended.',
      given(await signedWith({ issued: '2026-12-22T00:00:00Z' })),
    ),
    vector(
      'manifest-known-same: A manifest continues itself.',
      given(
        bundle,
        known(() => undefined),
      ),
    ),
    vector(
      'manifest-known-older: A manifest continues one with fewer changes.',
      given(
        bundle,
        known((statement) => {
          statement.changes = { count: 0, digest: null };
          statement.issued = '2026-11-20T00:00:00Z';
        }),
      ),
    ),
    vector(
      'manifest-rollback-of-changes [known]: The older copy knows of more changes.',
      given(
        bundle,
        known((statement) => {
          statement.changes.count += 1;
        }),
      ),
    ),
    vector(
      'manifest-count-of-changes-text [known]: A count of changes that is a text continues none that is a number.',
      given(
        await signedWith((statement) => Object.assign(statement.changes, { count: '5' })),
        known(() => undefined),
      ),
    ),
    vector(
      'manifest-fork-of-changes [known]: The older copy has another log of changes of the same length.',
      given(
        bundle,
        known((statement) => Object.assign(statement.changes, { digest: nameOf('another') })),
      ),
    ),
    vector('manifest-rollback-of-time [known]: The older copy was issued later.', given(bundle, known({ issued: '2026-11-21T00:00:01Z' }))),
    vector(
      'manifest-rollback-beside-other-members [known]: Members of other documents beside the statement do not hide a rollback.',
      given(bundle, {
        document: JSON.stringify({ versions: [], head: manifest, ...manifest }),
        known: JSON.stringify(
          changed(manifest, (copy) => {
            copy.statement.changes.count += 1;
          }),
        ),
      }),
    ),
    vector(
      'manifest-known-is-a-lineage [known]: The older copy is no manifest.',
      given(bundle, { known: JSON.stringify(at(lineages, 0)) }),
    ),
    unsigned(
      'manifest-by-attacker: A manifest by a key that is not trusted, over lineages that are signed.',
      given(await makeBundle(lineages, attacker)),
    ),
    unsigned(
      'manifest-signed-as-head: A manifest that was signed as if it were a head.',
      given({ manifest: { ...manifest, signatures: [await issuer.sign('lineage-head', manifest.statement)] }, parts }),
    ),
    unsigned(
      'manifest-of-another-issuer: A manifest of another issuer, signed by the key of this identity.',
      given(await signedWith({ issuer: { id: 'did:web:other.example', name: 'Other' } }), {
        trust: didDocument([{ party: issuer }]),
      }),
    ),
    unsigned(
      'manifest-by-key-of-another-identity: The trust is of another identity.',
      given(bundle, { trust: didDocument([{ party: issuer }], 'did:web:other.example') }),
    ),
    vector(
      'manifest-schema-wrong [form]: A manifest of another schema.',
      given(await signedWith({ $schema: '/schemas/lineage-head/1.json' })),
    ),
    vector(
      'manifest-member-twice [json]: A member of the statement stands twice.',
      given(bundle, { document: JSON.stringify(manifest).replace('"capsules":3', '"capsules":2,"capsules":3') }),
    ),
    vector('manifest-bundle-absent [form]: Parts of a manifest that names no bundle.', given(await signedWith({ bundle: undefined }))),
    vector(
      'manifest-parts-object [parts]: Parts that are no list.',
      given(await signedWith((statement) => Object.assign(statement.bundle, { parts: {} }))),
    ),
  ];
}

function without<K extends keyof Given>(all: Given, name: K): Given {
  const { [name]: _, ...rest } = all;
  return rest as Given;
}
