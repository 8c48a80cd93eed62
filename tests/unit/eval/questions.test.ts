import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readLines } from '../../eval/read-lines.ts';
import { ROOT } from '../../support/paths.ts';
import { makeGeneration } from '../../support/sample-content.ts';
import { realCapsules, realContent } from '../gateway/real-generation.ts';

const HALVES = ['tuning', 'held-out'] as const;
const ANSWERED = [...HALVES, 'facts'] as const;
const FOREIGN_KINDS = ['everyday', 'technical', 'near'] as const;
const QUOTE_MAX_LENGTH = 480;
const question = z.strictObject({ id: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/), text: z.string().min(8) });
const visitorQuestion = question.extend({ text: z.string().min(3), first: z.array(z.string()).min(1) });
const foreignQuestion = question.extend({ kind: z.enum(FOREIGN_KINDS) });
const answer = z.strictObject({ query: z.string(), document: z.string(), answers: z.array(z.string().min(3)).min(1).max(3) });

async function readRecords<T>(path: string, schema: z.ZodType<T>): Promise<T[]> {
  const records: T[] = [];
  for await (const { text } of readLines(join(ROOT, 'tests/eval/questions', path))) records.push(schema.parse(JSON.parse(text)));
  return records;
}

/** What a quote is compared by: neither case nor the form of white space. */
const normalize = (text: string): string => text.toLowerCase().replace(/\s+/g, ' ').trim();

const answered = new Map<string, { questions: z.infer<typeof question>[]; answers: z.infer<typeof answer>[] }>();
let foreign: z.infer<typeof foreignQuestion>[];
let texts: Map<string, string>;
beforeAll(async () => {
  for (const folder of ANSWERED) {
    const questions = await readRecords(`${folder}/queries.jsonl`, question);
    answered.set(folder, { questions, answers: await readRecords(`${folder}/answers.jsonl`, answer) });
  }
  foreign = await readRecords('foreign/queries.jsonl', foreignQuestion);
  const open = (await realCapsules()).filter(({ metadata }) => metadata.access === 'public' && metadata.status !== 'retracted');
  texts = new Map(open.map(({ id, markdown }) => [id, normalize(markdown)]));
});

describe('the questions about the sample', () => {
  it('have answers that stand in the current version of their capsule and fit in a quote', () => {
    const missing = [...answered.values()]
      .flatMap(({ answers }) => answers)
      .flatMap(({ query, document, answers }) =>
        answers
          .filter((text) => text.length > QUOTE_MAX_LENGTH / 2 || texts.get(document)?.includes(normalize(text)) !== true)
          .map((text) => [query, document, text]),
      );
    expect(missing).toEqual([]);
  });

  it('have one line of answers each', () => {
    for (const { questions, answers } of answered.values()) {
      expect(answers.map(({ query }) => query)).toEqual(questions.map(({ id }) => id));
    }
  });

  it('are at least 150, half of them held out, about every capsule that can be read', () => {
    const answers = HALVES.map((half) => answered.get(half)?.answers ?? []);
    for (const half of answers) expect(half.length).toBeGreaterThanOrEqual(75);
    expect(answers.flat().length).toBeGreaterThanOrEqual(150);
    expect([...new Set(answers.flat().map(({ document }) => document))].sort()).toEqual([...texts.keys()].sort());
  });

  it('and the foreign ones, at least 20 of each kind, have different ids and texts', () => {
    for (const kind of FOREIGN_KINDS) expect(foreign.filter((each) => each.kind === kind).length).toBeGreaterThanOrEqual(20);
    const all = [...[...answered.values()].flatMap(({ questions }) => questions), ...foreign];
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(new Set(all.map(({ text }) => normalize(text))).size).toBe(all.length);
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

  it('do not quote their answer', () => {
    const quoting = [...answered.values()].flatMap(({ questions, answers }) =>
      questions.filter(({ text }, index) => answers[index]?.answers.some((each) => normalize(text).includes(normalize(each)))),
    );
    expect(quoting).toEqual([]);
  });
});
