import { access, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../../build/user-error.ts';
import { publishedVersion } from '../../publication/published-ledger.ts';
import { PUBLISHER_FILE } from '../../publication/read-publisher.ts';
import { buyPath, RESERVED_BUY_IDS } from '../../schemas/paths.ts';
import { fieldOf, idsIn, withIds } from '../capsules/capsule-file.ts';
import { knownLedger } from '../capsules/revise-capsule.ts';
import { contentTexts } from './content-texts.ts';
import type { Renamed } from './rename-capsule.ts';
import { type Renaming, replaceReferences } from './replace-references.ts';

/** Fields of publisher.yaml that name offers. */
const PUBLISHER_FIELDS = [
  ['offers', 'order', '*'],
  ['offers', 'recommended_first'],
  ['offers', 'recommended_quick'],
  ['offers', 'fast_paid_starts', '*'],
] as const;

/** Path of the file of an offer, from the root; `undefined` if there is none. */
export async function findOfferFile(root: string, id: string): Promise<string | undefined> {
  const path = `content/offers/${id}.md`;
  return (await access(join(root, path)).then(
    () => true,
    () => false,
  ))
    ? path
    : undefined;
}

/**
 * Renames an offer: its file, its place in publisher.yaml, and links to it. The former id becomes an alias, so that `/buy/<id>` leads to the
 * offer; published texts keep linking to the alias.
 *
 * @throws {UserError} If the offer does not exist, or the new id is taken or reserved.
 */
export async function renameOffer(root: string, id: string, newId: string): Promise<Renamed> {
  const from = await findOfferFile(root, id);
  if (from === undefined) throw new UserError(`there is no offer content/offers/${id}.md`);
  if (newId === id) throw new UserError(`"${id}" has this id`);
  if (RESERVED_BUY_IDS.includes(newId)) throw new UserError(`"${newId}" is a reserved name; choose another id`);
  const taken = await findOfferFile(root, newId);
  if (taken !== undefined) throw new UserError(`${taken} exists; choose another id`);
  const texts = await contentTexts(root);
  const owner = texts.find(({ path, raw }) => path.startsWith('content/offers/') && path !== from && idsIn(raw, 'aliases').includes(newId));
  if (owner !== undefined) throw new UserError(`"${newId}" is an alias in ${owner.path}; choose another id`);
  const ledger = await knownLedger(root);
  const path = `content/offers/${newId}.md`;
  const renaming: Renaming = { address: [buyPath(id), buyPath(newId)], file: [from, path], id: [id, newId], fields: [] };
  const changed: string[] = [];
  const change = async (file: string, fields: Renaming['fields']): Promise<void> => {
    const raw = await readFile(join(root, file), 'utf8');
    const replaced = replaceReferences(file, raw, { ...renaming, fields });
    if (replaced === raw) return;
    await writeFile(join(root, file), replaced);
    changed.push(file);
  };
  for (const text of texts) {
    const version = fieldOf(text.raw, 'version') ?? '1.0.0';
    const isPublished =
      text.capsuleId !== undefined && publishedVersion(ledger, [text.capsuleId, ...idsIn(text.raw, 'formerly')], version) !== undefined;
    if (text.path !== from && !isPublished) await change(text.path, []);
  }
  await change(PUBLISHER_FILE, PUBLISHER_FIELDS);
  const raw = await readFile(join(root, from), 'utf8');
  const aliases = [...idsIn(raw, 'aliases'), id].filter((alias) => alias !== newId);
  await writeFile(join(root, from), withIds(raw, 'aliases', aliases));
  await rename(join(root, from), join(root, path));
  return { file: path, changed, revised: [], keepsAddresses: true };
}
