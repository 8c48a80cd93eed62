import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { stringify } from 'yaml';
import * as z from 'zod';
import { checkFurtherAddresses } from '../../publication/resolve/capsule-ids.ts';
import { readSections } from '../../publication/resolve/sections-subjects-incidents.ts';
import { pagePath, siteAddresses } from '../../publication/resolve/site-addresses.ts';
import { ImportOrigin } from '../../schemas/knowledge/capsule-front-matter.ts';
import { bodyText } from '../../text/markdown/markdown-tree.ts';
import { type PartedText, partText } from './front-matter.ts';
import { listFiles } from './sources/read-within-folder.ts';

export type ExistingFiles = Awaited<ReturnType<typeof readExisting>>;

/** Reads every capsule file below some folders. A missing folder is empty. */
export async function readExisting(root: string, folders: readonly string[], from: string) {
  const ids = new Set<string>();
  /** Capsules that were imported from the source, by {@link originKey}: front matter without its origin, and text, as they are now. */
  const imported = new Map<string, { file: string; id: string; origin: ImportOrigin; fields: PartedText['fields']; text: string }>();
  const files = folders.flatMap((folder) => (existsSync(join(root, folder)) ? listFiles(root, join(root, folder), () => false) : []));
  for (const file of new Set(files)) {
    if (!file.endsWith('.md') || file.startsWith('content/capsules/versions/')) continue;
    const id = posix.basename(file, '.md');
    ids.add(id);
    const raw = await readFile(join(root, file), 'utf8');
    if (!raw.includes('\nimported:')) continue;
    const { fields, body } = partText(raw);
    const { imported: recorded, ...rest } = fields;
    const origin = z.safeParse(ImportOrigin, recorded);
    if (origin.success && origin.data.from === from)
      imported.set(originKey(origin.data.path, origin.data.part), { file, id, origin: origin.data, fields: rest, text: bodyText(body) });
  }
  const pages = await readdir(join(root, 'content/pages')).catch(() => []);
  const others = pages.filter((name) => name.endsWith('.md')).map((name) => pagePath(posix.basename(name, '.md')));
  const { exists } = siteAddresses(root, [], { shown: new Set(), paid: new Set(), others, baseUrl: undefined });
  /** Whether the site has something else than a capsule at an address, so that none may be found there. */
  const isTaken = (address: string): boolean =>
    checkFurtherAddresses([{ id: '', path: [address] }], (path) => exists(path, true)).length > 0;
  const sections = await readSections(root, { known: ids, shown: [...ids], presentIdOf: new Map() }, []);
  return { ids, imported, isTaken, sections };
}

export function originKey(path: string, part: string | undefined): string {
  return part === undefined ? path : `${path}#${part}`;
}

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Digest of front matter, whatever its formatting. */
export function fieldsDigest(fields: Readonly<Record<string, unknown>>): string {
  return sha256(JSON.stringify(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))));
}

export function capsuleFile(fields: Readonly<Record<string, unknown>>, origin: ImportOrigin, text: string): string {
  return `---\n${stringify({ ...fields, imported: origin }, { lineWidth: 0 })}---\n\n${text}`;
}
