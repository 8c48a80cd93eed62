import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GenerationManifest } from '../../src/schemas/knowledge/generation-manifest.ts';
import { PATHS } from '../../src/schemas/paths.ts';
import { renderMarkdown } from '../../src/site/markdown/render-markdown.ts';
import { neededEndTag } from '../../src/text/markdown/html-elements.ts';
import { serveBuiltFiles, serveLikeHost } from '../support/built-files.ts';
import { type EdgeGateway, startEdgeGateway, useSharedGateway } from '../support/edge-gateway.ts';
import { contentsBelow, filesBelow } from '../support/files-below.ts';
import { CANARY_SENTENCE, canariesIn, leaksOf, PLANTED, PREVIEW_SENTENCE, SOLD_HEADING } from '../support/paid-content.ts';
import { PUBLICATION, TEST_BASE_URL } from '../support/paths.ts';
import { readSample } from '../support/sample-content.ts';
import type { StaticServer } from '../support/static-server.ts';
import { words } from '../support/words.ts';
import { CHROMIUM, useBrowser } from './browser.ts';
import type { Piece } from './hostile/hostile-content.ts';
import { buildHostileSite, FORMER, type HostileSite, RENAMED, TAKEN_DOWN } from './hostile/hostile-site.ts';
import { SCRIPT_PAYLOADS } from './hostile/script-payloads.ts';

const HEADERS = [
  ...words`
    content-type cache-control content-security-policy x-content-type-options referrer-policy permissions-policy
    cross-origin-opener-policy cross-origin-resource-policy access-control-allow-origin
  `,
];

/** Elements that pages of this site are made of, besides those of text. */
const ELEMENTS = `
  html head body title meta link script header footer main nav article section aside div h1 h2 h3 h4 h5 h6 p a ul ol li dl
  dt dd pre code blockquote hr br wbr table caption colgroup col thead tbody tfoot tr th td span strong em b i del s small sup
  sub time abbr kbd cite q figure figcaption details summary template button input img svg g path text tspan rect circle
  line polyline polygon symbol use defs desc clippath mask ellipse marker lineargradient stop dfn mark bdi bdo u address ins
  math semantics mrow mi mn mo ms mtext mspace msub msup msubsup munder mover munderover mmultiscripts mprescripts mfrac msqrt
  mroot mstyle merror mpadded mphantom menclose mtable mtr mtd
`
  .trim()
  .split(/\s+/);
/** Attributes that lead somewhere, and those that load or run. */
const LEADING = ['href', 'xlink:href', 'src', 'action', 'cite', 'poster', 'data'];
const FORBIDDEN = ['style', 'srcdoc', 'srcset', 'ping', 'formaction', 'background', 'http-equiv', 'attributename', 'shadowrootmode'];

/** Elements of the engine's own controls outside of texts. */
const CONTROLS = ['fieldset', 'legend', 'label', 'form', 'select', 'option', 'textarea'];

/**
 * A script for a browser: what is in the page, as the browser parsed it, that no page of this site has. Templates are searched too. An empty list is a good page.
 */
const FIND_PAGE_FAULTS = `(() => {
  const elements = new Set(${JSON.stringify(ELEMENTS)}), leading = ${JSON.stringify(LEADING)}, forbidden = ${JSON.stringify(FORBIDDEN)};
  const faults = [];
  const look = (root) => {
    for (const element of root.querySelectorAll('*')) {
      const name = element.localName.toLowerCase();
      const report = (what) => faults.push(what + ' in ' + element.outerHTML.slice(0, 160));
      // The forms of these pages are those of the search, the cart and the contact page and, outside of texts, filters of capsules and what tries
      // an operation of the API.
      const action = (element.form ?? element.closest('form'))?.getAttribute('action');
      const isOwn = ${JSON.stringify([PATHS.search, PATHS.checkout, PATHS.contact])}.includes(action) || element.matches('.choose label, .shop-bar label');
      const isControl = element.closest('[data-filters], .samples > fieldset, form[data-trial]:not([action])') && !element.closest('.text');
      const isKnown = isControl ? ${JSON.stringify(CONTROLS)}.includes(name) : isOwn && ['form', 'label', 'output', 'textarea', 'noscript'].includes(name);
      if (!elements.has(name) && !isKnown) report('an element ' + name);
      if (name === 'input' && element.type !== 'checkbox' && !(isOwn && ['search', 'number', 'text', 'email'].includes(element.type)) && !(isControl && ['radio', 'text'].includes(element.type))) report('an input');
      if (name === 'script' && element.type === 'application/ld+json') {
        try { JSON.parse(element.textContent); } catch { report('data that is no JSON'); }
      } else if (name === 'script' && element.textContent.trim() !== '') report('an inline script');
      for (const { name: given, value } of element.attributes) {
        const attribute = given.toLowerCase();
        if (attribute.startsWith('on')) report('a handler ' + attribute);
        if (forbidden.includes(attribute)) report('an attribute ' + attribute);
        if (!/^[a-z][a-z0-9-]*(:[a-z]+)?$/.test(attribute)) report('an odd attribute ' + attribute);
        if (!leading.includes(attribute)) continue;
        const loads = ['script', 'img', 'use'].includes(name) || (name === 'link' && /stylesheet|icon|preload|modulepreload/.test(element.rel));
        const url = URL.canParse(value, document.baseURI) ? new URL(value, document.baseURI) : undefined;
        if (url === undefined || !['http:', 'https:', 'mailto:'].includes(url.protocol)) report('an address ' + value);
        else if (loads && url.origin !== location.origin) report('something loaded from ' + url.origin);
        else if (!loads && /(^|\\.)evil\\.example$/.test(url.hostname) && !/^https?:\\/\\//.test(value)) report('a way to ' + url.host);
      }
      if (element.content instanceof DocumentFragment) look(element.content);
    }
  };
  look(document);
  return faults;
})()`;

