import type { Capsule, CapsuleMetadata, CapsuleSummary } from '../../schemas/capsule.ts';
import { capsuleFilePath, capsulePath, capsuleVersionPath, lineageFilePath } from '../../schemas/paths.ts';

/** The capsule document: one form for the API and for the file. */
export function capsuleAnswer({ metadata, markdown }: { metadata: CapsuleMetadata; markdown: string }, baseUrl: string): Capsule {
  const id = metadata.capsule_id;
  return {
    ...metadata,
    markdown,
    content_role: 'data',
    links: {
      page: baseUrl + capsulePath(id),
      markdown: baseUrl + capsuleVersionPath(id, metadata.version),
      json: baseUrl + capsuleFilePath(id),
      lineage: baseUrl + lineageFilePath(id),
    },
  };
}

/** Addresses that go with a capsule in lists and results. */
export function capsuleAddresses({ capsule_id, version }: CapsuleSummary, baseUrl: string) {
  return {
    url: baseUrl + capsulePath(capsule_id),
    markdown_url: baseUrl + capsuleVersionPath(capsule_id, version),
    lineage_url: baseUrl + lineageFilePath(capsule_id),
  };
}

/** The members of a summary, in their order, out of full metadata. */
export function summaryOf(metadata: CapsuleMetadata): CapsuleSummary {
  const {
    sources: _sources,
    derived_from: _derivedFrom,
    cites: _cites,
    supersedes: _supersedes,
    versions: _versions,
    ...summary
  } = metadata;
  return summary;
}
