import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serveLikeHost } from '../support/built-files.ts';
import { crawlSite } from '../support/crawl-site.ts';
import { duringTests } from '../support/during-tests.ts';
import { contentsBelow } from '../support/files-below.ts';
import { PUBLICATION, TEST_BASE_URL } from '../support/paths.ts';
import { serveFolder } from '../support/static-server.ts';

const SITE = join(PUBLICATION, 'dist-static');
const server = duringTests(() => serveFolder(SITE));
const host = duringTests(() => serveLikeHost(SITE));

describe('the frontend-only site', () => {
  it('answers every address that its documents and pages name', async () => {
    const { addresses, broken } = await crawlSite(SITE, TEST_BASE_URL, server().origin);
    expect(broken).toEqual([]);
    expect(addresses).toBeGreaterThan(300);
  });

  it.each(['dist', 'dist-static'])('leads nowhere but to this site for the checkout of a demonstration, in %s', async (folder) => {
    const files = await contentsBelow(join(PUBLICATION, folder), (path) => !path.startsWith('_worker.js'));
    expect([...files].flatMap(([path, text]) => (text.includes('checkout.example') ? [path] : []))).toEqual([]);
    expect(files.get('offers.json')).toContain(`"checkout_url":"${TEST_BASE_URL}/test-checkout/evidence-review"`);
  });

  it('promises no delivery, because nothing here makes an order', async () => {
    for (const form of ['html', 'md']) {
      const page = (folder: string) => readFile(join(PUBLICATION, folder, `buy/evidence-review.${form}`), 'utf8');
      expect(await page('dist')).toContain('Delivers at once');
      expect(await page('dist-static')).not.toContain('Delivers at once');
    }
  });

  it('names the page of every file in markdown, which is no form of another one', async () => {
    const index = '</llms.txt>; rel="describedby", </openapi.agent.json>; rel="service-desc"';
    const linkOf = async (path: string): Promise<string | null> =>
      (await fetch(host().origin + path, { method: 'HEAD' })).headers.get('link');
    expect(await linkOf('/docs/quickstart.md')).toBe(`${index}, <${TEST_BASE_URL}/docs/quickstart>; rel="canonical"`);
    expect(await linkOf('/index.md')).toBe(`<${TEST_BASE_URL}/>; rel="canonical", ${index}`);
    expect(await linkOf('/capsules/bm25/1.0.0.md')).toBe(`<${TEST_BASE_URL}/capsules/bm25>; rel="latest-version", ${index}`);
    expect(await linkOf('/texts/docs/quickstart.md')).toBe(index);
    for (const path of ['/AGENTS.md', '/sitemap.md', '/auth.md', '/.well-known/agent-skills/mirror/SKILL.md'])
      expect([path, await linkOf(path)]).toEqual([path, index]);
  });

  it('describes no operation that needs a function', async () => {
    const files = await contentsBelow(SITE, (path) => /\.(html|json|txt|xml|md)$|x402$/.test(path));
    const isFunction = /\/api\/v1\/(agent-gateway|capsules\/public)/;
    expect([...files].flatMap(([path, text]) => (isFunction.test(text) ? [path] : []))).toEqual([]);
  });

  it('lets the fixed addresses of the interface answer by rewrites where the host knows them', async () => {
    const rules = (await readFile(join(SITE, '_redirects'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => line.split(' '));
    const sources = rules.map(([source]) => source);
    for (const path of [
      '/api/v1/agent-gateway/capabilities',
      '/api/v1/agent-gateway/capsule/:capsule_id',
      '/api/v1/agent-gateway/capsule/:capsule_id/lineage',
      '/api/v1/capsules/public/browse',
      '/api/v1/capsules/public/status',
      '/api/v1/capsules/public/intake',
      '/api/v1/acp/discover',
    ])
      expect(sources).toContain(path);
    for (const [, target = '', status] of rules) {
      expect(status).toBe('200');
      expect((await fetch(`${server().origin}${target.replace(':capsule_id', 'minor-units')}`)).status, target).toBe(200);
    }
  });

  it('leaves nothing of the adapter behind', async () => {
    const left = ['wrangler.json', '_worker.js', '_routes.json', '.assetsignore'];
    expect((await readdir(SITE)).filter((name) => left.includes(name))).toEqual([]);
  });
});
