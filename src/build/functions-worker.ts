import { hash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, extname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { taggedDocuments } from '../documents/make-documents.ts';
import type { FiledDocument } from '../http/gateway-dependencies.ts';
import type { PageValues } from '../http/render-response.ts';
import { UserError } from '../publication/content-problem.ts';
import { deployedRoutes } from '../routes/lazy-routes.ts';
import { routeTable } from '../routes/route-table.ts';
import { isDemonstration } from '../schemas/commerce/stablecoin-payments.ts';
import { deployedFeatures, type FeatureName } from '../schemas/feature-switches.ts';
import { PATHS } from '../schemas/paths.ts';
import type { Publisher } from '../schemas/publisher.ts';
import type { Publication } from '../text/publication-model.ts';
import { digestOfEngine, digestOfFiles } from './build-fingerprint.ts';
import type { BuiltGeneration } from './corpus-blocks/build-generation.ts';
import { BUILD_FOLDER } from './corpus-blocks/generation-store.ts';
import { COMPANION_MODULE } from './wrangler-settings.ts';

/** Folder of the Worker in a site, which Pages runs instead of compiling `functions/` (advanced mode). */
export const WORKER_FOLDER = '_worker.js';

/** The Worker, in {@link WORKER_FOLDER}, and what the build decided, which it imports. */
const WORKER_MODULE = 'gateway.js';
export const GENERATED_MODULE = 'generated.js';

/** Where Pages starts. Wrangler compiles this module again and uploads the others as they are, so there is nothing else in it. */
const ENTRY = `export { default } from './${WORKER_MODULE}';\n`;

/** The module in the folder of the pages on demand whose default export is Astro's server. */
export const PAGE_SERVER_FILE = 'entry.mjs';

/** The module of the engine that makes functions: compiled in the package, TypeScript in the engine's own project. */
const PAGES_FUNCTION = join(import.meta.dirname, `../functions/pages-function${extname(import.meta.filename)}`);

/** The only function of a publication without functions of its own. */
const HOOK = /^export\s*\{\s*onRequest\s*\}\s*from\s*(['"])\.\.\/\.akg\/functions\.js\1;?$/;

export interface WorkerParts {
  readonly root: string;
  readonly server: string;
  readonly generated: string;
  /** What runs the Worker; Pages if it is left out. */
  readonly target?: Publisher['target'];
  /** What this publication never runs, whose modules are left out. */
  readonly unused: readonly UnusedPart[];
  /** Analysers of all generations that answer queries. */
  readonly analysers: Iterable<string>;
}

/**
 * Compiles the functions of a publication into a Worker of its site, so that requests do not pass through the router of Pages, which copies
 * each, and the code is minified.
 *
 * @returns Whose functions `functions/` has: with some of the publication, there is no Worker, and Pages compiles and routes them.
 */
export async function writeWorker(site: string, parts: WorkerParts): Promise<'none' | 'engine' | 'publication'> {
  const owner = await ownerOfFunctions(join(parts.root, 'functions'));
  if (owner !== 'engine') return owner;
  const folder = join(site, WORKER_FOLDER);
  await mkdir(folder, { recursive: true });
  await build({
    entryPoints: [{ in: WORKER_NAME, out: WORKER_MODULE.replace(/\.js$/, '') }],
    outdir: folder,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2024',
    minify: true,
    legalComments: 'none',
    logLevel: 'error',
    conditions: ['workerd', 'worker', 'browser'],
    define: { 'process.env.NODE_ENV': '"production"' },
    external: ['cloudflare:*', 'node:*'],
    loader: { '.wasm': 'copy' },
    plugins: [workerPlugin(parts), engineModules()],
  });
  await writeFile(join(folder, GENERATED_MODULE), parts.generated);
  await writeFile(join(folder, 'index.js'), ENTRY);
  return owner;
}

export async function ownerOfFunctions(folder: string): Promise<'none' | 'engine' | 'publication'> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const [first, ...others] = entries.filter(({ name }) => !name.startsWith('.'));
  if (first === undefined) return 'none';
  if (others.length > 0 || !/^_middleware\.[jt]s$/.test(first.name)) return 'publication';
  const code = (await readFile(join(folder, first.name), 'utf8')).split('\n').filter((line) => !line.trimStart().startsWith('//'));
  return HOOK.test(code.join('\n').trim()) ? 'engine' : 'publication';
}

/** Name of the module that starts the Worker, and namespace of what stands in no file. */
const WORKER_NAME = 'akg:worker';
const LEFT_OUT = 'left-out';
const LAZY = 'lazy';

/** What a publication may never run: the library of Stripe, payments that cost nothing, or a feature that is off. */
type UnusedPart = 'stripe' | 'demonstration' | FeatureName;

/** Modules of the engine that only one part runs, with their exports: lists in capitals, functions otherwise. */
const MODULES_OF_PARTS: readonly (readonly [UnusedPart, module: RegExp, ...exports: string[]])[] = [
  ['demonstration', /[\\/]platform[\\/]demo-payments\.[jt]s$/, 'demoFacilitator', 'demoProcessor'],
  ['intake', /[\\/]intake[\\/]check-proposal\.[jt]s$/, 'checkFields', 'examineCapsule', 'examineCorrection'],
  ['acp', /[\\/]acp[\\/]checkout-session-routes\.[jt]s$/, 'ACP_ROUTES', 'describeOrderWebhook'],
  ['ucp', /[\\/]ucp[\\/]operations\.[jt]s$/, 'UCP_OPERATIONS'],
];

/** Descriptions of schemas and explanations of errors, in a text of constants: only documents have these texts, and builds write documents. */
const DOCUMENT_TEXTS =
  /(?:\.describe\(|\bexplanation:)\s*(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\$]|\\.|\$\{[\w.]+\})*`)(?:,?\s*\)|,)/g;
/** Those of operations, of their headers and of their responses. */
const OPERATION_TEXTS =
  /\bdescription:\s*(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\$]|\\.|\$\{[\w.]+\})*`),(?=\s*(?:capability|content|minLength|pathParameters|queryParameters|headers|body|change|protocol|schema):)/g;
const RESPONSE_TEXTS = /(?<=\b(?:json|page)Response\(\s*)'(?:[^'\\]|\\.)*'/g;
/** What protocols give documents, as members with all lines of their values. Elsewhere, functions call members of these names. */
const PROTOCOL_DOCUMENTS = /^( *)(?:make|examples): (?!z\.).*\n(?:\1[ )}\]].*\n)*/gm;
const PROTOCOL_MODULES = /[\\/]protocols[\\/]\w+[\\/][\w-]+\.[jt]s$/;
const DESCRIBED_MODULES = /[\\/](?:(?:schemas|protocols|routes)[\\/][\w\\/-]+|gateway[\\/](?:commerce-)?errors)\.[jt]s$/;

