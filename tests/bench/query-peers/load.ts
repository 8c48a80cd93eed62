import { percentile } from '../../eval/statistics.ts';
import type { HttpClient } from './http-client.ts';

/** What a time of steady asking gave. */
export interface LoadFigures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Asks over as many connections for some seconds, each as soon as it has its answer. */
export async function measureLoad(
  client: HttpClient,
  pathOf: (turn: number) => string,
  { connections, seconds, timeoutMs }: { readonly connections: number; readonly seconds: number; readonly timeoutMs: number },
): Promise<LoadFigures & { readonly requests: number }> {
  const latencies: number[] = [];
  const started = performance.now();
  const deadline = started + seconds * 1_000;
  let turn = 0;
  const askOn = async (): Promise<void> => {
    while (performance.now() < deadline) {
      const from = performance.now();
      await client.ask(pathOf(turn++), timeoutMs);
      latencies.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: connections }, askOn));
  const elapsed = (performance.now() - started) / 1_000;
  return {
    requests: latencies.length,
    perSecond: latencies.length / elapsed,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}
