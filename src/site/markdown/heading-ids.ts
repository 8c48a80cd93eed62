/** Ids that pages give to their own parts. */
const PAGE_IDS = [
  ...['main', 'page-twins', 'site-twins', 'more-places', 'imprint', 'outline-heading'],
  ...['sources', 'lineage', 'colophon', 'cite', 'related'],
  ...['price', 'includes', 'steps', 'details', 'facts', 'all-checkouts', 'invoice-ids'],
];

/** Makes ids for headings, each one once on a page. */
export class HeadingIds {
  readonly #taken = new Set<string>(PAGE_IDS);

  /** Id for a heading: its words in lower case joined by hyphens, numbered where it would repeat. */
  next(text: string): string {
    const words = text
      .normalize('NFKD')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? ['section'];
    const base = words.join('-');
    let id = base;
    for (let count = 2; this.#taken.has(id); count += 1) id = `${base}-${count}`;
    this.#taken.add(id);
    return id;
  }
}
