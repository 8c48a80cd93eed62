import { mkdir, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BUILD_FOLDER } from '../../build/generation/generation-store.ts';
import { UserError } from '../../build/user-error.ts';
import { VERSIONS_DIGESTS, VERSIONS_FOLDER } from '../../publication/capsules/frozen-versions.ts';
import { publishedVersion } from '../../publication/published-ledger.ts';
import { compareVersions } from '../../schemas/primitives.ts';
import { fieldOf, idsIn, requireCapsuleFile, splitFrontMatter, withField, withIds } from './capsule-file.ts';
import { removeDigests, withoutDefaults } from './freeze-version.ts';
import { knownLedger } from './revise-capsule.ts';

/** Outcome of {@link undoRevision}. */
interface UndoneRevision {
  readonly file: string;
  /** Version of the file now. */
  readonly version: string;
  /** Where the edit of the version that is gone was kept; absent if it was not edited. */
  readonly kept?: string;
}

/**
 * Makes the newest frozen version of a capsule the current one again. An edit of the version that is gone is kept in `.akg/undone/`.
 *
 * @throws {UserError} If the current version is published, or none is frozen.
 */
export async function undoRevision(root: string, id: string): Promise<UndoneRevision> {
  const { path, raw } = await requireCapsuleFile(root, id);
  const current = fieldOf(raw, 'version') ?? '1.0.0';
  if (publishedVersion(await knownLedger(root), [id, ...idsIn(raw, 'formerly')], current) !== undefined)
    throw new UserError(
      `version ${current} of "${id}" is published, and readers may have recorded it; to go back to an earlier text, run "npm run revise ${id}", and put that text into the file as a new version`,
    );
  const names = await readdir(join(root, VERSIONS_FOLDER, id)).catch(() => []);
  const version = names
    .flatMap((name) => /^(\d+\.\d+\.\d+)\.md$/.exec(name)?.[1] ?? [])
    .sort(compareVersions)
    .at(-1);
  if (version === undefined) throw new UserError(`"${id}" has no frozen version, so there is no revision to undo`);
  const frozen = withoutDefaults(await readFile(join(root, VERSIONS_FOLDER, id, `${version}.md`), 'utf8'));
  const kept = sameWithoutVersion(raw, frozen) ? undefined : await keepEdit(root, `${id}-${current}.md`, raw);
  // The frozen file may be older than a rename.
  await writeFile(join(root, path), withIds(frozen, 'formerly', idsIn(raw, 'formerly')));
  await removeDigests(root, (name) => name === `${id}/${version}.md`);
  await rm(join(root, VERSIONS_FOLDER, id, `${version}.md`));
  const digests = join(root, VERSIONS_DIGESTS);
  if ((await readFile(digests, 'utf8').catch(() => undefined))?.trim() === '') await rm(digests);
  for (const folder of [join(root, VERSIONS_FOLDER, id), join(root, VERSIONS_FOLDER)])
    if ((await readdir(folder)).length === 0) await rmdir(folder);
  return { file: path, version, ...(kept === undefined ? {} : { kept }) };
}

/** Whether two files differ only in what a revision changes. */
function sameWithoutVersion(a: string, b: string): boolean {
  const plain = (raw: string): string => withField(withField(withIds(raw, 'formerly', []), 'version', ''), 'updated', '');
  return plain(a) === plain(b) || (splitFrontMatter(a).frontMatter === '' && a === b);
}

async function keepEdit(root: string, name: string, raw: string): Promise<string> {
  const folder = `${BUILD_FOLDER}/undone`;
  await mkdir(join(root, folder), { recursive: true });
  await writeFile(join(root, folder, name), raw);
  return `${folder}/${name}`;
}
