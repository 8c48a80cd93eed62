import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GenerationManifest } from '../../src/schemas/knowledge/generation.ts';
import { PATHS } from '../../src/schemas/paths.ts';
import { renderMarkdown } from '../../src/site/markdown/render-markdown.ts';
import { neededEndTag } from '../../src/text/markdown/html-elements.ts';
import { serveBuiltFiles, serveLikeHost } from '../support/built-files.ts';
import { type EdgeGateway, startEdgeGateway } from '../support/edge-gateway.ts';
import { CANARY_SENTENCE, canariesIn, PLANTED } from '../support/paid-content.ts';
import { PUBLICATION, TEST_BASE_URL } from '../support/paths.ts';
import { readSample } from '../support/sample-content.ts';
import type { StaticServer } from '../support/static-server.ts';
import { CHROMIUM, launchBrowser } from './browser.ts';
import type { Piece } from './hostile/hostile-content.ts';
import { buildHostileSite, type HostileSite } from './hostile/hostile-site.ts';
import { SCRIPT_PAYLOADS } from './hostile/script-payloads.ts';

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
      // The only form of these pages is that of the search.
      const isOfSearch = element.closest('form')?.getAttribute('action') === ${JSON.stringify(PATHS.search)};
      if (!elements.has(name) && !(isOfSearch && ['form', 'label'].includes(name))) report('an element ' + name);
      if (name === 'input' && element.type !== 'checkbox' && !(isOfSearch && element.type === 'search')) report('an input');
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

/** What a browser did that it must not do, over all pages that were opened. */
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

