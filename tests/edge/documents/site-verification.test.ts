import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verifySite } from '../../../src/cli/commands/verify.ts';
import { type ApiComparison, type Bundle, compareApi } from '../../../src/cli/verify/compare-api.ts';
import { bundleFiles, gatherProof } from '../../../src/cli/verify/gather-proof.ts';
import { readLoosely, SiteReader } from '../../../src/cli/verify/site-reader.ts';
import { canonical, type VerifiedManifest } from '../../../src/provenance/verify/verification-types.ts';
import { capsuleApiPath, lineageApiPath, PATHS } from '../../../src/schemas/paths.ts';
import { type Requests, useSharedGateway } from '../../support/edge-gateway.ts';
import { listen } from '../../support/listen.ts';

interface Tampering {
  /** Changes a JSON response to a path, with its query if it has one, or gives another value for it. */
  readonly edit?: Readonly<Record<string, (document: never) => unknown>>;
  /** Answers a request by itself, or leaves it to the service; called with the path and how often it was asked for before. */
  readonly answer?: (path: string, asked: number) => { status: number; headers?: Record<string, string>; body?: string } | undefined;
}

interface TamperedSite {
  readonly origin: () => string;
  readonly tamper: (tampering: Tampering) => void;
  readonly asked: () => ReadonlyMap<string, number>;
}

