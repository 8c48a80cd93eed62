import { provDocument } from '../../provenance/prov-jsonld.ts';
import type { LineageProof } from '../../schemas/knowledge/lineage.ts';
import { capsulePath, lineageApiPath } from '../../schemas/paths.ts';
import { type Corpus, withCorpus } from './corpus.ts';
import { ok, type Result } from '../result.ts';
import { noSuchCapsule } from './no-such-capsule.ts';

/** The exact text of a capsule's lineage as PROV-JSONLD. */
export function provLineage(proof: LineageProof, baseUrl: string): string {
  const { supersededBy } = proof.head.statement;
  return JSON.stringify(
    provDocument(proof, {
      baseUrl,
      documentUrl: baseUrl + lineageApiPath(proof.id),
      replacementUrl: supersededBy === undefined ? undefined : baseUrl + capsulePath(supersededBy),
    }),
  );
}

/** The newest lineage of a capsule as PROV-JSONLD. It has no graph: nothing is read of the capsules around. */
export function readProvLineage(id: string, corpus: Corpus, baseUrl: string): Promise<Result<string>> {
  return withCorpus(corpus, async () => {
    const proof = await corpus.newest.lineageProof(id);
    return proof === undefined ? noSuchCapsule() : ok(provLineage(proof, baseUrl));
  });
}
