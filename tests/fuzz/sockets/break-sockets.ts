import { connect } from 'node:net';
import { PATHS } from '../../../src/schemas/paths.ts';
import { seededRandom } from '../../eval/random.ts';
import { builtGenerated, startEdgeGateway } from '../../support/edge-gateway.ts';
import { BROKEN_REQUESTS, type BrokenRequest, garbledRequest } from './broken-requests.ts';

/** Connections open at a time. */
const AT_A_TIME = 16;
/** Milliseconds after which a connection that is neither answered nor closed counts as one that hangs. */
const PATIENCE_MS = 4_000;
/** Milliseconds of silence after an answer, in which another one could come. */
const QUIET_MS = 150;
/** What came back on a connection. */
interface Received {
  readonly text: string;
  readonly end: 'closed' | 'quiet' | 'timeout';
}

/**
 * Sends requests that break the grammar of HTTP, those that have a name and others garbled at random, to the compiled functions in workerd, over connections of their own. Each must be answered with
 * 4xx, refused by workerd itself, closed, or answered well where it is only odd; the service must go on answering.
 *
 * @param garbled How many are garbled at random.
 * @returns The number of faults found.
 */
export async function breakSockets(seed: number, print: (line: string) => void, garbled: number): Promise<number> {
  const { deployment } = await builtGenerated();
  const edge = await startEdgeGateway({ generated: { deployment: { ...deployment, rateLimits: 'bench' } } });
  try {
    const port = Number((await edge.miniflare.ready).port);
    const random = seededRandom(seed);
    const cases = [...BROKEN_REQUESTS, ...Array.from({ length: garbled }, () => garbledRequest(random))];
    const ends: Record<string, number> = {};
    const faults: string[] = [];
    const began = performance.now();
    for (let at = 0; at < cases.length; at += AT_A_TIME) {
      const batch = cases.slice(at, at + AT_A_TIME);
      await Promise.all(
        batch.map(async (each) => {
          const received = await exchange(port, each);
          const { statuses, faults: own } = judgeReceived(each, received);
          const name = statuses.length === 0 ? received.end : statuses.join('+');
          ends[name] = (ends[name] ?? 0) + 1;
          faults.push(...own.map((fault) => `${each.name}: ${fault}`));
        }),
      );
      const alive = await exchange(port, WELL_FORMED);
      if (!alive.text.startsWith('HTTP/1.1 200 '))
        faults.push(`after ${batch.map(({ name }) => name).join(', ')}: a good request gets ${JSON.stringify(alive.text.slice(0, 80))}`);
    }
    const seconds = (performance.now() - began) / 1_000;
    print(`\nbroken requests in workerd: ${cases.length} in ${seconds.toFixed(1)} s, seed ${seed}`);
    print(
      `  ${Object.entries(ends)
        .map(([end, count]) => `${end}: ${count}`)
        .join('  ')}`,
    );
    for (const fault of faults) print(`  FINDING ${fault}`);
    return faults.length;
  } finally {
    await edge.stop();
  }
}

const WELL_FORMED: BrokenRequest = {
  name: 'good',
  pieces: [`GET ${PATHS.publicCapsules}/status HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`],
};

/** Sends a request over a connection of its own, and gathers what comes back until it is closed or silent. */
function exchange(port: number, { pieces, pauseMs = 0, after = 'waits', unfinished = false }: BrokenRequest): Promise<Received> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let text = '';
    let quiet: NodeJS.Timeout | undefined;
    const finish = (end: Received['end']): void => {
      clearTimeout(quiet);
      clearTimeout(patience);
      socket.destroy();
      resolve({ text, end });
    };
    const patience = setTimeout(() => finish('timeout'), unfinished ? QUIET_MS * 4 : PATIENCE_MS);
    socket.on('data', (data) => {
      text += data.toString('latin1');
      clearTimeout(quiet);
      quiet = setTimeout(() => finish('quiet'), QUIET_MS);
    });
    socket.on('close', () => finish('closed'));
    socket.on('error', () => finish('closed'));
    socket.on('connect', async () => {
      for (const piece of pieces) {
        socket.write(piece, 'latin1');
        if (pauseMs > 0) await new Promise((resume) => setTimeout(resume, pauseMs));
      }
      if (after === 'ends') socket.end();
      if (after === 'breaks off') setTimeout(() => socket.destroy(), 20);
    });
  });
}

function judgeReceived(
  { unfinished = false, answersMax = 1, status }: BrokenRequest,
  { text, end }: Received,
): { statuses: number[]; faults: string[] } {
  const statuses = [...text.matchAll(/^HTTP\/1\.[01] (\d{3}) /gm)].map(([, status]) => Number(status));
  const faults: string[] = [];
  for (const answer of text.split(/^(?=HTTP\/1\.[01] \d{3} )/m)) {
    // What has no request id was answered by workerd itself, without asking the functions; it has to close the connection.
    const isOurs = /^X-Request-Id: /m.test(answer);
    if (/^HTTP\/1\.[01] 5/.test(answer) && (isOurs || !/^Connection: close\r$/m.test(answer)))
      faults.push(`is answered with ${JSON.stringify(answer.slice(0, 1_200))}`);
  }
  if (status !== undefined && statuses[0] !== status) faults.push(`is answered ${statuses[0]} instead of ${status}`);
  if (statuses.length > answersMax) faults.push(`is answered ${statuses.length} times: ${statuses.join(', ')}`);
  if (statuses.length === 0 && end === 'timeout' && !unfinished) faults.push('is neither answered nor closed');
  if (text !== '' && statuses.length === 0) faults.push(`is answered with what is no HTTP: ${JSON.stringify(text.slice(0, 80))}`);
  if (/akg_(live|test)_[0-9A-Za-z]{8}|\n\s+at /.test(text)) faults.push('shows the inside');
  return { statuses, faults };
}
