import { changeOutsideCode, markdownLink, plainMarkdown } from '../../publication/markdown/write-markup.ts';
import type { CapsuleSource } from '../../schemas/knowledge/capsule-front-matter.ts';

/** A text that refers to its sources by number, and their list. */
export interface NumberedText {
  readonly text: string;
  /** Items of an ordered list in markdown, in the order of their numbers; sources that the text does not refer to come last. */
  readonly list: readonly string[];
}

/** References that follow each other directly. */
const REFERENCES = /(?<!\\)(?:\[\^[^\]\s]+\])+/g;
const REFERENCE = /\[\^([^\]\s]+)\]/g;

/**
 * The text with a link to the source in place of each reference to it, under the number that the page shows. Footnotes would put the address
 * of a source at the end, which readers that take passages or the beginning of a document do not see.
 *
 * @param text Markdown with references such as `[^key]`; others than to `sources` stay.
 */
export function withNumberedSources(text: string, sources: readonly CapsuleSource[]): NumberedText {
  const byKey = new Map(sources.map((source) => [source.key.toLowerCase(), source]));
  const numbered: CapsuleSource[] = [];
  const linkTo = (source: CapsuleSource): string => {
    if (!numbered.includes(source)) numbered.push(source);
    // A vertical bar would end the cell of a table.
    return markdownLink(String(numbered.indexOf(source) + 1), source.url.replaceAll('|', '%7C'));
  };
  const linked = changeOutsideCode(text, (part) =>
    part.replace(REFERENCES, (references) => {
      const found = [...references.matchAll(REFERENCE)].map(([reference, key = '']) => ({
        reference,
        source: byKey.get(key.toLowerCase()),
      }));
      if (found.every(({ source }) => source === undefined)) return references;
      return found.map(({ reference, source }) => (source === undefined ? reference : linkTo(source))).join(', ');
    }),
  );
  const rest = sources.filter((source) => !numbered.includes(source));
  return { text: linked, list: [...numbered, ...rest].map((source, at) => `${at + 1}. \`${source.key}\`: ${sourceLine(source)}`) };
}

/** A source as one line of markdown. */
export function sourceLine({ title, url, publisher, retrieved }: CapsuleSource): string {
  return `${markdownLink(title, url)}. ${plainMarkdown(publisher)}.${retrieved === undefined ? '' : ` Read on ${retrieved}.`}`;
}
