import { existsSync } from 'node:fs';
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { publishedLedger, uploadedBuild } from '../../build/kv/publishing-state.ts';
import { committedText, findPublishedText, type PublishedText, publishedFrontMatter } from '../../build/recover-published-text.ts';
import { InvalidContentError, UserError } from '../../publication/content-problem.ts';
import { capsuleCompletion, completeCapsule } from '../../publication/defaults/complete-front-matter.ts';
import { fileDigest, readFrozenVersions, VERSIONS_DIGESTS, VERSIONS_FOLDER } from '../../publication/frozen-versions.ts';
import { textDates } from '../../publication/git-history.ts';
import { withPublishedTags } from '../../publication/publish/lineage-proof.ts';
import { parseContentFile } from '../../publication/read/front-matter.ts';
import {
  LEDGER_FILE,
  type LedgerVersion,
  type PublishedLedger,
  publishedVersions,
  readLedger,
} from '../../publication/read/version-ledger.ts';
import { loadPublisher, type PublisherOverrides } from '../../publication/read-publisher.ts';
import { Author } from '../../schemas/knowledge/capsule-fields.ts';
import { type CapsuleFrontMatter, WrittenCapsule } from '../../schemas/knowledge/capsule-front-matter.ts';
import { compareVersions } from '../../schemas/primitives.ts';
import type { Publisher } from '../../schemas/publisher.ts';
import { parseText } from '../../text/markdown/parse-text.ts';
import { describeText } from '../../text/markdown/title-and-summary.ts';
import { fieldOf, idsIn, requireCapsuleFile, splitFrontMatter, withField, writeNewFile, writtenFields } from './capsule-file.ts';

export const VERSION_STEPS = ['major', 'minor', 'patch'] as const;
export type VersionStep = (typeof VERSION_STEPS)[number];

export interface RevisionOptions {
  readonly asksSite?: boolean;
  /** The published text: a file, or a commit that has it. */
  readonly from?: string | undefined;
  /** Whether the file is what was published, if nothing is recorded: its readers sent corrections of it. */
  readonly isFilePublished?: boolean;
  readonly overrides?: PublisherOverrides;
}

interface RevisedCapsule {
  readonly id: string;
  readonly ids: readonly string[];
  readonly file: string;
  readonly raw: string;
  readonly publisher: Publisher;
  readonly ledger: PublishedLedger;
}

interface FoundText extends PublishedText {
  /** The commit whose text was frozen because nothing records what was published; absent if something does. */
  readonly assumed?: string;
}

/**
 * Freezes the published version of a capsule and raises the version in its file, which may have been edited already. What was published
 * is known from the ledger, or from the newest build of a site that is uploaded as files; otherwise it is the text of `options.from` or,
 * where the ledger is empty, of the last commit. The frozen copy and its digest are written first, so that an interruption loses nothing.
 * @returns With the `source` of the published text, if the file was edited.
 */
export async function reviseCapsule(root: string, id: string, step: VersionStep, today: string, options: RevisionOptions = {}) {
  const { path: file, raw } = await requireCapsuleFile(root, id);
  const version = fieldOf(raw, 'version') ?? '1.0.0';
  if (!/^\d+\.\d+\.\d+$/.test(version))
    throw new UserError(`${file} has a version other than three numbers; write one such as "version: 1.0.0"`);
  const ids = [id, ...idsIn(raw, 'formerly')];
  const ledger = await knownLedger(root);
  const published =
    publishedVersions(ledger, ids).at(-1) ?? (await uploadedBuild(root))?.versions.findLast(({ capsule }) => ids.includes(capsule));
  if (
    published !== undefined &&
    compareVersions(version, published.version) > 0 &&
    existsSync(join(root, VERSIONS_FOLDER, id, `${published.version}.md`))
  )
    throw new UserError(
      `version ${version} of "${id}" is not published yet; edit ${file} without another version. "npm run revise ${id} -- --undo" goes back to ${published.version}`,
    );
  const capsule: RevisedCapsule = { id, ids, file, raw, publisher: await loadPublisher(root, options.overrides ?? {}), ledger };
  const found = published ? await recordedText(root, published, capsule, options) : await unrecordedText(root, capsule, options);
  const from = found.frontMatter.version;
  const frozenPath = await freezeVersion(root, capsule, found);
  const to = compareVersions(version, from) > 0 ? version : raise(from, step);
  const dated = fieldOf(raw, 'updated') === undefined ? raw : withField(raw, 'updated', today);
  await writeFile(join(root, file), withField(dated, 'version', to));
  return {
    file,
    frozenPath,
    from,
    to,
    ...(found.raw === raw ? {} : { source: found.source }),
    ...(found.assumed === undefined ? {} : { assumed: found.assumed }),
  };
}

