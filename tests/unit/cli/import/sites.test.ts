import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { fetchRemoteImages } from '../../../../src/cli/import/fetch-remote-images.ts';
import { openSource } from '../../../../src/cli/import/import-content.ts';
import { hasLosses } from '../../../../src/cli/import/import-report.ts';
import { sectionsYaml } from '../../../../src/cli/import/plan-sections.ts';
import { UserError } from '../../../../src/publication/content-problem.ts';
import { close, listen } from '../../../support/listen.ts';
import { OPEN, PNG, runImport, writeTree } from './import-fixture.ts';

interface Answer {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

async function serve(
  answers: Readonly<Record<string, Answer | ((request: IncomingMessage) => Answer)>>,
): Promise<{ site: string; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    const found = answers[request.url ?? ''] ?? { status: 404 };
    const {
      status = 200,
      type = 'text/html; charset=utf-8',
      headers = {},
      body = '',
    } = typeof found === 'function' ? found(request) : found;
    response.writeHead(status, { 'content-type': type, ...headers });
    response.end(typeof body === 'string' ? body.replaceAll('{{site}}', site) : body);
  });
  const site = await listen(server);
  onTestFinished(() => close(server));
  return { site, requests };
}

const page = (title: string, main: string): Answer => ({
  body: `<!doctype html><html lang="en"><head><title>${title} | Site</title><meta name="description" content="About ${title}."></head>
<body><nav><a href="/">Home</a></nav><main><article><div class="breadcrumbs">x</div><h1>${title}<a class="hash-link" href="#x">#</a></h1>${main}</article></main><footer>© Site</footer><script>bad()</script></body></html>`,
});

test('a sitemap: robots.txt is respected, main content becomes markdown, links lead to the other capsules', async () => {
  const { site, requests } = await serve({
    '/robots.txt': { type: 'text/plain', body: 'User-agent: *\nDisallow: /private/\n' },
    '/guide/': page(
      'Guide',
      '<p>See <a href="/parts?x=1#two">two</a> and <a href="https://other.example/">other</a>.</p><pre><code class="language-js"><div class="ec-line">const a = 1;</div><div class="ec-line">a();</div></code></pre><table><tr><th>A</th></tr><tr><td>1 | 2</td></tr></table><img src="/a.png" alt="A">',
    ),
    '/parts': page('Parts', '<h2 id="two">Part two</h2><p>Text <kbd>x</kbd>.</p>'),
    '/private/secret': page('Secret', '<p>No.</p>'),
    '/raw': { type: 'text/markdown', headers: { 'x-robots-tag': 'noindex' }, body: '# Raw\n\nAs it is.\n' },
    '/moved': { status: 302, headers: { location: 'https://other.example/' } },
  });
  const urls = ['/guide/', '/parts', '/private/secret', '/raw', '/moved', '/gone', '/picture.png']
    .map((path) => `<url><loc>${site}${path}</loc></url>`)
    .join('');
  const xml = `<?xml version="1.0"?><urlset>${urls}</urlset>`;
  const file = join(await writeTree({ 'sitemap.xml': xml }), 'sitemap.xml');
  const done = await runImport(file, { site, isPublished: true });
  expect(requests).not.toContain('/private/secret');
  expect(requests).not.toContain('/picture.png');
  expect(done.outcome.created).toEqual(['content/capsules/guide.md', 'content/capsules/parts.md', 'content/capsules/raw.md']);
  expect((await done.read('raw')).fields).toMatchObject({ title: 'Raw', draft: true });
  const guide = await done.read('guide');
  expect(guide.fields).toMatchObject({
    title: 'Guide',
    summary: 'About Guide.',
    imported: { from: site, path: 'guide', url: `${site}/guide` },
  });
  expect(guide.text).toBe(`See [two](parts.md#part-two) and [other](https://other.example/).

\`\`\`js
const a = 1;
a();
\`\`\`

| A |
| - |
| 1 \\| 2 |

![A](${site}/a.png)`);
  expect((await done.read('raw')).text).toBe('As it is.');
  expect(done.source.skipped.map(({ path, message }) => `${path.replace(site, '')} ${message}`)).toEqual([
    '/private/secret may not be fetched, says robots.txt',
    expect.stringContaining('/moved '),
    '/gone answers 404',
    '/a.png is an image, and answers 404',
  ]);
});

test('a site by its address: its sitemap below the address, or its links; images, hidden pages, charset and order', async () => {
  const latin = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));
  const nav =
    '<nav><ul><li><a href="/guide/">Start</a></li><li>Parts<ul><li><a href="/guide/wheel">Wheel</a></li><li><a href="/guide/oil">Oil</a></li></ul></li></ul></nav>';
  const { site, requests } = await serve({
    '/guide/': {
      body: `<html lang="en"><title>G</title><nav><iframe src="toc"></iframe></nav><main><h1>Start</h1><p>One.</p><img src="a.png" alt="A"></main></html>`,
    },
    '/guide/toc': { body: nav },
    '/guide/a.png': { type: 'image/png', body: PNG },
    '/guide/wheel': {
      type: 'text/html; charset=iso-8859-1',
      body: latin(`<title>x</title>${nav}<main><h1>Gr\u00f6\u00dfe</h1><p>\u00dcber \u00d6l.</p></main>`),
    },
    '/guide/oil': {
      headers: { 'x-robots-tag': 'noindex' },
      body: `${nav}<main><h1>Oil</h1><p>See <a href="wheel#g">it</a> and <a href="/other">other</a>.</p></main>`,
    },
    '/other': page('Other', '<p>Beyond.</p>'),
  });
  const done = await runImport(`${site}/guide/`, { isPublished: true });
  expect(done.outcome.created).toEqual(['guide', 'guide-oil', 'guide-wheel'].map((id) => `content/capsules/${id}.md`));
  expect(requests).not.toContain('/other');
  expect((await done.read('guide')).text).toBe('One.\n\n![A](images/guide/a.png)');
  expect(await readFile(join(done.root, 'content/capsules/images/guide/a.png'))).toEqual(PNG);
  expect(await done.read('guide-wheel')).toMatchObject({ fields: { title: 'Größe', path: ['/guide/wheel'] }, text: 'Über Öl.' });
  expect(await done.read('guide-oil')).toMatchObject({
    fields: { draft: true },
    text: `See [it](guide-wheel.md) and [other](${site}/other).`,
  });
  expect((await readFile(join(done.root, 'content/sections.yaml'), 'utf8')).replace(/^#.*\n/, '')).toBe(
    'sections:\n  - id: overview\n    title: Overview\n    items:\n      - guide\n  - id: parts\n    title: Parts\n    items:\n      - guide-wheel\n      - guide-oil\n',
  );
});

