import { readContentFolder } from '../../publication/content-files.ts';

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
    const { files } = await readContentFolder(root, `content/${folder}`, { skip: ['versions'], hiddenCharacters: undefined });
    for (const { path, raw, id } of files) texts.push({ path, raw, ...(folder === 'capsules' ? { capsuleId: id } : {}) });
  }
  return texts.sort((a, b) => (a.path < b.path ? -1 : 1));
}
