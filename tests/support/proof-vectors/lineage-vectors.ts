import { attacker, issuer } from './parties.ts';
import { didDocument, JWKS, makeLineage, VALID_UNTIL } from './sample.ts';
import { at, lineageGiven, signedLineage, trusted, unsigned, type Vector, vector } from './vector.ts';

/** Lineages that hold. */
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

/** Vectors of lineages that hold, and of those out of their time. */
export const lineageVectors = async (): Promise<Vector[]> => [...(await holding()), ...(await outOfTime())];
