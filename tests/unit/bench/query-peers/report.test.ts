import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bar, chartText } from '../../../bench/query-peers/chart-text.ts';
import { chartSvg, logScale } from '../../../bench/query-peers/chart-svg.ts';
import type { EngineFigures, QueryPeersReport } from '../../../bench/query-peers/figures.ts';
import { markdownTable, pageSection, replaceSection } from '../../../bench/query-peers/page-section.ts';
import { figure, queryCpuMs, reportRows } from '../../../bench/query-peers/report-rows.ts';
import { ROOT } from '../../../support/paths.ts';

function engine(key: EngineFigures['engine'], times: number): EngineFigures {
  const load = { perSecond: 1_000 / times, p50Ms: times, p99Ms: 10 * times, cpuMs: 0.5 * times };
  return {
    engine: key,
    build: { wallSeconds: 2, cpuSeconds: 3 },
    storedBytes: times * 2 ** 20,
    storedValues: 4,
    cold: { wallMs: 10 * times, cpuMs: 5 * times, reads: 3, bytes: 2 ** 20 },
    steady: [
      { connections: 1, ...load },
      { connections: 10, ...load },
    ],
    known: { asked: 200, found: 199 },
    memory: { residentBytes: times * 2 ** 23, peakBytes: times * 2 ** 24 },
  };
}

const report: QueryPeersReport = {
  date: '2026-11-21',
  machine: { cpu: 'Some CPU', cores: 2, memoryBytes: 8 * 2 ** 30 },
  versions: { node: '24.0.0', workerd: '1.0.0', minisearch: '7.2.0', orama: '3.1.18' },
  seconds: 5,
  floor: engine('product', 0.5),
  corpora: [
    {
      documents: 1_000,
      engines: [
        engine('product', 1),
        { ...engine('minisearch', 4), boundedFailure: 'out of memory with 128 MB' },
        { engine: 'orama', failure: 'index not made' },
      ],
    },
  ],
};

describe('tables', () => {
  const [corpus] = reportRows(report);
  const rowOf = (table: number, label: string) => corpus?.tables[table]?.find(([name]) => name === label);

  test('have a row for every engine that answered, and one for a request without an engine', () => {
    expect(corpus?.tables[0]?.map(([name]) => name)).toEqual(['engine', 'this index', 'MiniSearch', 'no engine']);
    expect(rowOf(0, 'MiniSearch')).toEqual(['MiniSearch', '40.0', '20.0', '2.00', '250', '4.00 / 40.0', '250', '4.00 / 40.0']);
  });

  test('divide what others take by what the product takes', () => {
    expect(rowOf(1, 'MiniSearch')).toEqual(['MiniSearch', '4.00', '4.00', '4.00', '0.250', '4.00', '4.00']);
    expect(rowOf(1, 'this index')).toBeUndefined();
  });

  test('say who does not answer, and who does not within the memory of a Worker', () => {
    expect(rowOf(2, 'MiniSearch')?.slice(-2)).toEqual(['100 % of 200', 'out of memory with 128 MB']);
    expect(rowOf(2, 'this index')?.at(-1)).toBe('yes');
    expect(corpus?.tables[3]).toEqual([
      ['no answers', 'reason'],
      ['Orama', 'index not made'],
    ]);
  });

  test('have as many cells in every row as names', () => {
    for (const rows of corpus?.tables ?? []) for (const row of rows) expect(row).toHaveLength(rows[0]?.length ?? 0);
  });
});

test.each([
  [0, '0'],
  [0.0123, '0.012'],
  [0.6789, '0.679'],
  [12.345, '12.3'],
  [234.5, '235'],
  [23_456, '23,456'],
])('%d is printed as %s', (value, text) => {
  expect(figure(value)).toBe(text);
});

describe('charts', () => {
  test('of signs keep to the width of a phone and draw the longest bar whole', () => {
    const chart = chartText(report, queryCpuMs);
    expect(Math.max(...chart.split('\n').map((line) => line.length))).toBeLessThanOrEqual(42);
    expect(chart).toContain(`MiniSearch ${bar(1)} 2.00`);
    expect(chart).toContain('Orama      no answers');
    expect(bar(0)).toBe('▏');
    expect(bar(0.5)).toHaveLength(bar(1).length / 2);
  });

  test('in SVG place values on a logarithmic scale and say every one in words', () => {
    const scale = logScale([0.5, 20]);
    expect(scale.powers).toEqual([0.1, 1, 10, 100]);
    expect(scale.at(1) - scale.at(0.1)).toBeCloseTo(scale.at(100) - scale.at(10));
    const drawn = chartSvg(report, [{ title: 'CPU <ms>', of: queryCpuMs }]);
    expect(drawn).toContain('>CPU &lt;ms&gt;</text>');
    expect(drawn.match(/<circle/g)).toHaveLength(2);
    expect(drawn).toContain('>no answers</text>');
    expect(drawn).toContain('prefers-color-scheme:dark');
  });
});

describe('the page', () => {
  test('gets a section put in the place of the one under its heading', () => {
    const page = 'Intro.\n\n## Figures\n\nold\n\n### deeper\n\nold\n\n## After\n\nkept\n';
    expect(replaceSection(page, 'Figures', 'new')).toBe('Intro.\n\n## Figures\n\nnew\n\n## After\n\nkept\n');
    expect(replaceSection('## Figures', 'Figures', 'new')).toBe('## Figures\n\nnew\n');
    expect(() => replaceSection(page, 'Other', 'new')).toThrow('Other');
  });

  test('has a heading and tables for each corpus', () => {
    const section = pageSection(report);
    expect(section).toContain('### 1,000 capsules\n\n| engine | first answer, ms |');
    expect(section.match(/^\| --- \|/gm)).toHaveLength(4);
    expect(markdownTable([['a|b'], ['c']])).toBe('| a\\|b |\n| --- |\n| c |');
  });
});

test('the page and the chart are those of the recorded run', () => {
  const recorded = JSON.parse(readFileSync(join(ROOT, 'tests/bench/query-peers/recorded.json'), 'utf8')) as QueryPeersReport;
  const page = readFileSync(join(ROOT, 'docs/benchmarks.md'), 'utf8');
  expect(replaceSection(page, 'Figures', pageSection(recorded)), 'run npm run bench:page').toBe(page);
  expect(chartSvg(recorded), 'run npm run bench:page').toBe(readFileSync(join(ROOT, 'public/query-benchmark.svg'), 'utf8'));
});
