import type { Element, ElementContent } from 'hast';
import type { CapsuleSource } from '../../schemas/knowledge/capsule-front-matter.ts';

/** Id of a source in the list of sources of its page. */
export const sourceAnchor = (number: number): string => `source-${number}`;
/** Id of the first reference to a source in the text. */
export const referenceAnchor = (number: number): string => `ref-${number}`;

/**
 * Numbers the sources of a text in the order of their first reference, and renders a raised number at every reference and a
 * margin note beside the first. Tables and headings would cut a note off, so their notes come before them.
 */
export class SourceNotes {
  readonly #sources: ReadonlyMap<string, CapsuleSource>;
  readonly #numbers = new Map<string, number>();
  #waiting: Element[] | undefined;

  constructor(sources: readonly CapsuleSource[]) {
    this.#sources = new Map(sources.map((source) => [source.key.toLowerCase(), source]));
  }

  /** Keys of the referenced sources, in the order of their numbers. */
  get order(): readonly string[] {
    return [...this.#numbers.keys()];
  }

  /** Renders a reference. `isNext`: it directly follows another reference, so the numbers need a comma. */
  reference(identifier: string, isNext: boolean): ElementContent[] {
    const key = identifier.toLowerCase();
    const source = this.#sources.get(key);
    if (source === undefined) return [];
    const known = this.#numbers.get(key);
    if (known !== undefined) return [mark(known, source, false, isNext)];
    const number = this.#numbers.size + 1;
    this.#numbers.set(key, number);
    const note = marginNote(number, source);
    if (this.#waiting === undefined) return [mark(number, source, true, isNext), note];
    this.#waiting.push(note);
    return [mark(number, source, true, isNext)];
  }

  /** Renders a block that cannot hold notes: they come before it, level with its first line. */
  around(render: () => Element): ElementContent[] {
    if (this.#waiting !== undefined) return [render()];
    this.#waiting = [];
    const block = render();
    const notes = this.#waiting;
    this.#waiting = undefined;
    return [...notes, block];
  }
}

/** Marks what is beside the text for people alone: in markdown, sources are footnotes (agent-docs-spec, "data-markdown-ignore"). */
const FOR_PEOPLE = { dataMarkdownIgnore: '' } as const;

function mark(number: number, source: CapsuleSource, isFirst: boolean, isNext: boolean): Element {
  const link = element(
    'a',
    { href: `#${sourceAnchor(number)}`, ...(isFirst ? { id: referenceAnchor(number) } : {}), title: source.title },
    [text(String(number))],
  );
  return element('sup', { className: ['ref'], ...FOR_PEOPLE }, isNext ? [text(', '), link] : [link]);
}

function marginNote(number: number, source: CapsuleSource): Element {
  return element('span', { className: ['note'], role: 'note', ...FOR_PEOPLE }, [
    element('span', { className: ['note-number'] }, [text(String(number))]),
    text(' '),
    element('a', { href: source.url, rel: ['nofollow', 'noopener'] }, [text(source.title)]),
    text(`. ${source.publisher}`),
  ]);
}

function element(tagName: string, properties: Element['properties'], children: ElementContent[]): Element {
  return { type: 'element', tagName, properties, children };
}

function text(value: string): ElementContent {
  return { type: 'text', value };
}
