import { type EngineFigures, isMeasured, type QueryPeersReport } from './figures.ts';
import { figure, labelOf } from './report-rows.ts';

/** Signs that the longest bar has, so that a line fits on a phone. */
const BAR = 20;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A chart of one figure in signs: under each corpus a bar for each engine, the longest of the corpus as long as may be. */
export function chartText({ corpora }: QueryPeersReport, of: (figures: EngineFigures) => number): string {
  const width = Math.max(...corpora.flatMap(({ engines }) => engines.map(({ engine }) => labelOf(engine).length)));
  return corpora
    .map(({ documents, engines }) => {
      const most = Math.max(...engines.filter(isMeasured).map(of), Number.MIN_VALUE);
      const lines = engines.map((engine) => {
        const name = labelOf(engine.engine).padEnd(width);
        return isMeasured(engine) ? `${name} ${bar(of(engine) / most)} ${figure(of(engine))}` : `${name} no answers`;
      });
      return [`${documents.toLocaleString('en')} capsules`, ...lines].join('\n');
    })
    .join('\n\n');
}

/** A bar for a share of the longest; at least a stroke. */
function bar(share: number): string {
  const eighths = Math.max(1, Math.round(share * BAR * EIGHTHS.length));
  return '█'.repeat(Math.floor(eighths / EIGHTHS.length)) + EIGHTHS[eighths % EIGHTHS.length];
}
