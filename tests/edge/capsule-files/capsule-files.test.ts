import { beforeAll, describe, expect, it } from 'vitest';
import { capsuleFiles } from '../../../src/documents/make-documents.ts';
import type { TaggedDocument } from '../../../src/gateway/platform-ports.ts';
import type { AuthoredContent } from '../../../src/publication/authored-content.ts';
import { describedRoutes, functionPaths, routeTable } from '../../../src/routes/route-table.ts';
import { featuresOf } from '../../../src/schemas/feature-switches.ts';
import type { GenerationManifest } from '../../../src/schemas/knowledge/generation-manifest.ts';
import type { DocumentFile, Publication } from '../../../src/text/publication-model.ts';
import { builtGenerated } from '../../support/edge-gateway.ts';
import { type InProcessOptions, useInProcessGateway } from '../../support/in-process-gateway.ts';
import { soldContent } from '../../support/paid-site.ts';
import { makePublication } from '../../support/sample-content.ts';
import { words } from '../../support/words.ts';

const ID = 'http-freshness';
const TRANSLATION = 'http-cache-validators';

/** Two builds of the sample with paid capsules, one after the other, in which functions serve the pages of capsules; the second also as files. */
async function twoBuilds() {
  const content = await soldContent();
  const settings = { mode: 'edge', capsulePages: 'edge' } as const;
  const first = await makePublication(content, settings);
  const past = { history: [first.generation], changes: first.log };
  const second = await makePublication(edited(content), settings, past);
  const { publication: ofFiles } = await makePublication(edited(content), { ...settings, capsulePages: 'files' }, past);
  return { first, second, ofFiles };
}
type Made = Awaited<ReturnType<typeof twoBuilds>>['first'];

function edited(content: AuthoredContent): AuthoredContent {
  const translated = { language: 'de', translation_of: ID };
  return {
    ...content,
    capsules: content.capsules.map(({ markdown, frontMatter, ...capsule }) => ({
      ...capsule,
      markdown: `${markdown}\nAgain.\n`,
      frontMatter: { ...frontMatter, ...(capsule.id === TRANSLATION ? translated : {}) },
    })),
  };
}

let builds: ReturnType<typeof twoBuilds> | undefined;
const made = (): ReturnType<typeof twoBuilds> => {
  builds ??= twoBuilds();
  return builds;
};

async function service(isKept: (sha256: string, made: Made) => boolean = () => true): Promise<InProcessOptions> {
  const { first, second } = await made();
  const { version, manifest, blocks } = second.generation;
  const generated = { ...(await builtGenerated()), deployment: second.publication.deployment, generation: { version, manifest } };
  const all = new Map([...first.generation.blocks, ...blocks]);
  return { generated, blocks: new Map([...all].filter(([sha256]) => isKept(sha256, second))) };
}

const without =
  (kind: keyof GenerationManifest['blocks']) =>
  (sha256: string, { generation }: Made): boolean =>
    !(generation.manifest.blocks[kind] ?? []).some((block) => block.sha256 === sha256);

const filesOf = (publication: Publication): DocumentFile[] => publication.capsules.flatMap((capsule) => capsuleFiles(capsule, publication));

it('the routes of capsule files are in the table only where functions serve them, and in no description', () => {
  const settings = { baseUrl: 'https://signpost.example' };
  const [files, edge] = [routeTable(settings), routeTable({ ...settings, capsulePages: 'edge' })];
  expect(edge.slice(0, files.length).map(({ id }) => id)).toEqual(files.map(({ id }) => id));
  expect(edge.length).toBe(files.length + 32);
  expect(functionPaths(edge).filter((path) => !functionPaths(files).includes(path))).toEqual([
    ...words`/capsules /capsules.html /capsules.md /capsules/* /subjects /subjects.html /subjects.md /subjects/*`,
  ]);
  const features = featuresOf({ intake: 'open', commerce: { acp: false, ucp: false } }, []);
  const described = (capsulePages: 'files' | 'edge'): string[] =>
    describedRoutes({ ...settings, capsulePages }, features).map(({ id }) => id);
  expect(described('edge')).toEqual(described('files'));
});

