import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { wholeNumber } from '../../src/cli/define-command.ts';
import { median } from '../eval/statistics.ts';
import { newScript } from '../support/campaign.ts';
import { makeDevPublication, startDev } from '../support/dev-publication.ts';
import { capsuleText, syntheticDocuments } from './synthetic-corpus.ts';

const SAVES = 7;

const [count] = newScript('bench:dev', 'Measure the time from saving a capsule until "npm run dev" shows it, and until a query finds it.')
  .argument('[capsules]', 'capsules of the publication', wholeNumber(1), 300)
  .parse().processedArgs;

const publication = await makeDevPublication(`bench-dev-${count}`);
const documents = [...syntheticDocuments(count, 1)];
for (const document of documents) await publication.write(`capsules/${document.id}.md`, capsuleText(document));
const starting = performance.now();
const dev = await startDev(publication.folder);
console.log(`${count} capsules; started in ${((performance.now() - starting) / 1_000).toFixed(1)} s`);
const registered = await fetch(`${dev.address}/api/v1/agent-gateway/register`, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ agent_name: 'Benchmark' }),
});
const { api_key: key } = (await registered.json()) as { api_key: string };
const isFound = async (word: string): Promise<boolean> => {
  const response = await fetch(`${dev.address}/api/v1/agent-gateway/query`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: word, max_results: 1 }),
  });
  return (await response.text()).includes(`The word is ${word}.`);
};
const pageShows = async (id: string, word: string): Promise<boolean> =>
  (await (await fetch(`${dev.address}/capsules/${id}`)).text()).includes(word);
const pages: number[] = [];
const queries: number[] = [];
for (let save = 0; save <= SAVES; save += 1) {
  const document = documents[Math.floor((save * count) / (SAVES + 1))];
  if (document === undefined) continue;
  const word = `zwyx${'abcdefgh'.charAt(save)}quorvath`;
  const file = join(publication.folder, `content/capsules/${document.id}.md`);
  await pageShows(document.id, '');
  await writeFile(`${file}~`, `${capsuleText(document)}\nThe word is ${word}.\n`);
  const told = dev.says(' ms');
  const saved = performance.now();
  await rename(`${file}~`, file);
  await told;
  while (!(await isFound(word))) await told;
  const searchable = performance.now() - saved;
  if (!(await pageShows(document.id, word))) throw new Error(`the page of ${document.id} does not show what was saved`);
  const shown = performance.now() - saved;
  // The first save compiles code.
  if (save === 0) continue;
  queries.push(searchable);
  pages.push(shown);
}
const line = (name: string, values: number[]): string =>
  `${name.padEnd(20)} median ${Math.round(median(values))} ms, most ${Math.round(Math.max(...values))} ms`;
console.log(line('save to query', queries));
console.log(line('save to page', pages));
await dev.interrupt();
await publication.remove();
