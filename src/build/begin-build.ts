import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { purchaseSteps } from '../documents/agent-purchase.ts';
import { documentFiles } from '../documents/document-files.ts';
import type { PagePolicy } from '../documents/host-files.ts';
import { makeLists } from '../gateway/knowledge/lists/make-lists.ts';
import { countOwnPages } from '../gateway/knowledge/lists/read-list.ts';
import type { PageValues } from '../http/render-response.ts';
import { pagePolicy } from '../http/security-headers.ts';
import { VERSIONS_FOLDER } from '../publication/complete/frozen-versions.ts';
import { countWarnings, describeWarnings, gapsOf, InvalidContentError } from '../publication/content-problem.ts';
import type { OnProgress } from '../publication/progress.ts';
import { contentLine, payableContent, paymentsIn } from '../publication/publish/published-capsules.ts';
import { isIgnored } from '../publication/read/content-files.ts';
import { readContent } from '../publication/read-content.ts';
import { readPublisher } from '../publication/read-publisher.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { basePathOf, blockPath, PATHS } from '../schemas/paths.ts';
import type { CapsulePages, Publisher } from '../schemas/publisher.ts';
import type { ApiDocument } from '../site/openapi-view.ts';
import { CAPSULE_IMAGES_MAX } from '../site/read-brand.ts';
import { type SiteContent, siteContent } from '../site/site-content.ts';
import type { SiteSource } from '../site/site-source.ts';
import type { DocumentFile, Publication } from '../text/publication-model.ts';
import { checkRendering } from './assemble/check-rendering.ts';
import { makePublication } from './assemble/make-publication.ts';
import { checkPublishedVersions, checkUploadedBuild, versionsOf } from './assemble/published-versions.ts';
import { readSigning, signingLine } from './assemble/sign-publication.ts';
import { buildFingerprint, digestOfInputs, fingerprintFile, openBuildCache } from './build-fingerprint.ts';
import {
  type BuildEnvironment,
  type BuildSettings,
  buildEnvironment,
  capsulePagesOf,
  isLoopbackOrigin,
  storageOf,
  today,
} from './deployment.ts';
import { expectPackages, functionNeeds } from './engine.ts';
import { FUNCTIONS_PARTS, SERVER_FOLDER, WORKER_FOLDER, writeFunctions } from './functions-worker.ts';
import { cachedParts } from './generation/build-generation.ts';
import { GENERATIONS_FILE, GenerationStore, servedBlocks, writeAssetBlocks } from './generation/generation-store.ts';
import { searchFiles, writeSearchFiles } from './generation/search-files.ts';
import { builtFile, logToContinue, noteBuilt, publishedLedger, uploadedBuild } from './kv/publishing-state.ts';
import { type DescribedPage, describePage } from './pages/page-markdown.ts';
import { capsuleImages, openPages, SERVERS_FOLDER, writeFiles, writeHostFiles } from './pages/write-site.ts';
import type { Move } from './staged-build.ts';
import { UserError } from './user-error.ts';

