import { existsSync, readFileSync } from 'node:fs';
import { expect, inject, vi } from 'vitest';

/** Files that begin without the built publication, so that they fill the time in which it is built. */
const WITHOUT_BUILD = ['e2e/deploy', 'e2e/package', 'e2e/dev'];

const BUILD_TIMEOUT_MS = 300_000;

const path = expect.getState().testPath ?? '';
if (!WITHOUT_BUILD.some((file) => path.endsWith(`/tests/${file}.test.ts`))) {
  const outcome = inject('buildOutcome');
  await vi.waitUntil(() => existsSync(outcome), { timeout: BUILD_TIMEOUT_MS, interval: 50 });
  const reason = readFileSync(outcome, 'utf8');
  if (reason !== '') throw new Error(reason);
}
