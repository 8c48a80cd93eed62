import { dirname, join } from 'node:path';
import { buildIfChanged } from '../../src/publish/build-if-changed.ts';
import { wranglerProgram } from '../../src/publish/local-stores.ts';
import { runNode } from '../../src/publish/run-process.ts';
import { startEdgeGateway } from '../support/edge-gateway.ts';
import { FUNCTIONS_BUNDLE, ROOT, TEST_BASE_URL } from '../support/paths.ts';

/**
 * Requests per second and latencies of the query route in workerd, beside a route that only sends a document, in one run on
 * one machine. The build lifts the rate limits (RATE_LIMITS=bench). Figures of two machines cannot be compared; the ratio can.
 *
 * Use: npm run bench:load [seconds] [connections]
 */
const [seconds = 10, connections = 10] = process.argv.slice(2).map(Number);

const QUERIES = [
  'How does a client know that a cached answer is still fresh?',
  'x402 payment header',
  'what changed in the stateless revision of MCP',
  'idempotency key conflict status',
  'BM25 saturation parameter',
  'verify a signature over canonical JSON',
  'rate limit headers retry',
  'how long may KV serve a stale value',
];

interface Measured {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly failed: number;
}

async function measure(request: (turn: number) => Promise<Response>): Promise<Measured> {
  for (let turn = 0; turn < 200; turn += 1) await (await request(turn)).arrayBuffer();
  const latencies: number[] = [];
  let failed = 0;
  let turn = 0;
  const started = performance.now();
  const deadline = started + seconds * 1_000;
  const worker = async (): Promise<void> => {
    while (performance.now() < deadline) {
      const from = performance.now();
      const response = await request(turn++);
      await response.arrayBuffer();
      if (response.status !== 200) failed += 1;
      latencies.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const elapsed = (performance.now() - started) / 1_000;
  latencies.sort((a, b) => a - b);
  const at = (share: number): number => latencies[Math.min(latencies.length - 1, Math.floor(share * latencies.length))] ?? 0;
  return { perSecond: latencies.length / elapsed, p50: at(0.5), p99: at(0.99), failed };
}

await buildIfChanged(ROOT, 'edge', { baseUrl: TEST_BASE_URL, rateLimits: 'bench' }, () => undefined);
const compiled = await runNode(
  [wranglerProgram(ROOT), 'pages', 'functions', 'build', '--minify', '--outdir', join(dirname(FUNCTIONS_BUNDLE), '../functions-bench')],
  { cwd: ROOT },
);
if (compiled.exitCode !== 0) throw new Error(compiled.output);
const gateway = await startEdgeGateway({ bundle: join(dirname(FUNCTIONS_BUNDLE), '../functions-bench/index.js') });
try {
  const address = (await gateway.miniflare.ready).href.replace(/\/$/, '');
  const registered = await fetch(`${address}/api/v1/agent-gateway/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"agent_name":"load"}',
  });
  const { api_key: key } = (await registered.json()) as { api_key: string };
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` };
  const query = await measure((turn) =>
    fetch(`${address}/api/v1/agent-gateway/query`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query: QUERIES[turn % QUERIES.length], max_results: 5 }),
    }),
  );
  const document = await measure(() => fetch(`${address}/.well-known/acp.json`));
  for (const [name, { perSecond, p50, p99, failed }] of Object.entries({ query, document })) {
    console.log(
      `${name.padEnd(9)} ${perSecond.toFixed(0).padStart(6)} requests/s   p50 ${p50.toFixed(1).padStart(6)} ms   p99 ${p99.toFixed(1).padStart(6)} ms   ${failed} failed`,
    );
  }
  console.log(
    `ratio     ${(query.perSecond / document.perSecond).toFixed(2)} of the document route, ${connections} connections, ${seconds} s each, generator on the same machine, rate limits lifted`,
  );
} finally {
  await gateway.stop();
}
