import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PATHS, quoteApiPath } from '../../src/schemas/paths.ts';
import { serveLikeHost } from '../support/built-files.ts';
import { useBuiltService } from '../support/built-publication.ts';
import { filesBelow } from '../support/files-below.ts';
import { structuredData } from '../support/page-text.ts';
import { PUBLICATION, TEST_BASE_URL } from '../support/paths.ts';
import { accessibilityFaults, CHROMIUM, noteFaults, useBrowser } from './browser.ts';

interface Withdrawn {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly status: 'retracted' | 'superseded';
  readonly date: string;
  readonly reason: string;
  readonly replacement?: { readonly id: string; readonly title: string };
}

const REPLACED: Withdrawn = {
  id: 'tidal-clocks',
  title: 'Tidal pendulums outrun sundials',
  summary: 'A tidal pendulum outruns each sundial that stands on the coast.',
  status: 'retracted',
  date: '2026-10-01',
  reason: 'The measurement used a broken pendulum, so the figure is wrong.',
  replacement: { id: 'tidal-drift', title: 'Tides come fifty minutes later each day' },
};
const REMOVED: Withdrawn = {
  id: 'moon-bells',
  title: 'Moon bells ring twice at noon',
  summary: 'Bells on the moon are heard two times when the sun is highest.',
  status: 'retracted',
  date: '2026-10-02',
  reason: 'Nobody can hear a bell without air; the observation was invented.',
};
const SUPERSEDED: Withdrawn = {
  id: 'harbour-lamps',
  title: 'Harbour lamps burn paraffin',
  summary: 'The lamps of the harbour are lit with paraffin every evening.',
  status: 'superseded',
  date: '2026-10-03',
  reason: 'The harbour was rewired, and its lamps are electric now.',
  replacement: { id: 'harbour-electric', title: 'The harbour is lit by electricity' },
};
const WITHDRAWN = [REPLACED, REMOVED, SUPERSEDED];
const WORDS = { retracted: /retracted|zurückgezogen/i, superseded: /superseded|ersetzt/i } as const;
const TOKEN = Buffer.from('a token of an origin trial, as long as Chrome issues them'.repeat(3)).toString('base64');

const PUBLISHER = `name: Leuchtturm
tagline: Was die Küste weiß
description: Was Leuchtturmwärter über Gezeiten, Glocken und Lampen aufgeschrieben haben, für alle, die zur See fahren.
base_url: https://leuchtturm-an-der-kueste.de
contact_email: post@leuchtturm-an-der-kueste.de
language: de
author: Ada Rim
origin_trial_tokens: ["${TOKEN}"]
home:
  questions: [Wann greifen nasse Felgenbremsen?]
updated: 2026-11-01
`;

const SOURCE = `sources:
  - key: log
    title: Log of the lighthouse
    url: https://log-of-the-lighthouse.org/1926
    publisher: Lighthouse
    kind: article
    retrieved: 2026-09-01
    quote: The keeper writes down the hour of every tide.
    locator: Page 12
`;

/** The file of a capsule. @param more Further lines of its front matter. */
function capsuleFile(title: string, summary: string, updated: string, more: string): string {
  return `---\ntitle: ${title}\nsummary: ${summary}\nlanguage: en\ntags: [coast]\nevidence: measured\ncreated: 2026-09-01\nupdated: ${updated}\n${more}${SOURCE}---\n${summary} Every keeper on the coast has written it down for years.[^log]\n`;
}

const FILES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    WITHDRAWN.map(({ id, title, summary, status, date, reason }) => [
      id,
      capsuleFile(title, summary, '2026-09-01', status === 'retracted' ? `retracted:\n  date: ${date}\n  reason: ${reason}\n` : ''),
    ]),
  ),
  'tidal-drift': capsuleFile(
    'Tides come fifty minutes later each day',
    'The tide on this coast is fifty minutes later on every day that follows.',
    '2026-10-01',
    'supersedes:\n  - capsule: tidal-clocks\n    reason: The older figure rests on a broken pendulum and is wrong.\n',
  ),
  'harbour-electric': capsuleFile(
    'The harbour is lit by electricity',
    'Each lamp of the harbour has run on mains electricity since the rewiring.',
    '2026-10-03',
    `supersedes:\n  - capsule: harbour-lamps\n    reason: ${SUPERSEDED.reason}\n`,
  ),
  // What its search is asked for.
  bremsen:
    '# Nasse Felgenbremsen greifen später\n\nWasser auf der Felge verlängert den Bremsweg, bis die Beläge es abgestreift haben, auch bei V-Brakes.',
  kette:
    '# Eine gelängte Kette zerstört Ritzel\n\nMessen Sie die Kette alle tausend Kilometer, und wechseln Sie sie bei 0,75 Prozent Längung.',
  english:
    '---\nlanguage: en\n---\n\n# Spokes need even tension\n\nA wheel with uneven spokes goes out of true and breaks them one after the other.',
};

