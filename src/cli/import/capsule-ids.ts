import { slugOf } from '../../publication/read/content-ids.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { opaqueId } from './map-fields.ts';

/** The day at the beginning of the name of a post. */
const DAY = /^\d{4}-\d{2}-\d{2}\b/;

/**
 * Ids for pages from their paths, each at most 64 characters and given once: `docs/guides/01-install.mdx` becomes `guides-install`. The
 * folders of a path that is too long go first.
 */
export class CapsuleIds {
  readonly #taken: Set<string>;
  readonly #prefix: string;

  /** @param prefix Begins every new id; empty for none. */
  constructor(taken: Iterable<string>, prefix = '') {
    this.#taken = new Set(taken);
    this.#prefix = prefix === '' ? '' : `${prefix}-`;
  }

  forPath(path: string): string {
    const parts = path
      .replace(/\.(?:html?|xhtml|mdx?|markdown|txt)$/i, '')
      .split('/')
      // Numbers before words order files; those of a day or of a version name them. Notion ends every name with the id of the page.
      .map((part) => (DAY.test(part) ? part : part.replace(/^\d+[-_.]\s*(?=[^\s\d])/, '')).replace(/(?<=\S)[ -][0-9a-f]{32}$/, ''));
    if (parts.length > 1 && /^_?(?:index|readme)$/i.test(parts.at(-1) ?? '')) parts.pop();
    const words = parts.map(slugOf).filter((part, index, all) => part !== '' && part !== all[index - 1]);
    const isReadable = slugOf(parts.at(-1) ?? '') !== '';
    return this.#free(isReadable ? words : [...words, opaqueId(path)]);
  }

  forPart(id: string, heading: string): string {
    return this.#free([id.slice(this.#prefix.length), slugOf(heading) || opaqueId(heading)]);
  }

  #free(words: readonly string[]): string {
    const room = LIMITS.idMaxLength - this.#prefix.length;
    // The address of a capsule "index" would be that of the list of capsules.
    let parts = words.length === 0 || words.join() === 'index' ? ['home'] : [...words];
    while (parts.length > 1 && parts.join('-').length > room) parts = parts.slice(1);
    const base = parts
      .join('-')
      .slice(0, room)
      .replace(/(?<!-)-+$/, '');
    let id = this.#prefix + base;
    for (let count = 2; this.#taken.has(id); count += 1) {
      const ending = `-${count}`;
      id = this.#prefix + base.slice(0, room - ending.length).replace(/(?<!-)-+$/, '') + ending;
    }
    this.#taken.add(id);
    return id;
  }
}