/** What was published from this folder. @throws {InvalidContentError} If the ledger has mistakes. */
export async function knownLedger(root: string): Promise<PublishedLedger> {
  const { ledger, problems } = await readLedger(root);
  if (problems.length > 0) throw new InvalidContentError(problems);
  return publishedLedger(root, ledger);
}

async function recordedText(
  root: string,
  wanted: LedgerVersion,
  { id, ids, file, raw, publisher, ledger }: RevisedCapsule,
  { asksSite = false, from }: RevisionOptions,
): Promise<FoundText> {
  const completion = capsuleCompletion(textDates(root, ledger), publisher, wanted.updated);
  const frozen = (await readFrozenVersions(root, completion, { hidden_characters: 'off' })).byCapsule.get(id) ?? [];
  const before = frozen.filter(({ frontMatter }) => compareVersions(frontMatter.version, wanted.version) < 0);
  const earlier = await withPublishedTags(ids, before, publisher, ledger);
  const looked = { id, wanted, earlier, publisher };
  const digest = `version ${wanted.version} (SHA-256 ${wanted.text.slice(0, 12)}…)`;
  if (from !== undefined) {
    const stated = await statedText(root, from, ids);
    const frontMatter = await publishedFrontMatter(root, stated.raw, looked);
    if (frontMatter !== undefined) return { ...stated, frontMatter };
    throw new UserError(`${stated.source} is not the published text of ${digest}; leave --from out to look for it, or name another place`);
  }
  const found = await findPublishedText(root, looked, raw, asksSite);
  if (found !== undefined) return found;
  throw new UserError(
    `${file} was edited, and the published text of ${digest} is not in the git history, in .akg or at ${publisher.base_url}. If you have it, for instance in a backup, name the file: "npm run revise ${id} -- --from <file>". "git fetch --unshallow" and "npm run restore:kv" may bring it back`,
  );
}

async function unrecordedText(root: string, capsule: RevisedCapsule, { from, isFilePublished }: RevisionOptions): Promise<FoundText> {
  const { id, ids, file, raw, publisher, ledger } = capsule;
  if (from !== undefined) return completed(root, capsule, await statedText(root, from, ids));
  if (isFilePublished) return completed(root, capsule, { raw, source: file });
  if (fieldOf(raw, 'draft') === 'true') throw new UserError(`"${id}" is a draft, which was never published; edit it without a new version`);
  const howTo = `If it was published, name its text: "npm run revise ${id} -- --from <file or commit>"`;
  if (ledger.versions.size > 0)
    throw new UserError(`"${id}" was never published, as far as ${LEDGER_FILE} knows; edit ${file} without a new version. ${howTo}`);
  const committed = await committedText(root, 'HEAD', ids);
  if (committed === undefined)
    throw new UserError(
      `nothing says what was published of "${id}": there is no ${LEDGER_FILE}, and no commit has the file. If it was never published, edit ${file} without a new version. If ${publisher.base_url} is online, "npm run restore:kv" (for a site without functions "npm run restore:kv -- --site") records what it has. ${howTo}`,
    );
  const assumed = `${committed.commit} of ${committed.day}`;
  return { ...(await completed(root, capsule, { raw: committed.raw, source: `commit ${assumed}` })), assumed };
}

