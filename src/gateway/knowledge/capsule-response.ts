import type { Capsule, CapsuleMetadata, CapsuleSummary } from '../../schemas/knowledge/capsule.ts';
import type { StoredVersion } from '../../schemas/knowledge/generation-manifest.ts';
import { capsuleApiPath, capsuleFilePath, capsulePath, capsuleVersionPath, lineageFilePath } from '../../schemas/paths.ts';

/** The capsule document with its text, the same at the API and in the file of a free capsule. */
export function capsuleResponse(
  { metadata, markdown, references = {}, earlier }: Omit<StoredVersion, 'markdown'> & { readonly markdown: string },
  baseUrl: string,
): Capsule {
  const absolute = Object.entries(references).map(([link, address]) => [link, baseUrl + address]);
  return {
    ...versionMembers(metadata, baseUrl),
    markdown,
    content_role: 'data',
    links: linksOf(metadata, baseUrl),
    ...productVersion(earlier, baseUrl),
    ...(absolute.length === 0 ? {} : { references: Object.fromEntries(absolute) }),
  };
}

function productVersion(earlier: StoredVersion['earlier'], baseUrl: string): Pick<Capsule, 'product_version'> {
  if (earlier === undefined) return {};
  const { title, current, path } = earlier;
  return { product_version: { title, current, url: baseUrl + path } };
}

function versionMembers({ translations, ...metadata }: CapsuleMetadata, baseUrl: string) {
  const { version, versions } = metadata;
  const latest = versions.at(-1)?.version ?? version;
  const others = translations?.map((other) => ({ ...other, url: baseUrl + capsulePath(other.capsule_id) }));
  return { ...metadata, ...(others ? { translations: others } : {}), is_latest: version === latest, latest_version: latest };
}

/** Everything but the text. */
export function capsuleMembers(metadata: CapsuleMetadata, earlier: StoredVersion['earlier'], baseUrl: string) {
  const facts = { content_role: 'data', links: linksOf(metadata, baseUrl), ...productVersion(earlier, baseUrl) } as const;
  return { ...versionMembers(metadata, baseUrl), ...facts };
}

function linksOf(metadata: CapsuleMetadata, baseUrl: string): Capsule['links'] {
  const { capsule_id: id, version } = metadata;
  return {
    page: baseUrl + capsulePath(id),
    ...(isPaid(metadata) ? { paid: paidUrl(id, baseUrl) } : { markdown: baseUrl + capsuleVersionPath(id, version) }),
    json: baseUrl + capsuleFilePath(id),
    lineage: baseUrl + lineageFilePath(id),
  };
}

export function isPaid({ access }: Pick<CapsuleSummary, 'access'>): boolean {
  return access === 'paid';
}

/** URL that sells the text of a capsule: of its newest version, or of the one in the parameter `version`. */
export function paidUrl(id: string, baseUrl: string): string {
  return baseUrl + capsuleApiPath(id);
}

export function capsuleAddresses(capsule: CapsuleSummary, baseUrl: string) {
  const { capsule_id, version } = capsule;
  return {
    url: baseUrl + capsulePath(capsule_id),
    ...(isPaid(capsule) ? { paid_url: paidUrl(capsule_id, baseUrl) } : { markdown_url: baseUrl + capsuleVersionPath(capsule_id, version) }),
    lineage_url: baseUrl + lineageFilePath(capsule_id),
  };
}

export function summaryOf(metadata: CapsuleMetadata): CapsuleSummary {
  const {
    sources: _sources,
    questions: _questions,
    derived_from: _derivedFrom,
    cites: _cites,
    supersedes: _supersedes,
    translations: _translations,
    versions: _versions,
    ...summary
  } = metadata;
  return summary;
}