test('a page that sends its readers on leads to where it sends them', async () => {
  const onward = (to: string): Answer => ({ body: `<meta http-equiv="refresh" content="0; url=${to}">` });
  const { site } = await serve({
    '/': onward('en/'),
    '/en/': page('Start', '<p>See <a href="old">oil</a>, <a href="/moved">wax</a> and <a href="/plan">the plan</a>.</p>'),
    '/en/old': onward('oil'),
    '/en/oil': page('Oil', '<p>Oil it.</p>'),
    '/moved': { status: 301, headers: { location: '/en/wax' } },
    '/en/wax': page('Wax', '<p>Wax it.</p>'),
    '/plan': { type: 'application/octet-stream', body: '%PDF-1.7 of a plan' },
    '/robots.txt': { status: 404 },
  });
  const done = await runImport(`${site}/`);
  expect((await done.read('en')).text).toBe(`See [oil](en-oil.md), [wax](en-wax.md) and [the plan](${site}/plan).`);
  const { path } = (await done.read('en-wax')).fields;
  expect(path).toEqual(['/en/wax', '/moved']);
  expect(done.source.skipped).toEqual([
    { path: `${site}/plan`, line: 1, message: 'is a document to download, and no page; links to it stay' },
  ]);
});

test('a page that sends its readers on leads to no file and to no page beyond the named folder; what it does without scripts counts not', async () => {
  const onward = (to: string): string => `<meta http-equiv="refresh" content="0; url=${to}">`;
  const pages = {
    '/docs/': page('Start', '<p>See <a href="a">a</a>, <a href="b">b</a>, <a href="c">c</a> and <a href="d">d</a>.</p>'),
    '/docs/a': { body: onward('/private/secret') },
    '/docs/b': { body: onward('file.pdf') },
    '/docs/c': { body: `<head><noscript>${onward('plain')}</noscript></head><main><h1>C</h1><p>Text.</p></main>` },
    '/docs/d': { body: onward('https://other.example/docs/c') },
    '/docs/plain': page('Plain', '<p>Plain.</p>'),
    '/docs/file.pdf': { type: 'application/pdf', body: '%PDF-1.7' },
    '/private/secret': page('Secret', '<p>No.</p>'),
  };
  const map = '<urlset><url><loc>{{site}}/docs/</loc></url><url><loc>{{site}}/docs/a</loc></url></urlset>';
  for (const [listed, ids, more] of [
    [{}, ['docs', 'docs-c'], ['/docs/b to file.pdf', '/docs/d to c']],
    [{ '/sitemap.xml': { type: 'application/xml', body: map } }, ['docs'], []],
  ] as const) {
    const { site, requests } = await serve({ ...pages, ...listed });
    const done = await runImport(`${site}/docs/`);
    expect(done.outcome.created).toEqual(ids.map((id) => `content/capsules/${id}.md`));
    expect(requests.filter((path) => /secret|pdf|plain/.test(path))).toEqual([]);
    const left = done.source.skipped.flatMap(({ path, message }) => {
      const to = /^sends its readers on to .*\/(\S+), which is not a page of this import$/.exec(message)?.[1];
      return to === undefined ? [] : `${path.replace(site, '')} to ${to}`;
    });
    expect(left).toEqual(['/docs/a to secret', ...more]);
  }
});

test('texts that only a further page of a list leads to are imported, and that page is named as no text', async () => {
  const { site } = await serve({
    '/': page('Posts', '<p>See <a href="/new">new</a>, <a href="/page/1">first</a> and <a href="/page/2">older</a>.</p>'),
    '/page/1': { status: 301, headers: { location: '/first' } },
    '/first': page('First', '<p>First.</p>'),
    '/page/2': page('Posts', '<p>See <a href="/old">old</a>.</p>'),
    '/new': page('New', '<p>New.</p>'),
    '/old': page('Old', '<p>Old.</p>'),
  });
  const done = await runImport(`${site}/`);
  expect(done.outcome.created).toEqual(['first', 'home', 'new', 'old'].map((id) => `content/capsules/${id}.md`));
  expect(done.source.skipped).toMatchObject([{ path: `${site}/page/2`, message: 'belongs to the frame of the site, and is left out' }]);
});

test('an address with a query that is sent on gives its page no address; a page that differs by its query alone is named', async () => {
  const { site } = await serve({
    '/': page(
      'Start',
      '<p>See <a href="/?lang=de">de</a>, <a href="/q?id=1">1</a>, <a href="/q?id=2">2</a> and <a href="/q?id=3">3</a>.</p>',
    ),
    '/?lang=de': { status: 302, headers: { location: '/de/' } },
    '/de/': page('Anfang', '<p>Go <a href="/">home</a>.</p>'),
    '/q?id=1': page('One', '<p>One.</p>'),
    '/q?id=2': page('Two', '<p>Two.</p>'),
    '/q?id=3': page('One', '<p>One.</p>'),
  });
  const { source } = await runImport(`${site}/`);
  expect(source.pages.map(({ path, routes }) => [path, routes])).toEqual([
    ['de', ['/de']],
    ['index', ['']],
    ['q', ['/q']],
  ]);
  const message = 'has the address of another page but for its query, and is left out';
  expect(source.skipped).toEqual([{ path: `${site}/q?id=2`, line: 1, message }]);
});

