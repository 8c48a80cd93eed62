import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { atomFeed } from '../../../src/documents/atom-feed.ts';
import { capsuleMarkdownPage } from '../../../src/documents/capsule-markdown-files.ts';
import { machineDocuments } from '../../../src/documents/document-registry.ts';
import { llmsFullTxt, llmsSubjectLists, llmsTxt } from '../../../src/documents/llms-txt.ts';
import { licenseXml, robotsTxt } from '../../../src/documents/robots-and-license.ts';
import { sitemapMarkdown, sitemapParts, sitemapXml } from '../../../src/documents/sitemap.ts';
import { securityTxt } from '../../../src/documents/well-known-documents.ts';
import { describedRoutes } from '../../../src/routes/route-table.ts';
import { contentSignal, contentUsage, type Usage, UsageSettings, usageOf } from '../../../src/schemas/content-usage.ts';
import { featuresOf } from '../../../src/schemas/feature-switches.ts';
import { buyPath, capsuleMarkdownPath, capsulePath, PATHS, subjectPath } from '../../../src/schemas/paths.ts';
import { corpusOverview } from '../../../src/site/collection-entries.ts';
import { walk } from '../../../src/text/markdown/markdown-tree.ts';
import { parseText } from '../../../src/text/markdown/parse-text.ts';
import { escapeMarkup, markdownLink, withAbsoluteLinks } from '../../../src/text/markdown/write-markup.ts';
import type { FreeCapsule, Publication } from '../../../src/text/publication-model.ts';
import { realPublication, smallPublication } from './publication-fixture.ts';

const small = await smallPublication('edge');
const smallFiles = await smallPublication('static');
const real = await realPublication('edge');
const capsuleOf = (id: string): FreeCapsule => small.capsules.find((capsule) => capsule.id === id) as FreeCapsule;

function repeated(count: number, tagsOf: (index: number) => string[] = () => []): Publication {
  const [capsule] = small.capsules as [FreeCapsule];
  const capsules = Array.from({ length: count }, (_, index) => {
    const id = `capsule-${index}`;
    return { ...capsule, id, metadata: { ...capsule.metadata, capsule_id: id, tags: tagsOf(index) } };
  });
  return { ...small, capsules };
}