/** Modules of libraries that write JSON Schemas, which builds do, or check what the user of a client has typed. Functions only load them. */
const ONLY_DESCRIBES =
  /[\\/]zod[\\/]v4[\\/]core[\\/](to-json-schema|json-schema-processors)\.js$|[\\/]@modelcontextprotocol[\\/]server[\\/]dist[\\/]cfWorkerProvider-[\w-]+\.mjs$/;

/** Resolves the modules that a build decides, and leaves out libraries that this publication never uses. */
function workerPlugin({ root, server, target, unused, analysers }: WorkerParts): Plugin {
  const withCompanion =
    target === 'workers' ? ['withCompanion', `import { withCompanion } from ${JSON.stringify(COMPANION_MODULE)};`] : ['', ''];
  const languages = new Set([...analysers].map(languageModule));
  return {
    name: 'akg-worker',
    setup({ onResolve, onLoad, resolve }) {
      // A module that is loaded late imports the modules of the start, so that esbuild puts all of these into one chunk.
      onResolve({ filter: /./, namespace: 'file' }, async ({ path, kind, importer, resolveDir }) => {
        if (kind !== 'dynamic-import') return undefined;
        const found = await resolve(path, { kind: 'import-statement', importer, resolveDir });
        return found.namespace === 'file' && found.path.startsWith(ENGINE) ? { path: found.path, namespace: LAZY } : found;
      });
      onLoad({ filter: /./, namespace: LAZY }, ({ path }) => ({
        contents: `import ${JSON.stringify(PAGES_FUNCTION)};\nexport * from ${JSON.stringify(path)};\n`,
        resolveDir: root,
      }));
      onResolve({ filter: /^akg:worker$/ }, ({ path }) => ({ path, namespace: 'akg' }));
      onLoad({ filter: /.*/, namespace: 'akg' }, () => ({
        contents: `import { pagesFunction, pagesWorker } from ${JSON.stringify(PAGES_FUNCTION)};
import * as generated from './${GENERATED_MODULE}';
${withCompanion[1]}
export default ${withCompanion[0]}(pagesWorker(pagesFunction(generated, () => import(${JSON.stringify(join(server, PAGE_SERVER_FILE))}))));
`,
        resolveDir: root,
      }));
      onResolve({ filter: /^\.\/generated\.js$/, namespace: 'akg' }, ({ path }) => ({ path, external: true }));
      onResolve({ filter: /^@orama\/(stemmers|stopwords)\/|^\.\/content-words\.[jt]s$/ }, ({ path, importer }) => {
        const other = otherLanguage(path, importer, languages);
        return other === undefined ? undefined : { path: other, namespace: LEFT_OUT };
      });
      if (unused.includes('stripe')) onResolve({ filter: /^stripe$/ }, ({ path }) => ({ path, namespace: LEFT_OUT }));
      for (const [part, filter] of MODULES_OF_PARTS)
        if (unused.includes(part)) onLoad({ filter }, ({ path }) => ({ contents: leftOut(path) }));
      onLoad({ filter: /.*/, namespace: LEFT_OUT }, ({ path }) => ({ contents: leftOut(path) }));
      onLoad({ filter: DESCRIBED_MODULES }, async ({ path }) => {
        const loader = path.endsWith('.ts') ? 'ts' : 'js';
        if (!path.startsWith(ENGINE)) return undefined;
        const code = (await readFile(path, 'utf8'))
          .replaceAll(DOCUMENT_TEXTS, '')
          .replaceAll(OPERATION_TEXTS, '')
          .replaceAll(RESPONSE_TEXTS, "''");
        return { contents: PROTOCOL_MODULES.test(path) ? code.replaceAll(PROTOCOL_DOCUMENTS, '') : code, loader };
      });
      onLoad({ filter: ONLY_DESCRIBES }, async ({ path }) => {
        const names = Object.keys((await import(pathToFileURL(path).href)) as object);
        return { contents: names.map((name) => `export function ${name}() {}`).join('\n') };
      });
    },
  };
}

