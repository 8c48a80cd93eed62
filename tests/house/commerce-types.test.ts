import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COMMERCE_FOLDER } from '../support/commerce-kit.ts';
import { ROOT } from '../support/paths.ts';

describe('tests/commerce', () => {
  test('pins every package, and its lock file names no registry', () => {
    const { private: isPrivate, dependencies } = JSON.parse(readFileSync(join(COMMERCE_FOLDER, 'package.json'), 'utf8')) as {
      private: boolean;
      dependencies: Record<string, string>;
    };
    expect(isPrivate).toBe(true);
    for (const [name, version] of Object.entries(dependencies))
      expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+$/)]);
    expect(readFileSync(join(COMMERCE_FOLDER, 'package-lock.json'), 'utf8')).not.toContain('"resolved"');
  });

  test.skipIf(!existsSync(join(COMMERCE_FOLDER, 'node_modules')))('has the types that it says it has', () => {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    expect(execFileSync(process.execPath, [tsc, '-p', COMMERCE_FOLDER], { cwd: ROOT, encoding: 'utf8' })).toBe('');
  });
});
