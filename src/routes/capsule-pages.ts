import * as z from 'zod';
import { entityTag } from '../gateway/digests-and-base62.ts';
import type { ListStore } from '../gateway/knowledge/capsule-lists/list-store.ts';
import { type ListPage, readListPage, readSubjectsPage } from '../gateway/knowledge/capsule-lists/read-list.ts';
import { readCapsuleMarkdown } from '../gateway/knowledge/capsule-markdown.ts';
import { type Corpus, indexUnavailable, withCorpus } from '../gateway/knowledge/corpus.ts';
import { readCapsuleFile } from '../gateway/knowledge/paid-text-preview.ts';
import { readVersionText } from '../gateway/knowledge/read-capsule.ts';
import { readCapsulePage } from '../gateway/knowledge/read-capsule-page.ts';
import type { Generation } from '../gateway/knowledge/read-generation.ts';
import { readLineage } from '../gateway/knowledge/read-lineage.ts';
import { ok, type Result, refuse } from '../gateway/result.ts';
import { defineRoute, type Outcome, type Route, type RouteDeclaration, type RouteInput } from '../http/define-route.ts';
import type { GatewayDependencies } from '../http/gateway-dependencies.ts';
import { pagePolicy } from '../http/security-headers.ts';
import type { ProtocolSettings } from '../protocols/protocol-module.ts';
import {
  furtherPage,
  hasOwnAddress,
  ignoredParameters,
  LIST_NAMES,
  type ListRequest,
  listAt,
  listPath,
  listSelected,
  repeatedValues,
  sentParameters,
  tagNamed,
} from '../schemas/knowledge/capsule-lists.ts';
import {
  capsuleFilePath,
  capsuleListPath,
  capsuleMarkdownPath,
  capsulePath,
  capsuleVersionPath,
  lineageFilePath,
  PATHS,
  pageMarkdownPath,
  subjectPath,
  subjectsPath,
} from '../schemas/paths.ts';
import { Id, Version } from '../schemas/primitives.ts';

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

const HTML = 'text/html; charset=utf-8';
const MARKDOWN = 'text/markdown; charset=utf-8';

const missingPage: NonNullable<Route['refusalPage']> = (refusal) => {
  return { page: 'error', props: { subject: 'capsule', refusal }, visibility: 'unlisted' };
};