describe('a build with a paid capsule, where payments are on', () => {
  /** What the build left on disk, but for its sources and what it keeps of them for the next build, which is never deployed. */
  let files: ReadonlyMap<string, string>;
  beforeAll(async () => {
    const all = await filesBelow(site.root);
    files = new Map([...all].filter(([path]) => !/^(content|src|public|\.akg\/kept)\//.test(path)));
  });

  it('has its text in one block for KV, and in no page, file or module', () => {
    const generations = JSON.parse(files.get('.akg/generations.json') ?? '[]') as string[];
    const manifest = GenerationManifest.parse(JSON.parse(files.get(`.akg/blocks/${generations[0]}`) ?? ''));
    const texts = (manifest.blocks.texts ?? []).map(({ sha256 }) => `.akg/blocks/${sha256}`);
    expect(texts.some((path) => files.get(path)?.includes(CANARY_SENTENCE))).toBe(true);
    const holding = [...files].filter(([, text]) => canariesIn(text).length > 0).map(([path]) => path);
    expect(holding.filter((path) => !texts.includes(path))).toEqual([]);
  });

  it('has a page for it that says what it costs, and links to nothing that is not there', () => {
    const page = files.get(`dist/capsules/${PLANTED}.html`) ?? '';
    expect(page).toContain('0.05 USD');
    expect(page).toContain(`${TEST_BASE_URL}/api/v1/agent-gateway/capsule/${PLANTED}`);
    expect(page).not.toMatch(new RegExp(`/capsules/${PLANTED}(/[0-9.]+)?\\.md`));
    for (const [, anchor] of page.matchAll(/href="#([^"]+)"/g)) expect(page, anchor).toContain(`id="${anchor}"`);
    expect([...files.keys()].filter((path) => path.startsWith(`dist/capsules/${PLANTED}`)).sort()).toEqual(
      [`${PLANTED}.html`, `${PLANTED}/capsule.json`, `${PLANTED}/lineage.json`].map((name) => `dist/capsules/${name}`),
    );
  });

  it('lists it where capsules are listed', () => {
    for (const path of ['capsules.html', 'llms.txt', 'feed.xml', 'sitemap.xml', 'sitemap.md'])
      expect(files.get(`dist/${path}`), path).toContain(PLANTED);
    expect(site.lines.join('\n')).not.toContain('left out');
  });

  it.each(['dist', 'dist-static', '.akg/functions'])('and of the paid capsules of the project nothing is in %s', async (folder) => {
    // Payments are off in the one build; in the frontend-only one they are on, and nothing is paid.
    const { capsules } = await readSample();
    const paid = capsules.filter(({ frontMatter }) => frontMatter.access === 'paid');
    expect(paid.length).toBeGreaterThan(0);
    const built = await filesBelow(join(PUBLICATION, folder));
    expect(built.size).toBeGreaterThan(0);
    for (const { id, markdown } of paid) {
      const [sentence = ''] = markdown.split('\n');
      expect([...built].filter(([, text]) => text.includes(id) || text.includes(sentence)).map(([path]) => path)).toEqual([]);
    }
  });
});

/** Texts of all files below a folder, by their paths in it; packages that are linked in are not read. */
async function filesBelow(folder: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files.set(relative(folder, path), await readFile(path, 'latin1'));
  }
  return files;
}

describe.skipIf(CHROMIUM === undefined)('hostile content in a browser', () => {
  let browser: Browser;
  let server: StaticServer;
  let paths: string[] = [];

  beforeAll(async () => {
    server = await serveLikeHost(site.folder);
    const files = await readdir(site.folder, { recursive: true });
    paths = files
      .filter(
        (file) => file.endsWith('.html') && (!/^(problems|docs\/api)\//.test(file) || /(invalid_request|browseCapsules)\.html$/.test(file)),
      )
      .map((file) => `/${file.replace(/(^|\/)index\.html$/, '$1').replace(/\.html$/, '')}`)
      .sort();
    browser = await launchBrowser(['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1']);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  /** Opens addresses one after the other in a few pages side by side, and tells what happened. */
  async function open(addresses: readonly string[], options: BrowserContextOptions = {}): Promise<Watched> {
    const watched: Watched = { executed: [], violations: [], foreign: [], faults: [], opened: 0 };
    const context = await browser.newContext({ acceptDownloads: false, ...options });
    await context.exposeFunction('ran', () => watched.executed.push('ran()'));
    const waiting = [...addresses];
    const reader = async (): Promise<void> => {
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
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
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
    };
    await Promise.all([reader(), reader(), reader()]);
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
    const sixth = (part: number): string[] => paths.filter((_, index) => index % 6 === part).map((path) => server.origin + path);
    const [bare, still] = await Promise.all([open(sixth(0), { bypassCSP: true }), open(sixth(3), { javaScriptEnabled: false })]);
    expect(bare).toEqual({ ...NOTHING, opened: sixth(0).length });
    expect(still).toEqual({ ...NOTHING, opened: sixth(3).length });
  });

  it('renders safely even what nobody checked', async () => {
    const context = await browser.newContext();
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
    const strange = SCRIPT_PAYLOADS.filter((_, index) => index % 20 === 0).flatMap((payload, index) => {
      const text = encodeURIComponent(payload);
      return [`${pages[index % pages.length]}?q=${text}&${text}=1#${text}`, `/missing/${text}`];
    });
    const seen = await open(strange.map((path) => server.origin + path));
    expect(seen).toEqual({ ...NOTHING, opened: strange.length });
  });

  describe('answers of the API', () => {
    let gateway: EdgeGateway;
    beforeAll(async () => {
      gateway = await startEdgeGateway({ files: await serveBuiltFiles() });
    });
    afterAll(() => gateway?.stop());

    it('are no pages, whatever a stranger sends', async () => {
      const { origin } = await gateway.miniflare.ready;
      const addresses = SCRIPT_PAYLOADS.filter((_, index) => index % 20 === 0).flatMap((payload) => {
        const text = encodeURIComponent(payload);
        return [
          `/api/v1/agent-gateway/capsule/${text}`,
          `/api/v1/capsules/public/browse?tag=${text}&${text}=1`,
          `/api/v1/${text}`,
          `/buy/${text}?go&utm_source=${text}`,
        ];
      });
      const seen = await open(addresses.map((path) => origin + path));
      expect(seen).toEqual({ ...NOTHING, opened: addresses.length });
    });
  });
});
