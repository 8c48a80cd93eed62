import { type EngineFigures, isMeasured, type QueryPeersReport } from './figures.ts';
import { figure, labelOf, queryCpuMs, reportRows } from './report-rows.ts';

const CHARTS: readonly { readonly title: string; readonly of: (figures: EngineFigures) => number }[] = [
  { title: 'CPU of one query, in milliseconds', of: queryCpuMs },
  { title: 'CPU of the first answer of a fresh isolate, in milliseconds', of: ({ cold }) => cold.cpuMs },
];

export function pageSection(report: QueryPeersReport): string {
  const { machine, versions, date, seconds } = report;
  const memory = Math.round(machine.memoryBytes / 2 ** 30);
  return [
    `Run on ${date}: ${machine.cores} cores of ${machine.cpu}, ${memory} GB, Node ${versions['node']}, workerd ${versions['workerd']}, MiniSearch ${versions['minisearch']}, Orama ${versions['orama']}; ${seconds} seconds for each steady measurement.`,
    ...CHARTS.map(
      ({ title, of }) => `${title}; bars are scaled to the longest of each corpus:\n\n\`\`\`text\n${chartText(report, of)}\n\`\`\``,
    ),
    ...reportRows(report).flatMap(({ documents, tables }) => [
      `### ${documents.toLocaleString('en')} capsules`,
      ...tables.map(markdownTable),
    ]),
  ].join('\n\n');
}

/** Rows as a table of markdown, the first as its head; the first column to the left, the others to the right. */
function markdownTable(rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '---:'))), ...body.map(line)].join('\n');
}

/**
 * A text of markdown with everything between a heading of the second level and the next one replaced.
 *
 * @throws {Error} If the heading is not there.
 */
export function replaceSection(markdown: string, heading: string, body: string): string {
  const lines = markdown.split('\n');
  const start = lines.indexOf(`## ${heading}`);
  if (start < 0) throw new Error(`there is no heading "${heading}"`);
  const next = lines.findIndex((line, at) => at > start && line.startsWith('## '));
  const rest = next < 0 ? [] : lines.slice(next);
  return [...lines.slice(0, start + 1), '', body, '', ...rest].join('\n');
}

/** Signs that the longest bar has, so that a line fits on a phone. */
const BAR = 20;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A chart of one figure in signs: under each corpus a bar for each engine, the longest of the corpus as long as may be. */
function chartText({ corpora }: QueryPeersReport, of: (figures: EngineFigures) => number): string {
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
