import { basename, resolve } from 'node:path';
import * as z from 'zod';
import { indexCapsules } from '../../src/build/corpus-blocks/index-capsules.ts';
import { LIMITS } from '../../src/schemas/limits.ts';
import type { EncodedIndex } from '../../src/search/build/build-index.ts';
import { IndexBlock } from '../../src/search/format/index-block.ts';
import { AnalysedText } from '../../src/search/passages/analysed-text.ts';
import { findPassages } from '../../src/search/passages/find-passages.ts';
import { passageQuery } from '../../src/search/passages/passage-query.ts';
import { isFirstAhead, READ_RESULTS, rankBySentences } from '../../src/search/passages/rank-by-sentences.ts';
import { IndexReader } from '../../src/search/query/index-reader.ts';
import { search } from '../../src/search/query/search.ts';
import { Kernel } from '../../src/search/scoring-wasm/kernel.ts';
import { buildSearchIndex } from '../support/build-search-index.ts';
import { newScript } from '../support/campaign.ts';
import { compiledKernel } from '../support/compiled-kernel.ts';
import { realCapsules } from '../unit/gateway/real-generation.ts';
import { type EvalDocument, type EvalQuery, evalDocument, evalQuery, fileOf, readDistinct, readRecords } from './collection.ts';
import { cpuMs } from './cpu-clock.ts';
import { mean } from './statistics.ts';
import { score, textTable } from './text-table.ts';

/** How often quotes hold the answers of a collection: each a share of its questions, in the form of `--json`. */
interface AnswerReport {
  readonly collection: string;
  readonly documents: number;
  readonly questions: number;
  /** The answer is in the quote of the first result. */
  readonly answer1: number;
  /** It is in the first quote of one of the first three results. */
  readonly answer3: number;
  /** It is in the first quote of the document that has it, given that document. */
  readonly given: number;
  /** The document that has it is the first result. */
  readonly doc1: number;
  /** For so many of the questions, the first result states a sentence, item or row of its quote as the answer. */
  readonly stated: number;
  /** The answer is in it: a share of these. */
  readonly right: number;
  /** Mean length of these sentences, in UTF-16 code units. */
  readonly answer_length: number;
  /** Mean length of the first quote of the document that has it, in UTF-16 code units. */
  readonly quote_length: number;
  /** CPU time of one quote of a document that was quoted before, in milliseconds. */
  readonly quote_cpu_ms: number;
}

interface MissedAnswer extends AnsweredQuestion {
  readonly quote: string;
}

const RESULTS = 3;
const QUOTE = { maxLength: LIMITS.quoteDefaultLength, unsureMaxLength: LIMITS.quoteUnsureLength, count: 1 };

/** Asks every question of a collection of the product's own index, and looks for its answer in the product's own quotes. */
async function measureAnswers({
  name,
  index: { head, blocks },
  documents,
  questions,
}: AnswerCollection): Promise<{ report: AnswerReport; missed: readonly MissedAnswer[] }> {
  const opened = await Promise.all(blocks.map((bytes, block) => IndexBlock.open(bytes, head.tables?.[block])));
  const reader = new IndexReader(head, async (block) => opened[block] as IndexBlock, new Kernel(compiledKernel()));
  const texts = documents.map(({ text, language, title }) => new AnalysedText(text, language, title));
  const numbers = new Map(documents.map(({ id }, number) => [id, number]));
  const found: { answer1: boolean; answer3: boolean; given: boolean; doc1: boolean; stated: boolean }[] = [];
  const sentences: { length: number; isRight: boolean }[] = [];
  const missed: MissedAnswer[] = [];
  const lengths: number[] = [];
  const cpu: number[] = [];
  for (const question of questions) {
    const { results, plan, fitOf } = await search(reader, question.text, { limit: READ_RESULTS });
    const query = passageQuery(question.text, plan, head.documents);
    const quoteOf = (number: number): { quote: string; answer?: string } => {
      const text = texts[number] as AnalysedText;
      const [{ start = 0, end = 0, answer } = {}] = findPassages(text, query, QUOTE);
      return { quote: text.text.slice(start, end), ...(answer && { answer: text.text.slice(answer.start, answer.end) }) };
    };
    const ranked = rankBySentences(results, query, (number) => [texts[number] as AnalysedText]);
    const quoted = ranked.slice(0, RESULTS).map(({ number }) => quoteOf(number));
    const answered = quoted.map(({ quote }) => holdsAnswer(quote, question.answers));
    const [first] = ranked;
    const mayAnswer = first !== undefined && fitOf(first.number).level !== 'weak' && isFirstAhead(ranked, () => false);
    const answer = mayAnswer ? quoted[0]?.answer : undefined;
    const own = numbers.get(question.document) as number;
    quoteOf(own);
    const started = cpuMs();
    const { quote } = quoteOf(own);
    cpu.push(cpuMs() - started);
    lengths.push(quote.length);
    const given = holdsAnswer(quote, question.answers);
    if (!given) missed.push({ ...question, quote });
    if (answer !== undefined) sentences.push({ length: answer.length, isRight: holdsAnswer(answer, question.answers) });
    found.push({
      answer1: answered[0] === true,
      answer3: answered.includes(true),
      given,
      doc1: ranked[0]?.number === own,
      stated: answer !== undefined,
    });
  }
  const share = (member: keyof (typeof found)[number]): number => mean(found.map((of) => (of[member] ? 1 : 0)));
  return {
    report: {
      collection: name,
      documents: documents.length,
      questions: questions.length,
      answer1: share('answer1'),
      answer3: share('answer3'),
      given: share('given'),
      doc1: share('doc1'),
      stated: share('stated'),
      right: mean(sentences.map(({ isRight }) => (isRight ? 1 : 0))),
      answer_length: mean(sentences.map(({ length }) => length)),
      quote_length: mean(lengths),
      quote_cpu_ms: mean(cpu),
    },
    missed,
  };
}

