import { ERRORS } from '../../src/gateway/errors.ts';
import type { Finding, RunReport } from './fuzz-run.ts';

export function printReport(report: RunReport, print: (line: string) => void): void {
  const { service, requests, seconds } = report;
  print(`\n${service}: ${requests} requests in ${seconds.toFixed(1)} s, ${Math.round(requests / seconds)} a second`);
  for (const [operation, counts] of [...report.counts].sort(([a], [b]) => (a < b ? -1 : 1)))
    print(
      `  ${operation.padEnd(24)} ${[...counts]
        .sort(([a], [b]) => a - b)
        .map(([status, count]) => `${status}: ${count}`)
        .join('  ')}`,
    );
}

export function printFinding({ part, seed, operation, fault, request, lines, reply }: Finding, print: (line: string) => void): void {
  print(`\n  FINDING ${operation}: ${fault} (request ${request})`);
  print(`    again: npm run fuzz -- --where ${part} --requests ${request + 1} --seed ${seed}`);
  for (const line of lines) print(`    ${line}`);
  print(`    ${reply.replaceAll('\n', '\n    ')}`);
}

export function printCodes(reports: readonly RunReport[], print: (line: string) => void): void {
  const reached = new Set(reports.flatMap(({ codes }) => [...codes]));
  const all = Object.keys(ERRORS);
  print(
    `\n${all.filter((code) => reached.has(code)).length} of ${all.length} error codes were answered. Not answered: ${all.filter((code) => !reached.has(code)).join(', ') || 'none'}`,
  );
}
