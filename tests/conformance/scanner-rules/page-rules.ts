import { AI_CRAWLERS, everyPage, everyTwin, isJson, isServed, type ScannerRule, structuredData, type UnmetRule } from './rule.ts';

const FAILING: Readonly<Record<string, string>> = {};

/** Rules of pages that agent-ready.dev (P) and a14y share, by the numbers of agent-ready.dev. */
const PAGES: readonly (readonly [rule: string, check: ScannerRule['check']])[] = [
  ['P1 pages answer 200', (visitor) => everyPage(visitor, ({ status }) => status === 200)],
  [
    'P3 pages are HTML in UTF-8',
    (visitor) => everyPage(visitor, ({ headers }) => /^text\/html; charset=utf-8$/i.test(headers.get('content-type') ?? '')),
  ],
  [
    'P4 no noindex and noai',
    (visitor) =>
      everyPage(
        visitor,
        ({ text, headers }) => !/noindex|noai/.test(`${/<meta name="robots"[^>]*>/.exec(text)?.[0]}${headers.get('x-robots-tag')}`),
      ),
  ],
  ['P5 a canonical address', (visitor) => everyPage(visitor, ({ text }) => /<link rel="canonical" href="http/.test(text))],
  [
    'P6 a description of at least 50 characters',
    (visitor) => everyPage(visitor, ({ text }) => (/<meta name="description" content="([^"]*)"/.exec(text)?.[1]?.length ?? 0) >= 50),
  ],
  ['P7 og:title', (visitor) => everyPage(visitor, ({ text }) => text.includes('property="og:title"'))],
  ['P8 og:description', (visitor) => everyPage(visitor, ({ text }) => text.includes('property="og:description"'))],
  ['P9 a language', (visitor) => everyPage(visitor, ({ text }) => /<html[^>]* lang="[a-z-]+"/i.test(text))],
  ['P10 structured data', (visitor) => everyPage(visitor, (page) => structuredData(page).length > 0)],
  [
    'P11 BreadcrumbList below the home page',
    (visitor) => everyPage(visitor, (page, path) => path === '/' || structuredData(page).some((json) => json.includes('BreadcrumbList'))),
  ],
  [
    'P15 a twin in markdown',
    (visitor) => everyTwin(visitor, ({ headers }) => (headers.get('content-type') ?? '').startsWith('text/markdown')),
  ],
  [
    'P16 front matter with title, description and last_updated',
    (visitor) =>
      everyTwin(visitor, ({ text }) =>
        ['title:', 'description:', 'last_updated:'].every((member) => (/^---\n([\s\S]*?)\n---/.exec(text)?.[1] ?? '').includes(member)),
      ),
  ],
  [
    'P17 rel="alternate" to the markdown',
    (visitor) => everyPage(visitor, ({ text }) => /<link rel="alternate" type="text\/markdown"/.test(text)),
  ],
  [
    'P18 Link rel="canonical" on the markdown',
    (visitor) => everyTwin(visitor, ({ headers }) => /rel="?canonical/.test(headers.get('link') ?? '')),
  ],
  ['P19 markdown for those who accept it', (visitor) => isNegotiated(visitor, '/docs')],
  [
    'P21 language of every block of code',
    (visitor) =>
      everyTwin(visitor, ({ text }) => (text.match(/^```.*$/gm) ?? []).every((fence, index) => index % 2 === 1 || fence.length > 3)),
  ],
  [
    'P22 the reference of the API links to the description',
    async (visitor) => (await visitor.ask('/docs/api')).text.includes('/openapi.json'),
  ],
  ['P23 pages have their words without scripts', (visitor) => everyPage(visitor, ({ text }) => wordsOf(text).length >= 50)],
];

export const PAGE_RULES: readonly ScannerRule[] = PAGES.map(([rule, check]) => ({
  scanner: 'agent-ready.dev, a14y',
  rule,
  check,
  ...failing(rule),
}));

/** Rules of whole sites: agent-ready.dev (S, L), a14y, ora and agentgrade.com. */
const SITES: readonly (readonly [scanner: string, rule: string, check: ScannerRule['check']])[] = [
  ['agent-ready.dev', 'S1 llms.txt as text', (visitor) => isServed(visitor, '/llms.txt', 'text/plain')],
  [
    'agent-ready.dev',
    'S8 sitemap.xml with a date of every address',
    async (visitor) => {
      const { text } = await visitor.ask('/sitemap.xml');
      return (text.match(/<loc>/g) ?? []).length === (text.match(/<lastmod>/g) ?? []).length && text.includes('<loc>');
    },
  ],
  [
    'agent-ready.dev',
    'S10 sitemap.md with headings and links',
    async (visitor) => {
      const { status, text } = await visitor.ask('/sitemap.md');
      return status === 200 && /^## /m.test(text) && /\]\(http/.test(text);
    },
  ],
  [
    'agent-ready.dev',
    'S12 AGENTS.md with its sections',
    async (visitor) => {
      const { status, text } = await visitor.ask('/AGENTS.md');
      return (
        status === 200 &&
        ['installation', 'configuration', 'usage'].filter((section) => new RegExp(`^#+ .*${section}`, 'im').test(text)).length >= 2
      );
    },
  ],
  [
    'agent-ready.dev',
    'S15 /openapi.json',
    (visitor) => isJson(visitor, '/openapi.json', ({ openapi }) => String(openapi).startsWith('3.')),
  ],
  [
    'agent-ready.dev',
    'L2 llms.txt begins with its title and a summary',
    async (visitor) => /^# .+\n\n> .+/.test((await visitor.ask('/llms.txt')).text),
  ],
  [
    'agent-ready.dev',
    'L5 llms.txt lists links below headings',
    async (visitor) => /^## .+\n\n- \[.+\]\(http/m.test((await visitor.ask('/llms.txt')).text),
  ],
  [
    'agent-ready.dev',
    'L7 links of llms.txt answer',
    async (visitor) => {
      const paths = new Set(
        [...(await visitor.ask('/llms.txt')).text.matchAll(/\]\((http[^)]+)\)/g)].map(([, address = '']) => visitor.pathOf(address)),
      );
      let found = 0;
      for (const path of paths) if (path === undefined || (await visitor.ask(path)).status === 200) found += 1;
      return found > 10 && found === paths.size;
    },
  ],
  ['agent-ready.dev', 'L10 llms-full.txt', (visitor) => isServed(visitor, '/llms-full.txt', 'text/plain')],
  [
    'a14y',
    'robots.txt lets crawlers of AI in',
    async (visitor) => {
      const { text } = await visitor.ask('/robots.txt');
      return (
        !AI_CRAWLERS.some((name) => new RegExp(`user-agent: ${name}\\s+disallow: /\\s`, 'i').test(text)) &&
        !/user-agent: \*\s+disallow: \/\s/i.test(text)
      );
    },
  ],
  [
    'a14y',
    'llms.txt links to markdown only',
    async (visitor) =>
      [...(await visitor.ask('/llms.txt')).text.matchAll(/^- \[[^\]]*\]\((http[^)]+)\)/gm)].every(([, address = '']) =>
        /\.(md|txt)$/.test(address),
      ),
  ],
  [
    'ora',
    'a missing page is 404 and names the ways back',
    async (visitor) => {
      const { status, text } = await visitor.ask('/no-such-page');
      return status === 404 && /sitemap|llms\.txt|\/docs/.test(text);
    },
  ],
  [
    'ora',
    'agents of AI get every page',
    async (visitor) => {
      const asked = await Promise.all(AI_CRAWLERS.map((name) => visitor.ask('/', { headers: { 'User-Agent': `${name}/1.0` } })));
      return asked.every(({ status }) => status === 200);
    },
  ],
  [
    'ora',
    'markdown differs by Accept, and says so',
    async (visitor) => /accept/i.test((await visitor.ask('/', { headers: { Accept: 'text/markdown' } })).headers.get('vary') ?? ''),
  ],
  [
    'ora',
    'Organization with a name and a description',
    async (visitor) => structuredData(await visitor.ask('/')).some((json) => /"Organization"/.test(json) && /"description"/.test(json)),
  ],
  ['ora', 'llms.txt says when to use the site', async (visitor) => /^## When to use/im.test((await visitor.ask('/llms.txt')).text)],
  [
    'ora',
    'about, contact and privacy have at least 500 characters',
    async (visitor) => {
      const pages = await Promise.all(['/about', '/contact', '/privacy'].map((path) => visitor.ask(path)));
      return pages.every(({ status, text }) => status === 200 && wordsOf(text).join(' ').length >= 500);
    },
  ],
  [
    'ora',
    'og:image and og:type',
    (visitor) => everyPage(visitor, ({ text }) => text.includes('property="og:image"') && text.includes('property="og:type"')),
  ],
  [
    'agentgrade.com',
    'errors are structured JSON',
    async (visitor) => {
      const { status, headers, text } = await visitor.ask('/api/v1/no-such-thing');
      return (
        status === 404 &&
        /json/.test(headers.get('content-type') ?? '') &&
        typeof (JSON.parse(text) as { readonly code?: unknown }).code === 'string'
      );
    },
  ],
  ['agentgrade.com', 'a favicon', (visitor) => isServed(visitor, '/favicon.ico', 'image/')],
  [
    'agentgrade.com',
    'MCP answers initialize',
    async (visitor) => {
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'scanner', version: '1' } };
      const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
      const { status, text } = await visitor.ask('/mcp', {
        method: 'POST',
        headers,
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
      });
      return status === 200 && text.includes('serverInfo');
    },
  ],
];

