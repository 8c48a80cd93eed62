import { capsuleMarkdown } from '../gateway/knowledge/capsule-markdown.ts';
import { lastNotAbove } from '../gateway/knowledge/record-pages.ts';
import { remembered } from '../gateway/memory-caches.ts';
import type { CapsuleMetadata } from '../schemas/knowledge/capsule.ts';
import { type EarlierVersion, earlierVersions } from '../schemas/knowledge/sections.ts';
import { capsuleMarkdownPath } from '../schemas/paths.ts';
import { rewriteLinks } from '../text/markdown/resolve-links.ts';
import { textBelowTitle } from '../text/markdown/title-and-summary.ts';
import { type DocumentFile, type FreeCapsule, markdownFile, type Publication } from '../text/publication-model.ts';

export type CapsuleSurroundings = Omit<Publication, 'mirror' | 'examples' | 'tombstones' | 'skills'>;

/** @param capsule A capsule whose text is free. */
export function capsuleMarkdownPage(capsule: FreeCapsule, publication: CapsuleSurroundings): DocumentFile {
  const { metadata, id } = capsule;
  const page = { metadata, text: textOnPage(capsule), successor: successorIn(publication, metadata), earlier: earlierIn(publication, id) };
  return markdownFile(capsuleMarkdownPath(id), capsuleMarkdown(page, publication.deployment));
}

export function textOnPage({ metadata, markdown = '', references }: Pick<FreeCapsule, 'metadata' | 'markdown' | 'references'>): string {
  return rewriteLinks(textBelowTitle(markdown, metadata.title).markdown, references);
}

const versions = new WeakMap<readonly FreeCapsule[], ReadonlyMap<string, EarlierVersion>>();

/** The version of a product that a capsule is about, if another one is current. */
export function earlierIn({ capsules, sections = [] }: Pick<Publication, 'capsules' | 'sections'>, id: string): EarlierVersion | undefined {
  if (sections.length === 0) return undefined;
  const titles = () => Object.fromEntries(capsules.map((one) => [one.id, one.metadata.title]));
  return remembered(versions, capsules, () => earlierVersions(sections, titles())).get(id);
}

export function successorIn({ capsules }: Pick<Publication, 'capsules'>, { superseded_by }: CapsuleMetadata): CapsuleMetadata | undefined {
  if (superseded_by === undefined) return undefined;
  const found = capsules[lastNotAbove(capsules.length, (at) => capsules[at]?.id ?? '', superseded_by)];
  return found?.id === superseded_by ? found.metadata : undefined;
}
