import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { VERSIONS_FOLDER } from '../../publication/capsules/frozen-versions.ts';

/** A text of `content/` that may be edited. */
interface ContentText {
  /** Path from the root. */
  readonly path: string;
  readonly raw: string;
  /** Id, if it is a capsule. */
  readonly capsuleId?: string;
}

/** Folders of texts. */
const FOLDERS = ['capsules', 'offers', 'pages'] as const;

/** Capsules, offers and pages as their authors wrote them, without frozen versions, by ascending path. */
export async function contentTexts(root: string): Promise<ContentText[]> {
  const texts: ContentText[] = [];
  for (const folder of FOLDERS) {
    const entries = await readdir(join(root, 'content', folder), { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = relative(root, join(entry.parentPath, entry.name)).split(sep).join('/');
      if (!entry.isFile() || !entry.name.endsWith('.md') || path.startsWith(`${VERSIONS_FOLDER}/`)) continue;
      const raw = await readFile(join(root, path), 'utf8');
      texts.push({ path, raw, ...(folder === 'capsules' ? { capsuleId: entry.name.replace(/\.md$/, '') } : {}) });
    }
  }
  return texts.sort((a, b) => (a.path < b.path ? -1 : 1));
}
