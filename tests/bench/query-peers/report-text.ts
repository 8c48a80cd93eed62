import { textTable } from '../../eval/text-table.ts';
import type { QueryPeersReport } from './figures.ts';
import { reportRows } from './report-rows.ts';

/** A report for a terminal. */
export function reportText(report: QueryPeersReport): string {
  const { machine, versions, date, seconds } = report;
  const lines = [
    `${date}, ${machine.cores} cores (${machine.cpu}), ${Object.entries(versions)
      .map((version) => version.join(' '))
      .join(', ')}; ${seconds} s each`,
  ];
  for (const { documents, tables } of reportRows(report)) {
    lines.push('', `${documents.toLocaleString('en')} capsules`);
    for (const rows of tables) lines.push('', textTable(rows));
  }
  return lines.join('\n');
}