test('a listed page that could not be read this time is not gone; one that answers 404 is', async () => {
  const isLater = { value: false };
  const orLater = (title: string, status: number) => (): Answer => (isLater.value ? { status } : page(title, '<p>A.</p>'));
  const { site } = await serve({
    '/sitemap.xml': {
      type: 'application/xml',
      body: `<urlset>${['kept', 'broken', 'missing'].map((name) => `<url><loc>{{site}}/${name}</loc></url>`).join('')}</urlset>`,
    },
    '/kept': page('Kept', '<p>A.</p>'),
    '/broken': orLater('Broken', 403),
    '/missing': orLater('Missing', 404),
  });
  const { root, outcome } = await runImport(`${site}/sitemap.xml`);
  expect(outcome.created.length).toBe(3);
  isLater.value = true;
  const again = await runImport(`${site}/sitemap.xml`, { root });
  expect(again.outcome.gone).toEqual(['content/capsules/missing.md']);
  expect(again.source.skipped.map(({ message }) => message).sort()).toEqual(['answers 403', 'answers 404']);
});

test('an index of sitemaps at an address is followed, compressed ones included', async () => {
  const { site } = await serve({
    '/sitemap.xml': { type: 'application/xml', body: '<sitemapindex><sitemap><loc>{{site}}/a.xml.gz</loc></sitemap></sitemapindex>' },
    '/a.xml.gz': () => ({
      type: 'application/gzip',
      body: gzipSync(`<urlset><url><loc>${site}/one</loc></url><url><loc>${site}/two</loc></url></urlset>`),
    }),
    '/one': page('One', '<p>First.</p>'),
    '/two': page('Two', '<p>Second.</p>'),
  });
  const done = await runImport(`${site}/sitemap.xml`, { pagesMax: 1 });
  expect(done.outcome.created).toEqual(['content/capsules/one.md']);
  expect(done.source.skipped).toMatchObject([{ message: 'is beyond the limit of 1 pages; raise --limit' }]);
});

test('a busy site is asked again after the time that it states', async () => {
  let count = 0;
  const { site } = await serve({
    '/busy': () => {
      count += 1;
      return count === 1 ? { status: 503, headers: { 'retry-after': '0' } } : page('Busy', '<p>Now.</p>');
    },
  });
  const file = join(await writeTree({ 'sitemap.xml': `<urlset><url><loc>${site}/busy</loc></url></urlset>` }), 'sitemap.xml');
  expect((await runImport(file, { site })).outcome.created).toHaveLength(1);
});

test('an llms.txt at an address and in a folder', async () => {
  const { site } = await serve({
    '/llms.txt': {
      type: 'text/plain',
      body: '# Site\n\n- [Start](/start.md): Begin.\n- [HTML]({{site}}/html)\n- [Elsewhere](https://other.example/x.md)\n',
    },
    '/start.md': { type: 'text/plain', body: 'No heading. [html](/html#a) [abroad](https://other.example/x.md)\n' },
    '/html': page('HTML', '<h2 id="a">A</h2><p>Text.</p>'),
  });
  const done = await runImport(`${site}/llms.txt`);
  expect(await done.read('start')).toMatchObject({
    fields: { title: 'Start' },
    text: 'No heading. [html](html.md#a) [abroad](https://other.example/x.md)',
  });
  expect(done.source.skipped).toMatchObject([{ path: 'https://other.example/x.md', message: `is on another site than ${site}` }]);

  const folder = await writeTree({
    'outside.md': 'Keys.\n',
    'site/llms.txt': '# L\n\n- [One](one.md)\n- [Two](docs/two.md)\n- [Gone](gone.md)\n- [Out](../outside.md)\n',
    'site/one.md': 'To [two](docs/two.md).\n',
    'site/docs/two.md': '# Two\n\nText.\n',
  });
  const local = await runImport(join(folder, 'site/llms.txt'));
  expect((await local.read('one')).text).toBe('To [two](docs-two.md).');
  expect(local.source.skipped.map(({ message }) => message)).toEqual([
    'cannot be read',
    'leads out of the imported folder, and is not read',
  ]);
});

const API = {
  openapi: '3.1.0',
  info: { title: 'Bikes', version: '1' },
  tags: [{ name: 'Bikes', description: 'Everything about bikes.' }],
  paths: {
    '/bikes/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' }, description: 'The | bike' }],
      get: {
        operationId: 'getBike',
        tags: ['Bikes'],
        summary: 'Get a bike',
        responses: {
          200: { description: 'The bike', content: { 'application/json': { schema: { $ref: '#/components/schemas/Bike' } } } },
          404: { description: 'No bike' },
        },
      },
    },
    '/bikes': {
      post: {
        tags: ['Bikes'],
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Bike' }, example: { name: 'Red' } } } },
        responses: { 201: { description: 'Made' } },
      },
    },
  },
  components: {
    schemas: {
      Bike: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', description: 'Its name' },
          parent: { $ref: '#/components/schemas/Bike' },
          kind: { enum: ['road', 'mud'] },
        },
      },
    },
  },
};

test('an OpenAPI document, by tag and by operation', async () => {
  const file = join(await writeTree({ 'openapi.json': JSON.stringify(API) }), 'openapi.json');
  const byTag = await runImport(file);
  const { fields, text } = await byTag.read('bikes');
  expect(fields).toMatchObject({ title: 'Bikes: Bikes', summary: 'Everything about bikes.', tags: ['Bikes'] });
  expect(text).toContain(
    '## Get a bike\n\n`GET /bikes/{id}`\n\n### Parameters\n\n| Name | In | Type | Required | Description |\n| --- | --- | --- | --- | --- |\n| `id` | path | string | yes | The \\| bike |',
  );
  expect(text).toContain('- `name` (string, required): Its name\n- `parent` (Bike)\n- `kind` (one of `"road"`, `"mud"`)');
  expect(text).toContain('### Example\n\n```json\n{\n  "name": "Red"\n}\n```');
  const byOperation = await runImport(file, { by: 'operation' });
  expect(byOperation.outcome.created).toEqual(['content/capsules/get-bike.md', 'content/capsules/post-bikes.md']);
  expect((await byOperation.read('get-bike')).fields).toMatchObject({ title: 'Get a bike' });
});