export interface SiteBuildOptions extends BuildEnvironment {
  readonly root: string;
  /** Folder for `dist/` or `dist-static/`, and `.akg/`: the publication for a build to deploy. */
  readonly output: string;
  readonly mode: Deployment['mode'];
  /** Overrides `capsule_pages` of publisher.yaml. */
  readonly capsulePages?: CapsulePages | undefined;
  /** Whether a publication with an active key may be built without it. */
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
  const mode = environment['SITE_MODE'] === 'static' ? 'static' : 'edge';
  const isTrial = settings.baseUrl !== undefined && isLoopbackOrigin(settings.baseUrl);
  const { finish, ...started } = await beginBuild(root, {
    ...settings,
    root,
    output: root,
    mode,
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
  /**
   * Adds everything that is no page.
   *
   * @param pages Addresses of the pages that Astro has written.
   * @param own Files of those of them that the publication has in `src/pages`.
   */
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
  if (unrecorded.length > 0) report(describeWarnings(unrecorded));
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
  report(`index: ${generation.blocks.size} blocks, corpus version ${generation.version.slice(0, 12)}`);
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
  const source: SiteSource = {
    content: async () => ({ ...shown, brand }),
    capsule: async (id) => byId.get(id),
    documents: async () => files,
    openApi: async () => api,
    purchase: () => purchaseSteps(publication),
  };
  const server = join(staged, SERVER_FOLDER);
  return {
    source,
    shown,
    folder,
    server,
    analysers: [...(await store.analysersOf([generation, ...history]))],
    finish: async (pages, own) => {
      const changes = new Map(publication.pages.map(({ path, updated }) => [path, updated]));
      const place = { ...shown.site.publisher, ...(mode === 'edge' ? { static_form: 'file' as const } : {}) };
      await finishPages({ folder, pages, changes, documents: new Set(files.map(({ path }) => path)), place });
      const values: PageValues = { site: shown.site, brand, enginePages: shown.enginePages, overview: { counts: shown.overview.counts } };
      return finishBuild(await withOwnPages(made, folder, own), values);
    },
  };
}

/**
 * Lists the publication's own pages wherever pages are listed, which is possible once they are rendered: writes again the documents that change.
 *
 * @param own Files of the pages.
 */
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

/** Largest file that Cloudflare Pages takes, in bytes (developers.cloudflare.com/pages/platform/limits). */
const FILE_MAX_BYTES = 25 * 1024 * 1024;

/** Files of a capsule, without the texts of its versions: page, JSON, lineage, and for a free text its page as markdown. */
const FILES_OF_PAID_CAPSULE = 3;
const FILES_OF_FREE_CAPSULE = 4;

/** Where front matter says what decides about files. */
const HEAD_BYTES = 4_096;

interface SiteFiles {
  readonly mode: Deployment['mode'];
  readonly capsules: number;
  readonly files: number;
  readonly blocks: number;
}

/** Why a host cannot take a site, and what to do; `undefined` if it can. */
export function fileCountProblem(
  { mode, capsules, files, blocks }: SiteFiles,
  { max_files: max }: Pick<Publisher, 'max_files'>,
): string | undefined {
  if (files <= max) return undefined;
  const counts = `${files} files for ${capsules} ${capsules === 1 ? 'capsule' : 'capsules'}${blocks === 0 ? '' : `, ${blocks} of them blocks of the corpus`}`;
  const cure =
    blocks > max / 2
      ? 'Set "storage: kv" in content/publisher.yaml, so that blocks are stored in KV'
      : mode === 'static'
        ? 'Build for production ("npm run build"), where functions serve the pages of capsules'
        : 'Set "capsule_pages: edge" in content/publisher.yaml, so that functions serve the pages of capsules';
  return `the site would have ${counts}, and its host takes ${max}. ${cure}. If your host takes more files, set "max_files": Cloudflare Pages takes 20000 on the free plan and 100000 on a paid one, your own server any number`;
}

const FILES_OF_PAGE = 2;

/** The files that a build is about to write, except those of pages that are not listed. @param blocks Of the corpus. */
function plannedFiles(
  { deployment, capsules, pages, interfaceLanguage }: Publication,
  files: readonly DocumentFile[],
  blocks: number,
  searchBlocks = 0,
): SiteFiles {
  const { mode, capsulePages } = deployment;
  const metadata = capsules.map((capsule) => capsule.metadata);
  const capsuleFiles =
    capsulePages === 'files'
      ? metadata.reduce((pages, { versions }) => pages + versions.length, 0) +
        countOwnPages(makeLists(metadata, interfaceLanguage.tag).directory) * FILES_OF_PAGE
      : 0;
  return {
    mode,
    capsules: capsules.length,
    files:
      files.length +
      (capsules.length <= CAPSULE_IMAGES_MAX ? capsules.length : 0) +
      pages.length * FILES_OF_PAGE +
      capsuleFiles +
      blocks +
      searchBlocks,
    blocks,
  };
}

/**
 * Refuses a corpus whose capsules alone are more files than the host takes, before it is read: that takes minutes. It counts file names, and
 * reads the beginnings of the files only if there are too many.
 *
 * @throws {UserError} With the number and what to do.
 */
export async function checkFileCount(
  root: string,
  settings: BuildEnvironment & Pick<BuildSettings, 'mode' | 'capsulePages'>,
): Promise<void> {
  // A mistake in publisher.yaml is reported with all others.
  const read = await readPublisher(root, settings, []).catch(() => undefined);
  if (read === undefined || read.invalid.size > 0) return;
  const publisher = read.data;
  const files = await markdownFiles(join(root, 'content/capsules'));
  const isVersion = (file: string): boolean => file.startsWith(`${join(root, VERSIONS_FOLDER)}/`);
  const texts = files.filter((file) => !isVersion(file));
  const versions = files.length - texts.length;
  const most = texts.length * (FILES_OF_FREE_CAPSULE + 1) + versions;
  if (most <= publisher.max_files || capsulePagesOf(publisher, texts.length, settings) === 'edge') return;
  const kinds = texts.map(kindOf);
  const countOf = (kind: CapsuleKind): number => kinds.filter((other) => other === kind).length;
  const paid = paymentsIn(publisher, settings.mode) === undefined ? 0 : countOf('paid');
  const capsules = countOf('free') + paid;
  if (capsulePagesOf(publisher, capsules, settings) === 'edge') return;
  const count = countOf('free') * (FILES_OF_FREE_CAPSULE + 1) + paid * FILES_OF_PAID_CAPSULE + (capsules === texts.length ? versions : 0);
  const problem = fileCountProblem({ mode: settings.mode, capsules, files: count, blocks: 0 }, publisher);
  if (problem !== undefined) throw new UserError(problem);
}

type CapsuleKind = 'free' | 'paid' | 'draft';

/** What the front matter of a capsule says, as far as its first lines show it. One file is open at a time: systems allow some hundreds. */
function kindOf(path: string): CapsuleKind {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(HEAD_BYTES);
    const [, head = ''] = /^\uFEFF?---\r?\n([\s\S]*?)(?:\n---|$)/.exec(buffer.toString('utf8', 0, readSync(file, buffer))) ?? [];
    if (/^draft:\s*true\b/m.test(head)) return 'draft';
    return /^access:\s*["']?paid\b/m.test(head) ? 'paid' : 'free';
  } finally {
    closeSync(file);
  }
}

async function markdownFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  return names.filter((name) => name.toLowerCase().endsWith('.md') && !name.split(sep).some(isIgnored)).map((name) => join(folder, name));
}

/** Which limit of the host a built site exceeds and how to fix it; `undefined` if it exceeds none. */
export async function builtSiteProblem(
  folder: string,
  site: Pick<SiteFiles, 'mode' | 'capsules'>,
  publisher: Pick<Publisher, 'max_files'>,
): Promise<string | undefined> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const named = (path: string): string => path.slice(folder.length);
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    // Pages uploads it apart from the files.
    .filter((file) => !named(file).startsWith(`/${WORKER_FOLDER}/`));
  const blocks = files.filter((file) => named(file).startsWith(blockPath(''))).length;
  const problem = fileCountProblem({ ...site, files: files.length, blocks }, publisher);
  if (problem !== undefined) return problem;
  for (const file of files) {
    const { size } = await stat(file);
    if (size > FILE_MAX_BYTES)
      return `${named(file)} has ${size} bytes; Pages allows files of at most ${FILE_MAX_BYTES}. Split the longest capsules into several`;
  }
  return undefined;
}