/** A surface that names a capsule: its text, and what it says besides the word for the state. */
type Surface = readonly [name: string, text: string, says?: 'word' | 'reason'];

function unsaidOn(capsule: Withdrawn, surfaces: readonly Surface[]): string[] {
  return surfaces.flatMap(([name, text, says = 'reason']) => {
    const { title, status, reason, replacement } = capsule;
    const faults = [
      ...(text.includes(title) || text.includes(capsule.id) ? [] : ['does not name it']),
      ...(WORDS[status].test(text) ? [] : ['does not say its state']),
      ...(says === 'word' || text.includes(reason) ? [] : ['does not say the reason']),
      ...(says === 'word' || replacement === undefined || text.includes(replacement.id) || text.includes(replacement.title)
        ? []
        : ['does not name the replacement']),
    ];
    return faults.map((fault) => `${name} ${fault}: ${text.slice(0, 600)}`);
  });
}

/** What leads from a list to the text that replaces another; empty for one that nothing replaces. */
const replacementLink = ({ replacement }: Withdrawn): string =>
  replacement === undefined ? '' : `<a href="/capsules/${replacement.id}" lang="en">${replacement.title}</a>`;

const claimsOf = ({ title, summary }: Pick<Withdrawn, 'title' | 'summary'>): string[] => [title, summary];

/** Places in a JSON value that state a claim, without a word for the state in the text itself or a status of an object around it. */
function bareInJson(value: unknown, claim: string, isStated: (text: string) => boolean, path = ''): string[] {
  if (typeof value === 'string') return value.includes(claim) && !isStated(value) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  const { status, creativeWorkStatus, event, head, lineage } = value as Record<string, unknown>;
  const { head: signed = head } = (lineage ?? {}) as { head?: unknown };
  const states = [status, creativeWorkStatus, event, (signed as { statement?: { status?: unknown } } | undefined)?.statement?.status];
  if (states.some((state) => typeof state === 'string' && isStated(state))) return [];
  return Object.entries(value).flatMap(([name, member]) => bareInJson(member, claim, isStated, `${path}/${name}`));
}

/** Characters around a claim in a page within which its state must be said: as many as the facts that stand between a heading and its text. */
const NEAR = { before: 320, after: 500 } as const;

