import { execFileSync } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../src/client/operations.ts';
import { CLIENT_FILE, PROGRAMS, VERIFIER_FILE, VERIFY_COMMAND_FILE } from '../../../src/npm-package/bundle-programs.ts';
import { routeTable } from '../../../src/routes/route-table.ts';
import { temporaryFolder } from '../publication/content-world.ts';

/** Most bytes that a reader loads for each program, compressed. */
const MOST_BYTES: Readonly<Record<string, number>> = { [VERIFIER_FILE]: 4_100, [CLIENT_FILE]: 6_000, [VERIFY_COMMAND_FILE]: 60_000 };

describe.each([...PROGRAMS])('%s', (file, make) => {
  it('is what its source gives: after a change, run "npm run build:programs"', async () => {
    expect(Buffer.from(await make()).equals(await readFile(file))).toBe(true);
  });

  it('is small, and states its licence', async () => {
    const bytes = await readFile(file);
    expect(gzipSync(bytes, { level: 9 }).length).toBeLessThan(MOST_BYTES[file] ?? 0);
    expect(bytes.toString()).toMatch(/^\/\* Licence: Apache-2\.0 \*\/\n/);
  });
});

describe('modules for browsers', () => {
  it.each([VERIFIER_FILE, CLIENT_FILE])('load nothing else and name nothing of Node.js: %s', async (file) => {
    expect(await readFile(file, 'utf8')).not.toMatch(/\bimport\b|\brequire\b|\bprocess\b|\bBuffer\b|\beval\b|\bzod\b/);
  });

  it('the verifier requests nothing', async () => expect(await readFile(VERIFIER_FILE, 'utf8')).not.toMatch(/\bfetch\b/));

  it('the client calls operations of the route table only', async () => {
    const table = routeTable({ baseUrl: 'https://signpost.example', checkoutHost: 'https://checkout.example' }).map(
      ({ method, path }) => `${method} ${path}`,
    );
    expect(table).toEqual(expect.arrayContaining(Object.values(OPERATIONS).map(({ method, path }) => `${method} ${path}`)));
    const text = await readFile(CLIENT_FILE, 'utf8');
    for (const { path } of Object.values(OPERATIONS)) expect(text).toContain(`"${path}"`);
  });
});

it('the command that verifies runs alone in a folder, without packages beside it', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, basename(VERIFY_COMMAND_FILE));
  await cp(VERIFY_COMMAND_FILE, file);
  expect(execFileSync(process.execPath, [file, '--help'], { cwd: folder, encoding: 'utf8' })).toMatch(
    /^Usage: akg-verify\.mjs [\s\S]*node akg-verify\.mjs https:\/\/site\.example/,
  );
});
