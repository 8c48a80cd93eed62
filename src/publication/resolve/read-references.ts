import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ContentLevel } from '../../schemas/editorial-rules.ts';
import {
  decoded,
  type ReferringLink,
  resolveLink,
  type TextAddresses,
  type TextReference,
  type TextReferences,
} from '../../text/markdown/text-references.ts';
import type { ContentProblem } from '../content-problem.ts';
import { isMediaFile, type MediaFile, readMediaFile } from '../read/media-file.ts';

export interface ReferringText {
  readonly path: string;
  readonly parts: readonly ReferringLink[];
  readonly bodyLine: number;
  readonly picture?: { readonly file: string; readonly line: number } | undefined;
}

/** Resolves links and images that lead to other files of the publication, and reads the files that are no texts. */
export async function readReferences(
  root: string,
  texts: readonly ReferringText[],
  addresses: TextAddresses,
  brokenLevel: ContentLevel | undefined,
): Promise<{
  readonly byFile: ReadonlyMap<string, TextReferences>;
  readonly media: readonly MediaFile[];
  readonly problems: readonly ContentProblem[];
}> {
  const byFile = new Map<string, TextReferences>();
  const media = new Map<string, MediaFile>();
  const problems: ContentProblem[] = [];
  const add = async (found: Record<string, TextReference>, url: string, file: string): Promise<string | undefined> => {
    const read = media.get(file) ?? (await readMediaFile(root, file));
    if ('problem' in read) return read.problem;
    media.set(file, read);
    found[url] = { href: read.path, ...(read.image ? { image: read.image } : {}) };
    return undefined;
  };
  for (const { path, parts, bodyLine, picture } of texts) {
    const found: Record<string, TextReference> = {};
    if (picture !== undefined) {
      const problem = await add(found, picture.file, `public${picture.file}`);
      if (problem !== undefined)
        problems.push({ file: path, line: picture.line, field: 'image.file', message: `names ${picture.file}, ${problem}` });
    }
    for (const { url, line, isImage, alt } of parts) {
      const report = (message: string, level: ContentLevel): void =>
        void problems.push({ file: path, line: bodyLine + line - 1, field: 'text', message, level });
      if (isImage && alt?.trim() === '')
        report(`shows ${url} without alternative text; describe it in the brackets: ![…](${url})`, 'warning');
      const target = resolveLink(url, path, addresses);
      if (target.kind === 'external' && isImage)
        report(
          `shows ${url} from another site, which becomes a link: pages load nothing from elsewhere; save the image beside the text`,
          'warning',
        );
      if (target.kind === 'text') found[url] = { href: target.href };
      const inPublic = target.kind === 'address' && isMediaFile(target.path) ? `public${decoded(target.path)}` : undefined;
      const file = target.kind === 'file' ? target.file : inPublic;
      // Links to nothing, to drafts and to other types are mistakes of links, which checkTexts() reports.
      if (file === undefined || (!isImage && !(isMediaFile(file) && existsSync(join(root, file))))) continue;
      const problem = await add(found, url, file);
      if (problem !== undefined && brokenLevel !== undefined) report(`${isImage ? 'shows' : 'links to'} ${url}, ${problem}`, brokenLevel);
    }
    if (Object.keys(found).length > 0) byFile.set(path, found);
  }
  return { byFile, media: [...media.values()].sort((a, b) => (a.file < b.file ? -1 : 1)), problems };
}