describe('withAbsoluteLinks()', () => {
  it.each([
    ['[a](/b)', '[a](https://x.example/b)'],
    ['[a](</b c>)', '[a](<https://x.example/b c>)'],
    ['![a](/b.png "t") [c](/d)', '![a](https://x.example/b.png "t") [c](https://x.example/d)'],
    ['[a]: /b', '[a]: https://x.example/b'],
    ['[a](//other.example/b) [c](#d) [e](https://f.example/)', '[a](//other.example/b) [c](#d) [e](https://f.example/)'],
    ['`[a](/b)` [c](/d)', '`[a](/b)` [c](https://x.example/d)'],
    ['``[a](/b)` `` [c](/d)', '``[a](/b)` `` [c](https://x.example/d)'],
    ['```\n[a](/b)\n```\n[c](/d)', '```\n[a](/b)\n```\n[c](https://x.example/d)'],
    ['~~~~\n~~~\n[a](/b)\n~~~~\n[c](/d)', '~~~~\n~~~\n[a](/b)\n~~~~\n[c](https://x.example/d)'],
    ['```ts\n/**\n * ```\n * f()\n * ```\n */\n```\n[a](/b)', '```ts\n/**\n * ```\n * f()\n * ```\n */\n```\n[a](https://x.example/b)'],
    ['- a ` b\n- [c](/d)\n- e ` f', '- a ` b\n- [c](https://x.example/d)\n- e ` f'],
    ['[^a]: /b', '[^a]: /b'],
  ])('turns %j into %j', (before, after) => {
    expect(withAbsoluteLinks(before, 'https://x.example')).toBe(after);
  });

  it('leaves no root-relative link in the real capsules, and no code changed', () => {
    for (const { markdown = '', id } of real.capsules) {
      const code: string[] = [];
      const original: string[] = [];
      walk(parseText(withAbsoluteLinks(markdown, 'https://x.example')), (node) => {
        if (node.type === 'link' || node.type === 'definition') expect(node.url, id).toMatch(/^(https?:|#|mailto:)/);
        if (node.type === 'code' || node.type === 'inlineCode') code.push(node.value);
      });
      walk(parseText(markdown), (node) => {
        if (node.type === 'code' || node.type === 'inlineCode') original.push(node.value);
      });
      expect(code).toEqual(original);
    }
  });
});

it('markdownLink() keeps brackets and parentheses apart', () => {
  expect(markdownLink('a [b] <c>', 'https://x.example/(y)')).toBe('[a \\[b\\] \\<c>](<https://x.example/(y)>)');
});

describe('capsuleMarkdownPage()', () => {
  it('has front matter that YAML reads, the directive, one title and the exact members', () => {
    const { body, path } = capsuleMarkdownPage(capsuleOf('http-cache'), small);
    const [, head = '', rest = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(body) ?? [];
    expect(path).toBe('/capsules/http-cache.md');
    expect(parseDocument(head).toJS()).toEqual({
      title: 'Caches keep answers <for> a while',
      description: capsuleOf('http-cache').metadata.summary,
      doc_version: '2.0.0',
      canonical_url: 'https://lantern.example/capsules/http-cache',
      last_updated: '2026-11-10',
      license: 'CC-BY-4.0',
      usage: 'search=yes, ai-input=yes, ai-train=no',
      status: 'current',
    });
    expect(rest.trimStart().startsWith('> For AI agents: the documentation index is at https://lantern.example/llms.txt\n')).toBe(true);
    expect(rest.match(/^# /gm)).toHaveLength(1);
    expect(rest).toContain('\n## Sitemap\n');
    expect(body.endsWith('\n')).toBe(true);
  });

  it('links every source from the text and from the list of sources, and leaves no reference open', () => {
    for (const capsule of real.capsules) {
      const { body } = capsuleMarkdownPage(capsule, real);
      const addresses = new Set<string>();
      const labels = new Set<string>();
      walk(parseText(body), (node) => {
        expect(node.type, capsule.id).not.toBe('footnoteReference');
        if (node.type === 'definition') addresses.add(node.url);
        if (node.type === 'linkReference') labels.add(node.identifier);
      });
      expect([...addresses].sort(), capsule.id).toEqual(capsule.metadata.sources.map(({ url }) => url).sort());
      expect([...labels].sort(), capsule.id).toEqual(capsule.metadata.sources.map(({ key }) => key).sort());
      expect(body.match(/^\d+\. \[.+\]\[[a-z0-9-]+\]\. /gm), capsule.id).toHaveLength(capsule.metadata.sources.length);
    }
  });

  it('says what replaced a superseded capsule and why a retracted one fell', () => {
    expect(capsuleMarkdownPage(capsuleOf('old-cache'), small).body).toContain(
      '> **Superseded on 2026-11-10: The standard was replaced by a newer one.** Replaced by [Caches keep answers \\<for> a while](https://lantern.example/capsules/http-cache).',
    );
    expect(capsuleMarkdownPage(capsuleOf('wrong-cache'), small).body).toContain(
      'could not be repeated.** This capsule should no longer be relied on.',
    );
    expect(capsuleMarkdownPage(capsuleOf('http-cache'), small).body).not.toMatch(/Superseded|Retracted/);
  });
});

describe('llmsTxt()', () => {
  it('says of the sources of capsules what is true: of all, of some, of none', () => {
    const [one] = small.capsules;
    if (one === undefined) throw new Error('no capsule');
    const bare = { ...one, id: 'bare', metadata: { ...one.metadata, capsule_id: 'bare', sources: [] } };
    const about = (...capsules: (typeof one)[]): string => llmsTxt({ ...small, capsules }).body;
    expect(about(one)).toContain('A capsule makes one claim, names its sources, and says');
    expect(about(one)).toContain('every capsule lists its sources');
    for (const capsules of [[one, bare], [bare], []]) expect(about(...capsules)).not.toMatch(/names its sources|every capsule lists/);
    expect(about(one, bare)).toContain('capsules list their sources where they have any, and the exact bytes of every capsule');
    expect(about(bare)).toContain(': the exact bytes of every capsule');
  });

  it('takes its example from the first section', () => {
    const publication = repeated(3);
    const { deployment } = publication;
    const sections = [{ id: 'basics', title: 'Basics', items: ['capsule-2', 'capsule-1'] }];
    expect(llmsTxt(publication).body).toContain('/capsule/capsule-0/quote?');
    expect(llmsTxt({ ...publication, deployment: { ...deployment, sections } }).body).toContain('/capsule/capsule-2/quote?');
    const found = corpusOverview(
      publication.capsules.map((capsule) => ({ ...capsule, degree: 0 })),
      sections,
    );
    expect([found.connectedExample, found.firstExample, found.newest[0]].map((capsule) => capsule?.id)).toEqual([
      'capsule-2',
      'capsule-2',
      'capsule-2',
    ]);
  });

  it('has a title, a summary and sections of links, Optional last', () => {
    const lines = llmsTxt(real).body.split('\n');
    expect(lines[0]).toBe('# Signpost');
    expect(lines[2]).toMatch(/^> /);
    const headings = lines.filter((line) => line.startsWith('## '));
    expect(headings[0]).toBe('## When to use');
    expect(headings.at(-1)).toBe('## Optional');
    expect(lines.filter((line) => /^#{1,6} /.test(line)).length).toBe(headings.length + 1);
    for (const line of lines.filter((text) => text.startsWith('- ['))) expect(line).toMatch(/^- \[.+\]\((<?https:\/\/[^)]+>?)\)(: .+)?$/);
  });

  it('links the markdown of every capsule, once, and stays below what checkers take', () => {
    const { body } = llmsTxt(real);
    for (const { id } of real.capsules) expect(body.split(`${real.deployment.baseUrl}${capsuleMarkdownPath(id)})`)).toHaveLength(2);
    expect(body.length).toBeLessThan(50_000);
  });

  it.each([
    ['functions', small],
    ['files alone', smallFiles],
    ['the real content', real],
  ])('links to text only, and gives the addresses of other documents as code, of a site with %s', (_name, publication) => {
    const { body } = llmsTxt(publication);
    const linked = [...body.matchAll(/\]\(<?(https:[^)>]+)>?\)/g)].map(([, address = '']) => address);
    expect(linked.filter((address) => !/\.(?:md|txt)$/.test(address))).toEqual([]);
    for (const { path } of machineDocuments(publication)) {
      const address = publication.deployment.baseUrl + path;
      if (path !== PATHS.llmsTxt) expect(body.includes(`(${address})`) || body.includes(`, \`${address}\``), path).toBe(true);
    }
  });

  it('gives the metadata of a text that is sold as code', () => {
    const [capsule] = small.capsules as [FreeCapsule];
    const sold = { ...capsule, metadata: { ...capsule.metadata, access: 'paid' as const, title: 'Sold' } };
    expect(llmsTxt({ ...small, capsules: [sold] }).body).toContain(
      `- Sold, \`https://lantern.example/capsules/${capsule.id}/capsule.json\`: `,
    );
  });

  it('leaves notes out when there are many capsules', () => {
    const { body } = llmsTxt(repeated(350));
    expect(body).toContain('capsule-349.md)\n');
    expect(body.length).toBeLessThanOrEqual(50_000);
    expect(llmsSubjectLists(repeated(350))).toEqual([]);
  });

  it.each([1_000, 20_000])('lists %i capsules by subject, each once, in documents that name the next', (count) => {
    const publication = repeated(count, (index) => [[], ['apples'], ['pears', 'apples'], [`rare-${index}`]][index % 4] as string[]);
    const { body } = llmsTxt(publication);
    expect(body.length).toBeLessThanOrEqual(50_000);
    const files = new Map(llmsSubjectLists(publication).map((file) => [file.path, file.body]));
    const first = [...body.matchAll(/\(https:\/\/lantern\.example(\/llms\/[^)]+\.txt)\): (\d+) capsules?$/gm)];
    expect(first.map(([, path]) => path)).toEqual(expect.arrayContaining(['/llms/apples.txt', '/llms/pears.txt', '/llms/other.txt']));
    expect(first.length).toBeLessThanOrEqual(101);
    const seen: string[] = [];
    const read = new Set<string>();
    for (const [, path = '', stated] of first) {
      const before = seen.length;
      for (let at: string | undefined = path; at !== undefined; ) {
        const text: string = files.get(at) ?? '';
        read.add(at);
        expect(text.length).toBeLessThanOrEqual(100_000);
        seen.push(...[...text.matchAll(/\/capsules\/(capsule-\d+)\.md\)/g)].map(([, id = '']) => id));
        at = /^Next part: https:\/\/lantern\.example(.+)$/m.exec(text)?.[1];
      }
      expect(seen.length - before).toBe(Number(stated));
    }
    expect(new Set(seen).size).toBe(count);
    expect([seen.length, read.size]).toEqual([count, files.size]);
    expect(sitemapMarkdown(publication).body.length).toBeLessThan(50_000);
  });

  it('tells of operations that need functions only where there are some', () => {
    expect(llmsTxt(small).body).toContain('`POST https://lantern.example/api/v1/agent-gateway/query`');
    expect(llmsTxt(smallFiles).body).not.toMatch(/\/api\/|Query API|Bearer/);
  });

  it('lists operations for agents, neither forms of browsers nor messages of a payment processor', () => {
    const posted = describedRoutes(small.deployment, featuresOf(small.publisher, small.offers)).filter(({ method }) => method === 'POST');
    const listed = new Set([...llmsTxt(small).body.matchAll(/`POST https:\/\/lantern\.example([^`?]+)`/g)].map(([, path]) => path));
    expect(posted.filter(({ path }) => !listed.has(path)).map(({ id }) => id)).toEqual(['startCheckout', 'takeProcessorMessage']);
  });
});

describe('llmsFullTxt()', () => {
  it('has every public capsule under its title and address, current ones first', () => {
    const { body } = llmsFullTxt(small);
    const urls = [...body.matchAll(/^URL: (.*)$/gm)].map(([, url]) => url);
    expect(urls).toEqual([
      'https://lantern.example/llms-full.txt',
      ...['http-cache', 'old-cache', 'wrong-cache'].map((id) => `https://lantern.example/capsules/${id}`),
    ]);
    expect(body.match(/^Status: superseded$/gm)).toHaveLength(1);
    expect(body.match(/^> \*\*(Superseded|Retracted) on /gm)).toHaveLength(2);
  });

  it('says where the texts are when they are too long for one document', () => {
    const long = { ...small, capsules: small.capsules.map((capsule) => ({ ...capsule, markdown: 'Text. '.repeat(400_000) })) };
    const { body } = llmsFullTxt(long);
    expect(body.length).toBeLessThan(5_000);
    expect(body).toContain('https://lantern.example/mirror/manifest.json');
    for (const { uri } of small.mirror.manifest.statement.bundle.parts) expect(body).toContain(`https://lantern.example${uri}`);
  });
});

describe('sitemaps', () => {
  it('are an index of parts where there are too many addresses', () => {
    const whole = sitemapXml(real).body.match(/<url>.*<\/url>/g) ?? [];
    const index = sitemapXml(real, 40);
    const parts = sitemapParts(real, 40);
    expect([index.path, sitemapParts(real)]).toEqual(['/sitemap.xml', []]);
    expect(
      [...index.body.matchAll(/<sitemap><loc>([^<]+)<\/loc><lastmod>\d{4}-\d\d-\d\d<\/lastmod><\/sitemap>/g)].map(([, url]) => url),
    ).toEqual(parts.map(({ path }) => real.deployment.baseUrl + path));
    expect(parts.flatMap(({ body }) => body.match(/<url>.*<\/url>/g) ?? [])).toEqual(whole);
    for (const { body } of parts) expect((body.match(/<url>/g) ?? []).length).toBeLessThanOrEqual(40);
  });

  it('list every page once, a deep one first, with the day of its content', () => {
    const locations = [...sitemapXml(real).body.matchAll(/<url><loc>([^<]+)<\/loc><lastmod>(\d{4}-\d{2}-\d{2})<\/lastmod><\/url>/g)].map(
      ([, url]) => url,
    );
    expect(new Set(locations).size).toBe(locations.length);
    expect(locations[0]).toMatch(/\/capsules\/[a-z0-9-]+$/);
    expect(locations.length).toBe(
      new Set([
        ...real.capsules.map(({ id }) => capsulePath(id)),
        ...real.offers.map(({ id }) => buyPath(id)),
        ...real.pages.map(({ path }) => path),
        ...real.capsules.flatMap(({ metadata }) => metadata.tags.map((tag) => subjectPath(tag))),
      ]).size,
    );
    const { body } = sitemapMarkdown(real);
    for (const url of locations) expect(body).toContain(`(${url})`);
  });
});

it('robotsTxt() has the signals inside each group, and the licence before them', () => {
  const [license, ...groups] = robotsTxt(small).body.trim().split('\n\n');
  expect(license).toBe('License: https://lantern.example/license.xml');
  expect(groups).toHaveLength(3);
  for (const group of groups.slice(0, 2))
    expect(group).toMatch(
      /^(User-agent: .+\n)+Content-Signal: search=yes, ai-input=yes, ai-train=no\nContent-Usage: train-ai=n, search=y\nAllow: \/$/,
    );
  expect(groups[2]).toBe('Sitemap: https://lantern.example/sitemap.xml');
  for (const agent of ['GPTBot', 'ClaudeBot', 'CCBot', 'Google-Extended']) expect(groups[1]).toContain(`User-agent: ${agent}\n`);
});

describe('the uses of texts', () => {
  it.each<[Parameters<typeof usageOf>[0], string, string]>([
    [{}, 'search=yes, ai-input=yes, ai-train=no', 'train-ai=n, search=y'],
    [{ usage: UsageSettings.parse({ training: true }) }, 'search=yes, ai-input=yes, ai-train=yes', 'train-ai=y, search=y'],
    [
      { usage: UsageSettings.parse({ training: { offer: 'deep-review' } }) },
      'search=yes, ai-input=yes, ai-train=no',
      'train-ai=n, search=y',
    ],
    [
      { content_signals: { search: false, ai_input: false, ai_train: true } },
      'search=no, ai-input=no, ai-train=yes',
      'train-ai=y, search=n',
    ],
  ])('of %j are the same in every form', (settings, signal, preference) => {
    expect(contentSignal(usageOf(settings))).toBe(signal);
    expect(contentUsage(usageOf(settings))).toBe(preference);
  });

  /** Names and attributes of RSL 1.0: an unknown one voids the document. */
  const RSL: Readonly<Record<string, readonly string[]>> = {
    rsl: ['xmlns', 'max-age'],
    content: ['url'],
    license: [],
    permits: ['type'],
    prohibits: ['type'],
    payment: ['type'],
    standard: [],
    custom: [],
    amount: ['currency'],
    accepts: ['type'],
    copyright: ['type', 'contactEmail', 'contactUrl'],
    terms: [],
  };
  const licenseOf = (usage: Usage, change: Partial<typeof small> = {}): string => {
    const { body } = licenseXml({ ...small, ...change, deployment: { ...small.deployment, usage } });
    const tags = [...body.matchAll(/<(\/?)([a-z]+)((?: [A-Za-z-]+="[^"<&]*")*)(\/?)>/g)];
    expect(body.replace(/<\?[^>]*\?>/, '').match(/</g)).toHaveLength(tags.length);
    const open: string[] = [];
    for (const [, closes, name = '', attributes = '', isEmpty] of tags) {
      expect(RSL).toHaveProperty(name);
      for (const [, attribute] of attributes.matchAll(/ ([A-Za-z-]+)=/g)) expect(RSL[name]).toContain(attribute);
      if (closes === '/') expect(open.pop()).toBe(name);
      else if (isEmpty === '') open.push(name);
    }
    expect(open).toEqual([]);
    return body;
  };
  const usage = usageOf({});

  it('are in a document of RSL 1.0, whose prohibitions leave out what an offer sells', () => {
    expect(licenseOf(usage)).toContain('<prohibits type="usage">ai-train</prohibits>');
    expect(licenseOf({ ...usage, reading: false, quoting: false })).not.toContain('<permits');
    const sold = licenseOf({ ...usage, trainingOffer: 'deep-review' });
    expect(sold).not.toContain('prohibits');
    expect(sold).toMatch(
      /<permits type="usage">ai-train<\/permits>\s+<payment type="training"><custom>https:\/\/lantern.example\/buy\/deep-review<\/custom><amount currency="USD">\d+\.\d\d<\/amount>/,
    );
    expect(licenseOf(usage, { publisher: { ...small.publisher, name: 'A & <b> "c"' } })).toContain(
      '>A &amp; &lt;b&gt; &quot;c&quot;</copyright>',
    );
    expect(licenseOf(usage, { capsules: [] }).match(/<content /g)).toHaveLength(1);
    const below = { ...small.deployment, baseUrl: 'https://ada.example/notes', usage };
    expect(licenseXml({ ...small, deployment: below }).body).toContain('<content url="/notes/">');
  });

  it('of a text with another licence or a price stand beside it', () => {
    const [first] = small.capsules;
    if (first === undefined) throw new Error('the publication has no capsule');
    const other = { ...first, metadata: { ...first.metadata, license: 'MIT' } };
    expect(licenseOf(usage, { capsules: [other] })).toContain(`<content url="/capsules/${first.id}$">`);
    const price = { amount: '0.05', currency: 'USD' as const };
    const paid = licenseOf(usage, { capsules: [{ ...first, metadata: { ...first.metadata, access: 'paid', price } }] });
    expect(paid).toContain(`<content url="/capsules/${first.id}.md$">`);
    expect(paid).toContain('<payment type="purchase"><amount currency="USD">0.05</amount></payment>');
    expect(paid).not.toContain(`<content url="/capsules/${first.id}$">`);
  });
});

it('securityTxt() expires less than a year after the newest change of the publisher', () => {
  const [, expires = ''] = /^Expires: (.*)$/m.exec(securityTxt(small).body) ?? [];
  const days = (Date.parse(expires) - Date.parse('2026-11-20T00:00:00Z')) / 86_400_000;
  expect(days).toBeGreaterThan(300);
  expect(days).toBeLessThan(365);
  expect(securityTxt(small).body).toMatch(/^Contact: mailto:desk@lantern\.example$/m);
});

describe('atomFeed()', () => {
  type Changes = typeof small.mirror.changes;
  const feedOf = (changes: Changes, of = small): string => atomFeed({ ...of, mirror: { ...of.mirror, changes } }).body;
  const entriesOf = (body: string): string[] => body.match(/<entry>.*<\/entry>/g) ?? [];
  const textsOf = (body: string, name: string): string[] =>
    entriesOf(body).map((entry) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(entry)?.[1] ?? '');
  const change = (event: Changes[number]['event'], more: Partial<Changes[number]> = {}): Changes[number] => ({
    event,
    capsule_id: 'http-cache',
    version: '2.0.0',
    date: '2026-11-20',
    record_digest: `sha256:${'a'.repeat(64)}`,
    content_sha256: 'b'.repeat(64),
    count: 1,
    digest: `sha256:${'c'.repeat(64)}`,
    ...more,
  });

  it('tells every event of the log, newest first, each under an id of its own', () => {
    const { body, contentType } = atomFeed(small);
    const { baseUrl } = small.deployment;
    expect(contentType).toBe('application/atom+xml; charset=utf-8');
    expect(textsOf(body, 'id')).toEqual(
      [...small.mirror.changes]
        .reverse()
        .map(({ capsule_id, event, version }) => `${baseUrl}${capsulePath(capsule_id)}#${event}-${version}`),
    );
    expect(textsOf(body, 'title').sort()).toEqual([
      'Added, since retracted: A measurement that was wrong',
      'Added, since superseded: An older text about caches',
      'Added: Caches keep answers &lt;for&gt; a while',
      'Retracted: A measurement that was wrong',
      'Revised to 2.0.0: Caches keep answers &lt;for&gt; a while',
      'Superseded: An older text about caches',
    ]);
    expect(new Set(textsOf(body, 'summary'))).toContain(
      'Superseded on 2026-11-10: The standard was replaced by a newer one. Replaced by “Caches keep answers &lt;for&gt; a while”.',
    );
    expect(new Set(textsOf(body, 'summary'))).toContain('Retracted on 2026-11-12: The measurement could not be repeated.');
    for (const publication of [small, real]) expect(atomFeed(publication).body).not.toMatch(/Replaced by (?!“)/);
  });

  it('has everything that RFC 4287 asks for, once, and the day of the newest event', () => {
    for (const publication of [small, smallFiles, real]) {
      const { body } = atomFeed(publication);
      const [head = ''] = body.split('<entry>');
      const entries = entriesOf(body);
      for (const name of ['id', 'title', 'updated', 'author']) expect(head.split(`<${name}>`), name).toHaveLength(2);
      expect(entries.length).toBe(Math.min(40, publication.mirror.changes.length));
      expect(new Set(textsOf(body, 'id')).size).toBe(entries.length);
      for (const entry of entries) {
        for (const name of ['id', 'title', 'updated', 'summary']) expect(entry.split(`<${name}>`), name).toHaveLength(2);
        const [, page = ''] = /<link rel="alternate" type="text\/html" href="([^"]+)"\/>/.exec(entry) ?? [];
        expect(/<id>([^<#]+)#[a-z]+-\d+\.\d+\.\d+<\/id>/.exec(entry)?.[1]).toBe(page);
        expect(entry).toMatch(/<updated>\d{4}-\d\d-\d\dT00:00:00Z<\/updated>/);
        expect(entry).toContain('<category term="');
      }
      expect(/<updated>([^<]+)</.exec(head)?.[1]).toBe(textsOf(body, 'updated').sort().at(-1));
    }
  });

  it('keeps the entries that it has when later events come, also of the same kind', () => {
    const log = [
      change('added', { version: '1.0.0' }),
      change('retracted', { reason: 'First.' }),
      change('restored'),
      change('retracted', { reason: 'Again.' }),
    ];
    expect(textsOf(feedOf(log), 'id').map((id) => id.split('#')[1])).toEqual([
      'retracted-2.0.0-2',
      'restored-2.0.0',
      'retracted-2.0.0',
      'added-1.0.0',
    ]);
    for (let length = 1; length < log.length; length += 1)
      expect(entriesOf(feedOf(log)).slice(-length)).toEqual(entriesOf(feedOf(log.slice(0, length))));
  });

  it('names a version by the title that it had', () => {
    const { versions } = capsuleOf('http-cache');
    const [first] = versions;
    if (first === undefined) throw new Error('the capsule has no version');
    const renamed = { ...first, metadata: { ...first.metadata, title: 'The first title' } };
    const of = { ...small, capsules: [{ ...capsuleOf('http-cache'), versions: [renamed, ...versions.slice(1)] }] };
    expect(textsOf(feedOf([change('added', { version: '1.0.0' }), change('revised')], of), 'title')).toEqual([
      'Revised to 2.0.0: Caches keep answers &lt;for&gt; a while',
      'Added: The first title',
    ]);
  });

  it('leaves out what has no page', () => {
    const log = [
      change('added', { capsule_id: 'gone' }),
      change('removed', { capsule_id: 'gone' }),
      change('removed'),
      change('superseded', { superseded_by: 'gone' }),
    ];
    expect(textsOf(feedOf(log), 'title')).toEqual(['Superseded: Caches keep answers &lt;for&gt; a while']);
    expect(textsOf(feedOf(log), 'summary')).toEqual(['Superseded on 2026-11-20.']);
  });

  it('is valid without an event, and ends after 40', () => {
    expect(feedOf([])).toContain(`<updated>${small.stats.updated}</updated>`);
    const log = Array.from({ length: 50 }, (_, at) => change('retracted', { count: at + 1, reason: `Number ${at + 1}.` }));
    const summaries = textsOf(feedOf(log), 'summary');
    expect(summaries).toHaveLength(40);
    expect(summaries[0]).toContain('Number 50.');
  });
});

it('escapeMarkup() escapes markup and drops what XML does not allow', () => {
  expect(escapeMarkup('a<b>&"c\u0000\u000b😀\ud800')).toBe('a&lt;b&gt;&amp;&quot;c😀');
});
