import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { requirePython } from '../../support/optional-tools.ts';

const VERIFIER = 'tests/conformance/verify_proofs.py';
const VECTORS = 'tests/conformance/vectors';

const python = requirePython();

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
