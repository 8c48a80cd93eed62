import type { StoredVersion } from '../../schemas/generation.ts';
import { AnalysedText } from '../../search/analysed-text.ts';

/**
 * Analysed texts in the memory of one isolate, the most recently used ones, within a bound on the length of the texts. Texts are
 * named by their digests, so what is kept never changes an answer.
 */
export class AnalysedTexts {
  readonly #maxLength: number;
  readonly #texts = new Map<string, AnalysedText>();
  #length = 0;

  /** @param maxLength Most UTF-16 code units of text that are kept, with what was found out about them. */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** The text of a version, analysed in its language. */
  get({ metadata, markdown }: StoredVersion): AnalysedText {
    const key = `${metadata.content_sha256} ${metadata.language}`;
    let analysed = this.#texts.get(key);
    if (analysed === undefined) {
      analysed = new AnalysedText(markdown, metadata.language);
      this.#length += markdown.length;
    } else this.#texts.delete(key);
    this.#texts.set(key, analysed);
    for (const [oldest, { text }] of this.#texts) {
      if (this.#length <= this.#maxLength) break;
      this.#texts.delete(oldest);
      this.#length -= text.length;
    }
    return analysed;
  }
}
