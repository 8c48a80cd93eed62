import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { chainVersions, type Derivation, headOf, type VersionInput } from '../../provenance/lineage-records.ts';
import type { CapsuleMetadata } from '../../schemas/knowledge/capsule.ts';
import type { SourceKind } from '../../schemas/knowledge/capsule-fields.ts';
import { LineageProof, type Tombstone } from '../../schemas/knowledge/lineage.ts';
import { capsulePath, capsuleVersionPath, PATHS } from '../../schemas/paths.ts';
import type { Publisher } from '../../schemas/publisher.ts';
import type { AuthoredCapsule, AuthoredContent, AuthoredVersion } from '../authored-content.ts';
import { formerTagIds } from '../read/content-ids.ts';
import { type PublishedLedger, publishedVersions } from '../read/version-ledger.ts';

/** PROV relation of a kind of source: articles, books and web pages are secondary, everything else is a primary source. */
const SOURCE_RELATIONS: Readonly<Record<SourceKind, Derivation['relation']>> = {
  standard: 'hadPrimarySource',
  specification: 'hadPrimarySource',
  documentation: 'hadPrimarySource',
  source_code: 'hadPrimarySource',
  paper: 'hadPrimarySource',
  article: 'wasDerivedFrom',
  dataset: 'hadPrimarySource',
  book: 'wasDerivedFrom',
  law: 'hadPrimarySource',
  web_page: 'wasDerivedFrom',
  own_record: 'hadPrimarySource',
  personal_communication: 'hadPrimarySource',
};

type VersionTexts = Pick<AuthoredVersion, 'frontMatter' | 'markdown'>;

/** A record states only its own file and the issuer, so that it never changes without a new version. */
export function versionInput(id: string, { frontMatter, markdown }: VersionTexts, { issuer }: Publisher): VersionInput {
  return {
    $schema: PATHS.capsuleVersionSchema,
    id,
    version: frontMatter.version,
    uri: capsulePath(id),
    canonical: capsuleVersionPath(id, frontMatter.version),
    title: frontMatter.title,
    summary: frontMatter.summary,
    kind: frontMatter.type,
    tags: frontMatter.tags,
    language: frontMatter.language,
    evidence: frontMatter.evidence,
    issued: `${frontMatter.updated}T00:00:00Z`,
    issuer: { id: issuer },
    license: `https://spdx.org/licenses/${frontMatter.license}`,
    derivedFrom: [
      ...frontMatter.supersedes.map(({ capsule }): Derivation => ({ relation: 'wasRevisionOf', uri: capsulePath(capsule) })),
      ...frontMatter.derived_from.map((capsule): Derivation => ({ relation: 'wasDerivedFrom', uri: capsulePath(capsule) })),
      ...frontMatter.sources.map(
        ({ kind, key, url, title, publisher, retrieved }): Derivation => ({
          relation: SOURCE_RELATIONS[kind],
          uri: url,
          key,
          title,
          publisher,
          ...(retrieved === undefined ? {} : { retrieved }),
        }),
      ),
    ],
    cites: frontMatter.cites.map(capsulePath),
    activity: { type: 'editorial', agent: frontMatter.written_by ?? { type: 'Organization', name: issuer } },
    markdown,
  };
}

/** Keeps results by the front matter of a capsule, an object of its own in each reading: `astro dev` publishes thousands of unchanged capsules. */
export function capsuleResults<T>() {
  const results = new WeakMap<object, { readonly from: readonly unknown[]; readonly result: T }>();
  /** The cached result for the same inputs; otherwise the result of `make`. A frozen version never changes, so its number and text are enough. */
  return ({ id, frontMatter, markdown, frozen }: CapsuleTexts, inputs: readonly unknown[], make: () => T): T => {
    const from = [id, markdown, ...frozen.flatMap((version) => [version.frontMatter.version, version.markdown]), ...inputs];
    const known = results.get(frontMatter);
    if (known?.from.length === from.length && known.from.every((value, at) => value === from[at])) return known.result;
    const result = make();
    results.set(frontMatter, { from, result });
    return result;
  };
}

type CapsuleTexts = Pick<AuthoredCapsule, 'id' | 'frontMatter' | 'markdown' | 'frozen'>;

const cachedRecords = capsuleResults<Promise<LineageProof['versions']>>();

/** Records of all versions of a capsule, unsigned; made once, because they are both published and compared with the published ones. */
export function recordsOf(capsule: CapsuleTexts, publisher: Publisher): Promise<LineageProof['versions']> {
  const { id, frontMatter, markdown, frozen } = capsule;
  return cachedRecords(capsule, [publisher.issuer], () =>
    recordChain([...frozen, { frontMatter, markdown }].map((version) => versionInput(id, version, publisher))),
  );
}

