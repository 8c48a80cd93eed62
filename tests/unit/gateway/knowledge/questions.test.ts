import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { queryKnowledge } from '../../../../src/gateway/knowledge/query-knowledge.ts';
import { QueryRequest } from '../../../../src/schemas/knowledge/query.ts';
import { BASE_URL, expectValue, realCorpus } from '../real-generation.ts';

/** A question as an agent would put it, and the capsule that answers it. */
interface Judged {
  readonly question: string;
  readonly capsule_id: string;
}

it('finds the capsule that answers a question, nearly always among the first three', async () => {
  const judged = JSON.parse(await readFile(join(import.meta.dirname, '../../../data/questions.json'), 'utf8')) as Judged[];
  const { corpus } = await realCorpus();
  let first = 0;
  let amongThree = 0;
  let reciprocalRanks = 0;
  for (const { question, capsule_id: wanted } of judged) {
    const { results } = expectValue(await queryKnowledge(QueryRequest.parse({ query: question, max_results: 50 }), corpus, BASE_URL));
    const rank = results.findIndex(({ capsule_id }) => capsule_id === wanted) + 1;
    if (rank === 1) first += 1;
    if (rank >= 1 && rank <= 3) amongThree += 1;
    if (rank >= 1) reciprocalRanks += 1 / rank;
  }
  console.log(
    `${judged.length} questions: ${first} answered first, ${amongThree} among the first three, MRR ${(reciprocalRanks / judged.length).toFixed(3)}`,
  );
  expect(amongThree / judged.length).toBeGreaterThanOrEqual(0.9);
});
