import { issuer } from './parties.ts';
import { type Change, JWKS, makeLineage, NOW, type SampleLineage } from './sample.ts';
import { bundleGiven, makeBundle, type SampleManifest, sampleLineages } from './sample-bundle.ts';
import { at, changed, failing, lineageGiven, type Vector, vector } from './vector.ts';

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
