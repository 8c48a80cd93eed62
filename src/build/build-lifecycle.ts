import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { PagePolicy } from '../documents/headers-and-redirects.ts';
import { documentFiles } from '../documents/make-documents.ts';
import { purchaseSteps } from '../documents/purchase-walkthrough.ts';
import type { PageValues } from '../http/render-response.ts';
import { pagePolicy } from '../http/security-headers.ts';
import { deliveriesWithoutFunctions } from '../publication/check/check-offers.ts';
import { countWarnings, describeWarnings, gapsOf, InvalidContentError, UserError } from '../publication/content-problem.ts';
import { contentLine, payableContent } from '../publication/publish/published-capsules.ts';
import { readContent } from '../publication/read-content.ts';
import type { OnProgress } from '../publication/worker-threads.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { basePathOf, PATHS } from '../schemas/paths.ts';
import type { CapsulePages } from '../schemas/publisher.ts';
import { type SiteContent, siteContent } from '../site/collection-entries.ts';
import type { ApiDocument } from '../site/openapi-view.ts';
import type { SiteSource } from '../site/site-source.ts';
import type { Move } from './atomic-build-output.ts';
import { buildFingerprint, digestOfInputs, fingerprintFile, openBuildCache } from './build-fingerprint.ts';
import { checkRendering } from './check-components-and-diagrams.ts';
import { checkPublishedVersions, checkUploadedBuild, versionsOf } from './check-published-versions.ts';
import { searchFiles, writeSearchFiles } from './corpus-blocks/browser-search-index.ts';
import { cachedParts } from './corpus-blocks/build-generation.ts';
import { GENERATIONS_FILE, GenerationStore, servedBlocks, writeAssetBlocks } from './corpus-blocks/generation-store.ts';
import { type BuildEnvironment, buildEnvironment, isLoopbackOrigin, storageOf, today } from './describe-deployment.ts';
import { expectPackages, functionNeeds } from './engine-package.ts';
import { FUNCTIONS_PARTS, SERVER_FOLDER, writeFunctions } from './functions-worker.ts';
import { builtSiteProblem, checkFileCount, fileCountProblem, plannedFiles } from './host-limits.ts';
import { builtFile, logToContinue, noteBuilt, publishedLedger, readBuilt, uploadedBuild } from './kv/publishing-state.ts';
import { makePublication } from './make-publication.ts';
import { type DescribedPage, describePage } from './pages/markdown-from-html.ts';
import { capsuleImages, openPages, SERVERS_FOLDER, writeFiles, writeHostFiles } from './pages/write-site.ts';
import { readSigning, signingLine } from './sign-publication.ts';

export interface SiteBuildOptions extends BuildEnvironment {
  readonly root: string;
  /** Folder for `dist/` or `dist-static/`, and `.akg/`: the publication for a build to deploy. */
  readonly output: string;
  readonly mode: Deployment['mode'];
  /** Overrides `capsule_pages` of publisher.yaml. */
  readonly capsulePages?: CapsulePages | undefined;
  readonly mayBeUnsigned: boolean;
  /** Whether the build is for this machine alone, so that later builds for publishing do not continue it. */
  readonly isTrial: boolean;
  readonly sourceCommit?: string | undefined;
  readonly today: string;
  readonly report: (line: string) => void;
  readonly onProgress?: OnProgress | undefined;
}

export function siteFolder(output: string, mode: Deployment['mode']): string {
  return join(output, mode === 'edge' ? 'dist' : 'dist-static');
}

/**
 * Begins the build of `astro build`, which writes into `dist/` or `dist-static/` of the publication without keeping the last one.
 *
 * @param environment Settings, such as `process.env`; the private key is taken out of it. `SITE_MODE` is `edge` (default) or `static`.
 */
export async function beginPlainBuild(root: string, environment: Record<string, string | undefined>): Promise<StartedBuild> {
  const settings = buildEnvironment(environment);
  // No component or plugin of the publication may read the private key.
  delete environment['LINEAGE_KEY'];
  const report = (line: string): void => console.log(line);
  const isTrial = settings.baseUrl !== undefined && isLoopbackOrigin(settings.baseUrl);
  const { finish, ...started } = await beginBuild(root, {
    ...settings,
    root,
    output: root,
    mode: environment['SITE_MODE'] === 'static' ? 'static' : 'edge',
    mayBeUnsigned: isTrial,
    isTrial,
    today: today(),
    report,
    sourceCommit: environment['CF_PAGES_COMMIT_SHA'],
  });
  return {
    ...started,
    finish: async (pages, own) => {
      const built = await finish(pages, own);
      for (const line of built.summary) report(line);
      return built;
    },
  };
}

export interface StartedBuild {
  readonly source: SiteSource;
  readonly shown: SiteContent;
  readonly folder: string;
  readonly server: string;
  /** Analysers of the languages that searches meet. */
  readonly analysers: readonly string[];
  /** Adds all that is no page, from the addresses of the pages that Astro has written and the files of those in `src/pages`. */
  readonly finish: (pages: readonly string[], own: readonly string[]) => Promise<BuiltSite>;
}