/** A script for a browser: sends every element the events by which handlers run. */
const TOUCH_EVERYTHING = `(() => {
  for (const element of document.querySelectorAll('main *'))
    for (const name of ['mouseover', 'pointerover', 'focus', 'error', 'load', 'toggle', 'animationstart']) element.dispatchEvent(new Event(name));
})()`;

interface Watched {
  readonly executed: string[];
  readonly violations: string[];
  readonly foreign: string[];
  readonly faults: string[];
  opened: number;
}

const NOTHING = { executed: [], violations: [], foreign: [], faults: [] };
let site: HostileSite;
beforeAll(async () => {
  site = await buildHostileSite();
});
afterAll(() => site?.remove());

async function soldBlocks(): Promise<string[]> {
  const read = (name: string) => readFile(join(site.root, '.akg', name), 'utf8');
  const [newest] = JSON.parse(await read('generations.json')) as string[];
  return (GenerationManifest.parse(JSON.parse(await read(`blocks/${newest}`))).blocks.texts ?? []).map(({ sha256 }) => sha256);
}

describe('a build with a paid capsule, where payments are on', () => {
  /** What the build left on disk, but for its sources and what it keeps of them for the next build, which is never deployed. */
  let files: ReadonlyMap<string, string>;
  beforeAll(async () => {
    files = await contentsBelow(site.root, (path) => !/^(content|src|public|\.akg\/kept)\//.test(path));
  });

  it('has its text in one block for KV, and no sentence of it in a page, file or module', async () => {
    const texts = (await soldBlocks()).map((sha256) => `.akg/blocks/${sha256}`);
    expect(texts.some((path) => files.get(path)?.includes(CANARY_SENTENCE))).toBe(true);
    const holding = [...files].filter(([, text]) => canariesIn(text).length > 0).map(([path]) => path);
    expect(holding.filter((path) => !texts.includes(path))).toEqual([]);
    expect([...files.keys()].filter((path) => canariesIn(path).length > 0)).toEqual([]);
    const text = await readFile(join(site.root, `content/capsules/${PLANTED}.md`), 'utf8');
    expect(leaksOf(text.slice(text.indexOf('\n---\n')), '', new Map([...files].filter(([path]) => !texts.includes(path))))).toEqual([]);
  });

  it('has a page for it that says what it costs, and links to nothing that is not there', () => {
    const page = files.get(`dist-files/capsules/${PLANTED}.html`) ?? '';
    expect(page).toContain('$0.05');
    expect(page).toContain(PREVIEW_SENTENCE);
    expect(page).toContain(SOLD_HEADING);
    expect(page).toContain('"isAccessibleForFree":false,"cssSelector":".paywall"');
    expect(page).toContain('class="paywall"');
    expect(page).toContain('Only agents can buy this text.');
    expect(page).toContain(`${TEST_BASE_URL}/api/v1/agent-gateway/capsule/${PLANTED}`);
    expect(page).not.toMatch(new RegExp(`/capsules/${PLANTED}(/[0-9.]+)?\\.md`));
    for (const [, anchor] of page.matchAll(/href="#([^"]+)"/g)) expect(page, anchor).toContain(`id="${anchor}"`);
    expect([...files.keys()].filter((path) => path.startsWith(`dist-files/capsules/${PLANTED}`)).sort()).toEqual(
      [`${PLANTED}.html`, `${PLANTED}/capsule.json`, `${PLANTED}/lineage.json`].map((name) => `dist-files/capsules/${name}`),
    );
  });

  it('lists it where capsules are listed', () => {
    for (const path of ['capsules.html', 'llms.txt', 'feed.xml', 'sitemap.xml', 'sitemap.md'])
      expect(files.get(`dist-files/${path}`), path).toContain(PLANTED);
    expect(site.lines.join('\n')).not.toContain('left out');
  });

  it.each(['dist', 'dist-static', '.akg/functions'])('and of the paid capsules of the project nothing is in %s', async (folder) => {
    // Payments are off in the one build; in the frontend-only one they are on, and nothing is paid.
    const { capsules } = await readSample();
    const paid = capsules.filter(({ frontMatter }) => frontMatter.access === 'paid');
    expect(paid.length).toBeGreaterThan(0);
    const built = await contentsBelow(join(PUBLICATION, folder));
    expect(built.size).toBeGreaterThan(0);
    for (const { id, markdown } of paid) {
      const [sentence = ''] = markdown.split('\n');
      expect([...built].filter(([, text]) => text.includes(id) || text.includes(sentence)).map(([path]) => path)).toEqual([]);
    }
  });
});

describe('capsules that functions serve', () => {
  /** Paths of the files that a build makes of capsules, and the host of them. */
  let paths: readonly string[] = [];
  let files: Awaited<ReturnType<typeof serveBuiltFiles>>;
  let gateway: EdgeGateway;
  const watch = new AbortController();

  beforeAll(async () => {
    const all = (await filesBelow(site.folder)).map((path) => `/${path.replace(/\.html$/, '')}`);
    paths = all.filter((path) => /^\/(capsules|subjects)(\/|$)/.test(path)).sort();
    files = await serveBuiltFiles(site.folder, watch.signal);
    gateway = await startEdgeGateway(await site.service());
  });
  afterAll(async () => {
    await gateway?.stop();
    watch.abort();
  });

  const isGone = (path: string): boolean => path === `/capsules/${TAKEN_DOWN}` || path.startsWith(`/capsules/${TAKEN_DOWN}/`);

  it('have the status, the headers and the bytes of the files that another build makes of them', async () => {
    expect(paths.length).toBeGreaterThan(90);
    const differing: string[] = [];
    for (const path of paths.filter((address) => !isGone(address))) {
      // The page of an earlier version, in whose place functions show its exact text.
      if (/\/\d+\.\d+\.\d+$/.test(path)) {
        expect((await gateway.fetch(path, { redirect: 'manual' })).headers.get('location')).toMatch(new RegExp(`${path}\\.md$`));
        continue;
      }
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

  it('give no block of what is sold to somebody who knows its digest, nor its text to somebody who knows that one', async () => {
    const text = await readFile(join(site.root, `content/capsules/${PLANTED}.md`), 'utf8');
    const digests = [...(await soldBlocks()), createHash('sha256').update(text).digest('hex')];
    const folders = ['/_blocks', '/b', '/texts', PATHS.media, PATHS.mirror, PATHS.searchBlocks, PATHS.data, `/capsules/${PLANTED}`];
    for (const path of digests.flatMap((digest) =>
      folders.flatMap((folder) => ['', '.md', '.json', '.ndjson'].map((end) => `${folder}/${digest}${end}`)),
    )) {
      const response = await gateway.fetch(path);
      expect([path, response.status < 400, canariesIn(await response.text())]).toEqual([path, false, []]);
    }
  });

  it('say which parameters a list at an address of its own does not take', async () => {
    const page = await (await gateway.fetch('/capsules/type/concept?color=red&utm_source=mail')).text();
    expect(page).toMatch(/<p class="empty"[^>]*>[^<]*color[^<]*<\/p>/);
    expect(page).not.toContain('utm_source');
  });

  it.each([
    ['/capsules/nothing', 404],
    ['/capsules/nothing.md', 404],
    ['/capsules/nothing/1.0.0.md', 404],
    ['/capsules/nothing/capsule.json', 404],
    ['/capsules/Nothing%20at%20all', 404],
    [`/capsules/${RENAMED}/9.9.9.md`, 404],
    [`/capsules/${PLANTED}/1.0.0.md`, 404],
  ])('answer at %s with %i: the page of the site for browsers, a problem for programs', async (path, status) => {
    const page = await gateway.fetch(path, { headers: { Accept: 'text/html' } });
    expect([page.status, page.headers.get('vary')]).toEqual([status, expect.stringContaining('Accept')]);
    expect(await page.text()).toBe(await (await files(new Request(`${TEST_BASE_URL}/no-such-page`))).text());
    const problem = await gateway.fetch(path, { headers: { Accept: 'application/json' } });
    expect([problem.status, problem.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
    expect(await problem.json()).toMatchObject({ code: 'capsule_not_found' });
  });

  it('sell a text at the address of its markdown', async () => {
    const response = await gateway.fetch(`/capsules/${PLANTED}.md`);
    expect([response.status, response.headers.has('payment-required')]).toEqual([402, true]);
    const body = await response.text();
    expect([body.includes(PREVIEW_SENTENCE), canariesIn(body)]).toEqual([true, []]);
    const json = await gateway.fetch(`/capsules/${PLANTED}/capsule.json`);
    const described = await json.text();
    expect([json.status, canariesIn(described)]).toEqual([200, []]);
    const refused = (await (await gateway.fetch(`/api/v1/agent-gateway/capsule/${PLANTED}`)).json()) as { preview: unknown };
    expect((JSON.parse(described) as { preview: unknown }).preview).toEqual(refused.preview);
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

describe.skipIf(CHROMIUM === undefined)('hostile content in a browser', () => {
  const { browser } = useBrowser();
  let server: StaticServer;
  let paths: string[] = [];

  beforeAll(async () => {
    server = await serveLikeHost(site.folder);
    paths = (await filesBelow(site.folder))
      .filter(
        (file) =>
          file.endsWith('.html') &&
          // Texts of the engine and of the sample are not hostile.
          (!/^(problems|docs)\//.test(file) || /(invalid_request|browseCapsules|quickstart|verifying)\.html$/.test(file)) &&
          (!file.startsWith('capsules/') || /^capsules\/(capsule-\d|type\/|tag\/)/.test(file) || file.includes(PLANTED)),
      )
      .map((file) => `/${file.replace(/(^|\/)index\.html$/, '$1').replace(/\.html$/, '')}`)
      .sort();
  });
  afterAll(() => server?.stop());

  async function open(addresses: readonly string[], options: BrowserContextOptions = {}): Promise<Watched> {
    const watched: Watched = { executed: [], violations: [], foreign: [], faults: [], opened: 0 };
    const context = await browser().newContext({ acceptDownloads: false, ...options });
    await context.exposeFunction('ran', () => watched.executed.push('ran()'));
    const page = await context.newPage();
    let address = '';
    let origin = '';
    page.on('dialog', (dialog) => {
      watched.executed.push(`${address}: a dialog`);
      void dialog.dismiss();
    });
    page.on('popup', (popup) => watched.foreign.push(`${address}: a window ${popup.url()}`));
    page.on('pageerror', (error) => watched.faults.push(`${address}: ${error.message}`));
    page.on('console', (message) => {
      if (page.url().endsWith('.xml')) return;
      if (/Content Security Policy|TrustedScript|TrustedHTML/i.test(message.text()))
        watched.violations.push(`${address}: ${message.text()}`);
    });
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== origin) watched.foreign.push(`${address}: ${request.url()}`);
    });
    for (const next of addresses) {
      address = next;
      origin = new URL(next).origin;
      await page.goto(address, { waitUntil: 'load' });
      const found = await page.evaluate<string[]>(FIND_PAGE_FAULTS);
      const isPage = await page.evaluate<boolean>("document.contentType === 'text/html'");
      if (isPage) watched.faults.push(...found.map((fault) => `${address}: ${fault}`));
      if (isPage && options.javaScriptEnabled !== false) await page.evaluate(TOUCH_EVERYTHING);
      // The address itself, however the browser writes it.
      if (page.url() !== new URL(address).href) watched.foreign.push(`${address}: led to ${page.url()}`);
      watched.opened += 1;
    }
    await context.close();
    return watched;
  }

  it('pushes payloads through every field, and the check of content refuses what is not text where house rules say so', () => {
    const published = site.pieces.filter(({ isRefused }) => !isRefused);
    const places = new Set(published.map(({ place }) => place));
    console.log(
      `hostile content: ${SCRIPT_PAYLOADS.length} payloads, ${site.pieces.length} cases, ${published.length} published in ${places.size} places, ${paths.length} pages`,
    );
    expect(SCRIPT_PAYLOADS.length).toBeGreaterThanOrEqual(100);
    expect(published.length).toBeGreaterThanOrEqual(300);
    for (const place of ['capsule title', 'capsule summary', 'capsule.sources title', 'offer name', 'offer.features', 'publisher name'])
      expect([...places]).toContain(place);
    const tag = /^<[a-z]+( [a-z]+(=[a-z0-9().:#]+)?)*>/;
    const script = /^(javascript|vbscript|data|blob|feed|file):/i;
    const isRaw = ({ place, payload }: Piece): boolean => place === 'text: a paragraph' && tag.test(payload);
    const leadsToScript = ({ place, payload }: Piece): boolean => place === "text: a link's address" && script.test(payload);
    // By default raw HTML is cleaned, and such a link is its text; what browsers then do is tested below.
    expect(published.filter(isRaw).length).toBeGreaterThan(10);
    expect(published.filter(leadsToScript).length).toBeGreaterThan(1);
    const allowed = site.ruledPieces.filter(({ isRefused }) => !isRefused);
    expect(allowed.length).toBeGreaterThanOrEqual(300);
    // A tag of an element that nothing ends is text.
    const isText = ({ payload }: Piece): boolean => !payload.includes('</') && neededEndTag(payload) !== undefined;
    expect(allowed.filter((piece) => (isRaw(piece) && !isText(piece)) || leadsToScript(piece)).map(({ payload }) => payload)).toEqual([]);
  });

  it('runs nothing, asks nobody and breaks no policy under the headers of the site, documents for machines included', async () => {
    const documents = [PATHS.feed, PATHS.sitemap, PATHS.llmsTxt, PATHS.offersJson, `${PATHS.data}/status.json`];
    const addresses = [...paths, ...documents].map((path) => server.origin + path);
    expect(await open(addresses)).toEqual({ ...NOTHING, opened: addresses.length });
  });

  it('runs nothing without the policy either, and leads nowhere without scripts', async () => {
    const ninth = (part: number): string[] => paths.filter((_, index) => index % 9 === part).map((path) => server.origin + path);
    const [bare, still] = await Promise.all([open(ninth(0), { bypassCSP: true }), open(ninth(4), { javaScriptEnabled: false })]);
    expect(bare).toEqual({ ...NOTHING, opened: ninth(0).length });
    expect(still).toEqual({ ...NOTHING, opened: ninth(4).length });
  });

  it('renders safely even what nobody checked', async () => {
    const context = await browser().newContext();
    const page = await context.newPage();
    let executed = 0;
    await page.exposeFunction('ran', () => (executed += 1));
    const texts = site.ruledPieces.filter(({ place }) => place.startsWith('text: '));
    expect(texts.filter(({ isRefused }) => isRefused).length).toBeGreaterThan(300);
    const rendered = await Promise.all(texts.map(({ hostile }) => renderMarkdown(hostile)));
    const body = `<!doctype html><main>${rendered.map(({ html }) => html).join('\n')}</main>`;
    await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body }));
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${server.origin}/unchecked`);
    await page.evaluate(TOUCH_EVERYTHING);
    const faults = await page.evaluate<string[]>(FIND_PAGE_FAULTS);
    expect({ executed, faults, asked }).toEqual({ executed: 0, faults: [], asked: [`${server.origin}/unchecked`] });
    await context.close();
  });

  it('takes nothing from the address of a page, and answers for a missing one with its own', async () => {
    const pages = [PATHS.status, PATHS.capsules, PATHS.buy, PATHS.problems, PATHS.home];
    const strange = SCRIPT_PAYLOADS.filter((_, index) => index % 40 === 0).flatMap((payload, index) => {
      const text = encodeURIComponent(payload);
      return [`${pages[index % pages.length]}?q=${text}&${text}=1#${text}`, `/missing/${text}`];
    });
    expect(await open(strange.map((path) => server.origin + path))).toEqual({ ...NOTHING, opened: strange.length });
  });

  describe('answers of the API', () => {
    const shared = useSharedGateway({ files: 'built' });

    it('are no pages, whatever a stranger sends', async () => {
      const addresses = SCRIPT_PAYLOADS.filter((_, index) => index % 40 === 20).flatMap((payload) => {
        const text = encodeURIComponent(payload);
        return [
          `/api/v1/agent-gateway/capsule/${text}`,
          `/api/v1/capsules/public/browse?tag=${text}&${text}=1`,
          `/api/v1/${text}`,
          `/buy/${text}?go&utm_source=${text}`,
        ];
      });
      expect(await open(addresses.map((path) => shared.origin() + path))).toEqual({ ...NOTHING, opened: addresses.length });
    });
  });
});