test.each([
  [
    'a text that is nothing of these',
    'a.txt',
    'hello',
    /neither a page of a site, a folder, an llms.txt, a sitemap, an OpenAPI document nor an export/,
  ],
  ['a packed export', 'export.zip', 'PK', /is an archive; unpack it/],
  ['an old file of Word', 'a.doc', 'PK', /save it as a file of Word \(\.docx\)/],
  ['a PDF', 'a.pdf', '%PDF-1.7', /import what it was made from/],
  ['a damaged file of Word', 'a.docx', 'PK', /is no file of Word, or a damaged/],
  ['a canvas of Obsidian', 'a.canvas', '{}', /write what it says as a note/],
  ['a feed', 'a.xml', '<?xml version="1.0"?><rss version="2.0"></rss>', /import its site by its address/],
  ['an export of Zendesk', 'a.json', '{"articles":[{"id":1,"section_id":5}]}', /import its help center by its address/],
  ['the XML of Confluence', 'entities.xml', '<hibernate-generic/>', /export the space as HTML/],
  ['one page', 'a.html', '<main>A</main>', /is one page of a site; name its folder/],
  ['JSON without operations', 'openapi.json', '{"openapi":"3.1.0","paths":{}}', /describes no operation/],
  ['broken JSON', 'openapi.json', '{"openapi": "3.1.0", ', /neither valid JSON nor valid YAML/],
  ['JSON of another kind', 'a.json', '{"a":1}', /has no member "openapi"/],
  ['an llms.txt without links', 'llms.txt', '# Nothing\n', /links to no text/],
  ['a sitemap without pages', 'sitemap.xml', '<urlset></urlset>', /lists no https address/],
])('refuses %s', async (_name, name, content, message) => {
  const file = join(await writeTree({ [name]: content }), name);
  const refused = openSource(file, OPEN);
  await expect(refused).rejects.toThrow(UserError);
  await expect(refused).rejects.toThrow(message);
});

test('refuses a site that cannot be reached, and the address of a repository', async () => {
  await expect(openSource('https://github.com/a/b', OPEN)).rejects.toThrow('is a repository; clone it, and import its folder');
  await expect(openSource('https://gitlab.com/a/b/-/raw/main/c.zip', OPEN)).rejects.toThrow('is an archive; unpack it');
  await expect(openSource('http://127.0.0.1:1/llms.txt', OPEN)).rejects.toThrow(
    /^http:\/\/127\.0\.0\.1:1 cannot be reached: (?!cannot)[^:;]+; check the address/,
  );
  await expect(openSource('https://none.invalid/', OPEN)).rejects.toThrow(
    'https://none.invalid cannot be reached: no site has this name; check the address and the network',
  );
});

describe('a site that leads elsewhere', () => {
  test('gets requests at its own origin alone: a sitemap, its pages and redirects lead nowhere else', async () => {
    const inside = await serve({ '/secret': page('Secret', '<p>Inside.</p>'), '/robots.txt': { status: 404 } });
    const { site } = await serve({
      '/sitemap.xml': { body: `<urlset><url><loc>${inside.site}/secret</loc></url><url><loc>{{site}}/moved</loc></url></urlset>` },
      '/moved': { status: 302, headers: { location: '/twice' } },
      '/twice': { status: 307, headers: { location: `${inside.site}/secret` } },
    });
    await expect(openSource(`${site}/sitemap.xml`, OPEN)).rejects.toThrow(
      `no page of ${site} could be imported: ${inside.site}/secret is on another site than ${site}`,
    );
    expect(inside.requests).toEqual([]);
  });

  test.each([
    'http://127.0.0.1:1',
    'http://localhost:1',
    'http://[::1]:1',
    'http://[::ffff:10.0.0.1]:1',
    'http://169.254.169.254',
    'http://10.1.2.3',
    'http://[fd00::1]',
  ])('a file that a stranger wrote does not lead to %s unless the user names it', async (site) => {
    const folder = await writeTree({
      'sitemap.xml': `<urlset><url><loc>${site}/a</loc></url></urlset>`,
      'llms.txt': `# S\n\n- [A](${site}/a.md)\n`,
    });
    for (const name of site.includes('[') ? ['sitemap.xml'] : ['sitemap.xml', 'llms.txt'])
      await expect(openSource(join(folder, name), OPEN)).rejects.toThrow(
        /which are not fetched; to import them, name the site: --site http/,
      );
  });
});

describe('one odd page', () => {
  test('is a line of the report, and the others are imported', async () => {
    const { site } = await serve({
      '/sitemap.xml': {
        body: '<urlset><url><loc>{{site}}/%ff</loc></url><url><loc>{{site}}/deep</loc></url><url><loc>{{site}}/good</loc></url></urlset>',
      },
      '/%ff': page('Escape', '<p>Text.</p>'),
      '/deep': { body: `<main><h1>Deep</h1>${'<div>'.repeat(4_000)}Text` },
      '/good': page('Good', '<p>See <a href="/%ff">it</a>.</p>'),
    });
    const done = await runImport(`${site}/sitemap.xml`);
    expect(done.plan.capsules.map(({ fields }) => fields['title']).sort()).toEqual(['Escape', 'Good']);
    expect(done.source.skipped).toEqual([
      { path: `${site}/deep`, line: 1, message: 'cannot be converted, because it nests elements too deeply, and is left out' },
    ]);
    const folder = await writeTree({
      'llms.txt': '# L\n\n- [One](one.md)\n- [Odd](%ff.md)\n',
      'one.md': 'Text.\n',
      'docs/deep.md': `# Deep\n\n${'- '.repeat(8_000)}a\n`,
      'docs/good.md': '# Good\n\n[odd](%ff)\n',
    });
    expect((await runImport(join(folder, 'llms.txt'))).outcome.created).toEqual(['content/capsules/one.md']);
    const local = await runImport(join(folder, 'docs'));
    expect(local.outcome.created).toEqual(['content/capsules/good.md']);
    expect(local.source.skipped).toMatchObject([{ path: 'deep.md', message: expect.stringContaining('nests quotes or lists too deeply') }]);
  });

  test('of an OpenAPI document that refers to itself, or stands for very much, has bounds', async () => {
    const members = (to: string): object =>
      Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`m${index}`, { $ref: `#/components/schemas/${to}` }]));
    const schemas = {
      List: { type: 'array', items: { $ref: '#/components/schemas/List' } },
      ...Object.fromEntries(['A', 'B', 'C', 'D', 'E'].map((name, index, all) => [name, { properties: members(all[index + 1] ?? 'A') }])),
    };
    const answer = (schema: string): object => ({
      200: { description: 'OK', content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } } },
    });
    const document = {
      openapi: '3.1.0',
      paths: { '/list': { get: { responses: answer('List') } }, '/much': { get: { responses: answer('A') } }, '/%ff': { $ref: '#/%ff' } },
      components: { schemas },
    };
    const file = join(await writeTree({ 'openapi.json': JSON.stringify(document) }), 'openapi.json');
    const done = await runImport(file);
    expect((await done.read('list')).text).toContain('array of array of array of array of List');
    const { text } = await done.read('much');
    expect(text).toContain('The description has further members than the first 1000.');
    expect(text.length).toBeLessThan(100_000);
  });
});

