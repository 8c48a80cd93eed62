import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { restoreLogOfSite } from '../../../src/build/publishing/restore.ts';
import { reportVerification } from '../../../src/cli/commands/verify.ts';
import { verifySite } from '../../../src/cli/verify/verify-site.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { type SignedSite, sampleContent, TODAY, withCapsules, writeSite } from '../../support/signed-site.ts';
import { type StaticServer, serveFolder, servePlainly } from '../../support/static-server.ts';

let site: SignedSite;
let server: StaticServer;

beforeAll(async () => {
  site = await writeSite(withCapsules(await sampleContent(), ['http-freshness', 'bm25']), undefined, TODAY);
  server = await serveFolder(site.folder);
});
afterAll(async () => {
  await server.stop();
  await site.remove();
});

const SETTINGS = { now: `${TODAY}T12:00:00Z`, key: undefined, sampleMax: Infinity };

it('compares the files of a frontend-only site, and names missing ones', async () => {
  const { verdict, unread, omitted } = await verifySite(server.origin, SETTINGS);
  expect([verdict.exit, unread]).toEqual([0, []]);
  const { detail = '' } = verdict.checks.find(({ check }) => check === 'api') ?? {};
  for (const name of ['capabilities', 'status', 'browse', 'changes']) expect(detail).toContain(`${PATHS.data}/${name}.json`);
  expect(omitted).toEqual([expect.stringContaining('there is no API')]);
});

it('verifies a site below a path, and its documents, by their addresses', async () => {
  // The home page, to which a server leads from the address without a slash.
  await writeFile(join(site.folder, 'index.html'), '<!doctype html>');
  const below = await servePlainly(site.folder, '/notes/v1');
  const address = `${below.origin}/notes/v1`;
  const exitOf = async (target: string): Promise<number> => (await reportVerification(target, {})).exit;
  expect((await verifySite(address, SETTINGS)).verdict.exit).toBe(0);
  const part = (await readdir(join(site.folder, PATHS.mirror))).find((name) => name.endsWith('.ndjson'));
  for (const path of [
    '',
    '/',
    '/capsules/bm25/lineage.json',
    '/capsules/bm25/capsule.json',
    PATHS.mirrorManifest,
    `${PATHS.mirror}/${part}`,
  ])
    expect([path, await exitOf(address + path)]).toEqual([path, 0]);
  // Another site than that of the document has nothing to do with it.
  expect(await exitOf(`${below.origin}/notes`)).toBe(3);
  await below.stop();
});

it.each(['capabilities', 'status', 'browse', 'changes'])('finds the file %s of another corpus', async (name) => {
  const file = join(site.folder, PATHS.data, `${name}.json`);
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/"(corpus_digest|content_sha256)":"[0-9a-f]{64}"/, `"$1":"${'0'.repeat(64)}"`));
  const { verdict } = await verifySite(server.origin, SETTINGS);
  await writeFile(file, text);
  expect(verdict.exit).toBe(1);
  expect(verdict.checks.filter(({ ok }) => !ok)).toEqual([
    { check: 'api', ok: false, detail: expect.stringContaining(`${name}.json`) as string },
  ]);
});

it('restores the change log only from unambiguous JSON', async () => {
  const file = join(site.folder, PATHS.data, 'changes.json');
  const text = await readFile(file, 'utf8');
  expect(await restoreLogOfSite(server.origin)).toHaveLength((JSON.parse(text) as { total: number }).total);
  await writeFile(file, text.replace('{', '{"changes":[],'));
  await expect(restoreLogOfSite(server.origin)).rejects.toThrow('did not respond with a change log');
  await writeFile(file, text);
});
