import { seedOf } from '../eval/random.ts';
import { FINDINGS_MAX, type Finding, type RunReport } from './fuzz-run.ts';
import { type FuzzPart, fuzzService } from './fuzz-service.ts';
import { printFinding } from './print-report.ts';

/** Requests of a batch: few enough that one can be sent again in seconds, and that what a service keeps of them stays small. */
const BATCH_REQUESTS = 20_000;

export interface Batch {
  readonly part: FuzzPart;
  /** Seed of the batch; of the first one that of the campaign, so that a batch is repeated under its own seed. */
  readonly seed: number;
  readonly requests: number;
}

export function batchesOf(part: FuzzPart, seed: number, requests: number): Batch[] {
  return Array.from({ length: Math.ceil(requests / BATCH_REQUESTS) }, (_, index) => ({
    part,
    seed: index === 0 ? seed : seedOf(`${seed} ${index}`),
    requests: Math.min(BATCH_REQUESTS, requests - index * BATCH_REQUESTS),
  }));
}

/**
 * Runs batches until all are done, the time is over or too much was found. What a batch needs of memory is free again when it ends.
 *
 * @param seconds Time for all batches together.
 * @param print Told of every batch that is done, and of what it found: a campaign may be ended before its last one.
 */
export async function runBatches(batches: readonly Batch[], seconds: number, print: (line: string) => void): Promise<RunReport> {
  const beganMs = performance.now();
  const secondsGone = (): number => (performance.now() - beganMs) / 1_000;
  const reports: RunReport[] = [];
  const total = batches.reduce((sum, { requests }) => sum + requests, 0);
  const found = new Set<string>();
  for (const { part, seed, requests } of batches) {
    const left = seconds - secondsGone();
    if (left <= 0 || found.size >= FINDINGS_MAX) break;
    const report = await fuzzService(part, seed, { requests, seconds: left });
    reports.push(report);
    const sent = reports.reduce((sum, each) => sum + each.requests, 0);
    print(
      `  ${report.service}, seed ${seed}: ${report.requests} requests, ${report.findings.length} findings; ${sent} of ${total} in all, ${Math.round(sent / secondsGone())} a second`,
    );
    for (const finding of report.findings.filter((each) => !found.has(nameOf(each)))) {
      found.add(nameOf(finding));
      printFinding(finding, print);
    }
  }
  return merged(reports, secondsGone());
}

function nameOf({ operation, fault }: Finding): string {
  return `${operation} ${fault}`;
}

/** What several runs have seen, as of one; a fault that several have found is told once. */
function merged(reports: readonly RunReport[], seconds: number): RunReport {
  const counts = new Map<string, Map<number, number>>();
  for (const report of reports)
    for (const [operation, statuses] of report.counts) {
      const sum = counts.get(operation) ?? new Map<number, number>();
      counts.set(operation, sum);
      for (const [status, count] of statuses) sum.set(status, (sum.get(status) ?? 0) + count);
    }
  const findings = reports.flatMap((report) => report.findings);
  return {
    service: [...new Set(reports.map(({ service }) => service))].join(', '),
    requests: reports.reduce((sum, { requests }) => sum + requests, 0),
    seconds,
    counts,
    codes: new Set(reports.flatMap(({ codes }) => [...codes])),
    findings: [...new Map(findings.map((finding) => [nameOf(finding), finding])).values()],
  };
}