describe('an export', () => {
  test('of WordPress: posts and pages, with what hides them, old paragraphs, tags and dates', async () => {
    const item = (type: string, name: string, status: string, content: string): string =>
      `<item><title><![CDATA[${name} & more]]></title><link>https://blog.example/2021/${name}/</link><content:encoded><![CDATA[${content}]]></content:encoded><excerpt:encoded><![CDATA[]]></excerpt:encoded><wp:post_name><![CDATA[${name}]]></wp:post_name><wp:post_date_gmt><![CDATA[2021-03-05 10:00:00]]></wp:post_date_gmt><wp:status><![CDATA[${status}]]></wp:status><wp:post_type><![CDATA[${type}]]></wp:post_type><category domain="post_tag" nicename="oil"><![CDATA[Oil]]></category></item>`;
    const xml = `<?xml version="1.0"?><rss version="2.0" xmlns:wp="http://wordpress.org/export/1.2/"><channel>${item('post', 'chain', 'publish', 'One\nline.\n\nTwo with <a href="/2021/oil/">oil</a>.')}${item('post', 'oil', 'draft', '<!-- wp:code --><pre class="wp-block-code"><code>a &lt; b</code></pre>')}${item('attachment', 'pic', 'inherit', '')}</channel></rss>`;
    const done = await runImport(join(await writeTree({ 'blog.xml': xml }), 'blog.xml'), { isPublished: true });
    expect(done.outcome.created).toEqual(['content/capsules/chain.md', 'content/capsules/oil.md']);
    expect(await done.read('chain')).toMatchObject({
      fields: { title: 'chain & more', tags: ['Oil'], created: '2021-03-05', path: ['/2021/chain/'] },
      text: 'One\\\nline.\n\nTwo with [oil](oil.md).',
    });
    expect(await done.read('oil')).toMatchObject({ fields: { draft: true }, text: '```\na < b\n```' });
  });

  test('of WordPress: what it shows of texts without tags of paragraphs: paragraphs, headings, shortcodes, names', async () => {
    const text = `[caption id="a" width="9"]<a href="https://blog.example/b.png"><img src="https://blog.example/b.png" alt="Bell"></a> A bell[/caption]
Intro
line.

More <em>words</em>.
<h1>Part</h1>
<ul>
\t<li>One</li>
\t<li>Two
and a half</li>
</ul>
After the list.

Again. [audio https://blog.example/a.mp3]
<pre>kept

  as it is</pre>
[gallery ids="7,8"]
[plugin]
[vc_row el_class="a"][vc_column]In a column.[/vc_column][/vc_row]
[sourcecode language="js"]

  if (a < b[av_index])

  [audio src=c]
[/sourcecode]
Take <code>a[fusion_id]</code>, b[av_id].
<pre>[vc_x y="1"] [code]c[/code] [tab z="1"]</pre>
[form id="7"]`;
    const field = (name: string, value: string): string => `<${name}><![CDATA[${value}]]></${name}>`;
    const meta = (key: string, value: string): string =>
      `<wp:postmeta>${field('wp:meta_key', key)}${field('wp:meta_value', value)}</wp:postmeta>`;
    const picture = (id: number): string =>
      `<item>${field('title', `Hill ${id}`)}<wp:post_id>${id}</wp:post_id><wp:post_parent>1</wp:post_parent>${field('wp:attachment_url', `https://blog.example/${id}.png`)}${field('wp:post_type', 'attachment')}${meta('_wp_attachment_image_alt', id === 9 ? 'A <hill>' : '')}${field('excerpt:encoded', id === 9 ? 'In <em>May</em>' : '')}</item>`;
    const xml = `<rss version="2.0" xmlns:wp="http://wordpress.org/export/1.2/"><channel><wp:author>${field('wp:author_login', 'al')}${field('wp:author_display_name', 'Ada Lovelace')}</wp:author><item>${field('title', 'A <em>bell</em>')}<link>https://blog.example/bell/</link>${field('dc:creator', 'al')}${field('content:encoded', text)}<wp:post_id>1</wp:post_id>${field('wp:post_name', 'bell')}${field('wp:status', 'publish')}${field('wp:post_type', 'post')}${meta('_thumbnail_id', '99')}</item>${picture(7)}${picture(8)}${picture(9)}<item>${field('title', 'Guide')}<link>https://blog.example/guides/oil/</link>${field('content:encoded', '<p>Oil.</p>')}${field('wp:status', 'publish')}${field('wp:post_type', 'docs')}${meta('_edit_last', '1')}${meta('_thumbnail_id', '9')}</item><item>${field('title', 'Doc')}<link>https://blog.example/?docs=a</link>${field('content:encoded', 'Doc.')}${field('wp:post_type', 'docs')}</item><item>${field('title', 'Form')}<link>https://blog.example/?post_type=form&amp;p=3</link>${field('content:encoded', 'Name')}${field('wp:post_type', 'form')}</item></channel></rss>`;
    const done = await runImport(join(await writeTree({ 'blog.xml': xml }), 'blog.xml'), { isPublished: true });
    const { fields, text: written } = await done.read('bell');
    expect(fields).toMatchObject({ title: 'A bell', written_by: { name: 'Ada Lovelace' } });
    expect(written.split('\n\n')).toEqual([
      '[![Bell](https://blog.example/b.png "A bell")](https://blog.example/b.png)',
      'Intro\\\nline.',
      'More *words*.',
      '## Part',
      '- One\n- Two\\\n  and a half',
      'After the list.',
      'Again.',
      '[a.mp3](https://blog.example/a.mp3)',
      '```\nkept',
      '  as it is\n```',
      '![Hill 7](https://blog.example/7.png)',
      '![Hill 8](https://blog.example/8.png)',
      '\\[plugin]',
      'In a column.',
      '```js\n  if (a < b[av_index])',
      '  [audio src=c]\n```',
      'Take `a[fusion_id]`, b\\[av_id].',
      '```\n[vc_x y="1"] [code]c[/code] [tab z="1"]\n```',
      '\\[form id="7"]',
    ]);
    expect(await done.read('guides-oil')).toMatchObject({
      fields: { draft: true },
      text: '![A \\<hill>](https://blog.example/9.png "In May")\n\nOil.',
    });
    expect(done.source.skipped.map(({ path, message }) => `${path} ${message}`)).toEqual([
      'doc is of the type "docs" and has no address, and is left out',
      'form is of the type "form" and has no address, and is left out',
    ]);
    expect(done.notes).toEqual([
      'bell:1 has a featured picture that the export does not describe; export all content, with its media',
      'bell:1 has shortcodes of plugins, which stay as text: form',
      'guides/oil:29 is of the type "docs", which a plugin made, and stays a draft',
      ...['1 b', '11 7', '12 8']
        .map((at) => at.split(' '))
        .map(([line, name]) => {
          return `bell:${line} shows the picture https://blog.example/${name}.png, which becomes a link; --copy-images copies it`;
        }),
      'guides/oil:29 shows the picture https://blog.example/9.png, which becomes a link; --copy-images copies it',
    ]);
    expect(done.outcome.created).toEqual(['content/capsules/bell.md', 'content/capsules/guides-oil.md']);
  });

  test('of Ghost: posts by their tables', async () => {
    const data = {
      posts: [
        {
          ...{ id: '1', title: 'Hub', slug: 'hub', status: 'published', visibility: 'public', published_at: '2024-02-03T04:05:06.000Z' },
          html: '<p>See <a href="__GHOST_URL__/spoke/">it</a>.</p>',
        },
        {
          ...{ id: '2', title: 'Spoke', slug: 'spoke', html: '<p>Paid.</p>', status: 'published', visibility: 'paid' },
          feature_image: '__GHOST_URL__/content/images/a.png',
        },
        { id: '3', title: 'Rim', slug: 'rim', status: 'published', lexical: '{"root":{"children":[{"type":"text","text":"Oil"}]}}' },
        { id: '4', title: 'Tyre', slug: 'tyre', status: 'published', lexical: '{"root":{"children":[]}}' },
      ],
      posts_meta: [{ post_id: '2', feature_image_alt: 'Spokes', feature_image_caption: '<span>Of <b>steel</b></span>' }],
      tags: [{ id: 't', name: 'Wheels' }],
      posts_tags: [{ post_id: '1', tag_id: 't' }],
      users: [{ id: 'u', name: 'Ada Lovelace' }],
      posts_authors: [{ post_id: '1', author_id: 'u' }],
    };
    const folder = await writeTree({ 'ghost.json': JSON.stringify({ db: [{ data }] }) });
    const done = await runImport(join(folder, 'ghost.json'), { isPublished: true });
    expect(await done.read('hub')).toMatchObject({
      fields: { title: 'Hub', tags: ['Wheels'], created: '2024-02-03', written_by: { name: 'Ada Lovelace' } },
      text: 'See [it](spoke.md).',
    });
    expect(await done.read('spoke')).toMatchObject({ fields: { draft: true }, text: 'Spokes Of steel\n\nPaid.' });
    expect(done.notes).toEqual([
      'spoke:1 has the visibility "paid" in Ghost, and stays a draft',
      'rim:1 has its text only as the editor of Ghost keeps it, and no HTML; import it into Ghost, and export it from there',
      'rim:1 has no text of its own, and is left out',
      'tyre:1 has no text of its own, and is left out',
      'spoke:1 shows "/content/images/a.png", which is not in the source; "Spokes" stays as text',
    ]);
    expect(hasLosses(done)).toBe(true);
  });

  test('of Substack: its folder, with the table of its posts; what is paid or no text of readers stays out', async () => {
    const row = (id: string, published: string, audience: string, rest = ',,'): string =>
      `${id},2024-03-10T12:00:00.000Z,${published},,newsletter,${audience},${rest}\n`;
    const note = '<a class="footnote-anchor" id="footnote-anchor-1" href="#footnote-1">1</a>';
    const kept = (name: string, value: object): string =>
      `<div class="${name}" data-attrs="${JSON.stringify(value).replaceAll('"', '&quot;')}"></div>`;
    const hub = `<p>See <a href="https://wheels.example/p/rim">it</a>${note}.</p><p class="button-wrapper"><a class="button" href="%%checkout_url%%"><span>Join</span></a></p><div class="subscription-widget-wrap"><p>Pay us.</p></div>${kept('latex-rendered', { persistentExpression: 'a<b' })}${kept('digest-post-embed', { title: 'Spoke?a=1&para=2', canonical_url: 'https://wheels.example/p/rim' })}<div class="footnote"><a id="footnote-1" href="#footnote-anchor-1" class="footnote-number">1</a><div class="footnote-content"><p>Or not.</p></div></div>`;
    const done = await runImport(
      {
        'posts.csv': `post_id,post_date,is_published,email_sent_at,type,audience,title,subtitle,podcast_url\n${row('1.hub', 'true', 'everyone', '"A ""hub"", R&para new","On\nhubs",https://wheels.example/a.mp3')}${row('2.rim', 'TRUE', 'only_paid')}${row('3.tyre', 'false', 'everyone')}${row('../key', 'true', 'everyone')}`,
        'posts/1.hub.html': hub,
        'posts/2.rim.html': '<p>Paid.</p>',
        'posts/3.tyre.html': '<p>Not yet.</p>',
        'email_list.csv': 'email\n',
      },
      { isPublished: true, site: 'https://wheels.example' },
    );
    expect(await done.read('hub')).toMatchObject({
      fields: { title: 'A "hub", R&para new', summary: 'On hubs', created: '2024-03-10', path: ['/p/hub'] },
      text: 'See [it](rim.md)[^1].\n\n$$\na<b\n$$\n\n[Spoke?a=1\\&para=2](rim.md)\n\n[a.mp3](https://wheels.example/a.mp3)\n\n[^1]: Or not.',
    });
    for (const id of ['rim', 'tyre']) expect((await done.read(id)).fields['draft']).toBe(true);
    expect(done.outcome.created).toHaveLength(3);
  });

  test('of Medium: its posts alone, with what stands around their texts; drafts have no address', async () => {
    const post = (head: string, foot: string): string =>
      `<article class="h-entry"><header><h1 class="p-name">Hub</h1></header>${head}<section data-field="body" class="e-content"><section><div class="section-divider"><hr class="section-divider"></div><h3 class="graf graf--h3 graf--title">Hub</h3><h4 class="graf graf--subtitle">On hubs</h4><p>See <a href="https://medium.com/@ada/hub-a1b2c3d4e5f6">it</a>.</p></section></section><footer>${foot}</footer></article>`;
    const published =
      '<p>By <a href="https://medium.com/@ada" class="p-author h-card">Ada &amp; O&#39;Neil</a> on <time class="dt-published" datetime="2018-08-11T11:23:34Z">then</time></p><a href="https://medium.com/tag/oil" class="p-tag">Oil</a><a href="https://medium.com/@ada/hub-a1b2c3d4e5f6" class="p-canonical">Link</a>';
    const folder = await writeTree({
      'posts/2018-08-11_Hub-a1b2c3d4e5f6.html': post('<section data-field="subtitle" class="p-summary">\nOn hubs\n</section>', published),
      'posts/draft_Hub-b1b2c3d4e5f6.html': post('', ''),
      'profile/profile.html': '<h1>Ada</h1><p>ada@example.com</p>',
      'sessions/sessions-1.html': '<p>192.0.2.1</p>',
    });
    const done = await runImport(join(folder, 'posts'), { isPublished: true });
    expect(await done.read('hub')).toMatchObject({
      fields: { title: 'Hub', summary: 'On hubs', tags: ['Oil'], created: '2018-08-11', written_by: { name: "Ada & O'Neil" } },
      text: 'See it.',
    });
    expect((await done.read('draft-hub-b1b2c3d4e5f6')).fields['draft']).toBe(true);
    expect(done.outcome.created).toHaveLength(2);
  });

  test('a featured picture stands above its text unless the text shows it itself', async () => {
    const field = (name: string, value: string): string => `<${name}><![CDATA[${value}]]></${name}>`;
    const picture = (id: number, name: string): string =>
      `<item><wp:post_id>${id}</wp:post_id>${field('wp:attachment_url', `https://blog.example/${name}.jpg`)}${field('wp:post_type', 'attachment')}</item>`;
    const post = (name: string, text: string): string =>
      `<item>${field('title', name)}<link>https://blog.example/${name}/</link>${field('content:encoded', text)}${field('wp:status', 'publish')}${field('wp:post_type', 'post')}<wp:postmeta>${field('wp:meta_key', '_thumbnail_id')}${field('wp:meta_value', '7')}</wp:postmeta></item>`;
    const shows = (source: string): string => `<p>Oil.</p><img src="https://blog.example/${source}" alt="">`;
    const posts = [
      ['other', shows('photo-12.jpg')],
      ['linked', '<p><a href="https://blog.example/photo-1.jpg">Oil</a></p>'],
      ['sized', shows('photo-1-300x200.jpg')],
      ['scaled', shows('photo-1-scaled.jpg')],
      ['gallery', '<p>Oil.</p>[gallery ids="7,8"]'],
    ] as const;
    const items = posts.map(([name, text]) => post(name, text)).join('');
    const xml = `<rss version="2.0" xmlns:wp="http://wordpress.org/export/1.2/"><channel>${picture(7, 'photo-1')}${picture(8, 'photo-12')}${items}</channel></rss>`;
    const done = await runImport(join(await writeTree({ 'blog.xml': xml }), 'blog.xml'), { isPublished: true });
    const firsts = await Promise.all(posts.map(async ([name]) => [name, (await done.read(name)).text.match(/photo-1\b(?=[.-])/g)?.length]));
    expect(firsts).toEqual([
      ['other', 1],
      ['linked', 2],
      ['sized', 1],
      ['scaled', 1],
      ['gallery', 1],
    ]);
    const ghost = { id: '1', slug: 'a', status: 'published', feature_image: 'https://b.example/a.png' };
    const html = '<p><a href="https://b.example/a.png">Oil</a></p>';
    const rows = [
      { ...ghost, html },
      { ...ghost, id: '2', slug: 'b', html: '<img src="https://b.example/a.png" alt="">' },
    ];
    const json = JSON.stringify({ db: [{ data: { posts: rows } }] });
    const ofGhost = await runImport(join(await writeTree({ 'a.json': json }), 'a.json'), { isPublished: true });
    expect((await ofGhost.read('a')).text).toBe('![](https://b.example/a.png)\n\n[Oil](https://b.example/a.png)');
    expect((await ofGhost.read('b')).text).toBe('![](https://b.example/a.png)');
  });

  test('of WordPress: drafts without an address of their own are texts of their own', async () => {
    const item = (id: number): string =>
      `<item><title>Draft</title><link>https://blog.example/?p=${id}</link><content:encoded><![CDATA[<p>${id}</p>]]></content:encoded><wp:post_id>${id}</wp:post_id><wp:post_name></wp:post_name><wp:status>draft</wp:status><wp:post_type>post</wp:post_type></item>`;
    const xml = `<rss version="2.0" xmlns:wp="http://wordpress.org/export/1.2/"><channel>${item(7)}${item(8)}${item(8)}</channel></rss>`;
    const done = await runImport(join(await writeTree({ 'blog.xml': xml }), 'blog.xml'));
    expect(done.plan.capsules.map(({ text }) => text.trim())).toEqual(['7', '8', '8']);
  });
});

