import type { CapsulePage } from '../gateway/knowledge/capsule-page.ts';
import { type DeployedGeneration, startRanking } from '../gateway/knowledge/corpus.ts';
import { LIST_PAGE_SIZE, type ListPage } from '../gateway/knowledge/lists/read-list.ts';
import { createGateway, type Gateway } from '../http/gateway-app.ts';
import type { GatewayDependencies } from '../http/gateway-dependencies.ts';
import { type PageServer, type PageValues, pageRenderer } from '../http/render-response.ts';
import { bindGateway } from '../platform/bind-gateway.ts';
import { systemRuntime } from '../platform/clock-and-deadlines.ts';
import { boundEnvironment, type Environment } from '../platform/environment.ts';
import { locationBlocks, locationDocuments } from '../platform/location-cache.ts';
import { PROTOCOL_ADAPTERS } from '../protocols/protocols.ts';
import { routeTable } from '../routes/route-table.ts';
import type { Deployment } from '../schemas/deployment.ts';
import type { CapsuleMetadata } from '../schemas/knowledge/capsule.ts';
import { lineageNode } from '../schemas/knowledge/lineage.ts';
import { PATHS } from '../schemas/paths.ts';
import kernel from '../search/scoring-wasm/kernel.wasm';
import { adminHandler } from './dashboard/dashboard.ts';

/** The build's decisions about the functions, which it writes as a module into `.akg`. */
export interface Generated {
  readonly deployment: Deployment;
  readonly generation: DeployedGeneration;
  readonly documents: GatewayDependencies['documents'];
  readonly shown: PageValues;
  /** Digest of everything else that the build made for functions. */
  readonly build: string;
}

/**
 * Renders pages while the isolate starts, so that the first visitor does not wait for modules to load. It awaits no I/O, so it ends before
 * the first request; an error recurs in the first request, which reports it.
 */
function warmUpPages(pages: LoadPages, shown: PageValues): void {
  const renderPage = pageRenderer(pages, {}, shown);
  renderPage('capsule', SAMPLE_PAGE).catch(() => undefined);
  renderPage('list', { list: SAMPLE_LIST }).catch(() => undefined);
}

type LoadPages = () => Promise<{ readonly default: PageServer }>;

type RequestHandler = (context: Pick<Parameters<PagesFunction<Environment>>[0], 'request' | 'env' | 'waitUntil'>) => Promise<Response>;

/**
 * The Pages Function of a publication, for every path that `_routes.json` routes to functions. Call it when its module is loaded. One gateway
 * serves the isolate; until there is one, each request makes its own and the first stays, because the promise of a request whose client
 * disconnected never settles and no other request may wait for it.
 */
export function pagesFunction(generated: Generated, pages: LoadPages): RequestHandler {
  const ranking = startRanking(kernel, generated.generation.manifest.index.documents);
  if (generated.deployment.capsulePages === 'edge') warmUpPages(pages, generated.shown);
  const { timers } = systemRuntime;
  const blocks = locationBlocks(`${generated.deployment.baseUrl}/_location/`, timers);
  let gateway: Gateway | undefined;
  let admin: Awaited<ReturnType<typeof adminHandler>>;
  return async (context) => {
    const { request, env } = context;
    if (gateway === undefined) {
      const { deployment, generation, documents, build } = generated;
      const deps = {
        ...(await bindGateway(env, deployment, generation, ranking, PROTOCOL_ADAPTERS, systemRuntime, blocks)),
        documents,
        renderPage: pageRenderer(pages, env, generated.shown),
        documentCache: locationDocuments(`${deployment.baseUrl}/${generation.version}/${build}`, timers),
      };
      admin ??= await adminHandler(env, boundEnvironment(env, timers).STATE, deps);
      gateway ??= createGateway(deps, routeTable(deployment));
    }
    const response = (await admin?.(request)) ?? (await gateway(request, (work) => context.waitUntil(work)));
    const writing = blocks?.flush();
    if (writing !== undefined) context.waitUntil(writing);
    if (generated.deployment.keyPrefix === 'akg_test_') compressMarkdown(response, request);
    return response;
  };
}

