import { changeOutsideCode, markdownLink, plainMarkdown } from '../../publication/markdown/write-markup.ts';
import type { CapsuleSource } from '../../schemas/knowledge/capsule-front-matter.ts';

/** A text that refers to its sources by number, and their list. */
export interface NumberedText {
  readonly text: string;
  /** The sources as an ordered list in markdown, with the definitions of the links to them; empty without sources. */
  readonly list: string;
}

/** References that follow each other directly. Keys of sources are ids. */
const REFERENCES = /(?<!\\)(?:\[\^[a-z0-9-]{1,64}\])+/gi;
const REFERENCE = /\[\^([a-z0-9-]{1,64})\]/gi;
/** Label of a link reference that the text defines: the first definition of a label counts, so that a source cannot have it. */
const DEFINITION = /^ {0,3}\[([a-z0-9-]{1,64})\]:/gim;

/**
 * The text with links to its sources in place of references to them, under the numbers that the page shows. Link references are CommonMark, which
 * every reader of markdown knows, as footnotes are not.
 *
 * @param text Markdown with references such as `[^key]`; others than to `sources` stay.
 */
export function withNumberedSources(text: string, sources: readonly CapsuleSource[]): NumberedText {
  const byKey = new Map(sources.map((source) => [source.key.toLowerCase(), source]));
  const taken = new Set([...text.matchAll(DEFINITION)].map(([, label = '']) => label.toLowerCase()));
  const isTaken = ({ key }: CapsuleSource): boolean => taken.has(key.toLowerCase());
  const linkTo = (source: CapsuleSource, words: string): string =>
    isTaken(source) ? markdownLink(words, source.url) : `[${plainMarkdown(words)}][${source.key}]`;
  const numbered: CapsuleSource[] = [];
  const numberOf = (source: CapsuleSource): string => {
    if (!numbered.includes(source)) numbered.push(source);
    return String(numbered.indexOf(source) + 1);
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
  const ordered = [...numbered, ...sources.filter((source) => !numbered.includes(source))];
  const items = ordered.map((source, at) => `${at + 1}. ${linkTo(source, source.title)}${detailsOf(source)}`);
  const definitions = ordered.filter((source) => !isTaken(source)).map(({ key, url }) => `[${key}]: ${url}`);
  return { text: linked, list: [items.join('\n'), definitions.join('\n')].join('\n\n').trim() };
}

/** A source as one line of markdown. */
export function sourceLine(source: CapsuleSource): string {
  return `${markdownLink(source.title, source.url)}${detailsOf(source)}`;
}

function detailsOf({ publisher, retrieved }: CapsuleSource): string {
  return `. ${plainMarkdown(publisher)}.${retrieved === undefined ? '' : ` Read on ${retrieved}.`}`;
}
