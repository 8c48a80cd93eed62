import { newScript } from '../support/campaign.ts';
import { PUBLICATION } from '../support/paths.ts';
import { encodeDocuments, openIndex } from '../unit/search/open-index.ts';
import { knownItems, measureKnownItems, readCapsules, readPages } from './known-items.ts';
import { score, textTable } from './text-table.ts';

/** How often a document is first when asked for by its id, its title, or a name that it defines. */

const PAGES = 1_000;

const script = newScript('eval:names', 'Measure how often a document is first when asked for by its id, title or a name that it defines.')
  .argument('[file]', `JSON lines of pages, of which ${PAGES} are indexed (default: the capsules of the sample)`)
  .option('--missed', 'also list the questions by which another document is first')
  .parse();
const [file] = script.args;
const documents = file === undefined ? await readCapsules(PUBLICATION) : await readPages(file, PAGES);
const reader = openIndex(encodeDocuments(documents));
const rows: string[][] = [];
for (const [kind, items] of Object.entries(knownItems(documents))) {
  const { share, missed } = await measureKnownItems(reader, documents, items);
  rows.push([kind, String(items.length), score(share)]);
  if (script.opts().missed)
    for (const { query, wanted, found } of missed) console.log(`${kind}: ${query}: ${found ?? 'nothing'} instead of ${wanted}`);
}
console.log(textTable([['asked by', 'questions', 'first'], ...rows]));
