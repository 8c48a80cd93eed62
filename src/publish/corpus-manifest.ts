import type { CorpusManifestStatement } from '../schemas/changes.ts';
import type { GenerationManifest } from '../schemas/generation.ts';
import { PATHS } from '../schemas/paths.ts';
import type { Publisher } from '../schemas/publisher.ts';

/** The statement about a whole corpus, of content alone: it does not change with the index. */
export function describeManifest(
  { issuer, name }: Publisher,
  { corpus_digest, changes, counts, updated }: GenerationManifest,
  bundle: CorpusManifestStatement['bundle'],
): CorpusManifestStatement {
  return {
    $schema: PATHS.corpusManifestSchema,
    type: 'CorpusManifest',
    issuer: { id: issuer, name },
    corpusDigest: `sha256:${corpus_digest}`,
    capsules: counts.capsules,
    versions: counts.versions,
    bundle,
    changes,
    issued: updated,
  };
}
