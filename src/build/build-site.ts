import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { documentFiles, taggedDocuments } from '../documents/document-files.ts';
import { headersFile, mergeHeaders, redirectsFile, routesFile } from '../documents/host-files.ts';
import { payableContent } from '../publication/capsules/paid-capsules.ts';
import type { Content } from '../publication/content.ts';
import { InvalidContentError } from '../publication/content-problem.ts';
import type { PaymentOverrides } from '../publication/payment-settings.ts';
import type { DocumentFile, Publication } from '../publication/publication.ts';
import { readContent } from '../publication/read-content.ts';
import { routeTable } from '../routes/route-table.ts';
import { PATHS } from '../schemas/paths.ts';
import type { ApiDocument } from '../site/api/api-document.ts';
import { SERVER_FOLDER, siteConfig } from '../site/integration.ts';
import { type SiteContent, siteContent } from '../site/site-content.ts';
import { makePublication } from './content/make-publication.ts';
import { checkPublishedVersions, versionsOf } from './content/published-versions.ts';
import { hasActiveSigningKey, readSigning, type Signing } from './content/signing.ts';
import { type BuildSettings, storageOf } from './deployment.ts';
import type { BuiltGeneration } from './generation/generation.ts';
import { BUILD_FOLDER, GenerationStore } from './generation/generation-store.ts';
import { writeAssetBlocks } from './generation/write-blocks.ts';
import { logToContinue, noteBuilt, readPublished } from './publishing/publishing-state.ts';
import { UserError } from './user-error.ts';

/** What to build, and how to tell about it. */
export interface BuildOptions extends BuildSettings, PaymentOverrides {
  readonly root: string;
  readonly baseUrl?: string | undefined;
  readonly checkoutHost?: string | undefined;
  /** `LINEAGE_KEY`: the private key that signs. Without it nothing is signed. */
  readonly lineageKey?: string | undefined;
  /** Whether a publication that has an active key may be built without it. */
  readonly mayBeUnsigned: boolean;
  /** Whether the build is tried out on this machine alone, so that nothing of it gets into what is published. */
  readonly isTrial: boolean;
  /** Commit of the sources, for the status page. */
  readonly sourceCommit?: string | undefined;
  /** Today in UTC, `YYYY-MM-DD`. */
  readonly today: string;
  readonly report: (line: string) => void;
}

/** What a build made. */
export interface BuildResult {
  readonly publication: Publication;
  readonly generation: BuiltGeneration;
  /** Folder of the site. */
  readonly outputFolder: string;
}

/**
 * Builds the site, the documents and the index from `content/`.
 *
 * @throws {InvalidContentError} Before anything is built, with every problem of the content.
 * @throws {UserError} If a setting cannot be used.
 */
export async function buildSite(options: BuildOptions): Promise<BuildResult> {
  const { root, mode, report } = options;
  const read = await readContent(root, options);
  if (read.content === undefined) throw new InvalidContentError(read.problems);
  const content = payableContent(read.content, mode);
  report(`content: ${content.capsules.length} capsules, ${content.offers.length} offers, ${content.pages.length} pages`);
  const unpaid = read.content.capsules.length - content.capsules.length;
  if (unpaid > 0) report(`content: ${unpaid} paid ${unpaid === 1 ? 'capsule' : 'capsules'} left out: ${unpayableReason(mode)}`);
  const changed = await checkPublishedVersions(read.content, (await readPublished(root)).versions);
  if (changed.length > 0) throw new InvalidContentError(changed);
  const signing = await readSigning(options.lineageKey, content, options);
  report(`signing: ${signingLine(signing, content)}`);
  const store = new GenerationStore(root);
  const storage = storageOf(content.publisher, options.storage);
  const history = storage === 'assets' ? await store.wholeHistory() : await store.history();
  const changes = await logToContinue(root, options.isTrial);
  if (!options.isTrial && changes.length === 0)
    report(
      `changes: the log begins with this build, and no version is held to what it was; if this site was published before, run "npm run restore:kv${mode === 'static' ? ' -- --static' : ''}" first`,
    );
  const { publication, generation, log } = await makePublication(content, options, { history, changes, signing });
  const outputFolder = join(root, mode === 'edge' ? 'dist' : 'dist-static');
  const files = documentFiles(publication);
  if (mode === 'static' && files.length + publication.pages.length + publication.capsules.length > PAGES_LIMITS.files) {
    throw new Error(
      `a frontend-only site of this corpus has more than ${PAGES_LIMITS.files} files, which Pages does not take; build for production instead`,
    );
  }
  // From here on the last build is gone, whether or not this one comes to its end.
  await rm(fingerprintFile(root, mode), { force: true });
  if (mode === 'edge') {
    await store.save(generation);
    await writeGenerated(root, publication, generation);
  }
  report(`index: ${generation.blocks.size} blocks, corpus version ${generation.version.slice(0, 12)}`);
  await rm(outputFolder, { recursive: true, force: true });
  if (mode === 'edge') await rm(join(root, SERVER_FOLDER), { recursive: true, force: true });
  const openApi = mode === 'edge' ? files.find(({ path }) => path === PATHS.openApi) : undefined;
  await buildPages(
    root,
    outputFolder,
    siteContent(publication, {
      mode,
      stats: {
        corpusVersion: generation.version,
        corpusDigest: `sha256:${generation.manifest.corpus_digest}`,
        signingKeyId: signing?.signer.publicKey.kid,
        sourceCommit: options.sourceCommit || undefined,
      },
      openApi: openApi && (JSON.parse(openApi.body) as ApiDocument),
    }),
  );
  await writeFiles(outputFolder, files);
  await writeHostFiles(outputFolder, files, publication);
  if (storage === 'assets') report(`storage: ${await writeAssetBlocks(outputFolder, generation, store)} blocks are files of the site`);
  const problem = await siteFileProblem(outputFolder);
  if (problem !== undefined) throw new UserError(problem);
  const built = { generation: generation.version, storage, versions: await versionsOf(content), log };
  await noteBuilt(root, built, options.isTrial);
  report(`site: ${outputFolder.slice(root.length + 1)}`);
  return { publication, generation, outputFolder };
}