test('--copy-images fetches pictures of other sites, but of private networks only from the site that is named', async () => {
  const { site, requests } = await serve({
    '/a.png': { type: 'image/png', body: PNG },
    '/b/c?id=1': { type: 'image/png', body: PNG },
    '/c.png': { type: 'application/octet-stream', body: PNG },
    '/d.png': { type: 'image/png', body: PNG },
    '/lost.png': { body: 'Not found' },
    '/e.png': { type: 'application/json', body: '{}' },
  });
  const other = site.slice(0, -1);
  const text = `![A](${site}/a.png "T") [![C](${site}/b/c?id=1)](${site}/b/c?id=1) ![D][d] ![L](${site}/lost.png) ![E](${site}/e.png) ![O](${site}/c.png) ![P](${other}/p.png)\n\n[d]: ${site}/d.png\n\n<img src="${site}/a.png" alt="">\n`;
  const done = await runImport({ 'a.md': text }, { site, copiesRemoteImages: true });
  const [a, c, d, o] = ['a', 'b/c-id-1', 'd', 'c'].map((name) => `images/${new URL(site).host.replaceAll(/[.:]/g, '-')}/${name}.png`);
  expect((await done.read('a')).text).toBe(
    `![A](${a} "T") [![C](${c})](${c}) ![D][d] ![L](${site}/lost.png) ![E](${site}/e.png) ![O](${o}) ![P](${other}/p.png)\n\n[d]: ${d}\n\n<img src="${a}" alt="">`,
  );
  expect(done.notes).toEqual(
    [`${site}/lost.png`, `${site}/e.png`, `${other}/p.png`].map((url) => `a.md:1 shows the picture ${url}, which becomes a link`),
  );
  expect(requests.filter((path) => path !== '/robots.txt').sort()).toEqual([
    '/a.png',
    '/b/c?id=1',
    '/c.png',
    '/d.png',
    '/e.png',
    '/lost.png',
  ]);
  expect(done.source.skipped.map(({ message }) => message)).toEqual([
    'is no image that texts may show, and is left out',
    'is no image that texts may show, and is left out',
    'is in a private network, and its pictures are not fetched',
  ]);
});

