import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import type * as z from 'zod';
import { Corpus, type DeployedGeneration, startRanking } from '../../gateway/knowledge/corpus.ts';
import { BlockCache } from '../../gateway/knowledge/load-block.ts';
import { chainVersions, type VersionRecord } from '../../provenance/lineage-records.ts';
import type { AuthoredVersion } from '../../publication/authored-content.ts';
import { versionInput } from '../../publication/capsules/lineage-proof.ts';
import { completeCapsule } from '../../publication/defaults/complete-front-matter.ts';
import { parseContentFile } from '../../publication/front-matter.ts';
import { parseText } from '../../publication/markdown/parse-text.ts';
import type { LedgerVersion } from '../../publication/published-ledger.ts';
import { Capsule, type CapsuleMetadata } from '../../schemas/knowledge/capsule.ts';
import { type CapsuleFrontMatter, WrittenCapsule } from '../../schemas/knowledge/capsule-front-matter.ts';
import { LineageProof } from '../../schemas/knowledge/lineage.ts';
import { capsuleFilePath, lineageFilePath } from '../../schemas/paths.ts';
import type { Publisher } from '../../schemas/publisher.ts';
import { GenerationStore } from '../generation/generation-store.ts';

/** The ranking kernel, compiled to WebAssembly. */
const KERNEL = new URL('../../search/kernel/kernel.wasm', import.meta.url);

/** Timeout of a request to the live site, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** Largest output of a git command, in bytes. */
const GIT_OUTPUT_MAX = 256 * 1024 * 1024;

const run = promisify(execFile);

/** The published version that is looked for, and what its record depends on. */
export interface WantedVersion {
  /** Present id of the capsule. */
  readonly id: string;
  /** The version, under the id that it was published with. */
  readonly wanted: LedgerVersion;
  /** Versions of the capsule before it, oldest first. */
  readonly earlier: readonly AuthoredVersion[];
  readonly publisher: Publisher;
}

/** A content file as it was published. */
export interface PublishedText {
  readonly raw: string;
  /** Where it was found, for people. */
  readonly source: string;
}

/**
 * Finds the file of a version as it was published: in `current`, in the git history of the folder, in the builds of this machine, or on
 * the live site. A text counts only if its record has the digest that the ledger names.
 *
 * @param current Text of the file now.
 * @param asksSite Whether the live site may be asked.
 */
export async function findPublishedText(
  root: string,
  looked: WantedVersion,
  current: string,
  asksSite: boolean,
): Promise<PublishedText | undefined> {
  if (await isPublished(current, looked)) return { raw: current, source: 'the file' };
  for (const raw of await textsInGit(root, [looked.id, looked.wanted.capsule]))
    if (await isPublished(raw, looked)) return { raw, source: 'the git history' };
  for (const raw of await textsInBuilds(root, looked)) if (await isPublished(raw, looked)) return { raw, source: 'the builds in .akg' };
  const live = asksSite ? await textOnSite(looked) : undefined;
  return live !== undefined && (await isPublished(live, looked)) ? { raw: live, source: looked.publisher.base_url } : undefined;
}

/** Whether a content file gives the record that was published. */
async function isPublished(raw: string, { wanted, earlier, publisher }: WantedVersion): Promise<boolean> {
  const frontMatter = publishedFrontMatter(raw, wanted, publisher);
  if (frontMatter?.data.version !== wanted.version) return false;
  const versions = [...earlier, { frontMatter: frontMatter.data, markdown: frontMatter.body }];
  const chain = await chainVersions(versions.map((version) => versionInput(wanted.capsule, version, publisher)));
  return chain.at(-1)?.recordDigest === `sha256:${wanted.record}`;
}

/** Front matter of a file with the defaults and dates of its publication, and its text; `undefined` if it has mistakes. */
function publishedFrontMatter(
  raw: string,
  { capsule, created, updated }: LedgerVersion,
  publisher: Publisher,
): { readonly data: CapsuleFrontMatter; readonly body: string } | undefined {
  const outcome = parseContentFile(`content/capsules/${capsule}.md`, raw, WrittenCapsule, {
    unknownFields: 'off',
    hiddenCharacters: 'off',
  });
  if (!('file' in outcome)) return undefined;
  const { data: written, body } = outcome.file;
  const dates = { created: created ?? updated, updated };
  const { data } = completeCapsule(written, { path: `${capsule}.md`, root: () => parseText(body), dates, today: updated }, publisher);
  return data && { data, body };
}

