import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { pythonWithCryptography } from '../../support/python-with-cryptography.ts';

const VERIFIER = 'tests/conformance/verify_proofs.py';
const VECTORS = 'tests/conformance/vectors';

const python = requirePython();

/**
 * A Python that has `cryptography`, or `undefined` after one line that says what is skipped.
 *
 * @throws If there is none although REQUIRE_ALL=1 forbids to skip.
 */
function requirePython(): string | undefined {
  const found = pythonWithCryptography();
  const missing = 'python3 with cryptography';
  if (found === undefined && process.env['REQUIRE_ALL'] === '1')
    throw new Error(`${missing} is missing, and REQUIRE_ALL=1 forbids to skip its tests`);
  if (found === undefined) console.log(`skipped: tests that need ${missing}, which is not installed`);
  return found;
}

describe.skipIf(python === undefined)('proofs, checked by another language', () => {
  test('have the outcome that each test vector expects', () => {
    const vectors = readdirSync(VECTORS).filter((name) => name.endsWith('.json'));
    expect(vectors.length).toBeGreaterThanOrEqual(60);
    const { status, stdout, stderr } = spawnSync(python ?? '', [VERIFIER, 'vectors', VECTORS], { encoding: 'utf8' });
    const lines = stdout.trim().split('\n');
    expect(stderr).toBe('');
    expect(lines.filter((line) => line.startsWith('FAIL'))).toEqual([]);
    expect(status).toBe(0);
    expect(lines.at(-1)).toBe(String(vectors.length));
  });
});
