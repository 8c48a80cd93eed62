import * as z from 'zod';
import { entityTag } from '../gateway/keyed-digests.ts';
import { readCapsuleMarkdown } from '../gateway/knowledge/capsule-markdown.ts';
import { readCapsulePage } from '../gateway/knowledge/capsule-page.ts';
import { readCapsuleFile, readVersionText } from '../gateway/knowledge/read-capsule.ts';
import { readLineage } from '../gateway/knowledge/read-lineage.ts';
import { ok, type Result } from '../gateway/result.ts';
import { defineRoute, type Outcome, type Route, type RouteInput } from '../http/define-route.ts';
import type { GatewayDependencies } from '../http/gateway-dependencies.ts';
import { pagePolicy } from '../http/security-headers.ts';
import { capsuleFilePath, capsuleMarkdownPath, capsulePath, capsuleVersionPath, lineageFilePath } from '../schemas/paths.ts';

const Address = z.object({ capsule_id: z.string(), version: z.string().default('') });
type Address = z.infer<typeof Address>;

/** An address below /capsules, and how its bytes are made: the same that a build writes as a file. */
interface CapsuleFile extends Pick<Route, 'id' | 'summary' | 'refusalPage'> {
  readonly pathOf: (id: string, version: string) => string;
  readonly type: string;
  readonly cache: 'file' | 'immutable';
  /** @param onFallback To be called if an earlier generation serves the read. */
  readonly make: (address: Address, deps: GatewayDependencies, onFallback: () => void) => Promise<Result<string>>;
}

const MARKDOWN = 'text/markdown; charset=utf-8';

/** Pages may show an earlier generation, as results do; JSON and lineage are as strict as at the API. */
const CAPSULE_FILES: readonly CapsuleFile[] = [
  {
    id: 'getCapsuleMarkdown',
    summary: 'Get the page of a capsule as markdown',
    pathOf: capsuleMarkdownPath,
    type: MARKDOWN,
    cache: 'file',
    make: ({ capsule_id }, { corpus, deployment }, onFallback) => readCapsuleMarkdown(capsule_id, corpus, deployment.baseUrl, onFallback),
  },
  {
    id: 'getCapsulePage',
    summary: 'Get the page of a capsule',
    pathOf: capsulePath,
    type: 'text/html; charset=utf-8',
    cache: 'file',
    refusalPage: (refusal) => ({ page: 'error', props: { subject: 'capsule', refusal }, visibility: 'unlisted' }),
    make: async ({ capsule_id }, { corpus, renderPage }, onFallback) => {
      const page = await readCapsulePage(capsule_id, corpus, onFallback);
      return page.ok ? ok(await renderPage('capsule', page.value)) : page;
    },
  },
  {
    id: 'getCapsuleVersion',
    summary: 'Get the exact text of a version',
    pathOf: capsuleVersionPath,
    type: MARKDOWN,
    cache: 'immutable',
    make: ({ capsule_id, version }, { corpus }, onFallback) => readVersionText(capsule_id, version, corpus, onFallback),
  },
  {
    id: 'getCapsuleFile',
    summary: 'Get a capsule as a file',
    pathOf: capsuleFilePath,
    type: 'application/json',
    cache: 'file',
    make: ({ capsule_id }, { corpus, deployment }) => readCapsuleFile(capsule_id, corpus, deployment.baseUrl),
  },
  {
    id: 'getLineageFile',
    summary: 'Get the lineage of a capsule as a file',
    pathOf: lineageFilePath,
    type: 'application/json',
    cache: 'file',
    make: ({ capsule_id }, { corpus }) => readLineage({ id: capsule_id, hasCursors: true }, corpus),
  },
];

/** Other forms of the address of a page, which the host of files redirects too. */
const OTHER_FORMS = [
  { id: 'redirectHtmlFile', path: `${capsulePath('{capsule_id}')}.html` },
  { id: 'redirectTrailingSlash', path: `${capsulePath('{capsule_id}')}/` },
] as const;

