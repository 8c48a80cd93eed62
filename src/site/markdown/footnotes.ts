import type { Element } from 'hast';
import type { CapsuleSource } from '../../schemas/knowledge/capsule-fields.ts';
import { element, text } from '../../text/html-tree.ts';

export const sourceAnchor = (number: number): string => `source-${number}`;
const noteAnchor = (number: number): string => `source-note-${number}`;
export const referenceAnchor = (number: number): string => `ref-${number}`;

/**
 * Numbers the sources of a text in the order of their first reference, and renders a raised number at every reference and a
 * margin note with the first, which every reference opens in place: a popover (HTML, "The popover attribute"). Notes come before the block
 * that refers to them, level with its first line. Inside a paragraph they would interrupt its sentences for programs and screen readers.
 */
export function sourceNotes(sources: readonly CapsuleSource[]) {
  const byKey = new Map(sources.map((source) => [source.key.toLowerCase(), source]));
  const numbers = new Map<string, number>();
  let waiting: Element[] | undefined;
  /** Notes of references outside of blocks, for the next block. */
  let pending: Element[] = [];
  return {
    /** Keys of the referenced sources, in the order of their numbers. */
    order: () => [...numbers.keys()],

    /** Renders a reference. `isNext`: it directly follows another reference, so the numbers need a comma. */
    reference(identifier: string, isNext: boolean): Element[] {
      const key = identifier.toLowerCase();
      const source = byKey.get(key);
      if (source === undefined) return [];
      const known = numbers.get(key);
      if (known !== undefined) return [mark(known, source, false, isNext)];
      const number = numbers.size + 1;
      numbers.set(key, number);
      (waiting ?? pending).push(marginNote(number, source));
      return [mark(number, source, true, isNext)];
    },

    /** Renders a block, with the notes of its references before it, to which `finish` is applied. */
    around(render: () => Element, finish: (notes: Element) => Element): Element[] {
      if (waiting !== undefined) return [render()];
      const notes = pending;
      waiting = notes;
      pending = [];
      const block = render();
      waiting = undefined;
      return notes.length === 0 ? [block] : [finish(element('aside', notes, { className: ['notes'], role: 'note' })), block];
    },
  };
}

function mark(number: number, source: CapsuleSource, isFirst: boolean, isNext: boolean): Element {
  const id = isFirst ? { id: referenceAnchor(number) } : {};
  const properties = { type: 'button', popoverTarget: noteAnchor(number), ...id, title: source.title };
  const button = element('button', [text(String(number))], properties);
  return element('sup', isNext ? [text(', '), button] : [button], { className: ['ref'] });
}

function marginNote(number: number, source: CapsuleSource): Element {
  const { quote } = source;
  const content = [
    element('a', [text(String(number))], { className: ['note-number'], href: `#${sourceAnchor(number)}` }),
    text(' '),
    element('a', [text(source.title)], { href: source.url, rel: ['nofollow', 'noopener'] }),
    text(`. ${source.publisher}${source.locator === undefined ? '' : `, ${source.locator}`}`),
    ...(quote === undefined ? [] : [text(' '), element('q', [text(quote)])]),
  ];
  return element('p', content, { className: ['note'], id: noteAnchor(number), popover: '' });
}
