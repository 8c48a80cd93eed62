import { spawnSync } from 'node:child_process';

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
