import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { today } from '../../build/describe-deployment.ts';
import { UserError } from '../../publication/content-problem.ts';
import { VERSIONS_DIGESTS, VERSIONS_FOLDER } from '../../publication/frozen-versions.ts';
import { type PublishedLedger, publishedVersion } from '../../publication/read/version-ledger.ts';
import { PUBLISHER_FILE, publisherOverrides } from '../../publication/read-publisher.ts';
import { SECTIONS_FILE, SUBJECTS_FILE } from '../../publication/resolve/sections-subjects-incidents.ts';
import { SECTION_DEPTH_MAX } from '../../schemas/knowledge/sections.ts';
import { buyPath, capsulePath, RESERVED_BUY_IDS } from '../../schemas/paths.ts';
import { walk } from '../../text/markdown/markdown-tree.ts';
import { parseText } from '../../text/markdown/parse-text.ts';
import { resolveLink, type TextAddresses } from '../../text/markdown/resolve-links.ts';
import {
  type CapsuleFile,
  contentTexts,
  fieldOf,
  findCapsuleFile,
  idsIn,
  requireCapsuleFile,
  splitFrontMatter,
  withIds,
} from '../capsules/capsule-file.ts';
import { knownLedger, type RevisionOptions, reviseCapsule } from '../capsules/revise-capsule.ts';
import { defineCommand, examples, readId } from '../define-command.ts';

export const command = defineCommand()
  .description(
    `Give a capsule or an offer another id. Its file, frozen versions, relations and links move; its former addresses lead to the new ones.

A published capsule that names or links to it gets a new version, because published texts never change.`,
  )
  .argument('<id>', 'id of the capsule or offer', readId)
  .argument('<new-id>', 'its new id', readId)
  .option('--offer', 'rename the offer, if a capsule has the same id')
  .addHelpText('after', examples('npm run rename http-caching caching-in-http'))
  .action(async (id, newId, { offer = false }) => {
    const root = process.cwd();
    const isOffer = findOfferFile(root, id) !== undefined;
    const isCapsule = (await findCapsuleFile(root, id)) !== undefined;
    if (!isOffer && !isCapsule) throw new UserError(`there is no capsule and no offer "${id}" in content/`);
    const options = { today: today(), asksSite: true, overrides: publisherOverrides(process.env) };
    const { file, changed, revised, keepsAddresses } =
      offer || !isCapsule ? await renameOffer(root, id, newId) : await renameCapsule(root, id, newId, options);
    console.log(`${file} is the ${offer || !isCapsule ? 'offer' : 'capsule'} "${newId}" now.`);
    if (changed.length > 0) console.log(`References changed in ${changed.join(', ')}.`);
    if (revised.length > 0) console.log(`New versions, because the former ones are published: ${revised.join(', ')}.`);
    console.log(keepsAddresses ? `Addresses with "${id}" lead to it.` : `"${id}" was never published, so no address leads to it.`);
  });

const CAPSULE_FIELDS = [
  ['derived_from', '*'],
  ['cites', '*'],
  ['supersedes', '*', 'capsule'],
  ['delivers', '*', 'capsule'],
] as const;

/** Fields that change without a new version, because no record has them. */
const UNRECORDED_FIELDS = [['translation_of']] as const;

const SECTION_FIELDS = Array.from({ length: SECTION_DEPTH_MAX }, (_, depth) => [
  'sections',
  '*',
  ...Array.from({ length: depth + 1 }, () => ['items', '*']).flat(),
]);

/**
 * Renames a capsule: its file, its frozen versions, and the relations and links of all other texts. Its own text stays as it is; if it was
 * published, the former id is recorded in `formerly`, so that its addresses lead to the new one.
 */
