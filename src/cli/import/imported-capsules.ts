import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { stringify } from 'yaml';
import * as z from 'zod';
import { UserError } from '../../publication/content-problem.ts';
import { parseJson } from '../../publication/read/front-matter.ts';
import { checkFurtherAddresses } from '../../publication/resolve/capsule-ids.ts';
import { readSections } from '../../publication/resolve/sections-subjects-incidents.ts';
import { pagePath, siteAddresses } from '../../publication/resolve/site-addresses.ts';
import { ImportOrigin } from '../../schemas/knowledge/capsule-front-matter.ts';
import { bodyText } from '../../text/markdown/markdown-tree.ts';
import { type PartedText, partText } from './front-matter.ts';
import { listFiles } from './sources/read-within-folder.ts';

/** Every text that an import took from each source, so that one that was deleted stays so, and the folder of a source without an address. */
const TEXTS_FILE = 'content/capsules/.imported.json';
const ImportedTexts = z.record(z.string(), z.object({ folder: z.string().optional(), texts: z.array(z.string()) }));

export type ExistingFiles = Awaited<ReturnType<typeof readExisting>>;

/** Reads the capsule files and the folder of the new ones, as an import from a source finds them. A missing folder is empty. */
export async function readExisting(root: string, to: string, from: string) {
  const ids = new Set<string>();
  const addresses = new Set<unknown>();
  /** Capsules that were imported from the source, by {@link originKey}: front matter without its origin, and text, as they are now. */
  const imported = new Map<string, { file: string; id: string; origin: ImportOrigin; fields: PartedText['fields']; text: string }>();
  const files = ['content/capsules', to].flatMap((folder) =>
    existsSync(join(root, folder)) ? listFiles(root, join(root, folder), () => false) : [],
  );
  for (const file of new Set(files)) {
    if (!file.endsWith('.md') || file.startsWith('content/capsules/versions/')) continue;
    const id = posix.basename(file, '.md');
    ids.add(id);
    const raw = await readFile(join(root, file), 'utf8');
    if (!/\n(?:imported|path):/.test(raw)) continue;
    const { fields, body } = partText(raw);
    const { imported: recorded, ...rest } = fields;
    const origin = z.safeParse(ImportOrigin, recorded);
    if (origin.success && origin.data.from === from)
      imported.set(originKey(origin.data.path, origin.data.part), { file, id, origin: origin.data, fields: rest, text: bodyText(body) });
    else for (const address of [fields['path']].flat()) addresses.add(address);
  }
  const pages = await readdir(join(root, 'content/pages')).catch(() => []);
  const others = pages.filter((name) => name.endsWith('.md')).map((name) => pagePath(posix.basename(name, '.md')));
  const { exists } = siteAddresses(root, [], { shown: new Set(), paid: new Set(), others, baseUrl: undefined });
  /** Whether the site has something else at an address, so that no text of the source may be found there. */
  const isTaken = (address: string): boolean =>
    addresses.has(address) || checkFurtherAddresses([{ id: '', path: [address] }], (path) => exists(path, true)).length > 0;
  const sections = await readSections(root, { known: ids, shown: [...ids], presentIdOf: new Map() }, []);
  const ledgerFile = `${to}/images/.imported.json`;
  const written = await readFile(join(root, ledgerFile), 'utf8').catch(() => '');
  /** Digest of each image that an import wrote, and the source that it is of, which older imports did not say. */
  const ledger = z.record(z.string(), z.string()).catch({}).parse(parseJson(written));
  const ofOthers = Object.keys(ledger).filter((name) => (ledger[name]?.slice(65) || (imported.size > 0 ? from : '')) !== from);
  const textsWritten = await readFile(join(root, TEXTS_FILE), 'utf8').catch(() => '');
  const { data: bySource } = ImportedTexts.safeParse(textsWritten === '' ? {} : parseJson(textsWritten));
  if (bySource === undefined)
    throw new UserError(
      `${TEXTS_FILE} cannot be read; restore it from git, or delete it, after which texts that were deleted here come back`,
    );
  const texts = { file: TEXTS_FILE, bySource, written: textsWritten };
  return { ids, imported, texts, isTaken, sections, ledgerFile, ledger, imagesOfOthers: ofOthers.map((name) => `${to}/images/${name}`) };
}

export function originKey(path: string, part: string | undefined): string {
  return part === undefined ? path : `${path}#${part}`;
}

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

export function fieldsDigest(fields: Readonly<Record<string, unknown>>): string {
  return sha256(JSON.stringify(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))));
}

export function capsuleFile(fields: Readonly<Record<string, unknown>>, origin: ImportOrigin, text: string): string {
  return `---\n${stringify({ ...fields, imported: origin }, { lineWidth: 0 })}---\n\n${text}`;
}