test('--copy-images fetches pictures from the site whose address is imported, of all together at most 500 MB, and says once which site it cannot reach', async () => {
  const { site } = await serve({
    '/llms.txt': { type: 'text/plain', body: '# Site\n\n- [A]({{site}}/a.md)\n' },
    '/a.md': { type: 'text/markdown', body: '# A\n\n![A](/a.png)\n' },
    '/a.png': { type: 'image/png', body: PNG },
  });
  const done = await runImport(`${site}/llms.txt`, { copiesRemoteImages: true });
  expect((await done.read('a')).text).toMatch(/^!\[A\]\(images\/[\w-]+\/a\.png\)$/);
  const other = site.replace('127.0.0.1', 'localhost');
  const source = await openSource(await writeTree({ 'a.md': `![A](${site}/a.png) ![A](${other}/a.png)` }), OPEN);
  const limited = await fetchRemoteImages({ ...source, imageBytes: 499_999_999 }, site, { ...OPEN, site: other });
  expect([...(limited.remoteImages ?? [])].map(([address]) => address)).toEqual([`${site}/a.png`]);
  const message = 'is an image beyond 500 MB of them, and is left out';
  expect(limited.skipped).toMatchObject([{ path: `${other}/a.png`, message }]);
  const lost = await runImport({ 'a.md': '![A](http://127.0.0.1:1/a.png)' }, { site: 'http://127.0.0.1:1', copiesRemoteImages: true });
  expect(lost.source.skipped).toMatchObject([{ path: 'http://127.0.0.1:1', message: expect.stringMatching(/^cannot be reached/) }]);
});

