import type { IndexReader } from '../../src/search/query/index-reader.ts';
import type { FitLevel, QueryFit } from '../../src/search/query/match-level.ts';
import { search } from '../../src/search/query/search.ts';
import { buildSearchIndex } from '../support/build-search-index.ts';
import { newScript } from '../support/campaign.ts';
import { openIndex } from '../unit/search/open-index.ts';
import { type Collection, readCollection } from './collection.ts';
import { areaUnderCurve, mean } from './statistics.ts';
import { score, textTable } from './text-table.ts';

/**
 * How well the fit of the first result tells questions that a corpus can answer from those of another field: each collection is asked its own
 * questions and those of the others.
 *
 * The area under the ROC curve is the probability that an own question fits better than a foreign one; 1 is perfect, 0.5 is chance.
 */

type Fits = readonly (Pick<QueryFit, 'share' | 'level'> | undefined)[];

interface FitReport {
  readonly corpus: string;
  readonly questions: string;
  readonly auc: number;
  readonly own_weak: number;
  readonly foreign_weak: number;
}

async function openCorpus({ documents }: Collection): Promise<IndexReader> {
  const sorted = [...documents].sort((a, b) => (a.id < b.id ? -1 : 1));
  return openIndex(await buildSearchIndex(sorted.map(({ text, ...document }) => ({ ...document, body: text }))));
}

async function fitsOf(reader: IndexReader, { queries }: Collection): Promise<Fits> {
  const fits: (QueryFit | undefined)[] = [];
  for (const { text } of queries) {
    const { results, fitOf } = await search(reader, text, { limit: 1 });
    fits.push(results[0] && fitOf(results[0].number));
  }
  return fits;
}

const shares = (fits: Fits): number[] => fits.map((fit) => fit?.share ?? 0);

function shareOf(level: FitLevel, fits: Fits): number {
  return fits.filter((fit) => (fit?.level ?? 'weak') === level).length / Math.max(1, fits.length);
}

async function evaluate(corpora: readonly Collection[], others: readonly Collection[]): Promise<FitReport[]> {
  const reports: FitReport[] = [];
  for (const corpus of corpora) {
    const reader = await openCorpus(corpus);
    const own = await fitsOf(reader, corpus);
    for (const asked of [...corpora, ...others]) {
      if (asked === corpus) continue;
      const foreign = await fitsOf(reader, asked);
      reports.push({
        corpus: corpus.name,
        questions: asked.name,
        auc: areaUnderCurve(shares(own), shares(foreign)),
        own_weak: shareOf('weak', own),
        foreign_weak: shareOf('weak', foreign),
      });
    }
  }
  return reports;
}

function reportTable(reports: readonly FitReport[]): string {
  const figures = (rows: readonly FitReport[]): string[] => [
    score(mean(rows.map(({ auc }) => auc))),
    ...[rows.map((row) => row.own_weak), rows.map((row) => row.foreign_weak)].map((values) => `${(100 * mean(values)).toFixed(1)} %`),
  ];
  return textTable([
    ['corpus', 'questions of', 'AUC', 'own weak', 'foreign weak'],
    ...reports.map((report) => [report.corpus, report.questions, ...figures([report])]),
    ['mean', '', ...figures(reports)],
  ]);
}

const script = newScript('eval:fit', 'Measure how well the fit of the best result tells own questions from those of another collection.')
  .argument('<directory...>', 'folders of collections, each asked its own questions and those of the others')
  .option('--questions <directory...>', 'folders of collections of which only the questions are asked')
  .option('--json', 'print an array of the pairs and nothing else (with npm run -s)')
  .parse();
const { questions = [], json } = script.opts();
const corpora = await Promise.all(script.args.map(readCollection));
const reports = await evaluate(corpora, await Promise.all(questions.map(readCollection)));
console.log(json ? JSON.stringify(reports, null, 2) : reportTable(reports));