/** What the modules of Astro's server that functions have anyway are called there; {@link engineModules} resolves them. */
const ENGINE_MODULE = 'akg:engine/';
const ENGINE = join(import.meta.dirname, '..');

/** Libraries of the engine that Astro's server imports too. */
const SHARED_LIBRARY = /^zod(\/|$)/;

/**
 * Name of a module, imported as `id` from `file`, that Astro's server shares with functions, so that the Worker holds it once: a file of the
 * engine outside `site/`, or a library. `undefined` for every other module.
 */
export function sharedModule(id: string, file: string): string | undefined {
  if (SHARED_LIBRARY.test(id)) return ENGINE_MODULE + id;
  const path = relative(ENGINE, file).split(sep).join('/');
  return /^(?!\.\.|site\/|[a-zA-Z]:).*\.[jt]s$/.test(path) ? `${ENGINE_MODULE}./${path}` : undefined;
}

export function engineModules(): Plugin {
  return {
    name: 'akg-engine',
    setup({ onResolve, resolve }) {
      onResolve({ filter: /^akg:engine\// }, ({ path, kind }) => resolve(path.slice(ENGINE_MODULE.length), { kind, resolveDir: ENGINE }));
    },
  };
}

/** Of our own lists of words, the one that these languages alone have. */
const CONTENT_WORDS = ['spanish', 'hungarian', 'romanian', 'russian'];

/** The module that replaces one of words for any language but these: one for all languages, so that a bundle holds it once. */
export function otherLanguage(id: string, importer: string | undefined, languages: ReadonlySet<string>): string | undefined {
  if (/^\.\/content-words\.[jt]s$/.test(id) && importer?.startsWith(ENGINE))
    return CONTENT_WORDS.some((language) => languages.has(language)) ? undefined : id;
  const [, library, language] = /^@orama\/(stemmers|stopwords)\/(\w+)$/.exec(id) ?? [];
  return language === undefined || languages.has(language) ? undefined : `@orama/${library}/other-languages`;
}

export function languageModule(analyser: string): string {
  if (analyser === 'hi') return 'indian';
  return new Intl.DisplayNames(['en'], { type: 'language' }).of(analyser)?.toLowerCase() ?? analyser;
}

/**
 * Modules that no request to Astro's server needs, because pictures have sizes and types, and there are no actions and sessions; and modules that no
 * script of a page calls. With their exports.
 */
const UNREACHED: readonly (readonly [environment: 'ssr' | 'client', module: RegExp, ...exports: string[]])[] = [
  ['ssr', /\/image-passthrough-endpoint(\.js)?$/, 'GET'],
  ['ssr', /\/vendor\/image-size\/lookup\.js$/, 'lookup'],
  ['ssr', /^devalue$/, 'parse', 'stringify', 'unflatten'],
  // The type of a file by its name, which is asked for and may be unknown.
  ['ssr', /^mrmime$/],
  ['client', /\/explain-results(\.[jt]s)?$/, 'explainResults'],
  ['client', /\/did-you-mean(\.[jt]s)?$/, 'suggestNames'],
  ['client', /\/suggest-other-conditions(\.[jt]s)?$/, 'suggestFewerConditions', 'suggestOtherValues'],
  ['client', /\/capsule-lists(\.[jt]s)?$/, 'withTagIds', 'withTagNames'],
  ['client', /\/cursor(\.[jt]s)?$/, 'encodeCursor', 'decodeCursor'],
  ['client', /\/currency-and-availability(\.[jt]s)?$/, 'availabilityOf', 'hasPrice'],
  ['client', /\/text\/prices(\.[jt]s)?$/, 'majorUnits', 'minorUnits', 'termSentences'],
];

/** Files of Astro that no page of functions reaches: pictures, islands, JSX, parts of lists, pages of errors, and the texts of its own errors. */
const UNREACHED_FILE =
  /[\\/]astro[\\/]dist[\\/](?:core[\\/](?:errors[\\/](?:errors-data|dev-handler)|render[\\/]paginate)|template[\\/]4xx|assets[\\/](?:internal|services[\\/]service|utils[\\/](?:remoteProbe|deterministic-string))|runtime[\\/]server[\\/](?:jsx|astro-island\.prebuilt))\.js$/;

/** A module in the place of a file of Astro's server that no request reaches: its errors have their names as texts. `undefined` for every other file. */
export async function unreachedFile(file: string): Promise<string | undefined> {
  if (!UNREACHED_FILE.test(file)) return undefined;
  const [, listed = ''] = /^export \{([^}]*)\}/m.exec(await readFile(file, 'utf8')) ?? [];
  const names = listed.split(',').map((name) => name.trim().split(' ').at(-1) ?? '');
  const leftOut = `const leftOut = (title) => Object.assign(() => { throw new Error(title); }, { title, message: () => title });\n`;
  const exported = names.map((name) => `export ${name === 'default' ? 'default' : `const ${name} =`} leftOut(${JSON.stringify(name)});`);
  return leftOut + exported.join('\n');
}

/** Whether an environment of Vite never runs a module. @param id As it is imported. */
export function isUnreached(id: string, environment: string): boolean {
  return UNREACHED.some(([of, module]) => of === environment && module.test(id));
}

/** A module in the place of a library that is left out. */
export function leftOut(path: string): string {
  if (path.startsWith('./content-words')) return 'export const CONTENT_WORDS = {};';
  if (path.startsWith('@orama/stopwords/')) return 'export const stopwords = [];';
  if (path === 'mrmime') return 'export const lookup = () => undefined;';
  const [, , ...unreached] = UNREACHED.find(([, module]) => module.test(path)) ?? [];
  const [, , ...unused] = MODULES_OF_PARTS.find(([, module]) => module.test(path)) ?? [];
  const names = path === 'stripe' ? ['Stripe'] : path.startsWith('@orama/stemmers/') ? ['stemmer'] : [...unreached, ...unused];
  const [lists, functions] = [names.filter((name) => /^[A-Z_]+$/.test(name)), names.filter((name) => !/^[A-Z_]+$/.test(name))];
  const leaving = `const leftOut = () => { throw Error(${JSON.stringify(`left out: ${basename(path)}`)}); };\n`;
  const exported = functions.map((name) => `leftOut as ${name}`).join(', ');
  return [...lists.map((name) => `export const ${name} = [];`), ...(exported === '' ? [] : [`${leaving}export { ${exported} };`])].join(
    '\n',
  );
}

export const SERVER_FOLDER = `${BUILD_FOLDER}/server`;

const GENERATED_FILE = join(BUILD_FOLDER, 'generated.js');
const FUNCTIONS_FILE = join(BUILD_FOLDER, 'functions.js');

/** Everything that a build writes about functions, relative to its folder. */
export const FUNCTIONS_PARTS = [SERVER_FOLDER, GENERATED_FILE, FUNCTIONS_FILE] as const;

interface FunctionsParts extends Pick<WorkerParts, 'root' | 'analysers'> {
  /** Folder of the build while it is made, and where it belongs. */
  readonly staged: string;
  readonly output: string;
  readonly publication: Publication;
  readonly generation: BuiltGeneration;
  readonly shown: PageValues;
}

/** Writes the function that `functions/` of the publication exports, and compiles it into a Worker. Returns what {@link writeWorker} does. */
export async function writeFunctions(site: string, parts: FunctionsParts): ReturnType<typeof writeWorker> {
  const { deployment, publisher } = parts.publication;
  const { commerce, payments } = deployment;
  const isDemo = isDemonstration(payments?.stripeProfile);
  const usesStripe = commerce.processor === 'stripe' || (payments?.stripeProfile !== undefined && !isDemo);
  const features = deployedFeatures(deployment);
  const off = (Object.keys(features) as FeatureName[]).filter((name) => !features[name]);
  const unused: UnusedPart[] = [...off, ...(usesStripe ? [] : ['stripe' as const]), ...(isDemo ? [] : ['demonstration' as const])];
  const generated = await writeGenerated(parts);
  const server = join(parts.staged, SERVER_FOLDER);
  const owner = await writeWorker(site, { ...parts, server, target: publisher.target, generated, unused });
  if (owner !== 'engine' && publisher.target === 'workers')
    throw new UserError(
      '"target: workers" of content/publisher.yaml runs no functions of your own: functions/ must have _middleware.ts with the one line of the engine, and nothing else',
    );
  // Where there is a Worker, a deploy of wrangler compiles this and drops it.
  if (owner === 'engine') await writeFile(join(parts.staged, FUNCTIONS_FILE), 'export const onRequest = ({ next }) => next();\n');
  return owner;
}

/** Writes what the build decides about functions, and the function itself. @returns The text of what it decided. */
async function writeGenerated({ staged, output, publication, generation: { version, manifest }, shown }: FunctionsParts): Promise<string> {
  const { openApi, ...others } = await taggedDocuments(publication);
  const filed = { contentType: openApi.contentType, etag: openApi.etag, file: PATHS.openApi } satisfies FiledDocument;
  const documents = { ...others, openApi: filed };
  const { deployment } = publication;
  const routes = await deployedRoutes(routeTable(deployment), deployment);
  const text = Object.entries({ deployment, generation: { version, manifest }, documents, routes, shown })
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
    .join('')
    // Pages show the same sections, which name every capsule.
    .replace(`"sections":{"tree":${JSON.stringify(deployment.sections)}`, '"sections":{"tree":deployment.sections');
  const build = hash('sha256', text + (await digestOfEngine()) + (await digestOfFiles(join(staged, SERVER_FOLDER), ['.'])));
  const generated = `${text}export const build = ${JSON.stringify(build)};\n`;
  await writeFile(join(staged, GENERATED_FILE), generated);
  const engine = relative(join(output, BUILD_FOLDER), PAGES_FUNCTION).split(sep).join('/');
  await writeFile(
    join(staged, FUNCTIONS_FILE),
    `import { pagesFunction } from '${engine}';
import * as generated from './generated.js';

export const onRequest = pagesFunction(generated, () => import('./server/${PAGE_SERVER_FILE}'));
`,
  );
  return generated;
}
