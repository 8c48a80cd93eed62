import { beforeAll, describe, expect, it } from 'vitest';
import { makePublication } from '../../../src/build/content/make-publication.ts';
import { documentFiles } from '../../../src/documents/document-files.ts';
import { Corpus } from '../../../src/gateway/knowledge/corpus.ts';
import { BlockCache } from '../../../src/gateway/knowledge/load-block.ts';
import { RecordPage } from '../../../src/gateway/knowledge/paged-records.ts';
import { sha256Hex } from '../../../src/provenance/bytes.ts';
import type { AuthoredContent } from '../../../src/publication/authored-content.ts';
import type { PaidText } from '../../../src/schemas/knowledge/generation.ts';
import type { QueryResponse } from '../../../src/schemas/knowledge/query.ts';
import type { Problem } from '../../../src/schemas/problem.ts';
import { testRanking } from '../../support/compiled-kernel.ts';
import { canariesIn, PLANTED, PLANTED_PRICE } from '../../support/paid-content.ts';
import { buildInTurn, type InMemoryBuild } from '../../support/simulated/in-memory-build.ts';
import { type Asked, askEverything } from './asked-of-the-api.ts';
import { plantedContent } from './planted-publication.ts';

/** Answers of two publications that differ in the text that is sold alone, and in nothing else. */
const asked: { sold: Asked[]; other: Asked[] } = { sold: [], other: [] };
let content: AuthoredContent;
let build: InMemoryBuild;

async function buildOf(authored: AuthoredContent): Promise<InMemoryBuild> {
  const [built] = await buildInTurn([authored]);
  if (built === undefined) throw new Error('nothing was built');
  return built;
}

beforeAll(async () => {
  content = await plantedContent({ withPayments: true });
  build = await buildOf(content);
  const other = await buildOf(await plantedContent({ withPayments: true, withOtherWords: true }));
  asked.sold = await askEverything(build);
  asked.other = await askEverything(other);
}, 120_000);