export const SITE_DOCUMENT_SETTINGS = {
  description: 'Served by functions if the pages of capsules are not files.',
  capability: 'capsules',
  access: 'open',
} as const;

/** Headers that `_headers` gives to files. */
const FILE_HEADERS = { 'Content-Security-Policy': pagePolicy() } as const;

/** What functions serve in place of the files of capsules. Documents do not describe it: the addresses and bytes are those of files. */
export const CAPSULE_FILE_ROUTES: readonly Route[] = [
  ...OTHER_FORMS.map(({ id, path }) =>
    defineRoute({
      ...sharedSettings(path),
      id,
      summary: 'Redirect to the page of a capsule',
      responses: [{ status: 308, description: 'The address of the page.' }],
      handle: async ({ path: { capsule_id }, rawAddress }, deps) => {
        const found = await readCapsuleFile(capsule_id, deps.corpus, deps.deployment.baseUrl);
        if (!found.ok) return missingFile(found);
        return ok({ kind: 'redirect', status: 308, location: capsulePath(capsule_id) + rawAddress.query });
      },
    }),
  ),
  ...CAPSULE_FILES.map((file) =>
    defineRoute({
      ...sharedSettings(file.pathOf('{capsule_id}', '{version}')),
      id: file.id,
      summary: file.summary,
      responses: [{ status: 200, description: 'The same bytes as those of a file.', content: { type: file.type, schema: z.string() } }],
      cache: file.cache,
      ...(file.refusalPage === undefined ? {} : { refusalPage: file.refusalPage }),
      handle: (input, deps) => {
        const { capsule_id, version } = input.path;
        const make = (onFallback: () => void): Promise<Result<string>> => file.make(input.path, deps, onFallback);
        return serveSiteDocument({ address: file.pathOf(capsule_id, version), contentType: file.type, make }, input, deps);
      },
    }),
  ),
];

function sharedSettings(path: string) {
  return {
    ...SITE_DOCUMENT_SETTINGS,
    path,
    pathParameters: Address,
    errors: ['capsule_not_found', 'index_unavailable', 'file_unavailable'],
  } as const;
}

interface SiteDocument {
  /** Root-relative address under which a location keeps the document; `undefined` for one that few readers ask for. */
  readonly address: string | undefined;
  readonly contentType: string;
  /** @param onFallback To be called if an earlier generation serves the read. */
  readonly make: (onFallback: () => void) => Promise<Result<string>>;
}

/** Serves a document with the headers of a file, from the cache of the location if it is there. */
export async function serveSiteDocument(
  { address, contentType, make }: SiteDocument,
  { degrade, defer }: Pick<RouteInput<unknown, unknown, unknown>, 'degrade' | 'defer'>,
  { documentCache }: GatewayDependencies,
): Promise<Result<Outcome>> {
  const cache = address === undefined ? undefined : documentCache && { ...documentCache, address };
  const cached = await cache?.read(cache.address);
  if (cached !== undefined) return ok({ kind: 'document', document: cached, headers: FILE_HEADERS });
  let isNewest = true;
  const made = await make(() => {
    isNewest = false;
    degrade('index');
  });
  if (!made.ok) return missingFile(made);
  const document = { contentType, body: made.value, etag: await entityTag(made.value) };
  if (isNewest && cache !== undefined) defer(cache.write(cache.address, document));
  return ok({ kind: 'document', document, headers: FILE_HEADERS });
}

/** For what is missing, the file at the address, or else what the site shows in place of a missing file; other refusals stay. */
export function missingFile(refused: Result<never>): Result<Outcome> {
  const isMissing = !refused.ok && ['capsule_not_found', 'route_not_found'].includes(refused.refusal.code);
  return isMissing ? ok({ kind: 'file', missing: refused.refusal }) : refused;
}
