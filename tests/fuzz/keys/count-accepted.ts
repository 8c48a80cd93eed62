import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { PATHS } from '../../../src/schemas/paths.ts';
import { startInWorkerd } from '../services/in-workerd.ts';
import { counterfeitKeys } from './counterfeit-keys.ts';
import { forgeryOf, type TriedKeys } from './try-keys.ts';

/** Counterfeits that are also sent to the compiled functions. */
const SENT = 1_000;

/** How many keys to try, and where to tell of it. */
interface CountOptions {
  readonly keys: number;
  readonly seed: number;
  readonly print: (line: string) => void;
}

/** Tries counterfeits on the function that checks keys, on all cores, and a sample over HTTP; gives the number of mistakes. */
export async function countAccepted({ keys, seed, print }: CountOptions): Promise<number> {
  const began = performance.now();
  const threads = Math.max(1, availableParallelism());
  const reports = await Promise.all(Array.from({ length: threads }, (_, index) => inThread(Math.ceil(keys / threads), seed + index)));
  const seconds = (performance.now() - began) / 1_000;
  const tried = reports.reduce((sum, report) => sum + report.tried, 0);
  const accepted = reports.flatMap((report) => report.accepted);
  const refused = reports.flatMap((report) => report.refused);
  print(
    `\ncounterfeit keys: ${tried} in ${seconds.toFixed(1)} s on ${threads} threads, seed ${seed}: ${accepted.length} accepted, ${refused.length} good keys refused`,
  );
  for (const [kind, codes] of Object.entries(sumOfKinds(reports)).sort(([a], [b]) => (a < b ? -1 : 1)))
    print(
      `  ${kind.padEnd(44)} ${Object.entries(codes)
        .map(([code, count]) => `${code}: ${count}`)
        .join('  ')}`,
    );
  for (const { kind, key } of accepted.slice(0, 20)) print(`  FINDING accepted, ${kind}: ${JSON.stringify(key)}`);
  for (const key of refused.slice(0, 20)) print(`  FINDING refused, though good: ${key}`);
  return accepted.length + refused.length + (await sendCounterfeits(Math.min(SENT, keys), seed, print));
}

/** Sends counterfeits to the compiled functions; gives how many were answered other than with 401. */
async function sendCounterfeits(count: number, seed: number, print: (line: string) => void): Promise<number> {
  const service = await startInWorkerd();
  try {
    // Keys of this run are of now, so that it is not their time alone that refuses them.
    const forgery = { ...(await forgeryOf(seed)), nowMs: Date.now() };
    const codes: Record<string, number> = {};
    const wrong: string[] = [];
    let sent = 0;
    for await (const { kind, key } of counterfeitKeys(forgery)) {
      if (sent >= count) break;
      if (!/^[\x21-\x7e]+$/.test(key)) continue;
      // Every eighth flipped bit is enough, so that all kinds have their turn.
      if (kind.startsWith('one bit') && forgery.random() > 1 / 8) continue;
      const reply = await service.send({
        method: 'POST',
        target: `${PATHS.gateway}/query`,
        headers: [
          ['Authorization', `Bearer ${key}`],
          ['Content-Type', 'application/json'],
        ],
        body: new TextEncoder().encode('{"query":"cache"}'),
      });
      sent += 1;
      const code = /"code":"(\w+)"/.exec(reply.body)?.[1] ?? String(reply.status);
      codes[code] = (codes[code] ?? 0) + 1;
      if (reply.status !== 401) wrong.push(`${kind}: ${reply.status} ${code}: ${key}`);
    }
    print(
      `  over HTTP ${service.name}: ${sent} sent, ${Object.entries(codes)
        .map(([code, number]) => `${code}: ${number}`)
        .join('  ')}`,
    );
    for (const line of wrong.slice(0, 20)) print(`  FINDING ${line}`);
    return wrong.length;
  } finally {
    await service.stop();
  }
}

function inThread(count: number, seed: number): Promise<TriedKeys> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./try-keys-thread.ts', import.meta.url), { workerData: { count, seed } });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

function sumOfKinds(reports: readonly TriedKeys[]): Record<string, Record<string, number>> {
  const sum: Record<string, Record<string, number>> = {};
  for (const { kinds } of reports)
    for (const [kind, codes] of Object.entries(kinds))
      for (const [code, count] of Object.entries(codes)) sum[kind] = { ...sum[kind], [code]: (sum[kind]?.[code] ?? 0) + count };
  return sum;
}
