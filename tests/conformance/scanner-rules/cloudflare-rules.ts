import { AI_CRAWLERS, isJson, isServed, type ScannerRule, type UnmetRule } from './rule.ts';

const scanner = 'isitagentready.com';
const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isFilled = (value: unknown): boolean => Array.isArray(value) && value.length > 0;

/** Rules of isitagentready.com, by the names of its checks. */
export const CLOUDFLARE_RULES: readonly ScannerRule[] = [
  {
    scanner,
    rule: 'robotsTxt',
    check: async (visitor) =>
      (await isServed(visitor, '/robots.txt', 'text/plain')) && /^user-agent:/im.test((await visitor.ask('/robots.txt')).text),
  },
  {
    scanner,
    rule: 'sitemap',
    check: async (visitor) => {
      const address = /^sitemap: (\S+)/im.exec((await visitor.ask('/robots.txt')).text)?.[1] ?? '';
      const { status, text } = await visitor.ask(visitor.pathOf(address) ?? '');
      return status === 200 && /<(urlset|sitemapindex)[^>]*>[\s\S]*<\/(urlset|sitemapindex)>\s*$/.test(text);
    },
  },
  {
    scanner,
    rule: 'linkHeaders',
    check: async (visitor) =>
      /rel="?(api-catalog|service-desc|service-doc|describedby)/.test((await visitor.ask('/')).headers.get('link') ?? ''),
  },
  {
    scanner,
    rule: 'markdownNegotiation',
    check: async (visitor) =>
      ((await visitor.ask('/', { headers: { Accept: 'text/markdown' } })).headers.get('content-type') ?? '').startsWith('text/markdown'),
  },
  {
    scanner,
    rule: 'robotsTxtAiRules',
    check: async (visitor) => {
      const { text } = await visitor.ask('/robots.txt');
      return /^user-agent: \*/im.test(text) || AI_CRAWLERS.some((name) => text.includes(name));
    },
  },
  {
    scanner,
    rule: 'contentSignals',
    check: async (visitor) => /^content-signal:/im.test((await visitor.ask('/robots.txt')).text),
  },
  {
    scanner,
    rule: 'apiCatalog',
    check: async (visitor) =>
      (await isServed(visitor, '/.well-known/api-catalog', 'application/linkset+json')) &&
      isJson(visitor, '/.well-known/api-catalog', ({ linkset }) => isFilled(linkset)),
  },
  {
    scanner,
    rule: 'authMd',
    check: async (visitor) => {
      const { status, text } = await visitor.ask('/auth.md');
      return status === 200 && /^# .*auth\.md/im.test(text) && text.includes('/register');
    },
  },
  {
    scanner,
    rule: 'mcpServerCard',
    check: (visitor) =>
      isJson(
        visitor,
        '/.well-known/mcp/server-card.json',
        ({ serverInfo, name, version }) => serverInfo !== undefined || (isText(name) && isText(version)),
      ),
  },
  {
    scanner,
    rule: 'a2aAgentCard',
    check: (visitor) =>
      isJson(
        visitor,
        '/.well-known/agent-card.json',
        ({ name, version, description, supportedInterfaces, skills }) =>
          [name, version, description].every(isText) && isFilled(supportedInterfaces) && isFilled(skills),
      ),
  },
  {
    scanner,
    rule: 'agentSkills',
    check: async (visitor) => {
      const { text } = await visitor.ask('/.well-known/agent-skills/index.json');
      const { $schema, skills } = JSON.parse(text) as { readonly $schema: string; readonly skills: readonly { readonly url: string }[] };
      const found = await Promise.all(skills.map(async ({ url }) => (await visitor.ask(visitor.pathOf(url) ?? url)).status === 200));
      return $schema.includes('/0.2.0/') && found.length > 0 && found.every(Boolean);
    },
  },
  {
    scanner,
    rule: 'ard',
    check: (visitor) =>
      isJson(
        visitor,
        '/.well-known/ai-catalog.json',
        ({ specVersion, entries }, headers) =>
          isText(specVersion) && headers.get('access-control-allow-origin') === '*' && areEntries(entries),
      ),
  },
  {
    scanner,
    rule: 'acp',
    check: (visitor) =>
      isJson(visitor, '/.well-known/acp.json', ({ protocol, api_base_url, transports }) => {
        const { name, version } = protocol as { readonly name: unknown; readonly version: unknown };
        return name === 'acp' && isText(version) && /^https?:/.test(String(api_base_url)) && isFilled(transports);
      }),
  },
  {
    scanner,
    rule: 'no shop where there is none: /shop, /store, /product and /cart are missing',
    check: async (visitor) => {
      const asked = await Promise.all(['/shop', '/store', '/product', '/cart'].map((path) => visitor.ask(path, { method: 'HEAD' })));
      return asked.every(({ status }) => status === 404);
    },
  },
  {
    scanner,
    rule: 'pages of offers are no products by og:type',
    check: async (visitor) => !/og:type" content="product/.test((await visitor.ask('/buy')).text),
  },
];

function areEntries(entries: unknown): boolean {
  return (
    Array.isArray(entries) &&
    entries.length > 0 &&
    entries.every(
      ({ identifier, url, data, representativeQueries: queries }: Record<string, unknown>) =>
        String(identifier).startsWith('urn:air:') &&
        (url === undefined) !== (data === undefined) &&
        Array.isArray(queries) &&
        queries.length >= 2 &&
        queries.length <= 5,
    )
  );
}

/** Rules that this site does not meet on purpose, or cannot. */
export const CLOUDFLARE_UNMET: readonly UnmetRule[] = [
  { scanner, rule: 'dnsAid', reason: 'records of the domain, which its operator makes' },
  { scanner, rule: 'webBotAuth', reason: 'a key of a client; the site sends no signed requests' },
  { scanner, rule: 'oauthDiscovery', reason: 'keys come from registration; there is no authorization server to describe (RFC 8414)' },
  {
    scanner,
    rule: 'oauthProtectedResource: authorization_servers',
    reason: 'there is no authorization server; RFC 9728 lets a resource name none',
  },
  { scanner, rule: 'webMcp', reason: 'seen only in a browser: Lighthouse checks it in npm run conformance' },
  {
    scanner,
    rule: 'ucp: endpoints',
    reason: 'the profile has the members that the protocol prescribes, in npm test against its official schema',
  },
  { scanner, rule: 'x402', reason: 'counts only where payments are set up; tests/conformance/payment-checkers.test.ts' },
  { scanner, rule: 'mpp', reason: 'counts only where payments are set up; tests/conformance/payment-checkers.test.ts' },
  { scanner, rule: 'ap2', reason: 'the agent sells nothing by AP2, so its card does not say so' },
];
