import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readLines } from '../../eval/read-lines.ts';
import { ROOT } from '../../support/paths.ts';
import { makeGeneration } from '../../support/sample-content.ts';
import { realCapsules, realContent } from '../gateway/real-generation.ts';

const ANSWERED = ['tuning', 'held-out', 'facts'];
const QUOTE_MAX_LENGTH = 480;
const visitorQuestion = z.strictObject({ id: z.string(), text: z.string().min(3), first: z.array(z.string()).min(1) });
const answer = z.strictObject({ query: z.string(), document: z.string(), answers: z.array(z.string().min(3)).min(1).max(3) });

async function readRecords<T>(path: string, schema: z.ZodType<T>): Promise<T[]> {
  const records: T[] = [];
  for await (const { text } of readLines(join(ROOT, 'tests/eval/questions', path))) records.push(schema.parse(JSON.parse(text)));
  return records;
}

/** What a quote is compared by: neither case nor the form of white space. */
const normalize = (text: string): string => text.toLowerCase().replace(/\s+/g, ' ').trim();

let answers: z.infer<typeof answer>[];
let texts: Map<string, string>;
beforeAll(async () => {
  answers = (await Promise.all(ANSWERED.map((folder) => readRecords(`${folder}/answers.jsonl`, answer)))).flat();
  const open = (await realCapsules()).filter(({ metadata }) => metadata.access === 'public' && metadata.status !== 'retracted');
  texts = new Map(open.map(({ id, markdown }) => [id, normalize(markdown)]));
});

describe('the questions about the sample', () => {
  it('have answers that stand in the current version of their capsule and fit in a quote', () => {
    const missing = answers.flatMap(({ query, document, answers: given }) =>
      given
        .filter((text) => text.length > QUOTE_MAX_LENGTH / 2 || texts.get(document)?.includes(normalize(text)) !== true)
        .map((text) => [query, document, text]),
    );
    expect(missing).toEqual([]);
  });

  it('of visitors are at least 20 in each set, and name pages that the sample has', async () => {
    const content = await realContent();
    const { siteTexts, capsules } = await makeGeneration(content, { mode: 'edge' });
    const known = new Set([...capsules.map(({ id }) => `capsule ${id}`), ...siteTexts.map(({ kind, id }) => `${kind} ${id}`)]);
    const sets = await Promise.all(
      ['tuning', 'held-out', 'unseen'].map((half) => readRecords(`visitors-${half}/queries.jsonl`, visitorQuestion)),
    );
    for (const questions of sets) {
      expect(questions.length).toBeGreaterThanOrEqual(20);
      expect(questions.filter(({ first }) => !first.some((page) => known.has(page)))).toEqual([]);
    }
    expect(new Set(sets.flat().map(({ text }) => normalize(text))).size).toBe(sets.flat().length);
  });
});
