import type { QueryPeersReport } from './figures.ts';
import { reportRows } from './report-rows.ts';

export function pageSection(report: QueryPeersReport): string {
  const { machine, versions, date, seconds } = report;
  const memory = Math.round(machine.memoryBytes / 2 ** 30);
  return [
    `Run on ${date}: ${machine.cores} cores of ${machine.cpu}, ${memory} GB, Node ${versions['node']}, workerd ${versions['workerd']}, MiniSearch ${versions['minisearch']}, Orama ${versions['orama']}; ${seconds} seconds for each steady measurement.`,
    '![CPU of a query, CPU of the first answer of a fresh isolate, and memory](query-benchmark.svg)',
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
