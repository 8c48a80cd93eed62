import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chartSvg } from '../../../bench/query-peers/chart-svg.ts';
import type { QueryPeersReport } from '../../../bench/query-peers/figures.ts';
import { pageSection, replaceSection } from '../../../bench/query-peers/report-rows.ts';
import { ROOT } from '../../../support/paths.ts';

test('the page and the chart are those of the recorded run', () => {
  const recorded = JSON.parse(readFileSync(join(ROOT, 'tests/bench/query-peers/recorded.json'), 'utf8')) as QueryPeersReport;
  const page = readFileSync(join(ROOT, 'docs/benchmarks.md'), 'utf8');
  expect(replaceSection(page, 'Figures', pageSection(recorded)), 'run npm run bench:page').toBe(page);
  expect(chartSvg(recorded), 'run npm run bench:page').toBe(readFileSync(join(ROOT, 'docs/query-benchmark.svg'), 'utf8'));
});
