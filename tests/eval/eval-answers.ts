import { newScript } from '../support/campaign.ts';
import { readAnswerCollection, readSampleQuestions } from './answer-collection.ts';
import { type AnswerReport, type MissedAnswer, measureAnswers } from './measure-answers.ts';
import { score, textTable } from './text-table.ts';

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
  const header = ['collection', 'docs', 'questions', 'answer1', 'answer3', 'given', 'doc1', 'quote CPU ms'];
  const rows = reports.map((report) => [
    report.collection,
    String(report.documents),
    String(report.questions),
    ...([report.answer1, report.answer3, report.given, report.doc1] as const).map(score),
    report.quote_cpu_ms.toFixed(3),
  ]);
  return textTable([header, ...rows]);
}

function describeMiss({ id, text, document, answers, quote }: MissedAnswer): string {
  return `${id}  ${text}\n  in ${document}: ${answers.map((answer) => JSON.stringify(answer)).join(' or ')}\n  quote: ${JSON.stringify(quote)}\n`;
}
