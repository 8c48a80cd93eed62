import { structuredData } from '../../support/page-text.ts';
import { AI_CRAWLERS, everyPage, everyTwin, isJson, isMarkdown, isNegotiated, isServed, rulesOf, says, saysNot } from './rule.ts';

/** Rules of pages that agent-ready.dev (P) and a14y share, by the numbers of agent-ready.dev. */
const PAGES = rulesOf('agent-ready.dev, a14y', {
  'P1 pages answer 200': everyPage(({ status }) => status === 200),
  'P3 pages are HTML in UTF-8': everyPage(({ headers }) => /^text\/html; charset=utf-8$/i.test(headers.get('content-type') ?? '')),
  'P4 no noindex and noai': everyPage(
    ({ text, headers }) => !/noindex|noai/.test(`${/<meta name="robots"[^>]*>/.exec(text)?.[0]}${headers.get('x-robots-tag')}`),
  ),
  'P5 a canonical address': everyPage(({ text }) => /<link rel="canonical" href="http/.test(text)),
  'P6 a description of at least 50 characters': everyPage(({ text }) => /<meta name="description" content="[^"]{50}/.test(text)),
  'P7 og:title': everyPage(({ text }) => text.includes('property="og:title"')),
  'P8 og:description': everyPage(({ text }) => text.includes('property="og:description"')),
  'P9 a language': everyPage(({ text }) => /<html[^>]* lang="[a-z-]+"/i.test(text)),
  'P10 structured data': everyPage(({ text }) => structuredData(text).length > 0),
  'P11 BreadcrumbList below the home page': everyPage(
    ({ text }, path) => path === '/' || structuredData(text).some((json) => json.includes('BreadcrumbList')),
  ),
  'P15 a twin in markdown': everyTwin(isMarkdown),
  'P16 front matter with title, description and last_updated': everyTwin(({ text }) => {
    const [, frontMatter = ''] = /^---\n([\s\S]*?)\n---/.exec(text) ?? [];
    return ['title:', 'description:', 'last_updated:'].every((member) => frontMatter.includes(member));
  }),
  'P17 rel="alternate" to the markdown': everyPage(({ text }) => /<link rel="alternate" type="text\/markdown"/.test(text)),
  'P18 Link rel="canonical" on the markdown': everyTwin(({ headers }) => /rel="?canonical/.test(headers.get('link') ?? '')),
  'P19 markdown for those who accept it': isNegotiated('/docs'),
  'P21 language of every block of code': everyTwin(({ text }) =>
    (text.match(/^```.*$/gm) ?? []).every((fence, index) => index % 2 === 1 || fence.length > 3),
  ),
  'P22 the reference of the API links to the description': says('/docs/api', /\/openapi\.json/),
  'P23 pages have their words without scripts': everyPage(({ text }) => wordsOf(text).length >= 50),
});

/** Rules of whole sites. */
const SITES = [
  ...rulesOf('agent-ready.dev', {
    'S1 llms.txt as text': isServed('/llms.txt', 'text/plain'),
    'S8 sitemap.xml with a date of every address': async (visitor) => {
      const { text } = await visitor.ask('/sitemap.xml');
      return (text.match(/<loc>/g) ?? []).length === (text.match(/<lastmod>/g) ?? []).length && text.includes('<loc>');
    },
    'S10 sitemap.md with headings and links': says('/sitemap.md', /^## /m, /\]\(http/),
    'S12 AGENTS.md with its sections': async (visitor) => {
      const { status, text } = await visitor.ask('/AGENTS.md');
      const found = ['installation', 'configuration', 'usage'].filter((section) => new RegExp(`^#+ .*${section}`, 'im').test(text));
      return status === 200 && found.length >= 2;
    },
    'S15 /openapi.json': isJson('/openapi.json', ({ openapi }) => String(openapi).startsWith('3.')),
    'L2 llms.txt begins with its title and a summary': says('/llms.txt', /^# .+\n\n> .+/),
    'L5 llms.txt lists links below headings': says('/llms.txt', /^## .+\n\n- \[.+\]\(http/m),
    'L7 links of llms.txt answer': async (visitor) => {
      const links = [...(await visitor.ask('/llms.txt')).text.matchAll(/\]\((http[^)]+)\)/g)];
      const paths = new Set(links.map(([, address = '']) => visitor.pathOf(address)));
      let found = 0;
      for (const path of paths) if (path === undefined || (await visitor.ask(path)).status === 200) found += 1;
      return found > 10 && found === paths.size;
    },
    'L10 llms-full.txt': isServed('/llms-full.txt', 'text/plain'),
  }),
  ...rulesOf('a14y', {
    'robots.txt lets crawlers of AI in': saysNot(
      '/robots.txt',
      new RegExp(`user-agent: (${['\\*', ...AI_CRAWLERS].join('|')})\\s+disallow: /\\s`, 'i'),
    ),
    'llms.txt links to markdown only': saysNot('/llms.txt', /^- \[[^\]]*\]\(http[^)]+(?<!\.(?:md|txt))\)/m),
  }),
  ...rulesOf('ora', {
    'a missing page is 404 and names the ways back': async (visitor) => {
      const { status, text } = await visitor.ask('/no-such-page');
      return status === 404 && /sitemap|llms\.txt|\/docs/.test(text);
    },
    'agents of AI get every page': async (visitor) => {
      const asked = await Promise.all(AI_CRAWLERS.map((name) => visitor.ask('/', { headers: { 'User-Agent': `${name}/1.0` } })));
      return asked.every(({ status }) => status === 200);
    },
    'markdown differs by Accept, and says so': async (visitor) =>
      /accept/i.test((await visitor.ask('/', { headers: { Accept: 'text/markdown' } })).headers.get('vary') ?? ''),
    'Organization with a name and a description': async (visitor) =>
      structuredData((await visitor.ask('/')).text).some((json) => /"Organization"/.test(json) && /"description"/.test(json)),
    'llms.txt says when to use the site': says('/llms.txt', /^## When to use/im),
    'about, contact and privacy have at least 500 characters': async (visitor) => {
      const pages = await Promise.all(['/about', '/contact', '/privacy'].map((path) => visitor.ask(path)));
      return pages.every(({ status, text }) => status === 200 && wordsOf(text).join(' ').length >= 500);
    },
    'og:image and og:type': everyPage(({ text }) => text.includes('property="og:image"') && text.includes('property="og:type"')),
  }),
  ...rulesOf('agentgrade.com', {
    'errors are structured JSON': async (visitor) => {
      const { status, headers, text } = await visitor.ask('/api/v1/no-such-thing');
      const isProblem = status === 404 && /json/.test(headers.get('content-type') ?? '');
      return isProblem && typeof (JSON.parse(text) as { readonly code?: unknown }).code === 'string';
    },
    'a favicon': isServed('/favicon.ico', 'image/'),
    'MCP answers initialize': async (visitor) => {
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'scanner', version: '1' } };
      const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
      const { status, text } = await visitor.ask('/mcp', { method: 'POST', headers, body });
      return status === 200 && text.includes('serverInfo');
    },
  }),
];
export const PAGE_RULES = [...PAGES, ...SITES];

/** Rules that this site does not meet on purpose, or cannot. */
export const PAGE_UNMET = [
  ...rulesOf('agent-ready.dev', {
    'S14 HTTPS': 'the host serves it; there is none on this machine',
    'C7 agents.json, agent-permissions.json': 'formats without a specification in use',
  }),
  ...rulesOf('agentgrade.com', {
    'AI / Claude plugin': 'the format is no longer read by the clients that it was made for',
    L402: 'needs a Lightning node',
    'identity (WebFinger, Nostr, ATproto)': 'a publisher is known by did:web; it has no such accounts',
  }),
  ...rulesOf('ora', { 'brand search': 'what others find of a name', 'Organization address': 'a publisher may have none to publish' }),
];

function wordsOf(html: string): readonly string[] {
  return html
    .replace(/<(script|style|head)[\s\S]*?<\/\1>/g, ' ')
    .replace(/<[^>]+>/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '');
}