test('makes versions in addresses sections of one product, the current one first, and leaves other pages beside them', () => {
  const entry = (url: string, label: string, ...path: string[]) => ({ url: `https://old.example${url}`, label, path });
  const idOf = (url: string) => ({ id: new URL(url).pathname.slice(1).replaceAll(/[/.]/g, '-') });
  const made = sectionsYaml(
    [
      entry('/blog/2024', 'News', 'Blog'),
      entry('/docs/1.x/install', 'Install', 'Guides'),
      entry('/docs/10.0/install', 'Install', 'Guides'),
      entry('/docs/9.2/install', 'Install', 'Guides'),
      entry('/docs/next/install', 'Install', 'Guides'),
      entry('/docs/install', 'Install', 'Guides'),
    ],
    idOf,
  );
  const { sections } = parse(made ?? '') as {
    sections: { title: string; versions?: boolean; items: { title: string; items: unknown }[] }[];
  };
  expect(sections.map(({ title, versions }) => [title, versions])).toEqual([
    ['Docs', true],
    ['Blog', undefined],
  ]);
  expect(sections[0]?.items.map(({ title }) => title)).toEqual(['Current', 'next', '10.0', '9.2', '1.x']);
  expect(sections[0]?.items[2]?.items).toEqual([{ id: 'guides-3', title: 'Guides', items: ['docs-10-0-install'] }]);
  // A number in an address that no other version has is no version.
  expect(sectionsYaml([entry('/docs/1.2/install', 'Install'), entry('/docs/about', 'About')], idOf)).not.toContain('versions');
});

test('headings that ask, in any script, and the questions of structured data become questions', async () => {
  const faq = JSON.stringify({
    '@context': 'https://schema.org',
    '@graph': [{ '@type': 'FAQPage', mainEntity: [{ '@type': 'Question', name: 'Is it <i>free</i>?' }, { name: 7 }, null] }],
  });
  const { read, notes } = await runImport({
    'faq.html': `<!doctype html><html lang="en"><head><title>Help</title><script type="application/ld+json">${faq.replaceAll('<', '\\u003c')}</script></head>
<body><main><h1>Help</h1><p>Answers to what readers ask.</p><h2>How long does it take?</h2><p>A day.</p><h2>多久？</h2><p>一天。</p><h2>كم من الوقت؟</h2><p>يوم.</p><h2>Prices</h2><p>Nothing.</p></main></body></html>`,
    'many.html': `<h1>Many</h1>${Array.from({ length: 22 }, (_, at) => `<h2>Is it ${at}?</h2><p>Yes.</p>`).join('')}`,
    'plain.html':
      '<!doctype html><html lang="en"><head><title>Plain</title></head><body><main><h1>Plain</h1><p>No question here.</p></main></body></html>',
  });
  expect(notes).toEqual(['many.html:1 keeps 20 of 22 questions and other names in "questions": at most 20, of 3 to 200 characters each']);
  expect((await read('many')).fields['questions']).toHaveLength(20);
  expect((await read('faq')).fields['questions']).toEqual(['How long does it take?', '多久？', 'كم من الوقت؟', 'Is it free?']);
  expect((await read('plain')).fields).not.toHaveProperty('questions');
});
