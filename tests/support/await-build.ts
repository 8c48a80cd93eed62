import { existsSync, readFileSync } from 'node:fs';
import { expect, inject, vi } from 'vitest';

/** Files without the built publication. Some fill the time in which it is built. */
const WITHOUT_BUILD = /\/tests\/(?:e2e\/(?:deploy|package|dev)\.test\.ts$|unit\/|house\/)/;

const BUILD_TIMEOUT_MS = 300_000;

const path = expect.getState().testPath ?? '';
if (!WITHOUT_BUILD.test(path)) {
  const outcome = inject('buildOutcome');
  await vi.waitUntil(() => existsSync(outcome), { timeout: BUILD_TIMEOUT_MS, interval: 50 });
  const reason = readFileSync(outcome, 'utf8');
  if (reason !== '') throw new Error(reason);
}
