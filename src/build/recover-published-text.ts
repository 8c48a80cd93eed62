import { parse, stringify } from 'yaml';
import * as z from 'zod';
import type { DeployedGeneration } from '../gateway/knowledge/corpus.ts';
import { chainVersions, type VersionRecord } from '../provenance/lineage-records.ts';
import type { AuthoredVersion } from '../publication/authored-content.ts';
import { completeCapsule, type PublicationDefaults } from '../publication/defaults/complete-front-matter.ts';
import { runGit } from '../publication/git-history.ts';
import { versionInput, withPublishedTags } from '../publication/publish/lineage-proof.ts';
import { parseContentFile } from '../publication/read/front-matter.ts';
import { EMPTY_LEDGER, extendLedger, type LedgerVersion } from '../publication/read/version-ledger.ts';
import { PUBLISHER_FILE } from '../publication/read-publisher.ts';
import { type CapsulePrice, pricesOf } from '../schemas/commerce/capsule-price.ts';
import { Capsule, type CapsuleMetadata } from '../schemas/knowledge/capsule.ts';
import { type CapsuleFrontMatter, WrittenCapsule } from '../schemas/knowledge/capsule-front-matter.ts';
import { LineageProof } from '../schemas/knowledge/lineage.ts';
import { NO_LICENSE } from '../schemas/license.ts';
import { capsuleFilePath, lineageFilePath } from '../schemas/paths.ts';
import { type Publisher, WrittenPublisher } from '../schemas/publisher.ts';
import { dayOf } from '../schemas/time.ts';
import { parseText } from '../text/markdown/parse-text.ts';
import { describeText } from '../text/markdown/title-and-summary.ts';
import { GenerationStore } from './corpus-blocks/generation-store.ts';
import { corpusOver } from './make-publication.ts';

const TIMEOUT_MS = 10_000;

interface WantedVersion {
  readonly id: string;
  /** The version, under the id that it was published with. */
  readonly wanted: LedgerVersion;
  readonly earlier: readonly Pick<AuthoredVersion, 'frontMatter' | 'markdown'>[];
  readonly publisher: Publisher;
}

export interface PublishedText {
  readonly raw: string;
  /** Its front matter with the defaults with which it was published. */
  readonly frontMatter: CapsuleFrontMatter;
  readonly source: string;
}

/**
 * Finds the file of a version as it was published: in `current`, its text now, in the git history of the folder, in the builds of this
 * machine, or on the live site, if that may be asked. A text counts only if it gives the record that was published, with the defaults that
 * publisher.yaml has or had.
 */
export async function findPublishedText(
  root: string,
  looked: WantedVersion,
  current: string,
  asksSite: boolean,
): Promise<PublishedText | undefined> {
  const names = [...new Set([looked.id, looked.wanted.capsule])].map((name) => `${name}.md`);
  const places: (() => Promise<readonly (readonly [raw: string, source: string])[]>)[] = [
    async () => [[current, 'the file']],
    async () => (await textsInGit(root, CAPSULES_FOLDER, names)).map((raw) => [raw, 'the git history']),
    async () => (await textsInBuilds(root, looked)).map((raw) => [raw, 'the builds in .akg']),
    async () => (asksSite ? await textOnSite(looked) : []).map((raw) => [raw, looked.publisher.base_url]),
  ];
  for (const textsOf of places)
    for (const [raw, source] of await textsOf()) {
      const frontMatter = await publishedFrontMatter(root, raw, looked);
      if (frontMatter !== undefined) return { raw, frontMatter, source };
    }
  return undefined;
}

/** Front matter of a content file with the defaults with which it gives the record that was published; `undefined` if it gives another one. */
export async function publishedFrontMatter(
  root: string,
  raw: string,
  { wanted, earlier, publisher }: WantedVersion,
): Promise<CapsuleFrontMatter | undefined> {
  const { capsule, created, updated } = wanted;
  const outcome = parseContentFile(`content/capsules/${capsule}.md`, raw, WrittenCapsule, {
    unknownFields: 'off',
    hiddenCharacters: 'off',
  });
  if (!('file' in outcome) || (outcome.file.data.version ?? '1.0.0') !== wanted.version) return undefined;
  const { data: written, body } = outcome.file;
  const text = {
    path: `${capsule}.md`,
    text: () => describeText(parseText(body)),
    dates: { created: created ?? updated, updated },
    today: updated,
  };
  const matches = async (defaults: PublicationDefaults): Promise<CapsuleFrontMatter | undefined> => {
    const { data } = completeCapsule(written, text, defaults);
    if (data === undefined) return undefined;
    const current = { frontMatter: data, markdown: body };
    const versions = await withPublishedTags([capsule], [...earlier, current], publisher, extendLedger(EMPTY_LEDGER, [wanted]));
    const last = (await chainVersions(versions.map((version) => versionInput(capsule, version, publisher)))).at(-1);
    return last?.recordDigest === `sha256:${wanted.record}` ? versions.at(-1)?.frontMatter : undefined;
  };
  const found = await matches(publisher);
  if (found !== undefined || (written.license !== undefined && written.language !== undefined && written.written_by !== undefined))
    return found;
  for (const defaults of await earlierDefaults(root)) {
    const other = await matches(defaults);
    if (other !== undefined) return other;
  }
  return undefined;
}

/** The settings of publisher.yaml that texts take defaults from, whatever else it has: unlike `pick`, which stays strict. */
const Defaults = z.object({ ...WrittenPublisher.pick({ license: true, language: true, author: true }).shape });