/** Compresses markdown as Cloudflare does, whose local server only knows the media type `text/x-markdown` (cloudflare/cloudflare-docs#33539). */
function compressMarkdown({ headers, status }: Response, { cf, headers: sent }: Request): void {
  // The header itself says what the server supports.
  const accepted = cf?.['clientAcceptEncoding'] ?? sent.get('accept-encoding');
  const isMarkdown = status === 200 && headers.get('content-type')?.startsWith('text/markdown') === true;
  if (isMarkdown && /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s*,|$))/i.test(`${accepted}`)) headers.set('Content-Encoding', 'gzip');
}

/** The same as a Worker, for Pages in advanced mode. */
export function pagesWorker(handle: RequestHandler): ExportedHandler<Environment> {
  return { fetch: (request, env, context) => handle({ request, env, waitUntil: (work) => context.waitUntil(work) }) };
}

const DAY = '2026-01-01';
const DIGEST = '0'.repeat(64);
const RECORD_DIGEST = `sha256:${DIGEST}`;
const ID = 'sample';

const METADATA: CapsuleMetadata = {
  capsule_id: ID,
  version: '1.0.0',
  title: 'Sample',
  summary: 'A page for warming up.',
  type: 'concept',
  tags: [ID],
  language: 'en',
  license: 'CC-BY-4.0',
  evidence: 'documented',
  status: 'superseded',
  status_reason: 'Sample',
  superseded_by: ID,
  access: 'public',
  created: DAY,
  updated: DAY,
  words: 1,
  tokens: 1,
  content_sha256: DIGEST,
  sources: [{ key: 's', title: 'Sample', url: 'https://example.com/', publisher: 'Sample', kind: 'article', retrieved: DAY }],
  derived_from: [],
  cites: [],
  supersedes: [],
  versions: [{ version: '1.0.0', issued: DAY, content_sha256: DIGEST, record_digest: RECORD_DIGEST }],
};

const OTHER: CapsuleMetadata = { ...METADATA, capsule_id: 'other' };

const SAMPLE_PAGE: CapsulePage = {
  capsule: {
    id: ID,
    metadata: METADATA,
    lineage: {
      $schema: PATHS.lineageSchema,
      id: ID,
      versions: [],
      head: {
        statement: {
          $schema: PATHS.lineageHeadSchema,
          type: 'LineageHead',
          id: ID,
          issuer: { id: 'did:web:example.com', name: 'Sample' },
          status: METADATA.status,
          head: RECORD_DIGEST,
          version: METADATA.version,
          count: 1,
          issued: `${DAY}T00:00:00Z`,
        },
        signatures: [],
      },
      graph: {
        nodes: [
          lineageNode(METADATA, 0, undefined),
          lineageNode(OTHER, 1, undefined),
          lineageNode({ ...OTHER, capsule_id: 'base' }, -1, undefined),
        ],
        edges: [
          { from: OTHER.capsule_id, to: ID, relation: 'derived_from' },
          { from: ID, to: 'base', relation: 'cites' },
        ],
        total: 3,
        truncated: false,
        next_cursor: null,
      },
    },
  },
  text: {
    html: '<p>Sample</p>',
    outline: [2, 2].map((depth, at) => ({ depth, id: `${at}`, text: 'Sample' })),
    sourceOrder: ['s'],
    beginsWithSummary: false,
  },
  related: [OTHER],
  successor: OTHER,
  languages: { base: 'de' },
};

/** A page of a list with every part that it can have, and as many capsules as most have, so that the code for each is compiled. */
const SAMPLE_LIST: ListPage = {
  request: { conditions: { type: 'concept', evidence: 'documented' }, sort: 'newest', page: 1 },
  capsules: Array.from({ length: LIST_PAGE_SIZE }, () => ({ id: ID, metadata: METADATA })),
  total: 31,
  pages: 2,
  isOverview: false,
  isFile: false,
  counts: { capsules: 31, sources: 1, superseded: 1, retracted: 1 },
  facets: {
    type: [['concept', 31]],
    evidence: [['documented', 31]],
    language: [['en', 31]],
    changed: [['2026-01', 31]],
  },
  subjects: { common: [[ID, 31]], total: 1 },
};