export interface BuiltSite {
  readonly moves: readonly Move[];
  readonly summary: readonly string[];
}

async function makeContent(staged: string, options: SiteBuildOptions) {
  const { root, output, mode, report, onProgress } = options;
  await checkFileCount(root, options);
  onProgress?.('Reading');
  const inputs = await digestOfInputs(root);
  const cache = await openBuildCache(root);
  const read = await readContent(root, { ...options, cache });
  const rendering = await checkRendering(root, read.content, cache);
  cache.save();
  if (read.content === undefined || rendering.problems.length > 0) throw new InvalidContentError([...read.problems, ...rendering.problems]);
  await expectPackages([...(mode === 'edge' ? functionNeeds(read.content.publisher) : []), ...rendering.needs]);
  const warnings = [...read.warnings, ...rendering.warnings];
  const content = payableContent(read.content, mode);
  report(contentLine(read.content, mode));
  if (warnings.length > 0) report(`content has ${countWarnings(warnings)}; "npm run content:check" lists them`);
  const gaps = gapsOf(warnings);
  if (!options.isTrial && gaps.length > 0) throw new InvalidContentError(gaps);
  const ledger = await publishedLedger(root, read.content.ledger);
  const changed = await checkPublishedVersions(read.content, ledger);
  if (changed.length > 0) throw new InvalidContentError(changed);
  // After this build nothing knows what the last one contained.
  const unrecorded = options.isTrial ? [] : await checkUploadedBuild(read.content, await uploadedBuild(root), ledger);
  const undelivered = mode === 'static' ? deliveriesWithoutFunctions(content.offers) : [];
  for (const found of [unrecorded, undelivered]) if (found.length > 0) report(describeWarnings(found));
  const signing = await readSigning(options.lineageKey, content, options);
  report(`signing: ${signingLine(signing, content)}`);
  const store = new GenerationStore(output);
  const storage = storageOf(content.publisher, options.storage);
  const history = storage === 'assets' ? await store.wholeHistory() : await store.history();
  const changes = await logToContinue(root, options.isTrial);
  if (!options.isTrial && changes.length === 0)
    report(
      `changes: .akg/ has no change log, so this build begins a new one; "npm run restore:kv${mode === 'static' ? ' -- --site"' : '", which "npm run deploy" runs first,'} fetches the log of a site that is online`,
    );
  const { publication, generation, log } = await makePublication(content, options, {
    history,
    changes,
    signing,
    cache: cachedParts(cache),
    // Without functions, nothing reads the blocks later.
    ...(mode === 'edge' ? { blocks: store.newBlocks() } : {}),
    onProgress,
    report,
  });
  cache.save();
  const files = documentFiles(publication);
  const search = await searchFiles(generation, publication.capsules, mode);
  const blocks = storage === 'assets' ? (await servedBlocks(generation, history, store)).size : 0;
  const tooMany = fileCountProblem(plannedFiles(publication, files, blocks, search?.blocks.size ?? 0), content.publisher);
  if (tooMany !== undefined) throw new UserError(tooMany);
  if (mode === 'edge') await store.prepare(generation, staged);
  report(`search: corpus version ${generation.version.slice(0, 12)}, in ${generation.blocks.size} blocks`);
  const basePath = basePathOf(content.publisher.base_url);
  if (basePath !== '')
    report(
      `base_url: the site is below ${basePath}, so it has neither robots.txt nor the documents of /.well-known/ that programs ask for at the root of a host (RFC 8615); what is at that root decides about crawlers`,
    );
  return { staged, options, inputs, cache, content, publication, generation, log, history, store, storage, files, search, signing };
}

type MadeContent = Awaited<ReturnType<typeof makeContent>> & { readonly policies?: readonly PagePolicy[] };

