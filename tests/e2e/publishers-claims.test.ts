import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { siteFolder } from '../../src/build/build-lifecycle.ts';
import { makeBuiltPublication } from '../support/built-publication.ts';
import { type EdgeGateway, requestsTo, startEdgeGateway } from '../support/edge-gateway.ts';
import { contentsBelow, filesBelow } from '../support/files-below.ts';
import { linksOfHtml, ownAddresses, ownPath } from '../support/links.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { structuredData } from '../support/page-text.ts';
import { TEST_BASE_URL } from '../support/paths.ts';
import { words } from '../support/words.ts';

/** What a publication can lack, with sentences that claim it. Sentences with a condition ("if they are signed") are no claims. */
const CLAIMS = {
  'capsules that all have sources':
    /every capsule (lists|names) its sources|names its sources|with (their|its) sources|mit (ihren )?Quellen\b|based on \d+ sources?/,
  sources:
    /text, sources(?!, links)|sources, (versions|digests|status)\b(?! and versions match)|versions(,| and) sources (?!and the day)|\bits sources, whether|Text, Quellen/,
  signatures:
    /(?<!Expiry of )\b(its|a|the) signed (head|record|statement|manifest)|\bsigned records|also signed again|who signed it|who published which bytes|check signatures:/i,
  'an author': /"@type":"Person"/,
  'evidence of its own': /a secondary source|einer Sekundärquelle/,
  licences: /licensed under|lizenziert unter|"license":"(https:\/\/spdx\.org\/licenses\/)?CC-/,
  offers:
    /customer support|How to buy an offer|Everything that is sold|What each offer costs|instead of paying at checkout|Alles, was hier verkauft|prices and checkout/,
  'offers with prices': /with prices\b(?! (where|and checkout links where))|\bcheckout address|mit Preisen/,
  capsules: /Each capsule says|how strong the evidence|Jede Kapsel/,
  subjects: /by subject|nach (Art und )?(Thema|Schlagwort)/i,
} as const satisfies Readonly<Record<string, RegExp>>;

interface Small {
  readonly name: string;
  readonly mode: 'static' | 'edge';
  readonly lacks: readonly (keyof typeof CLAIMS)[];
  readonly files: Readonly<Record<string, string>>;
}

const publisher = (more = ''): string => `name: Dune Notes\nbase_url: https://dune-notes.org\ncontact_email: post@dune-notes.org\n${more}`;
const SAND =
  '# Sand dunes move downwind\n\nA dune on this beach moved *four* metres downwind between two winters, as I saw from the fence posts.\n';

const BARE: Small = {
  name: 'one note',
  mode: 'static',
  lacks: [
    ...(['capsules that all have sources', 'sources', 'signatures', 'an author', 'evidence of its own', 'licences', 'offers'] as const),
    ...(['offers with prices', 'subjects'] as const),
  ],
  files: { 'publisher.yaml': publisher(), 'capsules/sand.md': SAND },
};
const EMPTY: Small = {
  name: 'nothing, in German',
  mode: 'edge',
  lacks: Object.keys(CLAIMS) as (keyof typeof CLAIMS)[],
  files: { 'publisher.yaml': publisher('language: de\nintake: closed\n') },
};
const PARTIAL: Small = {
  name: 'some of everything',
  mode: 'edge',
  lacks: ['capsules that all have sources', 'signatures', 'offers with prices'],
  files: {
    'publisher.yaml': publisher(
      'tagline: What the wind does.\ndescription: Notes of a walker. Do dunes move?\nauthor: Ida Strand\nlicense: CC-BY-4.0\n',
    ),
    'capsules/sand.md': `---\nretracted:\n  date: 2026-11-20\n  reason: The fence was moved between the two winters, not the dune.\n---\n${SAND}`,
    'capsules/wind.md':
      '---\ntags: [weather]\nsources:\n  - key: scale\n    title: The scale of wind forces\n    url: https://www.weather.gov/mfl/beaufort\n    publisher: A weather service\n    kind: documentation\n    retrieved: 2026-11-01\n---\n# Wind is counted in twelve forces\n\nA storm has force ten, and a calm has force zero.[^scale]\n',
    'offers/walk.md':
      '---\nname: A walk in the dunes\nsummary: A guided walk of two hours, on a day that suits the weather.\nprice: on request\n---\n\nWe meet at the last fence.\n',
  },
};

interface Output {
  readonly place: string;
  readonly type: string;
  readonly text: string;
}

const isText = /^(html|md|txt|json|xml|)$/;
/** JSON Schemas say what documents may have. Programs and examples of other publications say nothing about this one. */
const NOT_ABOUT_IT = /\/(_astro|schemas)\/|offers\.schema\.json|vectors\.json|_headers|_redirects|_routes|\.[cm]?js$/;

