import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findPublishedText } from '../../build/content/published-text.ts';
import { publishedLedger } from '../../build/publishing/publishing-state.ts';
import { UserError } from '../../build/user-error.ts';
import {
  compareVersions,
  fileDigest,
  readFrozenVersions,
  VERSIONS_DIGESTS,
  VERSIONS_FOLDER,
} from '../../publication/capsules/frozen-versions.ts';
import { InvalidContentError } from '../../publication/content-problem.ts';
import { capsuleCompletion } from '../../publication/defaults/complete-front-matter.ts';
import { TextDates } from '../../publication/defaults/text-dates.ts';
import { type LedgerVersion, type PublishedLedger, publishedVersions, readLedger } from '../../publication/published-ledger.ts';
import { loadPublisher, type PublisherOverrides } from '../../publication/read-publisher.ts';
import { fieldOf, idsIn, requireCapsuleFile, withField } from './capsule-file.ts';

export const VERSION_STEPS = ['major', 'minor', 'patch'] as const;
export type VersionStep = (typeof VERSION_STEPS)[number];

/** How {@link reviseCapsule} looks for a published text. */
export interface RevisionOptions {
  /** Whether the live site may be asked. */
  readonly asksSite?: boolean;
  readonly overrides?: PublisherOverrides;
}

/** Outcome of {@link reviseCapsule}. */
export interface Revision {
  /** The file that goes on. */
  readonly file: string;
  readonly frozenPath: string;
  readonly from: string;
  readonly to: string;
  /** Where the published text of an edited file was found; absent if the file was not edited. */
  readonly source?: string;
}

/**
 * Freezes the published version of a capsule and raises the version in its file, which may have been edited already. The frozen copy and
 * its digest are written first, so that an interruption loses nothing.
 *
 * @throws {UserError} If the capsule does not exist or was never published, or if its published text cannot be found.
 */
export async function reviseCapsule(
  root: string,
  id: string,
  step: VersionStep,
  today: string,
  options: RevisionOptions = {},
): Promise<Revision> {
  const { path: file, raw } = await requireCapsuleFile(root, id);
  const version = fieldOf(raw, 'version') ?? '1.0.0';
  if (!/^\d+\.\d+\.\d+$/.test(version))
    throw new UserError(`${file} has a version other than three numbers; write one such as "version: 1.0.0"`);
  const ledger = await knownLedger(root);
  const published = publishedVersions(ledger, [id, ...idsIn(raw, 'formerly')]).at(-1);
  if (published === undefined && fieldOf(raw, 'draft') === 'true')
    throw new UserError(`"${id}" is a draft, which was never published; edit it without a new version`);
  if (published === undefined && ledger.versions.size > 0)
    throw new UserError(`"${id}" was never published; edit ${file} without a new version`);
  if (published !== undefined && compareVersions(version, published.version) > 0 && (await isFrozen(root, id, published.version)))
    throw new UserError(
      `version ${version} of "${id}" is not published yet; edit ${file} without another version. "npm run revise ${id} -- --undo" goes back to ${published.version}`,
    );
  const found = published && (await publishedText(root, published, { id, raw, file }, options));
  const from = published?.version ?? version;
  const frozenPath = await freezeVersion(root, id, from, found?.raw ?? raw);
  const isEdited = found !== undefined && found.raw !== raw;
  const to = compareVersions(version, from) > 0 ? version : raise(from, step);
  const dated = fieldOf(raw, 'updated') === undefined ? raw : withField(raw, 'updated', today);
  await writeFile(join(root, file), withField(dated, 'version', to));
  return { file, frozenPath, from, to, ...(isEdited ? { source: found.source } : {}) };
}

/**
 * What was published from this folder.
 *
 * @throws {InvalidContentError} If the ledger has mistakes.
 */
export async function knownLedger(root: string): Promise<PublishedLedger> {
  const { ledger, problems } = await readLedger(root);
  if (problems.length > 0) throw new InvalidContentError(problems);
  return publishedLedger(root, ledger);
}

async function isFrozen(root: string, id: string, version: string): Promise<boolean> {
  return (await readFile(join(root, VERSIONS_FOLDER, id, `${version}.md`), 'utf8').catch(() => undefined)) !== undefined;
}

async function publishedText(
  root: string,
  wanted: LedgerVersion,
  { id, raw, file }: { readonly id: string; readonly raw: string; readonly file: string },
  { asksSite = false, overrides = {} }: RevisionOptions,
): Promise<{ readonly raw: string; readonly source: string }> {
  const publisher = await loadPublisher(root, overrides);
  const completion = capsuleCompletion(new TextDates(root, await knownLedger(root)), publisher, wanted.updated);
  const frozen = (await readFrozenVersions(root, completion)).byCapsule.get(id) ?? [];
  const earlier = frozen.filter(({ frontMatter }) => compareVersions(frontMatter.version, wanted.version) < 0);
  const found = await findPublishedText(root, { id, wanted, earlier, publisher }, raw, asksSite);
  if (found !== undefined) return found;
  throw new UserError(
    `${file} was edited, and the published text of version ${wanted.version} (SHA-256 ${wanted.text.slice(0, 12)}…) is not in the git history, in .akg or at ${publisher.base_url}. Save your edit elsewhere, restore the published file (from a backup, or after "git fetch --unshallow" or "npm run restore:kv"), run this again, and put your edit back`,
  );
}

/**
 * Writes a frozen version and its digest.
 *
 * @returns Its path from the root.
 * @throws {UserError} If the version is frozen already.
 */
async function freezeVersion(root: string, id: string, version: string, raw: string): Promise<string> {
  const name = `${id}/${version}.md`;
  const path = `${VERSIONS_FOLDER}/${name}`;
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), raw, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST'
      ? new UserError(`version ${version} of "${id}" is frozen; raise the version in content/capsules/${id}.md`)
      : error;
  });
  await appendFile(join(root, VERSIONS_DIGESTS), `${fileDigest(raw)}  ${name}\n`);
  return path;
}

function raise(version: string, step: VersionStep): string {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (step === 'major') return `${major + 1}.0.0`;
  return step === 'minor' ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}
