import { join } from 'node:path';
import { ROOT } from '../paths.ts';
import { base64Url, canonicalForm, issuer, nameOf, sha256, type Typ } from './parties.ts';
import { makeLineage, textOf } from './sample.ts';

export const DIGEST_VECTORS_FILE = join(ROOT, 'src/site/public/vectors.json');

const ID = 'http-freshness';
/** Every site serves the vectors, so that they name no publication. */
const PUBLISHER = { id: 'did:web:publisher.example', name: 'Example publisher' };

const named = (value: unknown) => ({ value, canonical: canonicalForm(value), name: nameOf(value) });

async function signed(typ: Typ, statement: object) {
  const jws = await issuer.sign(typ, statement);
  return {
    statement,
    canonical: canonicalForm(statement),
    header: Buffer.from(jws.protected, 'base64url').toString(),
    signed_bytes: `${jws.protected}.${base64Url(canonicalForm(statement))}`,
    signature: jws,
  };
}

/** The vectors, made by packages that the verifier does not use. */
export async function makeDigestVectors() {
  const { versions, head } = await makeLineage({
    id: ID,
    count: 2,
    change: { issuer: PUBLISHER, activity: { type: 'editorial', agent: { type: 'Organization', name: PUBLISHER.name } } },
    changeHead: { issuer: PUBLISHER },
  });
  const [first, second] = versions;
  if (first === undefined || second === undefined) throw new Error('a lineage of two versions has two');
  const text = textOf(ID, 1);
  const quote = text.slice(text.indexOf('costs'), text.indexOf(' and no more'));
  const change = { capsule_id: ID, content_sha256: sha256(text), date: '2026-11-20', record_digest: second.recordDigest, version: '1.1.0' };
  const added = {
    event: 'added',
    ...{ ...change, content_sha256: sha256(textOf(ID, 0)), date: '2026-11-19', record_digest: first.recordDigest, version: '1.0.0' },
    count: 1,
  };
  const afterAdded = nameOf([null, added]);
  const retracted = { event: 'retracted', ...change, reason: 'The measurement was wrong.', superseded_by: 'http-caching', count: 2 };
  const corpus = [
    { id: 'http-caching', status: 'current', versions: [nameOf({ version: 'of another capsule' })] },
    {
      id: ID,
      status: 'retracted',
      statusReason: retracted.reason,
      supersededBy: retracted.superseded_by,
      versions: [first.recordDigest, second.recordDigest],
    },
  ];
  return {
    about:
      'Inputs and results of every computation of a proof. /docs/verifying explains them. The texts and the publisher are examples; the key is that of RFC 8037, appendix A, whose private half is printed there.',
    content_sha256: { text, size: Buffer.byteLength(text), content_sha256: sha256(text) },
    quote: { text, start: text.indexOf(quote), end: text.indexOf(quote) + quote.length, quote },
    canonical: [
      named({ b: [3, 2.5, 1e21, -0], a: { '€': '\u20ac', '\r': '\n', 1: null } }),
      named({ '\ud83d\ude00': 'an emoji sorts by its UTF-16 code units, so before the next name', '\ufb33': 'é "quoted" \\ \u000f' }),
    ],
    record_digest: [first, second].map(({ record }) => named(record)),
    corpus_digest: named(corpus),
    change_digest: [named([null, added]), named([afterAdded, retracted])].map((vector, at) => ({ ...vector, count: at + 1 })),
    signature: {
      key: { ...issuer.jwk, kid: issuer.kid },
      statements: [
        await signed('capsule-version', second.record),
        await signed('lineage-head', head.statement),
        await signed('corpus-manifest', {
          $schema: '/schemas/corpus-manifest/1.json',
          type: 'CorpusManifest',
          issuer: PUBLISHER,
          corpusDigest: nameOf(corpus),
          capsules: 2,
          versions: 3,
          bundle: { mediaType: 'application/x-ndjson', parts: [] },
          changes: { count: 2, digest: nameOf([afterAdded, retracted]) },
          issued: '2026-11-21T00:00:00Z',
        }),
      ],
    },
  };
}