/** Pages may show an earlier generation, as results do; JSON and lineage are as strict as at the API. */
const CAPSULE_FILES: readonly CapsuleFile[] = [
  {
    id: 'getCapsuleMarkdown',
    summary: 'Get the page of a capsule as markdown',
    pathOf: capsuleMarkdownPath,
    type: MARKDOWN,
    cache: 'file',
    make: ({ capsule_id }, { corpus, deployment }, onFallback) => readCapsuleMarkdown(capsule_id, corpus, deployment, onFallback),
  },
  {
    id: 'getCapsulePage',
    summary: 'Get the page of a capsule',
    pathOf: capsulePath,
    type: HTML,
    cache: 'file',
    refusalPage: missingPage,
    make: async ({ capsule_id }, { corpus, deployment, renderPage }, onFallback) => {
      const page = await readCapsulePage(capsule_id, corpus, deployment.offers, onFallback);
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
    make: ({ capsule_id }, { corpus, deployment }) => readCapsuleFile(capsule_id, corpus, deployment),
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

const SITE_DOCUMENT_SETTINGS = {
  description: 'Served by functions if the pages of capsules are not files.',
  capability: 'capsules',
  access: 'open',
} as const;

/** Headers that `_headers` gives to files. */
const FILE_HEADERS = { 'Content-Security-Policy': pagePolicy() } as const;

/** What functions serve in place of the files of capsules. Documents do not describe it: the addresses and bytes are those of files. */
const CAPSULE_FILE_ROUTES: readonly Route[] = [
  ...OTHER_FORMS.map(({ id, path }) =>
    defineRoute({
      ...sharedSettings(path),
      id,
      summary: 'Redirect to the page of a capsule',
      responses: [{ status: 308, description: 'The address of the page.' }],
      handle: async ({ path: { capsule_id }, rawAddress }, deps) => {
        const found = await readCapsuleFile(capsule_id, deps.corpus, deps.deployment);
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

async function serveSiteDocument(
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
function missingFile(refused: Result<never>): Result<Outcome> {
  const isMissing = !refused.ok && ['capsule_not_found', 'route_not_found'].includes(refused.refusal.code);
  return isMissing ? ok({ kind: 'file', missing: refused.refusal }) : refused;
}

/** Whatever stands in the address: what names no list leads to the page about missing pages. */
const ListAddress = z.object({ name: z.string().default(''), value: z.string().default(''), page: z.string().optional() });
type ListAddress = z.infer<typeof ListAddress>;

type Input = RouteInput<ListAddress, undefined, undefined>;
type Serve = (input: Input, deps: GatewayDependencies, form: Form) => Promise<Result<Outcome>>;

const NO_LIST = refuse('route_not_found', 'There is no list at this address.');

const PAGE_PLACEHOLDER = '/{page}';
const VALUE = '{value}';

/** A format of a list: the page that renders it, its media type, and its path, derived from the path of the HTML. */
interface Form {
  readonly page: 'list' | 'list-markdown';
  readonly type: string;
  readonly pathOf: (path: string) => string;
}

const AS_HTML: Form = { page: 'list', type: HTML, pathOf: (path) => path };
const AS_MARKDOWN: Form = { page: 'list-markdown', type: MARKDOWN, pathOf: pageMarkdownPath };

/** What functions serve in place of the files of lists, and lists by several conditions. Documents do not describe it: these are pages. */
const CAPSULE_LIST_ROUTES: readonly Route[] = [
  otherForm('redirectCapsulesFolder', `${PATHS.capsules}/`, () => PATHS.capsules),
  otherForm('redirectCapsulesFile', `${PATHS.capsules}.html`, () => PATHS.capsules),
  otherForm('redirectSubjectsFolder', `${PATHS.subjects}/`, () => PATHS.subjects),
  otherForm('redirectSubjectsFile', `${PATHS.subjects}.html`, () => PATHS.subjects),
  otherForm('redirectSubjectFolder', `${subjectPath(VALUE)}/`, ({ value }) => subjectPath(value)),
  otherForm('redirectSubjectFile', `${subjectPath(VALUE)}.html`, ({ value }) => subjectPath(value)),
  listRoute('getCapsuleLists', 'Get a page of the list of capsules', PATHS.capsules, serveSelected),
  listRoute('getCapsuleList', 'Get the capsules with a value', capsuleListPath('{name}', VALUE, 1), serveNamed),
  listRoute(
    'getCapsuleListPage',
    'Get a further page of the capsules with a value',
    capsuleListPath('{name}', VALUE, 1) + PAGE_PLACEHOLDER,
    serveNamed,
  ),
  listRoute('getSubjects', 'Get the list of subjects', PATHS.subjects, serveSubjects),
  listRoute('getSubjectsPage', 'Get a further page of the list of subjects', `${PATHS.subjects}/_${PAGE_PLACEHOLDER}`, serveSubjects),
  listRoute('getSubject', 'Get the capsules of a subject', subjectPath(VALUE), serveSubject),
  listRoute('getSubjectPage', 'Get a further page of the capsules of a subject', subjectPath(VALUE) + PAGE_PLACEHOLDER, serveSubject),
];

/** The markdown of lists that have an address of their own. They precede the texts of versions, whose addresses look alike. */
function listMarkdownRoutes(): Route[] {
  return [
    markdownRoute('Capsules', PATHS.capsules, (...asked) => serveOwn({ conditions: {}, sort: 'title', page: 1 }, ...asked)),
    ...LIST_NAMES.map((name) => {
      const capitalised = name.slice(0, 1).toUpperCase() + name.slice(1);
      const serve: Serve = (input, deps) => serveNamedMarkdown(name, input, deps);
      return markdownRoute(`CapsulesBy${capitalised}`, capsuleListPath(name, VALUE, 1), serve);
    }),
    markdownRoute('CapsuleListPage', capsuleListPath('{name}', VALUE, 1) + PAGE_PLACEHOLDER, (input, deps) =>
      serveNamedMarkdown(input.path.name, input, deps),
    ),
    markdownRoute('Subjects', PATHS.subjects, serveSubjects),
    markdownRoute('SubjectsPage', `${PATHS.subjects}/_${PAGE_PLACEHOLDER}`, serveSubjects),
    markdownRoute('Subject', subjectPath(VALUE), serveSubject),
    markdownRoute('SubjectPage', subjectPath(VALUE) + PAGE_PLACEHOLDER, serveSubject),
  ];
}

function markdownRoute(list: string, path: string, serve: Serve): Route {
  return listRoute(`get${list}Markdown`, 'Get a page of a list as markdown', path, serve, AS_MARKDOWN);
}

async function serveNamedMarkdown(name: string, input: Input, deps: GatewayDependencies): Promise<Result<Outcome>> {
  const { value, page } = input.path;
  if (page === undefined && Version.safeParse(value).success) {
    const make = (onFallback: () => void): Promise<Result<string>> => readVersionText(name, value, deps.corpus, onFallback);
    return serveSiteDocument({ address: capsuleVersionPath(name, value), contentType: MARKDOWN, make }, input, deps);
  }
  return serveOwn(listAt(name, value, page), input, deps, AS_MARKDOWN);
}

function listSettings(id: string, summary: string, path: string) {
  const errors: RouteDeclaration<ListAddress, undefined, undefined>['errors'] = ['index_unavailable', 'file_unavailable'];
  return { ...SITE_DOCUMENT_SETTINGS, id, summary, path, pathParameters: ListAddress, errors };
}

function listRoute(id: string, summary: string, path: string, serve: Serve, form = AS_HTML): Route {
  return defineRoute({
    ...listSettings(id, summary, form.pathOf(path)),
    responses: [{ status: 200, description: 'The page.', content: { type: form.type, schema: z.string() } }],
    ...(form === AS_HTML ? { refusalPage: missingPage } : {}),
    cache: 'file',
    handle: (input, deps) => serve(input, deps, form),
  });
}

function otherForm(id: string, path: string, target: (address: ListAddress) => string): Route {
  return defineRoute({
    ...listSettings(id, 'Redirect to the address of a list', path),
    errors: [],
    responses: [{ status: 308, description: 'The address of the list.' }],
    handle: async ({ path: address, rawAddress }) => ok({ kind: 'redirect', status: 308, location: target(address) + rawAddress.query }),
  });
}

/** What `/capsules` and its parameters select: forms send all fields, and lists with an address of their own are only there. */
async function serveSelected(input: Input, deps: GatewayDependencies): Promise<Result<Outcome>> {
  const parameters = Object.fromEntries(input.rawQuery);
  const { subjects } = deps.deployment;
  const request = listSelected(parameters, subjects);
  // Of several values of one filter the last one selects.
  const ignored = [...ignoredParameters(parameters, subjects), ...repeatedValues(input.rawQuery)];
  if (ignored.length > 0) return serveList(request, input, deps, { ignored });
  const target = listPath(request);
  if (target === PATHS.capsules) return serveList(request, input, deps);
  const { path, query } = input.rawAddress;
  if (!hasOwnAddress(request)) return target === path + query ? serveList(request, input, deps) : redirect(target);
  const list = await readLists(
    deps.corpus,
    (lists) => readListPage(request, lists),
    () => input.degrade('index'),
  );
  if (!list.ok) return missingFile(list);
  return list.value.isFile ? redirect(target) : serveList(request, input, deps);
}

function redirect(location: string): Result<Outcome> {
  return ok({ kind: 'redirect', status: 302, location });
}

async function serveNamed(input: Input, deps: GatewayDependencies, form: Form): Promise<Result<Outcome>> {
  const { name, value, page } = input.path;
  // The exact text of a version has an ending.
  if (page === undefined && Version.safeParse(value).success && Id.safeParse(name).success)
    return redirect(capsuleVersionPath(name, value));
  return serveOwn(listAt(name, value, page), input, deps, form);
}

async function serveSubject(input: Input, deps: GatewayDependencies, form: Form): Promise<Result<Outcome>> {
  const { value, page } = input.path;
  const number = furtherPage(page);
  const tag = tagNamed(value, deps.deployment.subjects);
  if (form === AS_HTML && tag !== value && number !== undefined && Id.safeParse(tag).success) return redirect(subjectPath(tag, number));
  return serveOwn(number === undefined ? undefined : { conditions: { tag: value }, sort: 'title', page: number }, input, deps, form);
}

async function serveOwn(list: ListRequest | undefined, input: Input, deps: GatewayDependencies, form: Form): Promise<Result<Outcome>> {
  // Such a list takes no parameters.
  const ignored = form === AS_HTML ? sentParameters(Object.fromEntries(input.rawQuery)) : [];
  const said = ignored.length === 0 ? {} : { ignored };
  return list === undefined ? missingFile(NO_LIST) : serveList(list, input, deps, { exists: ({ isFile }) => isFile, form, ...said });
}

function serveList(
  request: ListRequest,
  input: Input,
  deps: GatewayDependencies,
  {
    exists,
    ignored,
    form = AS_HTML,
  }: { readonly exists?: (list: ListPage) => boolean; readonly ignored?: readonly string[]; readonly form?: Form } = {},
): Promise<Result<Outcome>> {
  const make = async (onFallback: () => void): Promise<Result<string>> => {
    const read = await readLists(
      deps.corpus,
      async (lists) => {
        const list = await readListPage(request, lists);
        return list !== undefined && (exists?.(list) ?? true) ? list : undefined;
      },
      onFallback,
    );
    return read.ok ? ok(await deps.renderPage(form.page, { list: ignored === undefined ? read.value : { ...read.value, ignored } })) : read;
  };
  const path = listPath(request);
  // The answer to a form can be an empty list at an address that has no list. It must not be stored under that address.
  const isKept = ignored === undefined && (exists !== undefined || path === PATHS.capsules);
  return serveSiteDocument({ address: isKept ? form.pathOf(path) : undefined, contentType: form.type, make }, input, deps);
}

async function serveSubjects(input: Input, deps: GatewayDependencies, form: Form): Promise<Result<Outcome>> {
  const page = furtherPage(input.path.page);
  if (page === undefined) return missingFile(NO_LIST);
  const make = async (onFallback: () => void): Promise<Result<string>> => {
    const read = await readLists(deps.corpus, (lists) => readSubjectsPage(page, lists), onFallback);
    return read.ok ? ok(await deps.renderPage(form.page, { subjects: read.value })) : read;
  };
  return serveSiteDocument({ address: form.pathOf(subjectsPath(page)), contentType: form.type, make }, input, deps);
}

/** Reads from the newest complete generation. @param read `undefined` for a page that does not exist. */
function readLists<T>(corpus: Corpus, read: (lists: ListStore) => Promise<T | undefined>, onFallback: () => void): Promise<Result<T>> {
  const readFrom = async (generation: Generation): Promise<Result<T>> => {
    const page = await read(generation.lists);
    if (page !== undefined) return ok(page);
    // An earlier generation lacks the newest capsules.
    return generation.version === corpus.version ? NO_LIST : indexUnavailable();
  };
  return withCorpus(corpus, () => corpus.read(undefined, readFrom, onFallback));
}

/** What functions serve in place of files, where the pages of capsules are none. */
export const FILE_ROUTES: readonly Route[] = [...listMarkdownRoutes(), ...CAPSULE_FILE_ROUTES, ...CAPSULE_LIST_ROUTES];

export function routes({ capsulePages }: ProtocolSettings): readonly Route[] {
  return capsulePages === 'edge' ? FILE_ROUTES : [];
}