describe('capsule files from blocks', () => {
  const gateway = useInProcessGateway(() => service());
  let publication: Publication;
  beforeAll(async () => {
    ({ ofFiles: publication } = await made());
  });

  it('are the bytes that a build would write, for every capsule', async () => {
    const files = filesOf(publication);
    expect(files.length).toBeGreaterThan(240);
    const differing: string[] = [];
    for (const { path, body, contentType } of files) {
      const response = await gateway.fetch(path);
      const isSame = response.status === 200 && response.headers.get('content-type') === contentType && (await response.text()) === body;
      if (!isSame) differing.push(path);
    }
    expect(differing).toEqual([]);
    expect(await (await gateway.fetch(`/capsules/${ID}.md`)).text()).toContain(
      `Also in: [Deutsch](${publication.deployment.baseUrl}/capsules/${TRANSLATION})`,
    );
  });

  it('ignore parameters, as files do', async () => {
    expect((await gateway.fetch(`/capsules/${ID}.md?utm_source=a&utm_source=b`)).status).toBe(200);
  });

  it('give the page everything that it shows', async () => {
    const page = (await (await gateway.fetch(`/capsules/${ID}`)).json()) as { page: string; props: Record<string, unknown> };
    const capsule = publication.capsules.find(({ id }) => id === ID);
    expect(page.page).toBe('capsule');
    expect(page.props).toMatchObject({ capsule: { id: ID, metadata: capsule?.metadata }, text: { html: expect.any(String) as string } });
    expect((page.props['related'] as { capsule_id: string }[]).map(({ capsule_id }) => capsule_id)).toEqual(capsule?.related?.slice(0, 4));
  });

  it.each([
    [`/capsules/${ID}/1.0.0`, `/capsules/${ID}/1.0.0.md`],
    ['/subjects/Web%20Standards', '/subjects/web-standards'],
  ])('%s leads to %s', async (path, target) => {
    const response = await gateway.fetch(path, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([302, target]);
  });
});

describe('without a block of the newest generation', () => {
  const withoutArticles = useInProcessGateway(() => service(without('articles')));
  const withoutHistory = useInProcessGateway(() => service(without('documents')));

  it('pages show the earlier one, say so, and are not stored', async () => {
    const { publication } = (await made()).first;
    const twin = filesOf(publication).find(({ path }) => path === `/capsules/${ID}.md`);
    const response = await withoutArticles.fetch(`/capsules/${ID}.md`);
    expect([response.status, response.headers.get('cache-control'), response.headers.get('gateway-degraded')]).toEqual([
      200,
      'no-store',
      'index',
    ]);
    expect(response.headers.has('etag')).toBe(false);
    expect(await response.text()).toBe(twin?.body);
    expect((await withoutArticles.fetch(`/capsules/${ID}`)).headers.get('gateway-degraded')).toBe('index');
  });

  it('exact texts, which never change, come from the earlier one too', async () => {
    expect((await withoutHistory.fetch(`/capsules/${ID}/1.0.0.md`)).status).toBe(200);
  });

  it('JSON is refused, as at the API; a browser gets a page about it', async () => {
    expect((await withoutHistory.fetch(`/capsules/${ID}/capsule.json`)).status).toBe(503);
    const none = await withoutHistory.fetch('/capsules/nothing', { headers: { Accept: 'text/html' } });
    expect(none.status).toBe(503);
    expect(await none.json()).toMatchObject({ page: 'error', props: { subject: 'capsule', refusal: { code: 'index_unavailable' } } });
  });
});

describe('with a cache', () => {
  const kept = new Map<string, TaggedDocument>();
  const documentCache = {
    read: async (path: string) => kept.get(path),
    write: async (path: string, document: TaggedDocument) => void kept.set(path, document),
  };
  const gateway = useInProcessGateway(async () => ({ ...(await service()), documentCache }));
  const degraded = useInProcessGateway(async () => ({ ...(await service(without('articles'))), documentCache }));

  it('a document is made once, and served with the same headers', async () => {
    const path = `/capsules/${ID}.md`;
    const first = await gateway.fetch(path);
    expect([...kept.keys()]).toEqual([path]);
    const body = await first.text();
    kept.set(path, { ...(kept.get(path) as TaggedDocument), body: 'from the cache' });
    const second = await gateway.fetch(path);
    expect(await second.text()).toBe('from the cache');
    const shown = (response: Response): unknown[] =>
      ['content-type', 'cache-control', 'etag', 'content-security-policy'].map((name) => response.headers.get(name));
    expect(shown(second)).toEqual(shown(first));
    expect(body).toContain('## Sitemap');
    const etag = first.headers.get('etag') ?? '';
    const unchanged = await gateway.fetch(path, { headers: { 'If-None-Match': etag } });
    expect([unchanged.status, unchanged.headers.get('etag'), await unchanged.text()]).toEqual([304, etag, '']);
    const head = await gateway.fetch(path, { method: 'HEAD' });
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, etag, '']);
  });

  it('keeps neither what is missing nor what an earlier generation has', async () => {
    kept.clear();
    await gateway.fetch('/capsules/nothing.md');
    await degraded.fetch(`/capsules/${ID}.md`);
    expect((await gateway.fetch('/capsules?tag=nothing')).status).toBe(200);
    expect([...kept.keys()]).toEqual([]);
  });
});
