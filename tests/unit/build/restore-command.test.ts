import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { versionsOf } from '../../../src/build/check-published-versions.ts';
import { changesFile } from '../../../src/documents/capabilities-and-catalog.ts';
import { EMPTY_LEDGER, extendLedger, type PublishedLedger, readLedger } from '../../../src/publication/read/version-ledger.ts';
import type { ChangesResponse } from '../../../src/schemas/knowledge/corpus-responses.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { close, listen } from '../../support/listen.ts';
import { PUBLICATION } from '../../support/paths.ts';
import { type CommandOutcome, callAkg } from '../../support/run-akg.ts';
import { makePublication } from '../../support/sample-content.ts';
import { sampleContent, withCapsules } from '../../support/signed-site.ts';
import { sharedFolder } from '../publication/content-world.ts';

const folder = sharedFolder();
let server: Server;
let baseUrl: string;
let answer: string | undefined;
let answers: ReadonlyMap<string, string> | undefined;
const changesPath = (cursor: string): string => `/api/v1/capsules/public/changes?limit=${LIMITS.changesLimitMax}&cursor=${cursor}`;

beforeAll(async () => {
  for (const name of ['content', 'wrangler.toml']) await cp(join(PUBLICATION, name), join(folder, name), { recursive: true });
  server = createServer((request, response) => {
    const body = answers === undefined ? answer : answers.get(request.url ?? '');
    response.statusCode = body === undefined ? 404 : 200;
    response.end(body);
  });
  baseUrl = await listen(server);
});

afterAll(() => close(server));

const restore = (...args: string[]): Promise<CommandOutcome> => callAkg(['restore', ...args], folder, { BASE_URL: baseUrl });
const published = (): Promise<string | undefined> => readFile(join(folder, '.akg/published.json'), 'utf8').catch(() => undefined);

describe('npm run restore:kv', () => {
  it('restores the change log of a frontend-only site, and rejects an inconsistent one', async () => {
    const content = withCapsules(await sampleContent(), ['bm25', 'bm25f', 'ucp-permalink']);
    const { publication, log } = await makePublication(content, { mode: 'static' });
    const file: ChangesResponse = changesFile(publication);
    answer = JSON.stringify({
      ...file,
      changes: file.changes.map((change, at) => (at === 1 ? { ...change, date: '2026-01-01' } : change)),
    });
    const refused = await restore('--static');
    expect([refused.exit, refused.output]).toEqual([1, expect.stringContaining('does not follow from the events before it')]);
    expect(await published()).toBeUndefined();
    answer = JSON.stringify(file);
    expect(await restore('--static')).toMatchObject({
      exit: 0,
      output: `Restored ${log.length} events of the change log; the next build continues it. content/published.jsonl lists what they published; commit it.\n`,
    });
    expect(JSON.parse((await published()) ?? '')).toEqual({ log });
    const { ledger, problems } = await readLedger(folder);
    expect(problems).toEqual([]);
    const expected = extendLedger(EMPTY_LEDGER, await versionsOf(content));
    const digests = ({ versions }: PublishedLedger): unknown =>
      [...versions.values()].flat().map(({ capsule, version, record, text, updated }) => ({ capsule, version, record, text, updated }));
    expect(digests(ledger)).toEqual(digests(expected));
  });

  it('asks the API of a site with functions, page by page, and records the offers of its catalog', async () => {
    const content = withCapsules(await sampleContent(), ['bm25', 'bm25f', 'ucp-permalink']);
    const { publication, log } = await makePublication(content, { mode: 'static' });
    const { changes, ...rest } = changesFile(publication);
    const secondPage = `2.${log[1]?.digest.slice('sha256:'.length)}`;
    answers = new Map([
      ['/offers.json', JSON.stringify({ offers: [{ id: 'site-review' }] })],
      [changesPath('0'), JSON.stringify({ ...rest, changes: changes.slice(0, 2), cursor: secondPage, has_more: true })],
      [changesPath(secondPage), JSON.stringify({ ...rest, changes: changes.slice(2), has_more: false })],
    ]);
    expect(await restore('--site')).toMatchObject({ exit: 0 });
    expect(JSON.parse((await published()) ?? '')).toEqual({ log });
    expect([...(await readLedger(folder)).ledger.offers.keys()]).toEqual(['site-review']);
  });

  it('changes nothing when the site has no log', async () => {
    await mkdir(join(folder, '.akg'), { recursive: true });
    await writeFile(join(folder, '.akg/published.json'), '{"log":[]}');
    answer = undefined;
    answers = undefined;
    const { exit, output } = await restore('--static');
    expect([exit, output]).toEqual([1, expect.stringContaining('did not respond with a change log')]);
    expect(await published()).toBe('{"log":[]}');
  });

  it('restores nothing from an empty namespace', async () => {
    await rm(join(folder, '.akg'), { recursive: true, force: true });
    const { exit, output } = await restore('--local');
    expect([exit, output]).toEqual([0, 'Nothing to restore: no generation has been published.\n']);
    expect(await published()).toBeUndefined();
  });
});