async function outputsIn(folder: string): Promise<Output[]> {
  const places = (await filesBelow(folder)).map((path) => `/${path}`);
  const shown = places.filter((place) => isText.test(extname(place).slice(1)) && !NOT_ABOUT_IT.test(place));
  return Promise.all(
    shown.map(async (place) => ({ place, type: extname(place).slice(1) || 'json', text: await readFile(folder + place, 'utf8') })),
  );
}

/** What readers see of a page, with the texts for other sites. */
const visible = (html: string): string =>
  html
    .replaceAll(/<(script|style)\b[\s\S]*?<\/\1>/g, '')
    .replaceAll(/<\/(p|li|h\d|dd|dt|td|th|div|pre|title)>/g, '\n')
    .replaceAll(/<(?!meta|title)[^>]*>/g, '');

function emptyMembers(value: unknown, path = ''): string[] {
  if (value === null || value === '') return [path];
  if (typeof value !== 'object') return [];
  const members = Object.entries(value);
  return members.length === 0 ? [path] : members.flatMap(([name, member]) => emptyMembers(member, `${path}/${name}`));
}

function emptyHeadings(markdown: string): string[] {
  const lines = markdown
    .replaceAll(/^(```|~~~)[\s\S]*?^\1$/gm, 'code')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.filter((line, at) => {
    const [, marks] = /^(#{1,6}) /.exec(line) ?? [];
    const [, next] = /^(#{1,6}) /.exec(lines[at + 1] ?? '# end') ?? [];
    return marks !== undefined && next !== undefined && next.length <= marks.length;
  });
}

function faultsOf({ place, type, text }: Output): string[] {
  const words = type === 'html' ? visible(text) : text;
  const found = (name: string, pattern: RegExp): string[] =>
    [...words.matchAll(pattern)].map(({ 0: hit, index }) => `${name}: ${words.slice(Math.max(0, index - 60), index + hit.length + 30)}`);
  const isApi = /\/(docs|problems|texts|openapi)\b|openapi/.test(place);
  return [
    ...found(
      'plural',
      /\b[01] (capsules|sources|offers|words|versions|subjects|texts|pages|results|Kapseln|Quellen|Angebote|Themen|Wörter)\b/g,
    ),
    ...found('two full stops', /[a-z][.?!]\.(?![.\w/])|\.\. /g),
    ...found('no full stop', /Dune Notes (Texts|[01] )/g),
    ...found('the name twice', /Dune Notes: Dune Notes(?! (mcp|a2a))/g),
    ...(isApi || type === 'json' ? [] : found('no value', /\b(undefined|null|NaN)\b|\[object Object\]|Invalid Date/g)),
    ...(type === 'md' || type === 'txt' ? emptyHeadings(text).map((line) => `nothing below the heading: ${line}`) : []),
    ...(type === 'md' ? found('said twice', /(?<=\n\n)([^\n]{15,})\n\n\1(?=\n\n|$)/g) : []),
    ...(type === 'html'
      ? [
          ...structuredData(text).flatMap((data) => emptyMembers(JSON.parse(data)).map((path) => `empty structured data: ${path}`)),
          // Scripts fill the lists of results and of checks.
          ...[...text.matchAll(/<(ul|ol|dl|tbody)\b(?![^>]*(?:data-part|class="checks"))[^>]*>\s*<\/\1>/g)].map(
            ([list]) => `empty list: ${list}`,
          ),
        ]
      : []),
  ].map((fault) => `${place}: ${fault}`);
}

function claimsIn({ place, type, text }: Output, lacks: Small['lacks']): string[] {
  const words =
    type === 'html' ? [visible(text), ...structuredData(text).map((json) => JSON.stringify(JSON.parse(json)))].join('\n') : text;
  return lacks.flatMap((lack) =>
    [...words.matchAll(new RegExp(CLAIMS[lack], 'g'.concat(CLAIMS[lack].flags)))].map(
      ({ 0: hit, index }) =>
        `${place} claims ${lack}: ${words.slice(Math.max(0, index - 80), index + hit.length + 40).replaceAll('\n', ' ')}`,
    ),
  );
}

/** Own paths that a page or a document links to, without the beginnings of addresses and the examples of texts and orders that nobody wrote. */
function linksOf({ place, type, text }: Output): string[] {
  if (/openapi|\/docs\/api\/.*\.md$/.test(place)) return [];
  const isBase = (path: string): boolean => /^\/api\/v1\/(acp|agent-gateway)$|\/example-capsule\//.test(path);
  const links =
    type === 'html'
      ? linksOfHtml(text)
      : [...ownAddresses(text, TEST_BASE_URL), ...[...text.matchAll(/\]\((\/[^)\s]*)\)/g)].map(([, link = '']) => link)];
  return links.flatMap((link) => ownPath(link, TEST_BASE_URL) ?? []).filter((path) => !isBase(path));
}

describe.each([BARE, EMPTY, PARTIAL])('a publication with $name ($mode)', ({ mode, lacks, files }) => {
  let remove = async (): Promise<void> => undefined;
  let functions = '';
  let gateway: EdgeGateway | undefined;
  let client: Client | undefined;
  let outputs: readonly Output[] = [];

  beforeAll(async () => {
    const publication = await makeBuiltPublication('claims');
    remove = publication.remove;
    await publication.write(Object.fromEntries(Object.entries(files).map(([path, text]) => [`content/${path}`, text])));
    await publication.build(mode);
    outputs = await outputsIn(siteFolder(publication.root, mode));
    if (mode === 'static') return;
    const worker = join(siteFolder(publication.root, mode), '_worker.js');
    functions = [...(await contentsBelow(worker, (path) => path.endsWith('.js'))).values()].join('\n');
    gateway = await startEdgeGateway(await publication.service());
    client = await connectMcp(gateway);
    outputs = [...outputs, ...(await answersOf(gateway, client))];
  });
  afterAll(async () => {
    await client?.close();
    await gateway?.stop();
    await remove();
  });

  async function answersOf(service: EdgeGateway, mcp: Client): Promise<Output[]> {
    const { post } = requestsTo(service.fetch);
    const get = async (place: string, accept: string): Promise<Output> => {
      const response = await service.fetch(place, { headers: { Accept: accept } });
      return { place, type: accept === 'application/json' ? 'json' : 'md', text: await response.text() };
    };
    const message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'sand dunes' }] };
    const asked = await post('/a2a', { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }, { 'A2A-Version': '1.0' });
    const told = [
      mcp.getServerVersion(),
      mcp.getInstructions(),
      ...(await Promise.all([mcp.listTools(), mcp.listResources(), mcp.listResourceTemplates(), mcp.listPrompts()])),
    ];
    const documents = words`
      /.well-known/agent-card.json /openapi.json /openapi.agent.json /mcp/server-card /.well-known/mcp.json /.well-known/ai-catalog.json
      /.well-known/acp.json /.well-known/x402 /api/v1/agent-gateway/capabilities /api/v1/capsules/public/intake
      /api/v1/capsules/public/status /ask?query=sand /api/v1/agent-gateway/search?q=sand
    `;
    return [
      { place: 'MCP', type: 'json', text: JSON.stringify(told) },
      { place: 'A2A', type: 'json', text: await asked.text() },
      ...(await Promise.all(documents.map((path) => get(path, 'application/json')))),
      await get('/api/v1/agent-gateway/search?q=sand', 'text/markdown'),
    ];
  }

  it('claims nothing that it lacks', () => {
    expect(outputs.length).toBeGreaterThan(30);
    expect(outputs.flatMap((output) => claimsIn(output, lacks))).toEqual([]);
  });

  it.runIf(mode === 'edge')('has functions without the code of features that are off, and without texts of documents', () => {
    const { 'publisher.yaml': settings = '' } = files;
    // The parser of markdown, with which proposals are checked.
    expect(functions.includes('CounterClockwiseContourIntegral')).toBe(!settings.includes('intake: closed'));
    for (const operation of ['completeCheckoutSession', 'searchUcpCatalog']) expect(functions).not.toContain(`id:"${operation}"`);
    expect(functions).not.toContain('Number of matching capsules with it.');
    expect(functions).toContain('id:"queryKnowledge"');
  });

  it('is described without empty parts and broken sentences', () => expect(outputs.flatMap(faultsOf)).toEqual([]));

  it('links to nothing that does not exist', async () => {
    const missing: string[] = [];
    const written = new Set(outputs.map(({ place }) => place.replace(/(\/index)?\.html$/, '') || '/'));
    const linked = new Map(outputs.flatMap((output) => linksOf(output).map((path) => [path, output.place])));
    for (const [path, place] of linked) {
      const isShown = isText.test(extname(path.replace(/[?#].*$/, '')).slice(1)) && !NOT_ABOUT_IT.test(path);
      if (written.has(mode === 'static' ? path.replace(/\?.*$/, '') : path) || !isShown) continue;
      const status = gateway === undefined ? 404 : (await gateway.fetch(path)).status;
      if (status === 404 || status >= 500) missing.push(`${place}: ${status} ${path}`);
    }
    expect(missing).toEqual([]);
  });
});
