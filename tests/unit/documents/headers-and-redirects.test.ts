import { describe, expect, it } from 'vitest';
import { fileRewrites, headersFile, mergeHeaders, redirectsFile, routesFile } from '../../../src/documents/headers-and-redirects.ts';
import { documentFiles } from '../../../src/documents/make-documents.ts';
import { functionPaths, routeTable } from '../../../src/routes/route-table.ts';
import { contentUsage } from '../../../src/schemas/content-usage.ts';
import { longestMatch } from '../../../src/schemas/json-schema.ts';
import { realPublication } from './publication-fixture.ts';

const publication = await realPublication('edge');
const files = documentFiles(publication);
const table = routeTable(publication.deployment);

describe('headersFile()', () => {
  const text = headersFile(files, publication.deployment);
  const rules = new Map(
    text
      .trim()
      .split('\n\n')
      .map((rule) => rule.split('\n  '))
      .map(([path = '', ...headers]) => [path, headers]),
  );

  it('gives types only where the host has none or another', () => {
    expect(rules.get('/.well-known/x402')).toEqual(['Content-Type: application/json']);
    expect(rules.get('/feed.xml')).toEqual(['Content-Type: application/atom+xml; charset=utf-8']);
    expect(rules.get('/license.xml')).toEqual(['Content-Type: application/rsl+xml']);
    expect(rules.get('/.well-known/jwks.json')).toEqual(['Content-Type: application/jwk-set+json']);
    expect(rules.get('/.well-known/did.json')).toEqual(['Content-Type: application/did+json']);
    expect(rules.get('/feeds/acp/products.jsonl')).toEqual(['Content-Type: application/jsonl']);
    expect(rules.get('/mirror/:sha256.ndjson')).toContain('Content-Type: application/x-ndjson');
    expect([...rules].filter(([, headers]) => headers.some((header) => header.startsWith('Content-Type'))).length).toBe(12);
    expect(rules.get('/mcp/server-card')).toEqual(['Content-Type: application/mcp-server-card+json']);
    expect(rules.get('/.well-known/api-catalog')).toEqual([
      'Content-Type: application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
      'Link: </.well-known/api-catalog>; rel="api-catalog"',
    ]);
  });

  it('keeps frozen bytes for a year, and nothing else', () => {
    expect([...rules].filter(([, headers]) => headers.some((header) => header.endsWith('immutable')))).toEqual([
      ['/_astro/*', ['Cache-Control: public, max-age=31536000, immutable']],
      [
        '/capsules/:capsule_id/:version.md',
        [
          '! Link',
          'Cache-Control: public, max-age=31536000, immutable',
          `Link: <${publication.deployment.baseUrl}/capsules/:capsule_id>; rel="latest-version", </llms.txt>; rel="describedby"`,
        ],
      ],
      ['/data/search/:sha256.bin', ['Cache-Control: public, max-age=31536000, immutable']],
      [
        '/media/*',
        [
          'Cache-Control: public, max-age=31536000, immutable',
          "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; sandbox",
        ],
      ],
      ['/mirror/:sha256.ndjson', ['Cache-Control: public, max-age=31536000, immutable', 'Content-Type: application/x-ndjson']],
    ]);
  });

  it('takes no page of a list for a version of a capsule', () => {
    expect(rules.get('/capsules/type/*.md')).toEqual([
      '! Link',
      '! Cache-Control',
      'Cache-Control: public, max-age=0, must-revalidate',
      `Link: <${publication.deployment.baseUrl}/capsules/type/:splat>; rel="canonical", </llms.txt>; rel="describedby"`,
    ]);
    const names = [...rules.keys()];
    expect(names.indexOf('/capsules/type/*.md')).toBeGreaterThan(names.indexOf('/capsules/:capsule_id/:version.md'));
  });

  it('keeps blocks for a year where they are files, and names them nowhere else', () => {
    const withBlocks = headersFile(files, { ...publication.deployment, storage: 'assets' });
    expect(withBlocks).toContain(
      '\n/_blocks/*\n  Cache-Control: public, max-age=31536000, immutable\n  Content-Type: application/octet-stream\n',
    );
    expect(text).not.toContain('_blocks');
  });

  it('gives every file the security headers, exactly these', () => {
    const { baseUrl: _, ...rest } = publication.deployment;
    const ofAll = (baseUrl: string): string[] | undefined =>
      headersFile(files, { ...rest, baseUrl })
        .split('\n\n')[0]
        ?.split('\n  ');
    const everywhere = [
      '/*',
      'Access-Control-Allow-Origin: *',
      'Allow: GET, HEAD',
      'X-Content-Type-Options: nosniff',
      'Referrer-Policy: strict-origin-when-cross-origin',
      'Permissions-Policy: camera=(), display-capture=(), geolocation=(), hid=(), microphone=(), midi=(), payment=(), serial=(), usb=()',
      'Cross-Origin-Opener-Policy: same-origin',
      'Cross-Origin-Resource-Policy: cross-origin',
      `Content-Usage: ${contentUsage(publication.deployment.usage)}`,
    ];
    const policy =
      "Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
    expect(ofAll('http://127.0.0.1:8788')).toEqual([...everywhere, policy]);
    expect(ofAll('https://knowledge.example')).toEqual([...everywhere, 'Strict-Transport-Security: max-age=31536000', policy]);
  });

  it('links what describes the site from every file of a site without functions, and once from its home page', () => {
    const linksOf = (mode: 'edge' | 'static', path: string): string[] => {
      const rule = headersFile(files, { ...publication.deployment, mode })
        .split('\n\n')
        .find((lines) => lines.startsWith(`${path}\n`));
      return [...(rule ?? '').matchAll(/<([^>]+)>; rel="([^"]+)"/g)].map(([, target, relation]) => `${relation} ${target}`);
    };
    const ofSite = ['describedby /llms.txt', 'service-desc /openapi.agent.json'];
    expect(linksOf('static', '/*')).toEqual(ofSite);
    expect(linksOf('edge', '/*')).toEqual([]);
    expect(linksOf('edge', '/')).toEqual(expect.arrayContaining(ofSite));
    expect(linksOf('static', '/').filter((link) => ofSite.includes(link))).toEqual([]);
  });

  it('has at most 100 rules', () => {
    const odd = Array.from({ length: 100 }, (_, index) => ({ path: `/odd-${index}`, contentType: 'application/json', body: '{}' }));
    expect(rules.size).toBeLessThan(100);
    expect(() => mergeHeaders('', headersFile(odd, publication.deployment))).toThrow(RangeError);
  });
});

