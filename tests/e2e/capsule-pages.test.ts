import { cp, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEDGER_FILE } from '../../src/publication/read/ledger.ts';
import { serveBuiltFiles } from '../support/built-files.ts';
import { makeBuiltPublication } from '../support/built-publication.ts';
import { type EdgeGateway, startEdgeGateway } from '../support/edge-gateway.ts';
import { PLANTED, plantPaidCapsule } from '../support/paid-content.ts';
import { PUBLICATION, TEST_BASE_URL } from '../support/paths.ts';
import { writeHostileContent } from './hostile/hostile-site.ts';

/** Headers that say how browsers and caches treat a response. */
const HEADERS = [
  'content-type',
  'cache-control',
  'content-security-policy',
  'x-content-type-options',
  'referrer-policy',
  'permissions-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'access-control-allow-origin',
];

const TAKEN_DOWN = 'left-pad';
const FORMER = 'freshness-of-answers';
const RENAMED = 'http-freshness';

type Files = Awaited<ReturnType<typeof serveBuiltFiles>>;

describe('capsules that functions serve', () => {
  let remove = async (): Promise<void> => undefined;
  /** Paths of the files that a build makes of capsules, and the host of them. */
  let paths: readonly string[] = [];
  let files: Files;
  let gateway: EdgeGateway;
  const watch = new AbortController();

  beforeAll(async () => {
    const publication = await makeBuiltPublication('capsules');
    const { root, build } = publication;
    remove = publication.remove;
    await cp(join(PUBLICATION, 'content/capsules'), join(root, 'content/capsules'), { recursive: true });
    for (const name of ['components', 'theme.css']) await cp(join(PUBLICATION, name), join(root, name), { recursive: true });
    await writeHostileContent(root);
    await plantPaidCapsule(root, { withPayments: true, derivedFrom: 'capsule-0', cites: RENAMED });
    const renamed = join(root, 'content/capsules', `${RENAMED}.md`);
    await writeFile(renamed, (await readFile(renamed, 'utf8')).replace('---\n', `---\nformerly: [${FORMER}]\n`));
    const takeDown = { capsule: TAKEN_DOWN, taken_down: '2026-11-20', reason: 'Its author asked for it.', legal: false };
    await writeFile(join(root, LEDGER_FILE), `${JSON.stringify(takeDown)}\n`);
    await build('edge', { capsulePages: 'files' });
    const filesFolder = join(root, 'dist-files');
    await rename(join(root, 'dist'), filesFolder);
    const filesBelow = async (folder: string): Promise<string[]> =>
      (await readdir(join(filesFolder, folder), { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map((entry) => `/${relative(filesFolder, join(entry.parentPath, entry.name)).replace(/\.html$/, '')}`);
    paths = ['/capsules', '/subjects', ...(await filesBelow('capsules')), ...(await filesBelow('subjects'))].sort();
    files = await serveBuiltFiles(filesFolder, watch.signal);
    await build('edge', { capsulePages: 'edge' });
    gateway = await startEdgeGateway(await publication.service());
  });
  afterAll(async () => {
    await gateway?.stop();
    watch.abort();
    await remove();
  });

  const isGone = (path: string): boolean => path === `/capsules/${TAKEN_DOWN}` || path.startsWith(`/capsules/${TAKEN_DOWN}/`);

  it('have the status, the headers and the bytes of the files that another build makes of them', async () => {
    expect(paths.length).toBeGreaterThan(380);
    const differing: string[] = [];
    for (const path of paths.filter((address) => !isGone(address))) {
      const file = await files(new Request(TEST_BASE_URL + path));
      const response = await gateway.fetch(path);
      const shown = [response.status, ...HEADERS.map((name) => response.headers.get(name)), withoutFilters(await response.text())];
      const expected = [file.status, ...HEADERS.map((name) => file.headers.get(name)), await file.text()];
      const at = expected.findIndex((value, index) => value !== shown[index]);
      if (at >= 0) differing.push(`${path} ${['status', ...HEADERS, 'bytes'][at]}: ${String(shown[at]).slice(0, 200)}`);
    }
    expect(differing).toEqual([]);
  });

  it('have filters that are a tool for an agent in the browser', async () => {
    const page = await (await gateway.fetch('/capsules/type/concept')).text();
    expect(page).toMatch(/<form action="\/capsules" method="get" toolname="filter_capsules" tooldescription="[^"]+" toolautosubmit/);
    expect(page).toMatch(/<input id="filter-tag"[^>]* toolparamdescription="[^"]+"/);
  });

  it('say which parameters a list at an address of its own does not take', async () => {
    const page = await (await gateway.fetch('/capsules/type/concept?color=red&utm_source=mail')).text();
    expect(page).toMatch(/<p class="empty"[^>]*>[^<]*color[^<]*<\/p>/);
    expect(page).not.toContain('utm_source');
  });

  it('are the same again from the cache of the location', async () => {
    for (const path of [`/capsules/${RENAMED}`, `/capsules/${RENAMED}.md`]) {
      const [first, second] = [await gateway.fetch(path), await gateway.fetch(path)];
      expect(await second.text()).toBe(await first.text());
      expect(second.headers.get('etag')).toMatch(/^"[^"]+"$/);
      expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
    }
  });

  it('are revalidated by their entity tag, and have a head', async () => {
    const path = `/capsules/${RENAMED}`;
    const etag = (await gateway.fetch(path)).headers.get('etag') ?? '';
    const unchanged = await gateway.fetch(path, { headers: { 'If-None-Match': etag } });
    expect([unchanged.status, await unchanged.text(), unchanged.headers.get('etag')]).toEqual([304, '', etag]);
    const head = await gateway.fetch(path, { method: 'HEAD' });
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, etag, '']);
  });

  it.each([
    ['/capsules/nothing', 404],
    ['/capsules/nothing.md', 404],
    ['/capsules/nothing/1.0.0.md', 404],
    ['/capsules/nothing/capsule.json', 404],
    ['/capsules/Nothing%20at%20all', 404],
    [`/capsules/${RENAMED}/9.9.9.md`, 404],
    [`/capsules/${PLANTED}.md`, 404],
    [`/capsules/${PLANTED}/1.0.0.md`, 404],
  ])('answer at %s with %i: the page of the site for browsers, a problem for programs', async (path, status) => {
    const page = await gateway.fetch(path, { headers: { Accept: 'text/html' } });
    expect([page.status, page.headers.get('vary')]).toEqual([status, expect.stringContaining('Accept')]);
    expect(await page.text()).toBe(await (await files(new Request(`${TEST_BASE_URL}/no-such-page`))).text());
    const problem = await gateway.fetch(path, { headers: { Accept: 'application/json' } });
    expect([problem.status, problem.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
    expect(await problem.json()).toMatchObject({ code: 'capsule_not_found' });
  });

  it.each([
    [`/capsules/${RENAMED}.html`, `/capsules/${RENAMED}`],
    [`/capsules/${RENAMED}/?a=b`, `/capsules/${RENAMED}?a=b`],
    [`/capsules/${FORMER}`, `/capsules/${RENAMED}`],
    [`/capsules/${FORMER}.md`, `/capsules/${RENAMED}.md`],
    [`/capsules/${FORMER}/1.0.0.md`, `/capsules/${RENAMED}/1.0.0.md`],
  ])('%s leads to %s', async (from, to) => {
    const response = await gateway.fetch(from);
    expect([response.status, response.headers.get('location')]).toEqual([308, to]);
  });

  it('stay gone when they were taken down, with their tombstone', async () => {
    const page = await gateway.fetch(`/capsules/${TAKEN_DOWN}`, { headers: { Accept: 'text/html' } });
    expect(page.status).toBe(410);
    expect(await page.text()).toBe(await (await files(new Request(`${TEST_BASE_URL}/capsules/${TAKEN_DOWN}`))).text());
    expect((await gateway.fetch(`/capsules/${TAKEN_DOWN}.md`)).status).toBe(410);
    const lineage = `/capsules/${TAKEN_DOWN}/lineage.json`;
    expect(await (await gateway.fetch(lineage)).text()).toBe(await (await files(new Request(TEST_BASE_URL + lineage))).text());
  });
});

/** A page without the form with filters, which only functions answer. */
function withoutFilters(html: string): string {
  return html.replace(/ *<details class="filters"[\s\S]*?<\/details> */, '');
}
