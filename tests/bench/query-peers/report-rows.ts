import { textTable } from '../../eval/text-table.ts';
import { ENGINES, type EngineKey } from './engines.ts';
import { type EngineFigures, isMeasured, type QueryPeersReport } from './figures.ts';

interface CorpusTables {
  readonly documents: number;
  readonly tables: readonly (readonly string[][])[];
}

const MEBIBYTE = 2 ** 20;
const NONE = '–';

function reportRows({ corpora, floor }: QueryPeersReport): CorpusTables[] {
  return corpora.map(({ documents, engines }) => {
    const measured = engines.filter(isMeasured);
    const product = measured.find(({ engine }) => engine === 'product');
    const failed = engines.flatMap((engine) => (isMeasured(engine) ? [] : [[labelOf(engine.engine), engine.failure]]));
    const query = [
      [
        'engine',
        'first answer, ms',
        'its CPU, ms',
        'CPU a query, ms',
        '1 connection: req/s',
        'p50 / p99, ms',
        '10: req/s',
        'p50 / p99, ms',
      ],
      ...measured.map((figures) => [labelOf(figures.engine), ...queryCells(figures)]),
      ['no engine', ...queryCells(floor)],
    ];
    const ratios = [
      ['times this index', 'first answer', 'its CPU', 'CPU a query', 'req/s, 10 connections', 'stored', 'memory'],
      ...(product === undefined
        ? []
        : measured
            .filter(({ engine }) => engine !== 'product')
            .map((figures) => [labelOf(figures.engine), ...ratioCells(figures, product)])),
    ];
    const space = [
      [
        'engine',
        'stored, MB',
        'in values',
        'first query reads',
        'MB',
        'memory, MB',
        'at most',
        'index made, s',
        'known item in first 10',
        'answers in 128 MB',
      ],
      ...measured.map((figures) => [labelOf(figures.engine), ...spaceCells(figures)]),
    ];
    return { documents, tables: [query, ratios, space, ...(failed.length > 0 ? [[['no answers', 'reason'], ...failed]] : [])] };
  });
}

export function labelOf(key: EngineKey): string {
  return ENGINES.find((engine) => engine.key === key)?.label ?? key;
}

/** A measured number with three digits that count, or all before the point. */
export function figure(value: number): string {
  if (value >= 1_000) return Math.round(value).toLocaleString('en');
  if (value === 0) return '0';
  return value.toFixed(Math.max(0, Math.min(3, 2 - Math.floor(Math.log10(Math.abs(value))))));
}

/** CPU of workerd for one query with one connection, in milliseconds. */
export const queryCpuMs = ({ steady }: Pick<EngineFigures, 'steady'>): number => steady[0]?.cpuMs ?? 0;

function queryCells({ cold, steady }: Pick<EngineFigures, 'cold' | 'steady'>): string[] {
  const loads = steady.flatMap(({ perSecond, p50Ms, p99Ms }) => [figure(perSecond), `${figure(p50Ms)} / ${figure(p99Ms)}`]);
  return [...[cold.wallMs, cold.cpuMs, queryCpuMs({ steady })].map(figure), ...loads];
}

function ratioCells(theirs: EngineFigures, product: EngineFigures): string[] {
  const ratio = (of: (figures: EngineFigures) => number): string => {
    const own = of(product);
    return own === 0 ? NONE : figure(of(theirs) / own);
  };
  return [
    ratio(({ cold }) => cold.wallMs),
    ratio(({ cold }) => cold.cpuMs),
    ratio(queryCpuMs),
    ratio(({ steady }) => steady.at(-1)?.perSecond ?? 0),
    ratio(({ storedBytes }) => storedBytes),
    ratio(({ memory }) => memory.residentBytes),
  ];
}

function spaceCells({ storedBytes, storedValues, cold, memory, build, known, boundedFailure }: EngineFigures): string[] {
  const megabytes = (bytes: number): string => figure(bytes / MEBIBYTE);
  return [
    megabytes(storedBytes),
    String(storedValues),
    figure(cold.reads),
    cold.bytes === undefined ? NONE : megabytes(cold.bytes),
    megabytes(memory.residentBytes),
    megabytes(memory.peakBytes),
    figure(build.wallSeconds),
    `${Math.round((100 * known.found) / Math.max(1, known.asked))} % of ${known.asked}`,
    boundedFailure ?? 'yes',
  ];
}

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
