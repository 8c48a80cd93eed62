import { entityTag } from '../digests.ts';
import type { TaggedDocument } from '../ports.ts';

/**
 * Documents that are made from stored records. Each is serialized and digested once, and kept for as long as its record is in memory.
 * Values are kept rather than promises: on Cloudflare no request may wait for the work of another.
 */
export class RecordDocuments {
  readonly #kept = new WeakMap<object, Map<string, TaggedDocument>>();

  /**
   * The document of a record.
   *
   * @param name Everything besides the record that the text follows from.
   * @param write The text; called if the document is not kept.
   */
  async of(record: object, name: string, contentType: string, write: () => string | Promise<string>): Promise<TaggedDocument> {
    const known = this.#kept.get(record)?.get(name);
    if (known !== undefined) return known;
    const body = await write();
    const document = { contentType, body, etag: await entityTag(body) };
    const documents = this.#kept.get(record) ?? new Map<string, TaggedDocument>();
    this.#kept.set(record, documents.set(name, document));
    return document;
  }
}