export async function renameCapsule(root: string, id: string, newId: string, options: RevisionOptions & { readonly today: string }) {
  const own = await requireCapsuleFile(root, id);
  const ledger = await knownLedger(root);
  await requireFreeId(root, newId, id, ledger.takenDown.has(newId));
  const keepsAddresses = ledger.versions.has(id);
  const path = own.path.replace(/[^/]*$/, `${newId}.md`);
  const renaming: Renaming = {
    address: [capsulePath(id), capsulePath(newId)],
    file: [own.path, path],
    id: [id, newId],
    fields: [...CAPSULE_FIELDS, ...UNRECORDED_FIELDS],
  };
  const changed: string[] = [];
  /** Capsules that got a new version for it, because the one with the former name is published. */
  const revised: string[] = [];
  for (const text of await contentTexts(root)) {
    if (text.path === own.path || replaceReferences(text.path, text.raw, renaming) === text.raw) continue;
    const isRecorded = replaceReferences(text.path, text.raw, { ...renaming, fields: CAPSULE_FIELDS }) !== text.raw;
    if (isRecorded && text.capsuleId !== undefined && isPublished(text, ledger)) {
      await reviseCapsule(root, text.capsuleId, 'patch', options.today, options);
      revised.push(text.capsuleId);
    }
    changed.push(...(await changeFile(root, text.path, renaming)));
  }
  changed.push(...(await changeFile(root, SECTIONS_FILE, { ...renaming, fields: SECTION_FIELDS })));
  changed.push(...(await changeFile(root, SUBJECTS_FILE, { ...renaming, fields: [['subjects', '*', 'items', '*']] })));
  await moveCapsule(root, own, renaming, keepsAddresses);
  return { file: path, changed, revised, keepsAddresses };
}

function isPublished({ capsuleId, raw }: Awaited<ReturnType<typeof contentTexts>>[number], ledger: PublishedLedger): boolean {
  if (capsuleId === undefined) return false;
  return publishedVersion(ledger, [capsuleId, ...idsIn(raw, 'formerly')], fieldOf(raw, 'version') ?? '1.0.0') !== undefined;
}

async function changeFile(root: string, file: string, renaming: Renaming): Promise<string[]> {
  const raw = await readFile(join(root, file), 'utf8').catch(() => '');
  const replaced = replaceReferences(file, raw, renaming);
  if (replaced === raw) return [];
  await writeFile(join(root, file), replaced);
  return [file];
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

async function moveCapsule(root: string, own: CapsuleFile, { id: [id, newId], file: [, path] }: Renaming, keepsAddresses: boolean) {
  const former = [...new Set([...idsIn(own.raw, 'formerly'), ...(keepsAddresses ? [id] : [])])].filter((other) => other !== newId);
  await writeFile(join(root, own.path), withIds(own.raw, 'formerly', former));
  const digests = await readFile(join(root, VERSIONS_DIGESTS), 'utf8').catch(() => undefined);
  if (digests?.includes(`  ${id}/`)) {
    await rename(join(root, VERSIONS_FOLDER, id), join(root, VERSIONS_FOLDER, newId));
    await writeFile(join(root, VERSIONS_DIGESTS), digests.replaceAll(`  ${id}/`, `  ${newId}/`));
  }
  await rename(join(root, own.path), join(root, path));
}

const PUBLISHER_FIELDS = [
  ['offers', 'order', '*'],
  ['offers', 'recommended_first'],
  ['offers', 'recommended_quick'],
  ['offers', 'fast_paid_starts', '*'],
] as const;

export function findOfferFile(root: string, id: string): string | undefined {
  const path = `content/offers/${id}.md`;
  return existsSync(join(root, path)) ? path : undefined;
}

/**
 * Renames an offer: its file, its place in publisher.yaml, and links to it. The former id becomes an alias, so that `/buy/<id>` leads to the
 * offer; published texts keep linking to the alias.
 */
export async function renameOffer(root: string, id: string, newId: string): ReturnType<typeof renameCapsule> {
  const from = findOfferFile(root, id);
  if (from === undefined) throw new UserError(`there is no offer content/offers/${id}.md`);
  if (newId === id) throw new UserError(`"${id}" has this id`);
  if (RESERVED_BUY_IDS.includes(newId)) throw new UserError(`"${newId}" is a reserved name; choose another id`);
  const taken = findOfferFile(root, newId);
  if (taken !== undefined) throw new UserError(`${taken} exists; choose another id`);
  const texts = await contentTexts(root);
  const owner = texts.find(({ path, raw }) => path.startsWith('content/offers/') && path !== from && idsIn(raw, 'aliases').includes(newId));
  if (owner !== undefined) throw new UserError(`"${newId}" is an alias in ${owner.path}; choose another id`);
  const ledger = await knownLedger(root);
  const path = `content/offers/${newId}.md`;
  const renaming: Renaming = { address: [buyPath(id), buyPath(newId)], file: [from, path], id: [id, newId], fields: [] };
  const changed: string[] = [];
  for (const text of texts)
    if (text.path !== from && !isPublished(text, ledger)) changed.push(...(await changeFile(root, text.path, renaming)));
  changed.push(...(await changeFile(root, PUBLISHER_FILE, { ...renaming, fields: PUBLISHER_FIELDS })));
  const raw = await readFile(join(root, from), 'utf8');
  const aliases = [...idsIn(raw, 'aliases'), id].filter((alias) => alias !== newId);
  await writeFile(join(root, from), withIds(raw, 'aliases', aliases));
  await rename(join(root, from), join(root, path));
  return { file: path, changed, revised: [], keepsAddresses: true };
}

export interface Renaming {
  /** Former and present address, such as `/capsules/a` and `/capsules/b`. */
  readonly address: readonly [from: string, to: string];
  readonly file: readonly [from: string, to: string];
  readonly id: readonly [from: string, to: string];
  /** Where front matter names such an id: `*` is any position in a list. */
  readonly fields: readonly (readonly string[])[];
}

/** A content file with the present name in its front matter and its links; every other byte stays. @param path The file, from the root. */
export function replaceReferences(path: string, raw: string, renaming: Renaming): string {
  const { frontMatter, rest } = path.endsWith('.md') ? splitFrontMatter(raw) : { frontMatter: raw, rest: '' };
  const yaml = frontMatter.replace(/^---[ \t]*\r?\n/, '').replace(/\n---[ \t]*$/, '\n');
  const offset = frontMatter.indexOf(yaml);
  return (
    frontMatter.slice(0, offset) +
    applyEdits(yaml, fieldReplacements(yaml, renaming)) +
    frontMatter.slice(offset + yaml.length) +
    applyEdits(rest, linkReplacements(path, rest, renaming))
  );
}

interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let [result, at] = ['', 0];
  for (const { start, end, text: replacement } of [...edits].sort((a, b) => a.start - b.start)) {
    if (start < at) continue;
    result += text.slice(at, start) + replacement;
    at = end;
  }
  return result + text.slice(at);
}