/** Begins a build into a folder, and leaves alone what the last build made. */
export async function beginBuild(staged: string, options: SiteBuildOptions): Promise<StartedBuild> {
  const { root, mode, onProgress } = options;
  const made: MadeContent = await makeContent(staged, options);
  const { publication, generation, history, store, files, signing } = made;
  const folder = siteFolder(staged, mode);
  const openApi = mode === 'edge' ? files.find(({ path }) => path === PATHS.openApi) : undefined;
  onProgress?.('Making pages');
  const shown = await siteContent(publication, {
    mode,
    capsulePages: publication.deployment.capsulePages,
    stats: {
      corpusVersion: generation.version,
      corpusDigest: `sha256:${generation.manifest.corpus_digest}`,
      signingKeyId: signing?.signer.publicKey.kid,
      sourceCommit: options.sourceCommit || undefined,
    },
  });
  const { brand, finish: finishPages } = await openPages(root, shown.site.publisher, capsuleImages(publication), made.cache);
  const api = openApi && (JSON.parse(openApi.body) as ApiDocument);
  const byId = new Map(publication.capsules.map((capsule) => [capsule.id, capsule]));
  return {
    source: {
      content: async () => ({ ...shown, brand }),
      capsule: async (id) => byId.get(id),
      documents: async () => files,
      openApi: async () => api,
      purchase: () => purchaseSteps(publication),
    },
    shown,
    folder,
    server: join(staged, SERVER_FOLDER),
    analysers: [...(await store.analysersOf([generation, ...history]))],
    finish: async (pages, own) => {
      const changes = new Map(publication.pages.map(({ path, updated }) => [path, updated]));
      const place = { ...shown.site.publisher, ...(mode === 'edge' ? { static_form: 'file' as const } : {}) };
      await finishPages({ folder, pages, changes, documents: new Set(files.map(({ path }) => path)), place });
      // What only a build reads.
      const { editorial: _checks, offers: _order, ...publisher } = shown.site.publisher;
      const site = { ...shown.site, publisher };
      const values: PageValues = { site, brand, enginePages: shown.enginePages, overview: { counts: shown.overview.counts } };
      return finishBuild(await withOwnPages(made, folder, own), values);
    },
  };
}
async function withOwnPages(made: MadeContent, folder: string, own: readonly string[]): Promise<MadeContent> {
  const { publication } = made;
  const described = await Promise.all(
    own.map(async (file) => ({ file, ...describePage(await readFile(file, 'utf8'), publication.publisher) })),
  );
  const known = new Set(publication.pages.map(({ path }) => path));
  const pages = described
    .flatMap(({ title, description, path }) =>
      path === undefined ? [] : [{ title, description, path, updated: publication.publisher.updated }],
    )
    .filter(({ path }) => !known.has(path))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const policies = described.flatMap(({ file, inline }) => {
    const path = `/${relative(folder, file)
      .split(sep)
      .join('/')
      .replace(/(?:(^|\/)index)?\.html$/, '$1')}`;
    return inline.scripts.length + inline.styles.length === 0 ? [] : [{ path, policy: pagePolicy([], inlineSources(inline)) }];
  });
  if (pages.length === 0) return { ...made, policies };
  const listed = { ...publication, pages: [...publication.pages, ...pages] };
  const before = new Map(made.files.map((file) => [file.path, file]));
  const files = documentFiles(listed);
  for (const { path, body } of files) if (before.get(path)?.body !== body) await writeFile(join(folder, path), body);
  return { ...made, publication: listed, files, policies };
}

async function finishBuild(made: MadeContent, shown: PageValues): Promise<BuiltSite> {
  const { staged, options, inputs, content, publication, files, generation, history, store, storage, log, search } = made;
  const { root, output, mode, report } = options;
  const folder = siteFolder(staged, mode);
  if (mode === 'edge') {
    const analysers = await store.analysersOf([generation, ...history]);
    const owner = await writeFunctions(folder, { root, staged, output, publication, generation, shown, analysers });
    if (owner === 'publication') report('functions: Pages compiles them, because functions/ has some of your own');
  }
  await writeFiles(root, folder, content.media);
  if (search !== undefined) await writeSearchFiles(folder, search);
  await writeHostFiles({ folder, staged }, files, publication, made.policies);
  if (storage === 'assets') report(`storage: ${await writeAssetBlocks(folder, generation, store)} blocks are files of the site`);
  const problem = await builtSiteProblem(folder, { mode, capsules: publication.capsules.length }, content.publisher);
  if (problem !== undefined) throw new UserError(problem);
  const offers = content.offers.map(({ id }) => id);
  const aliases = content.offers.flatMap(({ frontMatter }) => frontMatter.aliases);
  const baseUrl = content.publisher.base_url;
  await noteBuilt(
    staged,
    { generation: generation.version, baseUrl, storage, mode, versions: await versionsOf(content), offers, aliases, log },
    options.isTrial,
    await readBuilt(root),
  );
  await writeFile(fingerprintFile(staged, mode), await buildFingerprint(inputs, { ...options, baseUrl }));
  const isForHere = isLoopbackOrigin(baseUrl);
  const summary = [
    `site: ${relative(root, siteFolder(output, mode))}${isForHere ? ` (for this machine only: its address is ${baseUrl})` : ''}`,
    ...(mode === 'static' && !options.isTrial && !isForHere
      ? ['next: upload the folder and record what is online: npm run publish:kv -- --static -- <command that uploads>']
      : []),
  ];
  const parts = [
    siteFolder('', mode),
    ...(mode === 'edge' ? [...FUNCTIONS_PARTS, GENERATIONS_FILE] : [SERVERS_FOLDER]),
    fingerprintFile('', mode),
  ];
  // What the build continues is noted for the publication, wherever the build is.
  const noted = builtFile(options.isTrial);
  const moves = [{ from: noted, to: relative(output, join(root, noted)) }, ...parts.map((path) => ({ from: path, to: path }))];
  return { moves, summary };
}

/** Digests of the code within a page, as sources of a policy (Content Security Policy Level 3, section 2.3.1). */
function inlineSources({ scripts, styles }: DescribedPage['inline']): { readonly scripts: string; readonly styles: string } {
  const sources = (texts: readonly string[]): string =>
    [...new Set(texts)].map((text) => ` 'sha256-${createHash('sha256').update(text).digest('base64')}'`).join('');
  return { scripts: sources(scripts), styles: sources(styles) };
}
