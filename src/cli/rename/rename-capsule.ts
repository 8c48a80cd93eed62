import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../../build/user-error.ts';
import { VERSIONS_DIGESTS, VERSIONS_FOLDER } from '../../publication/capsules/frozen-versions.ts';
import { publishedVersion } from '../../publication/published-ledger.ts';
import type { PublisherOverrides } from '../../publication/read-publisher.ts';
import { capsulePath } from '../../schemas/paths.ts';
import { type CapsuleFile, fieldOf, findCapsuleFile, idsIn, requireCapsuleFile, withIds } from '../capsules/capsule-file.ts';
import { knownLedger, reviseCapsule } from '../capsules/revise-capsule.ts';
import { contentTexts } from './content-texts.ts';
import { type Renaming, replaceReferences } from './replace-references.ts';

/** Fields of capsules and offers that name capsules. */
const CAPSULE_FIELDS = [
  ['derived_from', '*'],
  ['cites', '*'],
  ['supersedes', '*', 'capsule'],
  ['delivers', '*', 'capsule'],
] as const;

/** How {@link renameCapsule} revises other capsules. */
interface RenameOptions {
  /** Today in UTC, `YYYY-MM-DD`. */
  readonly today: string;
  /** Whether the live site may be asked for published texts. */
  readonly asksSite?: boolean;
  readonly overrides?: PublisherOverrides;
}

/** Outcome of a rename. */
export interface Renamed {
  readonly file: string;
  /** Files whose references were changed. */
  readonly changed: readonly string[];
  /** Capsules that got a new version for it, because the one with the former name is published. */
  readonly revised: readonly string[];
  /** Whether addresses with the former id lead to the new one. */
  readonly keepsAddresses: boolean;
}

/**
 * Renames a capsule: its file, its frozen versions, and the relations and links of all other texts. Its own text stays as it is; if it was
 * published, the former id is recorded in `formerly`, so that its addresses lead to the new one.
 *
 * @throws {UserError} If the capsule does not exist, or the new id is or was that of another.
 */
export async function renameCapsule(root: string, id: string, newId: string, options: RenameOptions): Promise<Renamed> {
  const own = await requireCapsuleFile(root, id);
  const ledger = await knownLedger(root);
  await requireFreeId(root, newId, id, ledger.takenDown.has(newId));
  const keepsAddresses = ledger.versions.has(id);
  const path = own.path.replace(/[^/]*$/, `${newId}.md`);
  const renaming: Renaming = {
    address: [capsulePath(id), capsulePath(newId)],
    file: [own.path, path],
    id: [id, newId],
    fields: CAPSULE_FIELDS,
  };
  const changed: string[] = [];
  const revised: string[] = [];
  for (const text of await contentTexts(root)) {
    if (text.path === own.path || replaceReferences(text.path, text.raw, renaming) === text.raw) continue;
    if (
      text.capsuleId !== undefined &&
      publishedVersion(ledger, [text.capsuleId, ...idsIn(text.raw, 'formerly')], fieldOf(text.raw, 'version') ?? '1.0.0') !== undefined
    ) {
      await reviseCapsule(root, text.capsuleId, 'patch', options.today, options);
      revised.push(text.capsuleId);
    }
    const raw = await readFile(join(root, text.path), 'utf8');
    await writeFile(join(root, text.path), replaceReferences(text.path, raw, renaming));
    changed.push(text.path);
  }
  await moveCapsule(root, own, path, { id, newId, keepsAddresses });
  return { file: path, changed, revised, keepsAddresses };
}

async function requireFreeId(root: string, newId: string, id: string, isTakenDown: boolean): Promise<void> {
  if (newId === id) throw new UserError(`"${id}" has this id`);
  const taken = await findCapsuleFile(root, newId);
  if (taken !== undefined) throw new UserError(`${taken.path} exists; choose another id`);
  if (isTakenDown) throw new UserError(`"${newId}" was taken down, and its id stays with its tombstone; choose another id`);
  for (const { path, raw, capsuleId } of await contentTexts(root))
    if (capsuleId !== undefined && capsuleId !== id && idsIn(raw, 'formerly').includes(newId))
      throw new UserError(`${path} was "${newId}" formerly, and addresses with that id lead to it; choose another id`);
}

async function moveCapsule(
  root: string,
  own: CapsuleFile,
  path: string,
  { id, newId, keepsAddresses }: { readonly id: string; readonly newId: string; readonly keepsAddresses: boolean },
): Promise<void> {
  const former = [...new Set([...idsIn(own.raw, 'formerly'), ...(keepsAddresses ? [id] : [])])].filter((other) => other !== newId);
  await writeFile(join(root, own.path), withIds(own.raw, 'formerly', former));
  const digests = await readFile(join(root, VERSIONS_DIGESTS), 'utf8').catch(() => undefined);
  if (digests?.includes(`  ${id}/`)) {
    await rename(join(root, VERSIONS_FOLDER, id), join(root, VERSIONS_FOLDER, newId));
    await writeFile(join(root, VERSIONS_DIGESTS), digests.replaceAll(`  ${id}/`, `  ${newId}/`));
  }
  await rename(join(root, own.path), join(root, path));
}
