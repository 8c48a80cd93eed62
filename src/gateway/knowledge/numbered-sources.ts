import { changeOutsideCode, linkDestination, markdownLink, plainMarkdown } from '../../publication/markdown/write-markup.ts';
import type { CapsuleSource } from '../../schemas/knowledge/capsule-front-matter.ts';

/** A text that refers to its sources by number, and their list. */
export interface NumberedText {
  readonly text: string;
  /** The sources as an ordered list in markdown, with the definitions of the links to them; empty without sources. */
  readonly list: string;
}

/** References that follow each other directly. */
const REFERENCES = /(?<!\\)(?:\[\^[^\][\s]+\])+/g;
/** A reference to a source, with its key. */
export const REFERENCE = /\[\^([^\][\s]+)\]/g;
/** Words in brackets. A link reference definition with that label would make them a link, or be a second one (CommonMark 0.31.2, sections 4.7 and 6.3). */
const BRACKETED = /\[([^\][\s^]+)\]/g;

/**
 * The text with numbered links to its sources in place of references to them. The numbers are those of the page. Link references are CommonMark;
 * footnotes are an extension, which not every reader has.
 *
 * @param text Markdown with references such as `[^key]`. References to anything but `sources` are kept.
 */
export function withNumberedSources(text: string, sources: readonly CapsuleSource[]): NumberedText {
  const byKey = new Map(sources.map((source) => [source.key.toLowerCase(), source]));
  const taken = new Set([...text.matchAll(BRACKETED)].map(([, label = '']) => label.toLowerCase()));
  const isTaken = ({ key }: CapsuleSource): boolean => taken.has(key.toLowerCase());
  const linkTo = (source: CapsuleSource, words: string): string =>
    isTaken(source) ? markdownLink(words, source.url) : `[${plainMarkdown(words)}][${source.key}]`;
  const numbers = new Map<CapsuleSource, number>();
  const numberOf = (source: CapsuleSource): string => {
    const number = numbers.get(source) ?? numbers.size + 1;
    numbers.set(source, number);
    return String(number);
  };
  const linked = changeOutsideCode(text, (part) =>
    part.replace(REFERENCES, (references) => {
      const found = [...references.matchAll(REFERENCE)].map(([reference, key = '']) => ({
        reference,
        source: byKey.get(key.toLowerCase()),
      }));
      if (found.every(({ source }) => source === undefined)) return references;
      return found.map(({ reference, source }) => (source === undefined ? reference : linkTo(source, numberOf(source)))).join(', ');
    }),
  );
  const ordered = [...new Set([...numbers.keys(), ...sources])];
  const items = ordered.map((source, at) => `${at + 1}. ${linkTo(source, source.title)}${detailsOf(source)}`);
  const definitions = ordered.filter((source) => !isTaken(source)).map(({ key, url }) => `[${key}]: ${linkDestination(url)}`);
  return { text: linked, list: [items.join('\n'), definitions.join('\n')].join('\n\n').trim() };
}

/** A source as one line of markdown. */
export function sourceLine(source: CapsuleSource): string {
  return `${markdownLink(source.title, source.url)}${detailsOf(source)}`;
}

function detailsOf({ publisher, retrieved }: CapsuleSource): string {
  return `. ${plainMarkdown(publisher)}.${retrieved === undefined ? '' : ` Read on ${retrieved}.`}`;
}