/** Whether one of some answers stands in a quote, whatever the case of letters and the form of white space. */
function holdsAnswer(quote: string, answers: readonly string[]): boolean {
  const text = normalize(quote);
  return answers.some((answer) => text.includes(normalize(answer)));
}

function normalize(text: string): string {
  return text.toLowerCase().replace(/\s+/g, ' ').trim();
}

const evalAnswer = z.object({ query: z.string().min(1), document: z.string().min(1), answers: z.array(z.string().min(1)).min(1) });

/** A question, the document that answers it, and strings of which one must stand in the quote. */
interface AnsweredQuestion extends EvalQuery {
  readonly document: string;
  readonly answers: readonly string[];
}

interface AnswerCollection {
  readonly name: string;
  readonly index: EncodedIndex;
  readonly documents: readonly Pick<EvalDocument, 'id' | 'language' | 'title' | 'text'>[];
  readonly questions: readonly AnsweredQuestion[];
}

/**
 * Reads a directory with `docs.jsonl`, `queries.jsonl` and `answers.jsonl` (`query`, `document`, `answers`), each plain or `.gz`. Questions
 * without answers are left out.
 *
 * @throws {Error} With file and line, as `readCollection`; also for an answer of an unknown question or document.
 */
async function readAnswerCollection(directory: string): Promise<AnswerCollection> {
  const documents = await readRecords(fileOf(directory, 'docs.jsonl'), evalDocument);
  documents.sort((a, b) => (a.id < b.id ? -1 : 1));
  const questions = await readQuestions(directory, documents);
  const index = await buildSearchIndex(documents.map(({ text, ...document }) => ({ ...document, body: text })));
  return { name: basename(resolve(directory)), index, documents, questions };
}

/**
 * Reads a directory with `queries.jsonl` and `answers.jsonl` about the sample publication; a document is the id of a capsule.
 *
 * @throws {Error} As {@link readAnswerCollection}.
 */
async function readSampleQuestions(directory: string): Promise<AnswerCollection> {
  const capsules = await realCapsules();
  const documents = capsules.map(({ id, metadata, markdown }) => {
    const { access, language, title, summary } = metadata;
    return { id, language, title, text: access === 'public' ? markdown : summary };
  });
  const questions = await readQuestions(directory, documents);
  return { name: basename(resolve(directory)), index: await indexCapsules(capsules), documents, questions };
}

async function readQuestions(directory: string, documents: readonly { readonly id: string }[]): Promise<AnsweredQuestion[]> {
  const queries = new Map((await readRecords(fileOf(directory, 'queries.jsonl'), evalQuery)).map((query) => [query.id, query]));
  const ids = new Set(documents.map(({ id }) => id));
  const path = fileOf(directory, 'answers.jsonl');
  const answered = await readDistinct(path, evalAnswer, 'query', ({ query }) => query);
  return answered.map(({ query: id, document, answers }) => {
    const query = queries.get(id);
    if (query === undefined) throw new Error(`${path} answers the query ${JSON.stringify(id)}, which queries.jsonl lacks`);
    if (!ids.has(document)) throw new Error(`${path} names the document ${JSON.stringify(document)}, which the collection lacks`);
    return { ...query, document, answers };
  });
}

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

const script = newScript('eval:answers', 'Measure how often quotes hold the answers of questions: a row for each directory.')
  .argument('[directory...]', 'folders with docs.jsonl, queries.jsonl and answers.jsonl')
  .option('--questions <directory>', 'a folder with queries.jsonl and answers.jsonl about the sample publication; can be repeated', collect)
  .option('--misses', 'list the questions whose quote lacks the answer, given the document')
  .option('--json', 'print one object, or an array for several directories, and nothing else (with npm run -s)')
  .parse();
const { questions = [], misses = false, json } = script.opts();
if (script.args.length + questions.length === 0) script.error('error: name a folder, or one with --questions');
const collections = [...script.args.map(readAnswerCollection), ...questions.map(readSampleQuestions)];
const reports: AnswerReport[] = [];
for (const collection of collections) {
  const { report, missed } = await measureAnswers(await collection);
  reports.push(report);
  if (misses && !json) for (const miss of missed) console.log(describeMiss(miss));
}
console.log(json ? JSON.stringify(reports.length === 1 ? reports[0] : reports, null, 2) : table());

function table(): string {
  const header = [
    'collection',
    'docs',
    'questions',
    'answer1',
    'answer3',
    'given',
    'doc1',
    'stated',
    'right',
    'length',
    'quote length',
    'quote CPU ms',
  ];
  const rows = reports.map((report) => [
    report.collection,
    String(report.documents),
    String(report.questions),
    ...([report.answer1, report.answer3, report.given, report.doc1, report.stated, report.right] as const).map(score),
    report.answer_length.toFixed(0),
    report.quote_length.toFixed(0),
    report.quote_cpu_ms.toFixed(3),
  ]);
  return textTable([header, ...rows]);
}

function describeMiss({ id, text, document, answers, quote }: MissedAnswer): string {
  return `${id}  ${text}\n  in ${document}: ${answers.map((answer) => JSON.stringify(answer)).join(' or ')}\n  quote: ${JSON.stringify(quote)}\n`;
}