/** Serves a tested service on a loopback port, so that programs which fetch addresses can be tested with answers that were changed. */
function useTamperedSite(service: Requests): TamperedSite {
  let origin = '';
  let tampering: Tampering = {};
  let asked = new Map<string, number>();
  /** What the service answers does not change, and making it takes most of the time of a verification. */
  const known = new Map<string, { readonly status: number; readonly type: string; readonly text: string }>();
  const respond = async (request: IncomingMessage): Promise<{ status: number; headers: Record<string, string>; body: string }> => {
    const path = request.url ?? '/';
    const before = asked.get(path) ?? 0;
    asked.set(path, before + 1);
    const own = tampering.answer?.(path, before);
    if (own) return { headers: {}, body: '', ...own };
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = 'GET', headers } = request;
    const sent = ['content-type', 'authorization'].flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]));
    const name = JSON.stringify([method, path, sent, Buffer.concat(chunks).toString()]);
    let answer = known.get(name);
    if (answer === undefined) {
      const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {};
      const response = await service.fetch(path, { method, headers: sent as [string, string][], ...body });
      answer = { status: response.status, type: response.headers.get('Content-Type') ?? '', text: await response.text() };
      if (response.ok) known.set(name, answer);
    }
    const { status, type, text } = answer;
    const edit = tampering.edit?.[path];
    return { status, headers: { 'Content-Type': type }, body: edit ? JSON.stringify(edit(JSON.parse(text) as never)) : text };
  };
  const server = createServer((request, response) => {
    void respond(request).then(
      ({ status, headers, body }) => response.writeHead(status, headers).end(body),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  beforeAll(async () => {
    origin = await listen(server);
  });
  afterAll(() => server.close());
  return {
    origin: () => origin,
    tamper: (next) => {
      [tampering, asked] = [next, new Map()];
    },
    asked: () => asked,
  };
}

const NOW = '2026-11-23T00:00:00Z';
const ID = 'http-freshness';
const CAPABILITIES = `${PATHS.gateway}/capabilities`;
const STATUS = `${PATHS.publicCapsules}/status`;
const BROWSE = `${PATHS.publicCapsules}/browse?limit=100`;
const CHANGES = `${PATHS.publicCapsules}/changes?limit=1000&cursor=0`;
const FETCH = `${PATHS.capsulesApi}/fetch`;
const QUERY = `${PATHS.gateway}/query`;
const gateway = useSharedGateway({ files: 'built' });
const site = useTamperedSite(gateway);
let key: string;
let bundle: Bundle;

beforeAll(async () => {
  const registered = await gateway.post(`${PATHS.gateway}/register`, { agent_name: 'Verifier' });
  ({ api_key: key } = (await registered.json()) as { api_key: string });
  const { proof } = await gatherProof(site.origin() + PATHS.mirrorManifest, undefined);
  const manifest = readLoosely(proof.document as Uint8Array) as unknown as VerifiedManifest;
  bundle = { manifest, capsules: await (proof.parts ?? bundleFiles([])).capsules() };
});
beforeEach(() => site.tamper({}));

const compare = (): Promise<ApiComparison> => compareApi(new SiteReader(site.origin()), bundle, { sample: [ID], key, now: NOW });

interface Items {
  items: { capsule_id: string; version: string; title: string; outcome: string; capsule?: { markdown: string; title: string } }[];
}
interface Changes {
  changes: { version: string }[];
  cursor: string;
  has_more: boolean;
  manifest: { statement: { capsules: number } };
}
interface Results {
  results: { title: string; quote: { text: string } }[];
}

const changing =
  <T>(change: (document: T) => void) =>
  (document: never): unknown => {
    change(document as T);
    return document;
  };
const inCorpus = (members: object) => changing<{ corpus: object }>(({ corpus }) => Object.assign(corpus, members));

describe('the verification of a whole site', () => {
  it('compares everything that its API says of capsules with its bundle, and says so', async () => {
    const { compared, ...problems } = await compare();
    expect(problems).toEqual({ omitted: [], differences: [], unread: [] });
    for (const path of [
      CAPABILITIES,
      STATUS,
      BROWSE.split('?')[0],
      CHANGES.split('?')[0],
      FETCH,
      capsuleApiPath('{capsule_id}'),
      lineageApiPath('{capsule_id}'),
      QUERY,
    ])
      expect(compared).toContainEqual(expect.stringContaining(String(path)));
  });

  it('says that queries were not compared where it has no key', async () => {
    const { omitted } = await compareApi(new SiteReader(site.origin()), bundle, { sample: [ID], key: undefined, now: NOW });
    expect(omitted).toEqual([expect.stringContaining('query: needs an API key')]);
    expect(site.asked().get(QUERY)).toBeUndefined();
  });

  const CHANGED: readonly (readonly [string, string, (document: never) => unknown])[] = [
    ['another corpus in the capabilities', CAPABILITIES, inCorpus({ corpus_digest: '0'.repeat(64) })],
    ['another count in the status', STATUS, inCorpus({ retracted: 0 })],
    ['a count that is a text', STATUS, inCorpus({ capsules: '62' })],
    ['another version of the corpus in the status', STATUS, inCorpus({ corpus_version: '0'.repeat(64) })],
    ['another title in the list', BROWSE, changing<Items>(({ items }) => Object.assign(items[0] ?? {}, { title: 'Another' }))],
    ['a capsule that the list leaves out', BROWSE, changing<Items>(({ items }) => items.pop())],
    ['a capsule that the list has twice', BROWSE, changing<Items>(({ items }) => items.push(...items.slice(0, 1)))],
    ['a capsule that the bundle has not', BROWSE, changing<Items>(({ items }) => Object.assign(items[0] ?? {}, { capsule_id: 'unknown' }))],
    ['another event in the log', CHANGES, changing<Changes>(({ changes }) => Object.assign(changes[3] ?? {}, { version: '9.0.0' }))],
    ['a log that ends early', CHANGES, changing<Changes>(({ changes }) => changes.pop())],
    ['another manifest in the log', CHANGES, changing<Changes>(({ manifest }) => Object.assign(manifest.statement, { capsules: 1 }))],
    ['a log without an end', CHANGES, changing<Changes>((log) => Object.assign(log, { changes: [], has_more: true }))],
    ['another text in a batch', FETCH, changing<Items>(({ items }) => Object.assign(items[2]?.capsule ?? {}, { markdown: 'Another.\n' }))],
    [
      'a capsule that a batch does not find',
      FETCH,
      changing<Items>(({ items }) => items.splice(0, 1, { ...items[0], outcome: 'not_found', capsule: undefined } as never)),
    ],
    [
      'a free text that a batch sells',
      FETCH,
      changing<Items>(({ items }) => items.splice(0, 1, { ...items[0], outcome: 'payment_required', capsule: undefined } as never)),
    ],
    ['capsules that a batch answers in another order', FETCH, changing<Items>(({ items }) => items.reverse())],
    ['another title of a capsule', capsuleApiPath(ID), changing<object>((capsule) => Object.assign(capsule, { title: 'Another' }))],
    ['another capsule', capsuleApiPath(ID), changing<object>((capsule) => Object.assign(capsule, { capsule_id: 'http-caching' }))],
    [
      'another status in a lineage',
      lineageApiPath(ID),
      changing<{ head: { statement: object } }>(({ head }) => Object.assign(head.statement, { status: 'retracted' })),
    ],
    ['a sold text', capsuleApiPath(ID), changing<object>((capsule) => Object.assign(capsule, { access: 'paid', markdown: undefined }))],
    ['another title in a result', QUERY, changing<Results>(({ results }) => Object.assign(results[0] ?? {}, { title: 'Another' }))],
    ['another quote', QUERY, changing<Results>(({ results }) => Object.assign(results[0]?.quote ?? {}, { text: 'Another' }))],
  ];
  const ofEachPath = [...Map.groupBy(CHANGED, ([, path]) => path).values()];

  // One change of each document at a time, none of which hides another.
  it.each([0, 1, 2, 3])('finds each change of a document (%i)', async (turn) => {
    const changed = ofEachPath.flatMap((all) => all.slice(turn, turn + 1));
    site.tamper({ edit: Object.fromEntries(changed.map(([, path, edit]) => [path, edit])) });
    const { differences } = await compare();
    const found = changed.map(([name, path]) => [
      name,
      differences.filter((text) => text.split(/[ ?:]/).includes(path.split('?')[0] ?? '')),
    ]);
    expect(found).toEqual(changed.map(([name]) => [name, [expect.any(String)]]));
    expect(differences).toHaveLength(changed.length);
  });

  it('stops following a log that is longer than the manifest states', async () => {
    const feed = CHANGES.split('?')[0] ?? '';
    const status = (await (await gateway.fetch(STATUS)).json()) as { corpus: { corpus_version: string } };
    site.tamper({
      answer: (path) => {
        if (!path.startsWith(feed)) return undefined;
        const [count = '0', before] = (new URL(path, site.origin()).searchParams.get('cursor') ?? '').split('.');
        const hex = '0'.repeat(64);
        const event = {
          event: 'added',
          capsule_id: ID,
          version: '1.0.0',
          date: '2026-11-21',
          record_digest: `sha256:${hex}`,
          content_sha256: hex,
        };
        const logged = { ...event, count: Number(count) + 1 };
        const text = canonical([before === undefined ? null : `sha256:${before}`, logged]);
        const digest = createHash('sha256').update(text).digest('hex');
        const { manifest } = bundle;
        const body = {
          corpus_version: status.corpus.corpus_version,
          corpus_digest: manifest.statement.corpusDigest.slice('sha256:'.length),
          changes: [{ ...logged, digest: `sha256:${digest}` }],
          cursor: `${logged.count}.${digest}`,
          has_more: true,
          total: logged.count,
          manifest,
        };
        return { status: 200, body: JSON.stringify(body) };
      },
    });
    const { differences } = await compareApi(new SiteReader(site.origin()), bundle, { sample: [], key: undefined, now: NOW });
    expect(differences).toContainEqual(expect.stringMatching(/changes[^ ]*: has more events than the manifest/));
    const pages = [...site.asked().keys()].filter((path) => path.startsWith(feed));
    expect(pages).toHaveLength(bundle.manifest.statement.changes.count + 1);
  });

  it('finds a capsule that the API does not have', async () => {
    site.tamper({ answer: (path) => (path === capsuleApiPath(ID) ? { status: 404 } : undefined) });
    expect((await compare()).differences).toEqual([expect.stringContaining(capsuleApiPath(ID))]);
  });

  it('fails as a whole where the API differs, and names the answer', async () => {
    site.tamper({ edit: { [STATUS]: inCorpus({ versions: 1 }) } });
    const { verdict, omitted } = await verifySite(site.origin(), { now: NOW, key: undefined, sampleMax: 2 });
    expect(verdict.exit).toBe(1);
    expect(verdict.checks.filter(({ ok }) => !ok)).toEqual([
      { check: 'api', ok: false, detail: expect.stringContaining(STATUS) as string },
    ]);
    expect(verdict.checks).toContainEqual({ check: 'served', ok: true, detail: expect.stringMatching(/^2 of \d+ capsules/) as string });
    expect(omitted).toHaveLength(1);
  });

  it('asks for some capsules of a large site one by one, and for all of them in batches', async () => {
    await verifySite(site.origin(), { now: NOW, key: undefined, sampleMax: 3 });
    expect([...site.asked().keys()].filter((path) => path.endsWith('/lineage'))).toHaveLength(3);
    expect(site.asked().get(FETCH)).toBe(Math.ceil(bundle.capsules.size / 20));
  });

  it('waits as long as the site asks for, and asks again', async () => {
    site.tamper({
      answer: (path, asked) => (path === FETCH && asked === 0 ? { status: 429, headers: { 'Retry-After': '0' } } : undefined),
    });
    const { differences, unread } = await compare();
    expect([differences, unread]).toEqual([[], []]);
  });

  it.each([
    ['a pause of a day', { status: 429, headers: { 'Retry-After': '86400' } }],
    ['a pause without end', { status: 503, headers: { 'Retry-After': '0' } }],
    ['an answer that is no JSON', { status: 200, body: '<!DOCTYPE html>' }],
    ['an answer that can be read in two ways', { status: 200, body: '{"corpus":{},"corpus":{}}' }],
  ])('cannot read %s', async (_, answer) => {
    site.tamper({ answer: (path) => (path === STATUS ? answer : undefined) });
    expect((await compare()).unread).toEqual([expect.stringContaining(STATUS)]);
  });

  it('says that a site was published during the check', async () => {
    site.tamper({ answer: (path, asked) => (path === PATHS.mirrorManifest && asked > 0 ? { status: 200, body: '{}' } : undefined) });
    const { unread } = await verifySite(site.origin(), { now: NOW, key: undefined, sampleMax: 1 });
    expect(unread).toEqual([expect.stringContaining('was published during the check')]);
  });
});
