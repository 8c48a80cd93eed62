import { AI_CRAWLERS, isJson, isNegotiated, isServed, rulesOf, says, saysNot } from './rule.ts';

const SCANNER = 'isitagentready.com';
const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isFilled = (value: unknown): boolean => Array.isArray(value) && value.length > 0;

/** Rules of isitagentready.com, by the names of its checks. */
export const CLOUDFLARE_RULES = rulesOf(SCANNER, {
  robotsTxt: async (visitor) => (await isServed('/robots.txt', 'text/plain')(visitor)) && says('/robots.txt', /^user-agent:/im)(visitor),
  sitemap: async (visitor) => {
    const address = /^sitemap: (\S+)/im.exec((await visitor.ask('/robots.txt')).text)?.[1] ?? '';
    return says(visitor.pathOf(address) ?? '', /<(urlset|sitemapindex)[^>]*>[\s\S]*<\/(urlset|sitemapindex)>\s*$/)(visitor);
  },
  linkHeaders: async (visitor) =>
    /rel="?(api-catalog|service-desc|service-doc|describedby)/.test((await visitor.ask('/')).headers.get('link') ?? ''),
  markdownNegotiation: isNegotiated('/'),
  robotsTxtAiRules: says('/robots.txt', new RegExp(`^user-agent: \\*|${AI_CRAWLERS.join('|')}`, 'im')),
  contentSignals: says('/robots.txt', /^content-signal:/im),
  apiCatalog: async (visitor) =>
    (await isServed('/.well-known/api-catalog', 'application/linkset+json')(visitor)) &&
    isJson('/.well-known/api-catalog', ({ linkset }) => isFilled(linkset))(visitor),
  authMd: says('/auth.md', /^# .*auth\.md/im, /\/register/),
  mcpServerCard: isJson(
    '/.well-known/mcp/server-card.json',
    ({ serverInfo, name, version }) => serverInfo !== undefined || (isText(name) && isText(version)),
  ),
  a2aAgentCard: isJson(
    '/.well-known/agent-card.json',
    ({ name, version, description, supportedInterfaces, skills }) =>
      [name, version, description].every(isText) && isFilled(supportedInterfaces) && isFilled(skills),
  ),
  agentSkills: async (visitor) => {
    const { text } = await visitor.ask('/.well-known/agent-skills/index.json');
    const { $schema, skills } = JSON.parse(text) as { readonly $schema: string; readonly skills: readonly { readonly url: string }[] };
    const found = await Promise.all(skills.map(async ({ url }) => (await visitor.ask(visitor.pathOf(url) ?? url)).status === 200));
    return $schema.includes('/0.2.0/') && found.length > 0 && found.every(Boolean);
  },
  ard: isJson(
    '/.well-known/ai-catalog.json',
    ({ specVersion, entries }, headers) =>
      isText(specVersion) &&
      headers.get('access-control-allow-origin') === '*' &&
      isFilled(entries) &&
      (entries as Record<string, unknown>[]).every(isEntry),
  ),
  acp: isJson('/.well-known/acp.json', ({ protocol, api_base_url, transports }) => {
    const { name, version } = protocol as { readonly name: unknown; readonly version: unknown };
    return name === 'acp' && isText(version) && /^https?:/.test(String(api_base_url)) && isFilled(transports);
  }),
  'no shop where there is none: /shop, /store, /product and /cart are missing': async (visitor) => {
    const asked = await Promise.all(['/shop', '/store', '/product', '/cart'].map((path) => visitor.ask(path, { method: 'HEAD' })));
    return asked.every(({ status }) => status === 404);
  },
  'pages of offers are no products by og:type': saysNot('/buy', /og:type" content="product/),
});

function isEntry({ identifier, url, data, representativeQueries: queries }: Readonly<Record<string, unknown>>): boolean {
  const isOfOneKind = (url === undefined) !== (data === undefined);
  return String(identifier).startsWith('urn:air:') && isOfOneKind && Array.isArray(queries) && queries.length >= 2 && queries.length <= 5;
}

/** Rules that this site does not meet on purpose, or cannot. */
export const CLOUDFLARE_UNMET = rulesOf(SCANNER, {
  dnsAid: 'records of the domain, which its operator makes',
  webBotAuth: 'a key of a client; the site sends no signed requests',
  oauthDiscovery: 'keys come from registration; there is no authorization server to describe (RFC 8414)',
  'oauthProtectedResource: authorization_servers': 'there is no authorization server; RFC 9728 lets a resource name none',
  webMcp: 'seen only in a browser: Lighthouse checks it in npm run conformance',
  'ucp: endpoints': 'the profile has the members that the protocol prescribes, in npm test against its official schema',
  x402: 'counts only where payments are set up; tests/conformance/payment-checkers.test.ts',
  mpp: 'counts only where payments are set up; tests/conformance/payment-checkers.test.ts',
  ap2: 'the agent sells nothing by AP2, so its card does not say so',
});