describe('a text that is sold', () => {
  it('is in one block of KV, and in no other, nor in what functions are made of', () => {
    const texts = new Set(build.generated.generation.manifest.blocks.texts?.map(({ sha256 }) => `b/${sha256}`));
    const holding = [...build.blocks].filter(([, bytes]) => canariesIn(new TextDecoder().decode(bytes)).length > 0).map(([key]) => key);
    expect(holding).toEqual([...texts]);
    expect(holding).toHaveLength(1);
    expect(canariesIn(JSON.stringify(build.generated))).toEqual([]);
  });

  it('is never kept in the cache of a location, where everything else that is read is kept', async () => {
    const { generation } = build.generated;
    const near = new Map<string, Uint8Array>();
    const location = {
      read: async () => undefined,
      write: (sha256: string, bytes: Uint8Array) => void near.set(sha256, bytes),
      remove: async () => undefined,
    };
    const store = { read: async (sha256: string) => build.blocks.get(`b/${sha256}`) };
    const { newest } = new Corpus(generation, store, new BlockCache(2 ** 24), testRanking(), undefined, location);
    const version = (await newest.capsule(PLANTED))?.metadata.version ?? '';
    expect(canariesIn((await newest.paidText(PLANTED, version)) ?? '')).not.toEqual([]);
    for (const { sha256 } of generation.manifest.blocks.files ?? []) expect(await newest.deliveredFile(sha256)).toBeDefined();
    await newest.lineage(PLANTED, 0);
    const { documents, lineages, texts = [], files = [] } = generation.manifest.blocks;
    const sold = [...texts, ...files].map(({ sha256 }) => sha256);
    expect(sold.length).toBeGreaterThan(0);
    expect([...near.keys()].filter((sha256) => sold.includes(sha256))).toEqual([]);
    expect([...documents, ...lineages].some(({ sha256 }) => near.has(sha256))).toBe(true);
  });

  it('is in no file of the site, although the capsule is', async () => {
    const { publication } = await makePublication(content, { mode: 'edge', rateLimits: undefined });
    const files = documentFiles(publication);
    expect(files.filter(({ body }) => canariesIn(body).length > 0).map(({ path }) => path)).toEqual([]);
    const naming = files.filter(({ body }) => body.includes(PLANTED)).map(({ path }) => path);
    for (const path of [
      '/llms.txt',
      '/feed.xml',
      '/sitemap.xml',
      '/sitemap.md',
      `/capsules/${PLANTED}/capsule.json`,
      `/capsules/${PLANTED}/lineage.json`,
    ])
      expect(naming).toContain(path);
    expect(files.map(({ path }) => path).filter((path) => path.startsWith(`/capsules/${PLANTED}`) && path.endsWith('.md'))).toEqual([]);
    expect(files.find(({ path }) => path === '/llms-full.txt')?.body).not.toContain(PLANTED);
  });

  it('is in nothing of a frontend-only publication, nor is the capsule, although payments are on', async () => {
    const { publication, generation } = await makePublication(content, { mode: 'static', rateLimits: undefined });
    const texts = [
      ...documentFiles(publication).map(({ body }) => body),
      ...[...generation.blocks.values()].map((bytes) => new TextDecoder().decode(bytes)),
      JSON.stringify(publication),
    ];
    expect(texts.filter((text) => text.includes(PLANTED) || canariesIn(text).length > 0)).toEqual([]);
  });

  it('is in no answer to hundreds of questions about it, but where a question is repeated', () => {
    expect(asked.sold.length).toBeGreaterThan(900);
    const told = asked.sold.filter(({ request, answer }) => {
      const own = canariesIn(request);
      return canariesIn(answer).some((canary) => !own.includes(canary));
    });
    expect(told.map(({ request }) => request)).toEqual([]);
  });

  it('changes no answer but in digests: neither order, score, suggestion nor correction tells of its words', () => {
    expect(asked.other.length).toBe(asked.sold.length);
    for (const [at, { request, answer, status }] of asked.sold.entries()) {
      const other = asked.other[at];
      expect([status, withoutDigests(answer)], request).toEqual([other?.status, withoutDigests(other?.answer ?? '')]);
    }
  });

  it('is found by its title and summary, with a quote of the summary and its price', () => {
    const answers = asked.sold.filter(({ request }) => request.includes('/query ')).map(({ answer }) => bodyOf<QueryResponse>(answer));
    const found = answers.flatMap(({ results = [] }) => results.filter(({ capsule_id }) => capsule_id === PLANTED));
    expect(found.length).toBeGreaterThan(20);
    for (const { summary, quote, price, markdown_url, paid_url, explanation } of found) {
      expect(summary.slice(quote.start, quote.end)).toBe(quote.text);
      expect(price).toEqual(PLANTED_PRICE);
      expect(markdown_url).toBeUndefined();
      expect(paid_url).toMatch(new RegExp(`/capsule/${PLANTED}$`));
      for (const { fields = {} } of explanation?.parts ?? []) expect(Object.keys(fields)).not.toContain('body');
    }
  });

  it('is refused with its price in every version, and as one of several', () => {
    const direct = asked.sold.filter(({ request }) => new RegExp(`^GET \\S+/capsule/${PLANTED}(\\?version=1\\.[01]\\.0)? `).test(request));
    expect(direct.length).toBeGreaterThan(10);
    expect(new Set(direct.map(({ status }) => status))).toEqual(new Set([402]));
    expect(asked.sold.filter(({ answer }) => answer.includes('"outcome":"payment_required"')).length).toBeGreaterThan(10);
  });

  it('cannot be probed by a proposal to correct it: no passage is said to stand in it or not to', () => {
    const probes = asked.sold.filter(({ request }) => request.includes('"correction"') && request.includes('"version":"1.1.0"'));
    expect(probes.length).toBeGreaterThan(5);
    const told = probes.map(({ status, answer }) => [status, bodyOf<Problem>(answer).code, bodyOf<Problem>(answer).errors]);
    for (const one of told) expect(one).toEqual(told[0]);
    expect(told[0]?.[0]).toBe(422);
  });

  it('has the digest that the free records state', async () => {
    const [block] = build.generated.generation.manifest.blocks.texts ?? [];
    const texts = new RecordPage<PaidText[]>(build.blocks.get(`b/${block?.sha256}`) ?? new Uint8Array()).find(PLANTED) ?? [];
    const browse = asked.sold.find(({ answer }) => answer.includes(`"capsule_id":"${PLANTED}"`))?.answer ?? '';
    expect(texts.map(({ version }) => version)).toEqual(['1.0.0', '1.1.0']);
    expect(browse).toContain(await sha256Hex(texts.at(-1)?.markdown ?? ''));
  });
});

describe('where nothing can be paid', () => {
  it.each([
    ['payments are off', 'edge', false],
    ['there are no functions', 'static', true],
  ] as const)('because %s, there is no paid capsule', async (_, mode, withPayments) => {
    const authored = await plantedContent({ withPayments });
    const { publication, generation } = await makePublication(authored, { mode, rateLimits: undefined });
    const published = [...documentFiles(publication).map(({ body }) => body), JSON.stringify(generation.manifest)];
    const blocks = [...generation.blocks.values()].map((bytes) => new TextDecoder().decode(bytes));
    for (const text of [...published, ...blocks]) {
      expect(text.includes(PLANTED)).toBe(false);
      expect(canariesIn(text)).toEqual([]);
    }
    expect(publication.capsules).toHaveLength(authored.capsules.filter(({ frontMatter }) => frontMatter.access === 'public').length);
  });
});

function bodyOf<T>(answer: string): Partial<T> {
  return JSON.parse(answer.slice(answer.indexOf('\n\n'))) as Partial<T>;
}

/** An answer without what follows from the digest of the text alone: digests, and tags and cursors made of them. */
function withoutDigests(answer: string): string {
  return (
    answer
      .replace(/[0-9a-f]{64}/g, 'digest')
      .replace(/^etag: .*$/gm, 'etag')
      // A cursor is in JSON, or in JSON that is a string of JSON.
      .replace(/(\\*")next_cursor\1:\1[\w-]*\1/g, '"next_cursor"')
      .replace(/the cursor `[^`]*`/g, 'the cursor')
  );
}
