import { markdownLink, plainMarkdown } from '../publication/markdown/write-markup.ts';
import { type DocumentCapsule, priceNote } from '../publication/publication.ts';
import { capsuleFilePath, capsuleMarkdownPath } from '../schemas/paths.ts';

/** A link as a line of a list in markdown, with a note unless that is empty. */
export function linkLine(title: string, address: string, note: string): string {
  return `- ${markdownLink(title, address)}${note === '' ? '' : `: ${plainMarkdown(note)}`}`;
}

/** The address of a document that is not in markdown, as a line of a list: links of an index lead to texts. */
export function addressLine(title: string, address: string, note: string): string {
  return `- ${plainMarkdown(title)}: \`${address}\`${note === '' ? '' : `. ${plainMarkdown(note)}`}`;
}

/** A capsule as a line of a list: a link to its markdown, or to its metadata if the text is paid, and its summary if that is wanted. */
export function capsuleLine({ id, metadata }: DocumentCapsule, baseUrl: string, withSummary: boolean): string {
  const path = metadata.access === 'public' ? capsuleMarkdownPath(id) : capsuleFilePath(id);
  return linkLine(metadata.title, baseUrl + path, withSummary ? noteOf(metadata) : '');
}

function noteOf(metadata: DocumentCapsule['metadata']): string {
  const state =
    metadata.status === 'current'
      ? ''
      : `${metadata.status}${metadata.superseded_by === undefined ? '' : `, replaced by ${metadata.superseded_by}`}. `;
  return `${priceNote(metadata)}${state}${metadata.summary}`;
}