const plain = (html: string): string =>
  html
    .replaceAll(/<(?:title|meta|script)\b/g, '\n$&')
    .replaceAll(/<\/?(?!meta)[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');

function bareIn(text: string, type: string, { status, ...capsule }: Pick<Withdrawn, 'title' | 'summary' | 'status'>): string[] {
  const isStated = (part: string): boolean => WORDS[status].test(part);
  return claimsOf(capsule).flatMap((claim) => {
    if (!text.includes(claim)) return [];
    if (type === 'json') return bareInJson(JSON.parse(text), claim, isStated);
    if (type === 'jsonl') return text.split('\n').flatMap((line) => (line === '' ? [] : bareInJson(JSON.parse(line), claim, isStated)));
    if (type !== 'html')
      return text
        .replaceAll('<entry>', '\n<entry>')
        .split(/\n(?=# |- |<entry>|#{2,} )/)
        .filter((part) => part.includes(claim) && !isStated(part))
        .map((part) => part.slice(0, 200));
    const heads = [...text.matchAll(/<title>[^<]*<\/title>|<meta [^>]*>/g)].map(([element]) => element);
    const visible = plain(text.replaceAll(/<head>[\s\S]*?<\/head>/g, ''));
    return [
      ...structuredData(text).flatMap((json) => bareInJson(JSON.parse(json), claim, isStated).map((path) => `structured data ${path}`)),
      ...heads.filter((element) => element.includes(claim) && !isStated(element)),
      ...[...visible.matchAll(new RegExp(claim.replaceAll(/[.?+()[\]]/g, '\\$&'), 'g'))]
        .map(({ index }) => visible.slice(Math.max(0, index - NEAR.before), index + claim.length + NEAR.after))
        .filter((around) => !isStated(around)),
    ];
  });
}

/** Files that state the exact bytes of a version, which never change. */
const EXACT = /\/capsules\/[^/]+\/\d+\.\d+\.\d+\.md$/;

async function bareInFiles(folder: string, withdrawn: readonly Pick<Withdrawn, 'title' | 'summary' | 'status'>[]): Promise<string[]> {
  const found = await Promise.all(
    (await filesBelow(folder)).map(async (path) => {
      const file = `/${path}`;
      const type = extname(file).slice(1) || 'json';
      if (!['html', 'json', 'jsonl', 'jsonld', 'ndjson', 'txt', 'md', 'xml'].includes(type) || EXACT.test(file)) return [];
      const text = await readFile(folder + file, 'utf8');
      const form = type === 'ndjson' ? 'jsonl' : type === 'jsonld' || (type === 'json' && !/^[[{]/.test(text)) ? 'json' : type;
      return withdrawn.flatMap((capsule) => bareIn(text, form, capsule).map((place) => `${file}: ${place}`));
    }),
  );
  return found.flat();
}

/** A capsule and a page in several languages, one of them from right to left: the original first. */
const LANGUAGES = { capsules: ['bremsen', 'brakes', 'brakes-ar'], pages: ['ueber', 'about'] } as const;
const TRANSLATIONS: Readonly<Record<string, string>> = {
  'capsules/brakes':
    '---\nlanguage: en\ntranslation_of: bremsen\n---\n\n# Wet rim brakes grip later\n\nWater on the rim lengthens the way to a stop until the pads have wiped it off, with V-brakes, too.',
  'capsules/brakes-ar':
    '---\nlanguage: ar\ntranslation_of: bremsen\n---\n\n# مكابح الحافة المبللة تمسك متأخرة\n\nالماء على الحافة يطيل مسافة الكبح حتى تمسحه اللبادات، V-brakes.',
  'pages/ueber': '# Über uns\n\nAuf dieser Seite steht, wer den Leuchtturm hütet und hier schreibt.',
  'pages/about': '---\nlanguage: en\ntranslation_of: ueber\n---\n\n# About us\n\nThis page says who keeps the lighthouse and writes here.',
};

/** An earlier version of a capsule that is superseded now. */
const EARLIER = capsuleFile(SUPERSEDED.title, SUPERSEDED.summary, '2026-09-01', 'version: 0.9.0\n');
const VERSIONS = {
  'content/capsules/versions/harbour-lamps/0.9.0.md': EARLIER,
  'content/capsules/versions/SHA256SUMS': `${createHash('sha256').update(EARLIER).digest('hex')}  harbour-lamps/0.9.0.md\n`,
};

const texts = { ...Object.fromEntries(Object.entries(FILES).map(([id, text]) => [`capsules/${id}`, text])), ...TRANSLATIONS };
const capsules = Object.fromEntries(Object.entries(texts).map(([path, text]) => [`content/${path}.md`, `${text}\n`]));
const { usePage } = useBrowser();
const service = useBuiltService('withdrawn', { 'content/publisher.yaml': PUBLISHER, ...capsules, ...VERSIONS }, ['static', 'edge']);
const readBuilt = (mode: 'edge' | 'static', path: string): Promise<string> => readFile(join(service.folder(mode), path), 'utf8');

describe('a capsule that was retracted or superseded', () => {
  const textOf = async (response: Promise<Response>): Promise<string> => {
    const { status, ok } = await response;
    const text = await (await response).text();
    expect({ ok, status, text: ok ? '' : text }).toEqual({ ok: true, status, text: '' });
    return text;
  };
  const get = (path: string, type = 'application/json'): Promise<string> => textOf(service.fetch(path, { headers: { Accept: type } }));
  const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<string> =>
    textOf(service.post(path, body, headers));
  const tool = async (name: string, args: Record<string, unknown>): Promise<string> => {
    const { isError, text } = await service.tool(name, args);
    expect({ isError, text: isError ? text : '' }).toEqual({ isError: false, text: '' });
    return text;
  };

  const resultOf = (json: string, { id, title }: Withdrawn): string => {
    const { results = [], items = [] } = JSON.parse(json) as { results?: object[]; items?: object[] };
    const found = [...results, ...items].map((one) => JSON.stringify(one)).find((one) => one.includes(title) || one.includes(`"${id}"`));
    return found ?? `no result is about it: ${json}`;
  };
  /** The part of a text between blank lines that begins with a pattern. */
  const sectionOf = (text: string, { title }: Withdrawn): string => {
    const start = text.indexOf(title);
    return start < 0 ? `it is not in: ${text}` : text.slice(Math.max(0, start - 60), start + 700);
  };
  const { a2a } = service;

  it.each(WITHDRAWN)('says so in every answer of the API and of every protocol: $id', async (capsule) => {
    const { id, title, summary } = capsule;
    const q = encodeURIComponent(title);
    const asked = { query: title };
    const surfaces: Surface[] = [
      ['search', resultOf(await get(`/api/v1/agent-gateway/search?q=${q}`), capsule)],
      ['search as markdown', sectionOf(await get(`/api/v1/agent-gateway/search?q=${q}`, 'text/markdown'), capsule)],
      ['browse', resultOf(await get('/api/v1/capsules/public/browse'), capsule)],
      ['capsule', await get(`/api/v1/agent-gateway/capsule/${id}`)],
      ['lineage', await get(`/api/v1/agent-gateway/capsule/${id}/lineage`)],
      ['fetch', await post(`${PATHS.capsulesApi}/fetch`, { ids: [id] })],
      ['verify_quote', await get(`${quoteApiPath(id)}?text=${encodeURIComponent(summary)}`)],
      ['NLWeb', resultOf(await get(`/ask?query=${q}`), capsule)],
      [
        'NLWeb, item of schema.org',
        JSON.stringify((JSON.parse(resultOf(await get(`/ask?query=${q}`), capsule)) as { schema_object: object }).schema_object),
      ],
      [
        'NLWeb as events',
        sectionOf(
          (await get(`/ask?query=${q}&streaming=true`))
            .split('event: ')
            .find((event) => event.startsWith('result') && event.includes(title)) ?? '',
          capsule,
        ),
      ],
      ['A2A', sectionOf(await a2a({ skill: 'ask', query: title }), capsule)],
      ['A2A, quotation', await a2a({ skill: 'verify_quote', capsule_id: id, quote: summary })],
      ['MCP search', resultOf(await tool('search', { query: title }), capsule)],
      ['MCP fetch', await tool('fetch', { id })],
      ['MCP query', resultOf(await tool('query', asked), capsule)],
      ['MCP query for titles', resultOf(await tool('query', { ...asked, fields: ['title'] }), capsule)],
      ['MCP verify_quote', await tool('verify_quote', { id, quote: summary })],
      ['page of search', sectionOf((await get(`/search?q=${q}`, 'text/html')).replace(/^[\s\S]*class="search-hits"/, ''), capsule)],
    ];
    expect(unsaidOn(capsule, surfaces)).toEqual([]);
    expect(surfaces.at(-1)?.[1]).toContain(replacementLink(capsule));
  });

  it.each(['edge', 'static'] as const)('says so in every document of the %s build, with the reason and the replacement', async (mode) => {
    const read = (path: string): Promise<string> => readBuilt(mode, path);
    const lineOf = async (path: string, { id, title }: Withdrawn): Promise<string> =>
      (await read(path)).split('\n').find((line) => line.startsWith('- [') && (line.includes(title) || line.includes(`/${id}.`))) ??
      `no line of ${path}`;
    const entry = async ({ title }: Withdrawn, head: string): Promise<string> =>
      (await read('feed.xml')).split('<entry>').find((one) => one.includes(`<title>${head}: ${title}<`)) ?? 'no entry';
    const element = (page: string, pattern: RegExp): string => pattern.exec(page)?.[0] ?? `nothing is like ${pattern}`;
    const unsaid: string[] = [];
    for (const capsule of WITHDRAWN) {
      const { id, title, status } = capsule;
      const page = await read(`capsules/${id}.html`);
      const name = status === 'retracted' ? 'Retracted' : 'Superseded';
      const twin = await read(`capsules/${id}.md`);
      const list = await read('capsules.html');
      const listed = list.split('<li').find((item) => item.includes(`href="/capsules/${id}"`)) ?? 'no item';
      expect(listed).toContain(replacementLink(capsule));
      unsaid.push(
        ...unsaidOn(capsule, [
          ['title of the page', element(page, /<title>[^<]*<\/title>/), 'word'],
          ['share title', element(page, /<meta property="og:title"[^>]*>/), 'word'],
          ['heading', element(page, /<h1[\s\S]*?<\/h1>/), 'word'],
          ['description', `${title} ${element(page, /<meta name="description"[^>]*>/)}`],
          ['share description', `${title} ${element(page, /<meta property="og:description"[^>]*>/)}`],
          ['banner', `${title} ${element(page, /<div class="banner[\s\S]*?<h1/)}`],
          ['structured data', element(page, /\{[^<]*"@type":"TechArticle"[^<]*/)],
          ['breadcrumbs', element(page, /\{[^<]*"@type":"BreadcrumbList"[^<]*/), 'word'],
          ['citation', element(page, /@misc[\s\S]*?<\/code>/)],
          ['list', listed],
          ['list as markdown', await lineOf('capsules.md', capsule)],
          ['llms.txt', await lineOf('llms.txt', capsule)],
          ['llms-full.txt', (await read('llms-full.txt')).split('\n# ').find((chapter) => chapter.includes(title)) ?? ''],
          ['sitemap.md', await lineOf('sitemap.md', capsule), 'word'],
          ['front matter of the markdown', twin.slice(0, twin.indexOf('\n---\n'))],
          ['markdown', twin.slice(twin.indexOf('\n---\n'))],
          ['JSON file', await read(`capsules/${id}/capsule.json`)],
          ['lineage file', await read(`capsules/${id}/lineage.json`)],
          ['feed, when its state changed', await entry(capsule, name)],
          ['feed, when it was added', await entry(capsule, `Added, since ${status}`)],
        ]),
      );
      expect(/\{[^<]*"@type":"TechArticle"[^<]*/.exec(page)?.[0]?.includes('"citation"')).toBe(status === 'superseded');
    }
    expect(unsaid).toEqual([]);
  });

  it('says so on the page of an earlier version, and what replaces it', async () => {
    const page = await readBuilt('static', `capsules/${SUPERSEDED.id}/0.9.0.html`);
    const banner = page.slice(page.indexOf('class="banner'), page.indexOf('<h1'));
    expect(unsaidOn(SUPERSEDED, [['banner', `${SUPERSEDED.title} ${banner}`]])).toEqual([]);
    expect(banner).toContain('rel="successor-version"');
  });

  it.each(['edge', 'static'] as const)('has sources with their sentence and its place in the %s build', async (mode) => {
    const read = (path: string): Promise<string> => readBuilt(mode, path);
    const page = await read('capsules/tidal-drift.html');
    expect(page).toMatch(/<blockquote cite="https:\/\/log-of[^"]*">\s*<p>The keeper writes down the hour of every tide\.<\/p>/);
    expect(page).toMatch(/<p>\s*Page 12 · /);
    expect(await read('capsules/tidal-drift.md')).toContain(
      'Lighthouse. Page 12: “The keeper writes down the hour of every tide.” Read on 2026-09-01.',
    );
    expect(JSON.parse(await read('capsules/tidal-drift/capsule.json'))).toMatchObject({
      sources: [{ quote: 'The keeper writes down the hour of every tide.', locator: 'Page 12' }],
    });
    expect(await read('capsules/tidal-drift/lineage.json')).not.toMatch(/writes down the hour|Page 12/);
  });

  it.each(['edge', 'static'] as const)('states its claim nowhere without its state in the files of the %s build', async (mode) => {
    expect(await bareInFiles(service.folder(mode), WITHDRAWN)).toEqual([]);
  });

  it.skipIf(CHROMIUM === undefined)('says so where the search runs in the browser', async () => {
    const host = await serveLikeHost(service.folder('static'));
    try {
      const page = await usePage();
      const unsaid: string[] = [];
      for (const capsule of WITHDRAWN) {
        const path = `${PATHS.capsules}/${capsule.id}`;
        const onPage = page.locator('.search-hits li', { has: page.locator(`a[href="${path}"]`) }).first();
        await page.goto(`${host.origin}${PATHS.search}?${new URLSearchParams({ q: capsule.title })}`);
        const shown = await onPage.innerText();
        const links = onPage.locator('.passage a:visible');
        expect(await links.evaluateAll((all) => all.map(({ outerHTML }) => outerHTML.replaceAll(/ (data-part|dir)="\w+"/g, '')))).toEqual(
          [replacementLink(capsule)].filter((link) => link !== ''),
        );
        // The page of the search has no dialog.
        await page.goto(`${host.origin}${PATHS.contact}`);
        await page.keyboard.press('Control+k');
        await page.getByRole('option', { name: 'Wann greifen nasse Felgenbremsen?' }).click();
        await page.getByRole('option').filter({ hasText: 'Nasse Felgenbremsen greifen später' }).waitFor();
        await page.getByRole('combobox').fill(capsule.title);
        const typed = await page.getByRole('option').filter({ hasText: capsule.title }).first().innerText();
        unsaid.push(
          ...unsaidOn(capsule, [
            ['page of the search', shown],
            ['search as typed', typed],
          ]),
        );
        expect(typed).toContain(capsule.replacement?.title ?? '');
      }
      expect(unsaid).toEqual([]);
    } finally {
      await host.stop();
    }
  });
});

describe('a text in several languages', () => {
  const json = async (path: string): Promise<Record<string, unknown>> =>
    (await (await service.fetch(path, { headers: { Accept: 'application/json' } })).json()) as Record<string, unknown>;
  const translations = ['ar', 'en'].map((language) => ({ language, capsule_id: language === 'ar' ? 'brakes-ar' : 'brakes' }));
  const withUrl = (items: readonly { capsule_id: string; language: string }[]): object[] =>
    items.map((item) => ({ ...item, url: `${TEST_BASE_URL}/capsules/${item.capsule_id}` }));
  const original = { capsule_id: 'bremsen', language: 'de' };

  it('names its translations and its original in every answer about the capsule', async () => {
    const fetched = await service.post(`${PATHS.capsulesApi}/fetch`, { ids: ['bremsen', 'brakes'] });
    const file = async (id: string): Promise<unknown> => JSON.parse(await readBuilt('static', `capsules/${id}/capsule.json`));
    const ofOriginal = { translations: withUrl(translations) };
    const ofTranslation = { translation_of: 'bremsen', translations: withUrl([original, { capsule_id: 'brakes-ar', language: 'ar' }]) };
    expect(await json('/api/v1/agent-gateway/capsule/bremsen')).toMatchObject(ofOriginal);
    expect(await json('/api/v1/agent-gateway/capsule/bremsen')).not.toHaveProperty('translation_of');
    expect(await json('/api/v1/agent-gateway/capsule/brakes')).toMatchObject(ofTranslation);
    expect(await fetched.text()).toContain(JSON.stringify(ofTranslation.translations));
    expect([await file('bremsen'), await file('brakes')]).toMatchObject([ofOriginal, ofTranslation]);
    const found = [
      await json('/api/v1/agent-gateway/search?q=rim%20brakes'),
      await json('/api/v1/capsules/public/browse?language=en'),
      JSON.parse((await service.tool('query', { query: 'rim brakes' })).text),
    ].map((list) =>
      [...((list['results'] ?? list['items']) as { capsule_id: string }[])].find(({ capsule_id }) => capsule_id === 'brakes'),
    );
    expect(found).toMatchObject(Array.from({ length: 3 }, () => ({ translation_of: 'bremsen' })));
    expect(JSON.stringify(await json('/ask?query=rim%20brakes'))).toContain(
      `"translationOfWork":{"@id":"${TEST_BASE_URL}/capsules/bremsen"}`,
    );
    expect(await json('/api/v1/agent-gateway/capsule/kette')).not.toHaveProperty('translations');
    expect(await json('/api/v1/agent-gateway/capsule/brakes/lineage')).toMatchObject({ graph: { edges: [] } });
  });

  it('comes first in the language that is preferred, in the API and on the page of the search', async () => {
    const ids = (text: string): string[] => [
      ...new Set([...text.matchAll(/\/capsules\/(brakes-ar|brakes|bremsen)\b/g)].map(([, id = '']) => id)),
    ];
    const found = async (path: string, headers: Record<string, string> = {}): Promise<string[]> =>
      ids(await (await service.fetch(path, { headers: { Accept: 'text/html', ...headers } })).text());
    const first: [path: string, acceptLanguage: string, id: string][] = [
      ['/search?q=V-Brakes', 'en-GB,en;q=0.9,de;q=0.8', 'brakes'],
      ['/search?q=V-Brakes', 'en;q=0.5, ar', 'brakes-ar'],
      ['/search?q=V-Brakes&prefer_language=de-AT', 'ar', 'bremsen'],
      ['/search-as-you-type?q=V-Brakes&prefer_language=ar', '', 'brakes-ar'],
      ...['ar', 'de', 'en'].map((language): [string, string, string] => [
        `/api/v1/agent-gateway/search?q=V-Brakes&kind=capsule&prefer_language=${language}`,
        'fr',
        { ar: 'brakes-ar', de: 'bremsen', en: 'brakes' }[language] ?? '',
      ]),
    ];
    for (const [path, language, id] of first) {
      const shown = await found(
        path.replace('/search-as-you-type', PATHS.searchAsTyped),
        language === '' ? {} : { 'Accept-Language': language },
      );
      expect([shown.length, shown[0]], `${path} ${language}`).toEqual([3, id]);
    }
    const { headers } = await service.fetch('/search?q=V-Brakes', { headers: { Accept: 'text/html' } });
    expect(headers.get('vary')).toContain('Accept-Language');
    const answers = await Promise.all(
      ['en', 'de'].map((language) => found('/api/v1/agent-gateway/search?q=V-Brakes', { 'Accept-Language': language })),
    );
    expect(answers[0]).toEqual(answers[1]);
  });

  const TAGS: Readonly<Record<string, string>> = { bremsen: 'de', brakes: 'en', 'brakes-ar': 'ar', ueber: 'de', about: 'en' };
  it.each(['edge', 'static'] as const)('leads from each to the others on the pages and in the documents of the %s build', async (mode) => {
    const base =
      mode === 'edge' ? TEST_BASE_URL : /<link rel="canonical" href="(https?:\/\/[^/"]+)/.exec(await readBuilt(mode, 'about.html'))?.[1];
    const sitemap = await readBuilt(mode, 'sitemap.xml');
    for (const [folder, ids] of [['/capsules/', LANGUAGES.capsules] as const, ['/', LANGUAGES.pages] as const])
      for (const id of ids) {
        const [page, markdown] = await Promise.all(['html', 'md'].map((type) => readBuilt(mode, `${folder.slice(1)}${id}.${type}`)));
        const [, url = ''] =
          sitemap
            .split('<url>')
            .find((one) => one.startsWith(`<loc>${base}${folder}${id}<`))
            ?.split('</lastmod>') ?? [];
        for (const other of ids) {
          const link = `rel="alternate" hreflang="${TAGS[other]}" href="${base}${folder}${other}"`;
          expect(
            [page, url].filter((text) => !text?.includes(link)),
            `${folder}${id} ${link}`,
          ).toEqual([]);
          const name = { de: 'Deutsch', en: 'English', ar: 'العربية' }[TAGS[other] ?? ''];
          const direction = TAGS[other] === 'ar' ? ' dir="rtl"' : '';
          const shown = `<a href="${folder}${other}" hreflang="${TAGS[other]}" lang="${TAGS[other]}"${direction}>${name}</a>`;
          expect(page?.replaceAll(/\s+/g, ' ').includes(shown)).toBe(other !== id);
          expect(markdown?.includes(`[${name}](${base}${folder}${other})`)).toBe(other !== id);
        }
        const related = /id="related"[\s\S]*?<\/section>/.exec(page ?? '')?.[0] ?? '';
        expect(ids.filter((other) => related.includes(`"${folder}${other}"`))).toEqual([]);
        for (const text of [page, url]) expect(text).toContain(`hreflang="x-default" href="${base}${folder}${ids[0]}"`);
        const work =
          id === ids[0] ? '"workTranslation":[' : `"translationOfWork":{"@type":"CreativeWork","@id":"${base}${folder}${ids[0]}"`;
        expect(page).toContain(work);
      }
    expect(await readBuilt(mode, 'capsules/kette.html')).not.toMatch(/hreflang|Weitere Sprachen/);
    expect(await readBuilt(mode, 'about.html')).toContain('<h1 lang="en">About us</h1>');
    // A page leads to its translations; the footer names it once.
    const footer = (await readBuilt(mode, 'capsules/kette.html'))?.split('<footer')[1];
    expect(footer).toContain('<a href="/ueber">Über uns</a>');
    expect(footer).not.toContain('href="/about"');
  });
});

describe('the search of a German publication', () => {
  const pageAt = async (path: string): Promise<string> => (await service.fetch(path, { headers: { Accept: 'text/html' } })).text();

  it('speaks German, finds other forms of a word, and marks what is in another language', async () => {
    const page = await pageAt('/search?q=Kette');
    for (const words of [
      '<html lang="de"',
      '<title>Suche: Kette · Leuchtturm',
      'Diese Website durchsuchen',
      '<span>Kapsel</span>',
      '22. November 2026',
    ])
      expect(page).toContain(words);
    expect(/<h3 class="title"><a href="([^"]+)"/.exec(page)?.[1]).toBe('/capsules/kette');
    expect(await pageAt('/search?q=Felgenbremse')).toContain('href="/capsules/bremsen"');
    expect(await pageAt('/search?q=spokes')).toMatch(/<div lang="en">\s*<h3 class="title"><a href="\/capsules\/english"/);
  });

  it('folds lineage, verification, digests and citation of a capsule, and says of them what is true', async () => {
    const page = await pageAt('/capsules/kette');
    const [, folded = ''] = /<details class="provenance">([\s\S]*)<\/details>/.exec(page) ?? [];
    const line = (/<summary>([\s\S]*?)<\/summary>/.exec(folded)?.[1] ?? '').replace(/<[^>]*>/g, '').replace(/\s+/g, ' ');
    expect(line.trim()).toBe(
      'Version 1.0.0 ist seit der Veröffentlichung am 22. November 2026 unverändert. Nicht signiert. Das belegt den Text, nicht seine Aussage. Nachweis, Herkunft, Versionen und Zitat',
    );
    for (const id of ['lineage', 'verify', 'colophon', 'cite']) expect(folded).toContain(`<h2 id="${id}">`);
    expect(folded).toContain('Ada Rim: „Eine gelängte Kette zerstört Ritzel“. Leuchtturm, Version 1.0.0');
    expect(folded).toContain('author = {Ada Rim}');
    expect(page).toContain('vom Autor berichtet, ohne Angabe einer Quelle');
  });

  it('says in German that nothing was found, and that a query is too long', async () => {
    expect(await pageAt('/search?q=zzzqqq')).toContain('Zu „zzzqqq“ wurde nichts gefunden.');
    expect(await pageAt(`/search?q=${'a'.repeat(1_100)}`)).toContain('Die Anfrage ist zu lang. Verwenden Sie höchstens 1.024 Zeichen.');
    expect(await pageAt('/search?q=x&page=0')).not.toMatch(/must be|parameter/i);
  });

  it('offers nothing that is not for sale', async () => expect(await pageAt('/search')).not.toMatch(/Preisliste|Angebot/));

  it('has the tokens of origin trials at the top of every page', async () => {
    expect(await pageAt('/search')).toContain(`<meta http-equiv="origin-trial" content="${TOKEN}">`);
  });

  it.skipIf(CHROMIUM === undefined)('is in German without functions, too', async () => {
    const host = await serveLikeHost(service.folder('static'));
    const page = await usePage();
    const faults: string[] = [];
    noteFaults(page, host.origin, faults);
    // The browser of the test is in English.
    await page.goto(`${host.origin}/search?q=V-Brakes`);
    expect(await page.locator('.search-hits a').first().getAttribute('href')).toBe('/capsules/brakes');
    await page.goto(`${host.origin}/search?q=ketten`);
    await page.locator('.search-hits a[href="/capsules/kette"]').waitFor();
    expect(await page.locator('[data-part=status]').innerText()).toBe('1 Treffer');
    expect(await page.title()).toBe('Suche: ketten · Leuchtturm');
    expect(await page.locator('meta[http-equiv="origin-trial"]').getAttribute('content')).toBe(TOKEN);
    faults.push(...(await accessibilityFaults(page, [{ colorScheme: 'light', width: 320 }])));
    expect(faults).toEqual([]);
    await host.stop();
  });
});

describe.each(['dist', 'dist-static'])('the sample site in English, in %s', (folder) => {
  it('states no claim that is not current without its state', async () => {
    const withdrawn = await Promise.all(
      (
        [
          ['mcp-initialize-required', 'retracted'],
          ['mcp-2025-sessions', 'superseded'],
          ['x402-v1', 'superseded'],
        ] as const
      ).map(async ([id, status]) => {
        const { title, summary } = JSON.parse(
          await readFile(join(PUBLICATION, folder, `capsules/${id}/capsule.json`), 'utf8'),
        ) as Withdrawn;
        return { title, summary, status };
      }),
    );
    expect(await bareInFiles(join(PUBLICATION, folder), withdrawn)).toEqual([]);
  });

  it('shows what was withdrawn in small and grey, below its state', async () => {
    const pageOf = (path: string): Promise<string> => readFile(join(PUBLICATION, folder, path), 'utf8');
    const retracted = await pageOf('capsules/mcp-initialize-required.html');
    expect(retracted).not.toContain('class="lead"');
    expect(retracted).toMatch(/<div class="banner retracted"[\s\S]*<h1>[\s\S]*<p class="soft withdrawn-claim">It claimed: /);
    expect(retracted.slice(0, retracted.indexOf('id="related"'))).not.toContain('class="evidence');
    const superseded = await pageOf('capsules/x402-v1.html');
    expect(superseded).toMatch(/<div class="banner superseded"[\s\S]*rel="successor-version"[\s\S]*Version 2 of x402 moved[\s\S]*<h1>/);
    expect(superseded).toContain('<span class="evidence past">');
    const list = await pageOf('capsules.html');
    expect(list).toMatch(/<span class="status retracted">(?:(?!<li>)[\s\S])*<a href="\/capsules\/mcp-initialize-required"/);
    expect(list).toMatch(/<span class="status superseded">(?:(?!<li>)[\s\S])*<a href="\/capsules\/x402-v1"/);
  });

  it('ends with one line that says what the records prove', async () => {
    const page = await readFile(join(PUBLICATION, folder, 'capsules/bm25.html'), 'utf8');
    const [, line = ''] = /<details class="provenance"[^>]*>\s*<summary>([\s\S]*?)<\/summary>/.exec(page) ?? [];
    expect(plain(line).trim()).toMatch(
      /^Version [\d.]+ is unchanged since it was published on .* This proves the text, not its claim\. Proof, lineage/,
    );
    expect(page.indexOf('id="related"')).toBeLessThan(page.indexOf('<details class="provenance"'));
  });
});
