import { minuteOf } from '../../src/gateway/agents/api-key.ts';
import { makeKey } from '../support/agent-keys.ts';
import { builtGenerated, builtOpenApi, TEST_SIGNING_SECRETS } from '../support/edge-gateway.ts';
import { CanaryWatch } from './canaries.ts';
import { FuzzRun, type RunBounds, type RunReport } from './fuzz-run.ts';
import { newJudge } from './judge-reply.ts';
import type { FuzzedService } from './plain-request.ts';
import { startInProcess } from './services/in-process.ts';

/** Where requests are sent: to the gateway in this process, without or with rate limits, or to the compiled functions in workerd. */
export type FuzzPart = 'process' | 'limited' | 'workerd';

export async function fuzzService(part: FuzzPart, seed: number, bounds: RunBounds): Promise<RunReport> {
  const canaries = new CanaryWatch(TEST_SIGNING_SECRETS);
  const service = await startService(part, seed, canaries);
  try {
    const { deployment } = await builtGenerated();
    const document = JSON.parse(await builtOpenApi()) as object;
    const judge = newJudge(deployment, document, { limited: part === 'limited', storesFail: false });
    const run = new FuzzRun(service, judge, canaries, seed);
    for (const key of await oddKeys(minuteOf(service.nowMs()))) run.remembered.keep('odd_key', key);
    for (const key of await wholeKeys(seed, minuteOf(service.nowMs()))) run.remembered.keep('whole_key', key);
    return await run.run(bounds);
  } finally {
    await service.stop();
  }
}

async function startService(part: FuzzPart, seed: number, canaries: CanaryWatch): Promise<FuzzedService> {
  // Only here, because wrangler takes long to load.
  if (part === 'workerd') return (await import('./services/in-workerd.ts')).startInWorkerd();
  const rateLimits = part === 'process' ? 'bench' : 'default';
  return startInProcess({ seed, rateLimits, onMac: (bytes) => canaries.noteMac(bytes) });
}

async function wholeKeys(seed: number, issuedMinute: number): Promise<string[]> {
  const agents = Array.from({ length: 32 }, (_, index) => ((seed >>> 0) * 64 + index).toString(16).padStart(16, '0'));
  return Promise.all(agents.map((agent) => makeKey({ agent, issuedMinute, scopes: ['read', 'submit', 'buy', 'metrics'] })));
}

/** Keys that are well made and still open nothing, or not all. */
async function oddKeys(issuedMinute: number): Promise<string[]> {
  const other = `2:${Buffer.from(Array.from({ length: 32 }, (_, index) => index * 5 + 2)).toString('base64url')}`;
  return Promise.all([
    makeKey({ issuedMinute: minuteOf(Date.UTC(2020, 0, 1)) }),
    makeKey({ issuedMinute: minuteOf(Date.UTC(2090, 0, 1)) }),
    makeKey({ issuedMinute, ttlDays: 0 }),
    makeKey({ issuedMinute, scopes: [] }),
    makeKey({ issuedMinute, scopes: ['buy', 'metrics'] }),
    makeKey({ issuedMinute, scopes: ['submit'] }),
    makeKey({ issuedMinute }, { prefix: 'akg_live_' }),
    makeKey({ issuedMinute, secretId: 2 }, { secrets: other }),
    makeKey({ issuedMinute, secretId: 9 }),
  ]);
}
