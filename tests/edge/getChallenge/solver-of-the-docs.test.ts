import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { useSharedGateway } from '../../support/edge-gateway.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import { sampleGuide } from '../../support/sample-guide.ts';

const gateway = useSharedGateway();
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test('the program in the page about keys solves a challenge and registers with submit', async () => {
  const page = await sampleGuide('agent-keys');
  const [, program = ''] = /```js\n(.*?)```/s.exec(page) ?? [];
  const folder = await mkdtemp(join(tmpdir(), 'akg-solver-'));
  const file = join(folder, 'solver.mjs');
  await writeFile(file, program);
  vi.stubGlobal('fetch', (address: string, init?: RequestInit) => gateway.fetch(address.replace(TEST_BASE_URL, ''), init));
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  await import(pathToFileURL(file).href);
  await rm(folder, { recursive: true });
  expect(log.mock.calls).toEqual([[201, expect.objectContaining({ scopes: ['read', 'submit'] })]]);
});
