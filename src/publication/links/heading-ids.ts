import { slug } from 'github-slugger';

/** Ids that pages with a text give to their own parts. */
const PAGE_IDS: readonly string[] = [
  ...['main', 'page-formats', 'site-formats', 'more-pages', 'imprint', 'outline-heading'],
  ...['text', 'sources', 'lineage', 'verify', 'colophon', 'cite', 'related'],
  ...['price', 'includes', 'steps', 'details', 'facts', 'all-checkouts', 'invoice-ids', 'request', 'items'],
];

/**
 * Makes the ids of a text's headings, which are to be passed in order, as GitHub does: `What's new?` is `whats-new`, the second one
 * `whats-new-1`. An id of the page itself gets a number too.
 */
export function headingIds(): (heading: string) => string {
  const taken = new Map<string, number>(PAGE_IDS.map((id) => [id, 2]));
  return (heading) => {
    const base = slug(heading) || 'section';
    let id = base;
    for (let count = taken.get(base); count !== undefined && taken.has(id); count += 1) {
      id = `${base}-${count}`;
      taken.set(base, count + 1);
    }
    if (!taken.has(id)) taken.set(id, 1);
    return id;
  };
}

/** Whether every page has a part with this id. */
export function isPageId(id: string): boolean {
  return PAGE_IDS.includes(id);
}
