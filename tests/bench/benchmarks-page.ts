import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newScript } from '../support/campaign.ts';
import { ROOT } from '../support/paths.ts';
import { chartSvg } from './query-peers/chart-svg.ts';
import type { QueryPeersReport } from './query-peers/figures.ts';
import { pageSection, replaceSection } from './query-peers/report-rows.ts';

newScript(
  'bench:page',
  'Write the figures of tests/bench/query-peers/recorded.json, which "npm run bench:query -- --json" prints, to the page of benchmarks, and draw them.',
).parse();
const report = JSON.parse(await readFile(join(import.meta.dirname, 'query-peers/recorded.json'), 'utf8')) as QueryPeersReport;
const page = join(ROOT, 'docs/benchmarks.md');
await writeFile(page, replaceSection(await readFile(page, 'utf8'), 'Figures', pageSection(report)));
await writeFile(join(ROOT, 'docs/query-benchmark.svg'), chartSvg(report));