async function earlierDefaults(root: string): Promise<PublicationDefaults[]> {
  const all = (await textsInGit(root, PUBLISHER_FILE, ['publisher.yaml'])).flatMap((text): PublicationDefaults[] => {
    try {
      const { license = NO_LICENSE, language, author } = Defaults.parse(parse(text, { logLevel: 'silent' }));
      return [{ license, language, author }];
    } catch {
      return [];
    }
  });
  return [...new Map(all.map((defaults) => [JSON.stringify(defaults), defaults])).values()];
}

async function textsInBuilds(root: string, { wanted }: WantedVersion): Promise<string[]> {
  const store = new GenerationStore(root);
  const texts: string[] = [];
  for (const deployed of await store.history().catch((): DeployedGeneration[] => [])) {
    const generation = (await corpusOver(deployed, (sha256) => store.block(sha256))).newest;
    try {
      const stored = await generation.capsuleVersion(wanted.capsule, wanted.version);
      const proof = await generation.lineageProof(wanted.capsule);
      const record = proof?.versions.find(({ record: { version } }) => version === wanted.version)?.record;
      const markdown = stored?.markdown ?? (await generation.paidText(wanted.capsule, wanted.version))?.markdown;
      if (stored !== undefined && record !== undefined && markdown !== undefined)
        texts.push(contentFile(stored.metadata, record, markdown));
    } catch {
      // A block of an earlier build is missing: another build may be complete.
    }
  }
  return texts;
}

async function textOnSite({ wanted, publisher }: WantedVersion): Promise<string[]> {
  const read = async (path: string): Promise<unknown> => {
    const response = await fetch(publisher.base_url + path, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return response.ok ? response.json() : undefined;
  };
  try {
    const capsule = Capsule.safeParse(await read(capsuleFilePath(wanted.capsule))).data;
    const proof = LineageProof.safeParse(await read(lineageFilePath(wanted.capsule))).data;
    const record = proof?.versions.find(({ record: { version } }) => version === wanted.version)?.record;
    return capsule === undefined || record === undefined ? [] : [contentFile(capsule, record, capsule.markdown)];
  } catch {
    return [];
  }
}

/** The content file of a published version. What the current file decides for all versions, such as a retraction, is not in it. */
function contentFile(metadata: CapsuleMetadata, record: VersionRecord, markdown: string): string {
  const frontMatter: z.input<typeof WrittenCapsule> = {
    title: metadata.title,
    summary: metadata.summary,
    type: metadata.type,
    tags: metadata.tags,
    questions: metadata.questions,
    language: metadata.language,
    version: metadata.version,
    evidence: metadata.evidence,
    license: metadata.license,
    created: metadata.created,
    updated: metadata.updated,
    ...(metadata.price && { access: metadata.access, ...authoredPrices(pricesOf(metadata)) }),
    written_by: record.activity.agent,
    derived_from: metadata.derived_from,
    cites: metadata.cites,
    supersedes: metadata.supersedes.map(({ capsule_id, reason }) => ({ capsule: capsule_id, reason })),
    sources: metadata.sources,
  };
  return `---\n${stringify(frontMatter, { lineWidth: 0 })}---\n\n${markdown}`;
}

function authoredPrices(stated: readonly CapsulePrice[]): Pick<z.input<typeof WrittenCapsule>, 'price_usd' | 'prices'> {
  const { USD: price_usd, ...prices } = Object.fromEntries(stated.map(({ currency, amount }) => [currency, Number(amount)]));
  return { ...(price_usd !== undefined && { price_usd }), ...(Object.keys(prices).length > 0 && { prices }) };
}

const CAPSULES_FOLDER = 'content/capsules';

/** Every text that a file below `folder` with one of these names ever had in the git history, newest first; none without git. */
export async function textsInGit(root: string, folder: string, names: readonly string[]): Promise<string[]> {
  const log = await runGit(root, 'log', '--all', '--raw', '--no-abbrev', '--no-renames', '--format=', '-z', '--', folder);
  const blobs = new Set<string>();
  // With -z a change is ":<mode> <mode> <blob> <blob> <status>", NUL, its path, NUL.
  const parts = log.split('\0');
  for (const [at, part] of parts.entries()) {
    const [, before, after] = /^:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) [A-Z]\d*$/.exec(part.trim()) ?? [];
    if (before === undefined || after === undefined || !names.includes(parts[at + 1]?.split('/').at(-1) ?? '')) continue;
    for (const blob of [after, before]) if (!/^0+$/.test(blob)) blobs.add(blob);
  }
  return Promise.all([...blobs].map((blob) => runGit(root, 'cat-file', 'blob', blob)));
}

/** `undefined` if there is no such commit, or it has no such file. @param ids Ids that the capsule has and had. */
export async function committedText(root: string, revision: string, ids: readonly string[]) {
  // What begins with a hyphen would be an option.
  if (revision.startsWith('-')) return undefined;
  const [commit = '', seconds = ''] = (await runGit(root, 'log', '-1', '--format=%h %ct', revision, '--')).trim().split(' ');
  if (commit === '') return undefined;
  const paths = (await runGit(root, 'ls-tree', '-r', '-z', '--name-only', commit, '--', CAPSULES_FOLDER)).split('\0');
  const path = ids
    .map((id) => paths.find((candidate) => candidate.endsWith(`/${id}.md`) && !candidate.startsWith(`${CAPSULES_FOLDER}/versions/`)))
    .find((found) => found !== undefined);
  if (path === undefined) return undefined;
  return { raw: await runGit(root, 'cat-file', 'blob', `${commit}:./${path}`), commit, day: dayOf(Number(seconds) * 1_000) };
}