export const SITE_RULES: readonly ScannerRule[] = SITES.map(([scanner, rule, check]) => ({ scanner, rule, check, ...failing(rule) }));

/** Rules that this site does not meet on purpose, or cannot. */
export const UNMET_RULES: readonly UnmetRule[] = [
  { scanner: 'agent-ready.dev', rule: 'S14 HTTPS', reason: 'the host serves it; there is none on this machine' },
  { scanner: 'agent-ready.dev', rule: 'C7 agents.json, agent-permissions.json', reason: 'formats without a specification in use' },
  { scanner: 'agentgrade.com', rule: 'AI / Claude plugin', reason: 'the format is no longer read by the clients that it was made for' },
  { scanner: 'agentgrade.com', rule: 'L402', reason: 'needs a Lightning node' },
  {
    scanner: 'agentgrade.com',
    rule: 'identity (WebFinger, Nostr, ATproto)',
    reason: 'a publisher is known by did:web; it has no such accounts',
  },
  { scanner: 'ora', rule: 'brand search', reason: 'what others find of a name' },
  { scanner: 'ora', rule: 'Organization address', reason: 'a publisher may have none to publish' },
];

function failing(rule: string): { readonly failing?: string } {
  const reason = FAILING[rule];
  return reason === undefined ? {} : { failing: reason };
}

async function isNegotiated(visitor: Parameters<ScannerRule['check']>[0], path: string): Promise<boolean> {
  const { headers } = await visitor.ask(path, { headers: { Accept: 'text/markdown' } });
  return (headers.get('content-type') ?? '').startsWith('text/markdown');
}

function wordsOf(html: string): readonly string[] {
  return html
    .replace(/<(script|style|head)[\s\S]*?<\/\1>/g, ' ')
    .replace(/<[^>]+>/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '');
}