/** Every text that a file with one of these ids ever had in git, newest first; none without git. */
async function textsInGit(root: string, ids: readonly string[]): Promise<string[]> {
  const git = async (...args: string[]): Promise<string> =>
    (await run('git', args, { cwd: root, maxBuffer: GIT_OUTPUT_MAX }).catch(() => ({ stdout: '' }))).stdout;
  const log = await git('log', '--all', '--raw', '--no-abbrev', '--no-renames', '--format=', '-z', '--', 'content/capsules');
  const names = ids.map((id) => `${id}.md`);
  const blobs = new Set<string>();
  // With -z a change is ":<mode> <mode> <blob> <blob> <status>", NUL, its path, NUL.
  const parts = log.split('\0');
  for (const [at, part] of parts.entries()) {
    const [, before, after] = /^:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) [A-Z]\d*$/.exec(part.trim()) ?? [];
    if (before === undefined || after === undefined || !names.includes(parts[at + 1]?.split('/').at(-1) ?? '')) continue;
    for (const blob of [after, before]) if (!/^0+$/.test(blob)) blobs.add(blob);
  }
  return Promise.all([...blobs].map((blob) => git('cat-file', 'blob', blob)));
}

/** The text of the version in each build of this machine that has it. */
async function textsInBuilds(root: string, { wanted, publisher }: WantedVersion): Promise<string[]> {
  const store = new GenerationStore(root);
  const texts: string[] = [];
  for (const deployed of await store.history().catch((): DeployedGeneration[] => [])) {
    const generation = (await localCorpus(deployed, store)).newest;
    try {
      const stored = await generation.capsuleVersion(wanted.capsule, wanted.version);
      const proof = await generation.lineageProof(wanted.capsule);
      const record = proof?.versions.find(({ record: { version } }) => version === wanted.version)?.record;
      const markdown = stored?.markdown ?? (await generation.paidText(wanted.capsule, wanted.version));
      if (stored !== undefined && record !== undefined && markdown !== undefined)
        texts.push(contentFile(stored.metadata, record, markdown, publisher));
    } catch {
      // A block of an earlier build is missing: another build may be complete.
    }
  }
  return texts;
}

async function localCorpus(deployed: DeployedGeneration, store: GenerationStore): Promise<Corpus> {
  const ranking = startRanking(new WebAssembly.Module(await readFile(KERNEL)));
  return new Corpus(deployed, { read: (sha256) => store.block(sha256) }, new BlockCache(Number.MAX_SAFE_INTEGER), ranking);
}

/** The text of the version that the live site has as its newest. */
async function textOnSite({ wanted, publisher }: WantedVersion): Promise<string | undefined> {
  const read = async (path: string): Promise<unknown> => {
    const response = await fetch(publisher.base_url + path, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return response.ok ? response.json() : undefined;
  };
  try {
    const capsule = Capsule.safeParse(await read(capsuleFilePath(wanted.capsule))).data;
    const proof = LineageProof.safeParse(await read(lineageFilePath(wanted.capsule))).data;
    const record = proof?.versions.find(({ record: { version } }) => version === wanted.version)?.record;
    if (capsule === undefined || record === undefined) return undefined;
    return contentFile(capsule, record, capsule.markdown, publisher);
  } catch {
    return undefined;
  }
}

/** The content file of a published version. What the current file decides for all versions, such as a retraction, is not in it. */
function contentFile(metadata: CapsuleMetadata, record: VersionRecord, markdown: string, { issuer }: Publisher): string {
  const { agent } = record.activity;
  const isPublisher = agent.type === 'Organization' && agent.name === issuer;
  const frontMatter: z.input<typeof WrittenCapsule> = {
    title: metadata.title,
    summary: metadata.summary,
    type: metadata.type,
    tags: metadata.tags,
    language: metadata.language,
    version: metadata.version,
    evidence: metadata.evidence,
    license: metadata.license,
    created: metadata.created,
    updated: metadata.updated,
    ...(metadata.price === undefined ? {} : { access: metadata.access, price_usd: Number(metadata.price.amount) }),
    ...(isPublisher ? {} : { written_by: agent }),
    derived_from: metadata.derived_from,
    cites: metadata.cites,
    supersedes: metadata.supersedes.map(({ capsule_id, reason }) => ({ capsule: capsule_id, reason })),
    sources: metadata.sources,
  };
  return `---\n${stringify(frontMatter, { lineWidth: 0 })}---\n\n${markdown}`;
}
