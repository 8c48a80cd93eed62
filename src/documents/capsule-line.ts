import { statedSummary, statedTitle } from '../gateway/knowledge/capsule-state.ts';
import { markdownLink, plainMarkdown } from '../publication/markdown/write-markup.ts';
import { type DocumentCapsule, priceNote } from '../publication/publication.ts';
import { capsuleFilePath, capsuleMarkdownPath } from '../schemas/paths.ts';

/** A link as a line of a list in markdown, with a note unless that is empty. */
export function linkLine(title: string, address: string, note: string): string {
  return `- ${markdownLink(title, address)}${noteText(note)}`;
}

/** Lines under a heading; empty without lines. */
export function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [`## ${title}`, '', ...lines].join('\n');
}

const noteText = (note: string): string => (note === '' ? '' : `: ${plainMarkdown(note)}`);

/** Addresses whose content is text for a language model. */
const TEXT_ADDRESS = /\.(?:md|txt)$/;

/**
 * A document as a line of an index for language models: a link if it is text, or else its address as code. Programs that expand such an index
 * load what it links to (llmstxt.org, `llms_txt2ctx`), and JSON would crowd out the texts.
 */
export function indexLine(title: string, address: string, note: string): string {
  if (TEXT_ADDRESS.test(address)) return linkLine(title, address, note);
  return `- ${plainMarkdown(title)}, \`${address}\`${noteText(note)}`;
}

/** A capsule as a line of an index: its markdown, or its metadata if the text is paid, and its summary if that is wanted. */
export function capsuleLine({ id, metadata }: DocumentCapsule, baseUrl: string, withSummary: boolean): string {
  const path = metadata.access === 'public' ? capsuleMarkdownPath(id) : capsuleFilePath(id);
  return indexLine(statedTitle(metadata), baseUrl + path, withSummary ? noteOf(metadata) : '');
}

function noteOf(metadata: DocumentCapsule['metadata']): string {
  return `${priceNote(metadata)}${statedSummary(metadata)}`;
}