export async function recordChain(versions: readonly VersionInput[]): Promise<LineageProof['versions']> {
  return LineageProof.shape.versions.parse(await chainVersions(versions, sha256OfBuild));
}

/**
 * The versions of a capsule, oldest first, with the tags of their published records: engines before 1.24 left out letters without a Latin
 * form, and a published record never changes.
 */
export async function withPublishedTags<V extends VersionTexts>(
  ids: readonly string[],
  versions: readonly V[],
  publisher: Publisher,
  ledger: PublishedLedger,
): Promise<readonly V[]> {
  const former = versions.map(({ frontMatter: { tags } }) => [...new Set(tags.flatMap(formerTagIds))]);
  if (former.every((tags, at) => isDeepStrictEqual(tags, versions[at]?.frontMatter.tags))) return versions;
  const chain: V[] = [];
  for (const [at, version] of versions.entries()) {
    const { frontMatter } = version;
    const published = publishedVersions(ledger, ids).filter((entry) => entry.version === frontMatter.version);
    const isPublished = async (form: V): Promise<boolean> => {
      const chains = await Promise.all(
        published.map(({ capsule }) => recordChain([...chain, form].map((each) => versionInput(capsule, each, publisher)))),
      );
      return chains.some((records, of) => records.at(-1)?.recordDigest === `sha256:${published[of]?.record}`);
    };
    const asFormerly = { ...version, frontMatter: { ...frontMatter, tags: former[at] ?? [] } };
    chain.push(!(await isPublished(version)) && (await isPublished(asFormerly)) ? asFormerly : version);
  }
  return chain;
}

/** In Node, a digest of a short text takes a tenth of the time without WebCrypto. */
const sha256OfBuild = (source: string | Uint8Array): string => hash('sha256', source);

export function lineageProof(
  chain: LineageProof['versions'],
  { status, status_reason, superseded_by }: Pick<CapsuleMetadata, 'status' | 'status_reason' | 'superseded_by'>,
  { issuer, name }: Publisher,
): LineageProof {
  const statement = headOf(chain, {
    $schema: PATHS.lineageHeadSchema,
    issuer: { id: issuer, name },
    status,
    ...(status_reason === undefined ? {} : { statusReason: status_reason }),
    ...(superseded_by === undefined ? {} : { supersededBy: superseded_by }),
  });
  return { id: statement.id, versions: chain, head: LineageProof.shape.head.parse({ statement, signatures: [] }) };
}

/** A former id has the records that were published under it, and a head that names the present id. */
export async function formerLineages(
  { id, frozen, ...newest }: AuthoredCapsule,
  { publisher, ledger }: AuthoredContent,
): Promise<LineageProof[]> {
  const versions = [...frozen, newest];
  const lineages = await Promise.all(
    newest.frontMatter.formerly.map(async (former): Promise<LineageProof[]> => {
      const published = new Set(ledger.versions.get(former)?.map(({ version }) => version));
      const chain = await recordChain(
        versions.filter(({ frontMatter }) => published.has(frontMatter.version)).map((version) => versionInput(former, version, publisher)),
      );
      if (chain.length === 0) return [];
      return [lineageProof(chain, { status: 'superseded', status_reason: renamedTo(id), superseded_by: id }, publisher)];
    }),
  );
  return lineages.flat();
}

export function renamedTo(id: string): string {
  return `Renamed: this capsule is at ${capsulePath(id)} now.`;
}

/** The unsigned tombstones of all capsules that were taken down, by ascending id. */
export function tombstonesOf({ takenDown, versions }: PublishedLedger, { issuer, name }: Publisher): Tombstone[] {
  return [...takenDown.values()]
    .map(
      ({ capsule: id, taken_down, reason, legal }): Tombstone => ({
        id,
        versions: [],
        head: {
          statement: {
            $schema: PATHS.tombstoneSchema,
            type: 'Tombstone',
            id,
            issuer: { id: issuer, name },
            status: 'taken_down',
            statusReason: reason,
            legal,
            count: 0,
            versions: (versions.get(id) ?? []).map(({ version, record, text }) => ({
              version,
              recordDigest: `sha256:${record}`,
              digest: { 'sha-256': text },
            })),
            issued: `${taken_down}T00:00:00Z`,
          },
          signatures: [],
        },
      }),
    )
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}