/** Where `npm start` notes what the files of a mode were built from. Every other build takes the note away. */
export function fingerprintFile(root: string, mode: BuildSettings['mode']): string {
  return join(root, BUILD_FOLDER, `fingerprint-${mode}`);
}

/** Why nothing can be paid in a build. */
function unpayableReason(mode: BuildSettings['mode']): string {
  return mode === 'static' ? 'a frontend-only site takes no payments' : 'payments are off';
}

/** What the build says of its signatures; a key that was made and then not given is no oversight to pass over. */
function signingLine(signing: Signing | undefined, content: Content): string {
  if (signing !== undefined) return `records are signed by ${signing.signer.publicKey.kid}`;
  return hasActiveSigningKey(content)
    ? 'UNSIGNED, although content/keys.yaml lists a key: LINEAGE_KEY is not set'
    : 'unsigned, no LINEAGE_KEY is set (npm run keys:new makes one)';
}

/** Renders the pages: files into the folder of the site, and what functions render on demand into `.akg/server`. */
async function buildPages(root: string, outputFolder: string, content: SiteContent): Promise<void> {
  process.env['ASTRO_TELEMETRY_DISABLED'] = '1';
  // Loaded where it is needed: it is large, and most mistakes in content are found without it.
  const { build } = await import('astro');
  await build({ ...siteConfig(async () => content, outputFolder), root, configFile: false, logLevel: 'error' });
}

async function writeFiles(folder: string, files: readonly DocumentFile[]): Promise<void> {
  for (const { path, body } of files) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, body);
  }
}

async function writeHostFiles(folder: string, files: readonly DocumentFile[], { deployment }: Publication): Promise<void> {
  const present = (name: string): Promise<string> => readFile(join(folder, name), 'utf8').catch(() => '');
  const table = routeTable(deployment);
  await writeFile(join(folder, '_headers'), mergeHeaders(await present('_headers'), headersFile(files, deployment)));
  if (deployment.mode === 'edge') await writeFile(join(folder, '_routes.json'), routesFile(table));
  else await writeFile(join(folder, '_redirects'), redirectsFile(table));
}

/** Writes the module that functions import as `#generated`. */
async function writeGenerated(root: string, publication: Publication, { version, manifest }: BuiltGeneration): Promise<void> {
  const documents = await taggedDocuments(publication);
  const values = { deployment: publication.deployment, generation: { version, manifest }, documents };
  const text = Object.entries(values)
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
    .join('');
  await mkdir(join(root, BUILD_FOLDER), { recursive: true });
  await writeFile(join(root, BUILD_FOLDER, 'generated.js'), text);
}

/** What Cloudflare Pages takes (developers.cloudflare.com/pages/platform/limits): files of one deployment on the free plan, bytes of one file. */
export const PAGES_LIMITS = { files: 20_000, fileBytes: 25 * 1024 * 1024 } as const;

/** Says what of a built site the host would not take, and what to do; nothing if it takes all of it. */
export async function siteFileProblem(
  folder: string,
  limits: { readonly files: number; readonly fileBytes: number } = PAGES_LIMITS,
): Promise<string | undefined> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const named = (path: string): string => path.slice(folder.length);
  const blocks = files.filter((file) => named(file).startsWith('/_blocks/')).length;
  if (files.length > limits.files)
    return `the site has ${files.length} files, ${blocks} of them blocks of the corpus, and Pages takes ${limits.files} on the free plan${blocks > 0 ? '; with "storage: kv" in content/publisher.yaml the blocks are no files' : ''}`;
  for (const file of files) {
    const { size } = await stat(file);
    if (size > limits.fileBytes)
      return `${named(file)} has ${size} bytes, and Pages takes files of at most ${limits.fileBytes}; divide the longest capsules into several`;
  }
  return undefined;
}
