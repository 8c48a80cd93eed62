import { execFileSync, spawnSync } from 'node:child_process';

/** Programs that some tests need and not every machine has. */
export type OptionalTool = 'chromium' | 'python3';

/**
 * Path of a program, or `undefined` after one line that says what is skipped.
 *
 * @throws If the program is missing although REQUIRE_ALL=1 forbids to skip.
 */
export function findTool(tool: OptionalTool): string | undefined {
  try {
    return execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim();
  } catch {
    if (process.env['REQUIRE_ALL'] === '1') throw new Error(`${tool} is missing, and REQUIRE_ALL=1 forbids to skip its tests`);
    console.log(`skipped: tests that need ${tool}, which is not installed`);
    return undefined;
  }
}

/** Flags of the browser in tests: it works in a container, and asks nobody but the pages that it opens. */
export const CHROMIUM_FLAGS: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
];

/** A Python that has the package `cryptography`, Debian's own first; `undefined` if there is none. */
export function pythonWithCryptography(): string | undefined {
  return ['/usr/bin/python3', 'python3'].find(
    (python) => spawnSync(python, ['-c', 'import cryptography'], { stdio: 'ignore' }).status === 0,
  );
}

/**
 * The same, or `undefined` after one line that says what is skipped.
 *
 * @throws {Error} If there is none although REQUIRE_ALL=1 forbids to skip.
 */
export function requirePython(): string | undefined {
  const found = pythonWithCryptography();
  const missing = 'python3 with cryptography';
  if (found === undefined && process.env['REQUIRE_ALL'] === '1')
    throw new Error(`${missing} is missing, and REQUIRE_ALL=1 forbids to skip its tests`);
  if (found === undefined) console.log(`skipped: tests that need ${missing}, which is not installed`);
  return found;
}
