import { basename, join, resolve } from 'node:path';
import * as z from 'zod';
import { makeGeneration, openCorpus } from '../../src/build/make-publication.ts';
import { queryKnowledgeText } from '../../src/gateway/knowledge/query-knowledge.ts';
import { expectValue } from '../../src/gateway/result.ts';
import { readContent } from '../../src/publication/read-content.ts';
import { RESULT_KINDS } from '../../src/schemas/knowledge/kinds-and-levels.ts';
import { QueryRequest } from '../../src/schemas/knowledge/query.ts';
import type { SearchResponse } from '../../src/schemas/knowledge/search.ts';
import { newScript } from '../support/campaign.ts';
import { PUBLICATION, ROOT } from '../support/paths.ts';
import { evalQuery, readDistinct, readRecords } from './collection.ts';
import { score, textTable } from './text-table.ts';

/** Questions of visitors, searched over all kinds, as `GET …/search` and the page for people do. */

const visitorQuestion = evalQuery.extend({ first: z.array(z.string()).min(1).optional() });
const answer = z.object({ query: z.string(), document: z.string() });

interface VisitorQuestion {
  readonly text: string;
  readonly first: readonly string[];
}

const QUESTIONS = join(ROOT, 'tests/eval/questions');
const DEFAULT_SETS = ['visitors-tuning', 'visitors-held-out', 'visitors-unseen', 'tuning', 'held-out'].map((name) => join(QUESTIONS, name));
const RESULTS = 3;
const QUOTE_SHOWN = 70;

const script = newScript('eval:visitors', 'Measure how often the page that answers a question about the site is the first of all kinds.')
  .argument('[directory...]', 'folders with queries.jsonl, and answers.jsonl where questions name no pages (default: those of the sample)')
  .option('--publication <folder>', 'the publication that is asked', PUBLICATION)
  .option('--results', 'list the first result of each question')
  .option('--misses', 'list the questions by which another page is first, with the first results')
  .option('--json', 'print one array, and nothing else (with npm run -s)')
  .parse();
const { publication, results: listsAll, misses: listsMisses, json } = script.opts();
const { content, problems } = await readContent(publication, { today: '2026-12-01' });
if (content === undefined)
  throw new Error(`The publication ${publication} has mistakes: ${problems.map(({ message }) => message).join('; ')}`);
const made = await makeGeneration(content, { mode: 'edge' });
const corpus = await openCorpus(made.generation);
const rows = [];
for (const directory of script.args.length > 0 ? script.args : DEFAULT_SETS) {
  const questions = await readQuestions(directory);
  let [first, three] = [0, 0];
  for (const { text, first: wanted } of questions) {
    const found = await ask(text);
    const isFirst = wanted.includes(found[0]?.name ?? '');
    if (isFirst) first += 1;
    if (found.some(({ name }) => wanted.includes(name))) three += 1;
    if (!json && (listsAll || (listsMisses && !isFirst))) {
      console.log(`${isFirst ? ' ' : '✗'} ${text}`);
      for (const { name, line } of isFirst ? found.slice(0, 1) : found) console.log(`    ${name}  ${line}`);
    }
  }
  const count = Math.max(1, questions.length);
  rows.push({ questions: basename(resolve(directory)), count: questions.length, first: first / count, first_three: three / count });
}
console.log(
  json
    ? JSON.stringify(rows, null, 2)
    : textTable([
        ['questions', 'number', 'first', 'in three'],
        ...rows.map((row) => [row.questions, String(row.count), score(row.first), score(row.first_three)]),
      ]),
);

async function ask(query: string): Promise<{ readonly name: string; readonly line: string }[]> {
  const request = QueryRequest.parse({ query, kind: [...RESULT_KINDS], max_results: RESULTS });
  const { results } = JSON.parse(expectValue(await queryKnowledgeText(request, corpus, made.deployment))) as SearchResponse;
  return results.map((result) => ({
    name: `${result.kind} ${result.kind === 'capsule' ? result.capsule_id : result.id}`,
    line: `${result.score} ${result.match.level} ${JSON.stringify(result.quote.text.slice(0, QUOTE_SHOWN))}`,
  }));
}

/** The questions of a folder, each with the pages of which one should be first, as `<kind> <id>`: named by it, or the capsule of its answer. */
async function readQuestions(directory: string): Promise<readonly VisitorQuestion[]> {
  const path = join(directory, 'queries.jsonl');
  const questions = await readRecords(path, visitorQuestion);
  if (questions.every(({ first }) => first !== undefined)) return questions.map(({ text, first = [] }) => ({ text, first }));
  const answers = await readDistinct(join(directory, 'answers.jsonl'), answer, 'query', ({ query }) => query);
  const documents = new Map(answers.map(({ query, document }) => [query, document]));
  return questions.map(({ id, text }) => ({ text, first: [`capsule ${documents.get(id)}`] }));
}