function fieldReplacements(yaml: string, { id: [from, to], fields }: Renaming): TextEdit[] {
  const found: TextEdit[] = [];
  const visit = (node: unknown, path: readonly string[]): void => {
    const [name, ...inner] = path;
    if (isScalar(node) && name === undefined && node.value === from && node.range) {
      const [start, end] = node.range;
      found.push({ start, end, text: yaml.slice(start, end).replace(from, to) });
    } else if (isSeq(node) && name === '*') for (const item of node.items) visit(item, inner);
    else if (isMap(node) && name !== undefined) visit(node.get(name, true), inner);
  };
  const { contents } = parseDocument(yaml, { logLevel: 'silent' });
  for (const field of fields) visit(contents, field);
  return found;
}

function linkReplacements(path: string, text: string, renaming: Renaming): TextEdit[] {
  const [from, to] = renaming.address;
  const files: TextAddresses = new Map([[renaming.file[0], from]]);
  const found: TextEdit[] = [];
  walk(parseText(text), (node) => {
    const start = node.position?.start.offset;
    const end = node.position?.end.offset;
    if (start === undefined || end === undefined) return;
    const source = text.slice(start, end);
    if (node.type === 'html') {
      for (let at = source.indexOf(from); at !== -1; at = source.indexOf(from, at + from.length))
        if (/^(?:[/?#"')\s]|\.md\b)/.test(source.slice(at + from.length)))
          found.push({ start: start + at, end: start + at + from.length, text: to });
    } else if (node.type === 'link' || node.type === 'definition') {
      const at = source.lastIndexOf(node.url);
      const url = newUrl(node.url, path, files, renaming);
      if (at >= 0 && url !== undefined) found.push({ start: start + at, end: start + at + node.url.length, text: url });
    }
  });
  return found;
}

function newUrl(url: string, path: string, files: TextAddresses, { address: [from, to], file, id }: Renaming): string | undefined {
  const target = resolveLink(url, path, files);
  if (target.kind === 'address') {
    const rest = url.slice(from.length);
    return url.startsWith(from) && /^($|[/?#]|\.md\b)/.test(rest) ? to + rest : undefined;
  }
  if (target.kind !== 'text' || target.file !== file[0]) return undefined;
  const [written = ''] = /^[^?#]*/.exec(url) ?? [];
  const at = written.lastIndexOf(id[0]);
  return at < 0 ? undefined : written.slice(0, at) + id[1] + written.slice(at + id[0].length) + url.slice(written.length);
}