it('mergeHeaders() keeps what is there and appends', () => {
  expect(mergeHeaders('', '/*\n  A: b\n')).toBe('/*\n  A: b\n');
  expect(mergeHeaders('/_astro/*\n  Cache-Control: immutable\n', '/*\n  A: b\n')).toBe(
    '/_astro/*\n  Cache-Control: immutable\n\n/*\n  A: b\n',
  );
  expect(() => mergeHeaders('/a\n  A: b\n'.repeat(100), '/b\n  A: b\n')).toThrow(RangeError);
});

it('redirectsFile() rewrites the fixed addresses to their files', () => {
  const lines = redirectsFile(fileRewrites(table)).trim().split('\n');
  expect(lines).toContain('/api/v1/agent-gateway/capsule/:capsule_id /capsules/:capsule_id/capsule.json 200');
  expect(lines).toHaveLength(table.filter(({ staticPath, edge }) => staticPath !== undefined && !edge).length);
  expect(lines.join('\n')).not.toMatch(/register|query|buy/);
});

describe('routesFile()', () => {
  it('runs functions only where a route says so', () => {
    expect(JSON.parse(routesFile(table))).toEqual({ version: 1, include: ['/admin/*', ...functionPaths(table)], exclude: [] });
  });

  it('asks functions for the texts that are sold, or for all capsules if they are too many', () => {
    const added = (sold: readonly string[]): string[] => {
      const { include } = JSON.parse(routesFile(table, { sold })) as { readonly include: string[] };
      return include.filter((path) => path !== '/admin/*' && !functionPaths(table).includes(path));
    };
    expect(added(['a', 'b'])).toEqual(['/capsules/a.md', '/capsules/a/capsule.json', '/capsules/b.md', '/capsules/b/capsule.json']);
    expect(added(Array.from({ length: 50 }, (_, at) => `c-${at}`))).toEqual(['/capsules/*']);
  });

  it('asks functions for everything that may be a page or markdown, and for nothing else, where pages negotiate', () => {
    const rules = JSON.parse(routesFile(table, { negotiates: true })) as { readonly include: string[]; readonly exclude: string[] };
    expect(rules.include).toEqual(['/*']);
    expect(rules.include.length + rules.exclude.length).toBeLessThanOrEqual(100);
    const isExcluded = (path: string): boolean =>
      rules.exclude.some((rule) => (rule.endsWith('/*') ? path.startsWith(rule.slice(0, -1)) : path === rule));
    for (const path of ['/_astro/a.css', '/_blocks/0', '/media/a.png', '/mirror/manifest.json', '/llms.txt', '/favicon.ico'])
      expect([path, isExcluded(path)]).toEqual([path, true]);
    const guessed = ['/openapi/nope.json', '/schemas/nope/1.json', '/feeds/nope.json', '/llms/nope.txt'];
    for (const path of ['/', '/index.md', '/docs/quickstart', '/capsules/a', ...guessed, ...functionPaths(table)])
      expect([path, isExcluded(path)]).toEqual([path, false]);
    // A host refuses rules that overlap.
    for (const rule of rules.exclude)
      expect(rules.exclude.filter((other) => other !== rule && other.endsWith('/*') && rule.startsWith(other.slice(0, -1)))).toEqual([]);
  });
});

it.each([
  ['^[0-9a-f]{64}$', 64],
  ['^[1-9]\\d{0,5}$', 6],
  ['^ab?$', 2],
  ['^a+$', undefined],
  ['^(a|b)$', undefined],
  ['a{3}', undefined],
])('longestMatch() of %s is %s', (pattern, length) => expect(longestMatch(pattern)).toBe(length));
