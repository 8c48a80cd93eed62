import { spawnSync } from 'node:child_process';
import { words } from './words.ts';

/**
 * What some tests need and not every machine has, or `undefined` after one line that says what is skipped.
 *
 * @param name What it is, and how to get it.
 * @throws {Error} If it is missing although REQUIRE_ALL=1 forbids to skip.
 */
export function optional<T>(name: string, found: T | undefined): T | undefined {
  if (found !== undefined) return found;
  if (process.env['REQUIRE_ALL'] === '1') throw new Error(`${name} is missing, and REQUIRE_ALL=1 forbids to skip its tests`);
  console.log(`skipped: tests that need ${name}, which is missing`);
  return undefined;
}

/** Path of a program, as {@link optional} gives it. @param lighter One that does the same for less, which is taken where it is installed. */
export function findTool(tool: 'chromium' | 'python3', lighter: string = tool): string | undefined {
  const { status, stdout } = spawnSync('sh', ['-c', `command -v ${lighter} || command -v ${tool}`], { encoding: 'utf8' });
  return optional(tool, status === 0 ? stdout.trim() : undefined);
}

/** Flags of the browser in tests: it works in a container, and asks nobody but the pages that it opens. */
export const CHROMIUM_FLAGS: readonly string[] = words`
    --no-sandbox --disable-gpu --disable-dev-shm-usage --disable-background-networking --disable-component-update --disable-sync
    --no-first-run --disable-quic
  `;

/** A Python that has the package `cryptography`, Debian's own first; `undefined` if there is none. */
export function pythonWithCryptography(): string | undefined {
  return ['/usr/bin/python3', 'python3'].find(
    (python) => spawnSync(python, ['-c', 'import cryptography'], { stdio: 'ignore' }).status === 0,
  );
}

/** The same, as {@link optional} gives it. */
export function requirePython(): string | undefined {
  return optional('python3 with cryptography', pythonWithCryptography());
}
