import type { PublishedCapsule } from '../../publication/capsules/published-capsules.ts';
import type { LoggedChange } from '../../provenance/change-log.ts';
import type { CorpusManifestStatement } from '../../schemas/knowledge/changes.ts';
import type { GenerationManifest } from '../../schemas/knowledge/generation.ts';
import { PATHS } from '../../schemas/paths.ts';
import type { Publisher } from '../../schemas/publisher.ts';

/**
 * The statement about a whole corpus, of content alone: it does not change with the index.
 *
 * @param capsules Those in the bundle.
 */
export function describeManifest(
  { issuer, name }: Publisher,
  { corpus_digest, changes, updated }: GenerationManifest,
  capsules: readonly PublishedCapsule[],
  bundle: CorpusManifestStatement['bundle'],
  log: readonly LoggedChange[],
): CorpusManifestStatement {
  const newest = log.map(({ date }) => `${date}T00:00:00Z`).reduce((later, day) => (day > later ? day : later), updated);
  return {
    $schema: PATHS.corpusManifestSchema,
    type: 'CorpusManifest',
    issuer: { id: issuer, name },
    corpusDigest: `sha256:${corpus_digest}`,
    capsules: capsules.length,
    versions: capsules.reduce((sum, { versions }) => sum + versions.length, 0),
    bundle,
    changes,
    issued: newest,
  };
}