async function statedText(root: string, from: string, ids: readonly string[]): Promise<Pick<FoundText, 'raw' | 'source'>> {
  const raw = await readFile(resolve(root, from), 'utf8').catch(() => undefined);
  if (raw !== undefined) return { raw, source: from };
  const committed = await committedText(root, from, ids);
  if (committed === undefined)
    throw new UserError(`--from ${from} is neither a file nor a commit that has ${ids.map((id) => `${id}.md`).join(' or ')}`);
  return { raw: committed.raw, source: `commit ${committed.commit} of ${committed.day}` };
}

async function completed(
  root: string,
  { id, file, publisher, ledger }: RevisedCapsule,
  { raw, source }: Pick<FoundText, 'raw' | 'source'>,
): Promise<FoundText> {
  const outcome = parseContentFile(source, raw, WrittenCapsule, { unknownFields: 'off', hiddenCharacters: 'off' });
  if (!('file' in outcome)) throw new InvalidContentError(outcome.problems);
  const { data: written, body } = outcome.file;
  const dates = await textDates(root, ledger).of(file, id, written);
  const text = () => describeText(parseText(body));
  const { data } = completeCapsule(written, { path: file, text, dates, today: dates.updated }, publisher);
  if (data === undefined) throw new UserError(`${source} has mistakes in its front matter, so it cannot have been published`);
  return { raw, frontMatter: data, source };
}

function raise(version: string, step: VersionStep): string {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (step === 'major') return `${major + 1}.0.0`;
  return step === 'minor' ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

/** Stands above the defaults in a frozen file; everything between it and the end of the front matter was not written by the author. */
const DEFAULTS_MARK = '# Defaults when this version was published, so that later settings do not change it:';

const FIELDS_WITH_DEFAULTS = [
  'title',
  'summary',
  'type',
  'version',
  'evidence',
  'language',
  'license',
  'created',
  'updated',
  'written_by',
] as const;

/** Writes a frozen version, with the defaults that its file leaves to settings, and its digest. @returns Its path from the root. */
async function freezeVersion(root: string, { id, file, publisher }: RevisedCapsule, { raw, frontMatter }: FoundText): Promise<string> {
  const { version } = frontMatter;
  const name = `${id}/${version}.md`;
  const path = `${VERSIONS_FOLDER}/${name}`;
  const text = withDefaults(raw, frontMatter, publisher.issuer);
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeNewFile(join(root, path), text, `version ${version} of "${id}" is frozen already; raise the version in ${file}`);
  await appendFile(join(root, VERSIONS_DIGESTS), `${fileDigest(text)}  ${name}\n`);
  return path;
}

function withDefaults(raw: string, frontMatter: CapsuleFrontMatter, issuer: string): string {
  const { frontMatter: written, rest } = splitFrontMatter(raw);
  const present = new Set(Object.keys(writtenFields(raw)));
  const publisher = Author.safeParse({ type: 'Organization', name: issuer }).data;
  const complete = { ...frontMatter, written_by: frontMatter.written_by ?? publisher };
  const missing = FIELDS_WITH_DEFAULTS.filter((field) => !present.has(field) && complete[field] !== undefined);
  if (missing.length === 0) return raw;
  const lines = stringify(Object.fromEntries(missing.map((field) => [field, complete[field]])), { lineWidth: 0 });
  const block = `${DEFAULTS_MARK}\n${lines}`;
  if (written === '') return `---\n${block}---\n\n${raw}`;
  const end = written.lastIndexOf('---');
  return written.slice(0, end) + block + written.slice(end) + rest;
}

export function withoutDefaults(raw: string): string {
  const { frontMatter, rest } = splitFrontMatter(raw);
  const from = frontMatter.indexOf(DEFAULTS_MARK);
  if (from === -1) return raw;
  const written = frontMatter.slice(0, from) + frontMatter.slice(frontMatter.lastIndexOf('---'));
  return written === '---\n---' ? rest.replace(/^\n\n/, '') : written + rest;
}

/** Removes the digests of frozen versions whose name, `<id>/<version>.md`, is matched. */
export async function removeDigests(root: string, isGone: (name: string) => boolean): Promise<void> {
  const path = join(root, VERSIONS_DIGESTS);
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const nameAt = fileDigest('').length + 2;
  const kept = text.split('\n').filter((line) => line === '' || !isGone(line.slice(nameAt)));
  await writeFile(path, kept.join('\n'));
}
