import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { THEME_FILE } from '../publication/check/check-look-and-theme.ts';
import { type Palette, paletteOf, schemesOf } from '../publication/check/palette.ts';
import { SEARCH_GROUPS } from '../schemas/knowledge/kinds-and-levels.ts';
import { FONT_NAMES, type Look } from '../schemas/publisher.ts';
import type { InterfaceLanguage, InterfaceStrings } from '../text/strings/interface-strings.ts';
import { reloadPages, type VitePlugin } from './component-overrides.ts';
import type { SiteSource } from './site-source.ts';

/**
 * Modules that Node imports as they are while pages are made, once for the integration, the collections and the pages: what the site is made
 * from, and the renderers of texts, which in a bundle would bring every grammar and drawing library that a text may need. Pages on demand
 * must not import them.
 */
const NATIVE_MODULES = ['site-source', 'content-collections', ...['render-markdown', 'text-labels'].map((name) => `markdown/${name}`)];

/** The name by which a publication imports its collections. */
const COLLECTIONS = 'agent-knowledge-gateway/content';

/** Makes the site from a publication from now on. Module runners, such as Vitest's, may hold other copies of the module that Astro's pages use. */
export function provideSite(source: SiteSource): void {
  const native = createRequire(import.meta.url)(fileURLToPath(engineFile('site-source'))) as typeof import('./site-source.ts');
  native.setSiteSource(source);
}

/** Lets Node load {@link NATIVE_MODULES}, wherever they are imported. */
export function nativeModules(): VitePlugin {
  const files = new Map(NATIVE_MODULES.map((name) => [withoutEnding(fileURLToPath(engineFile(name))), engineFile(name).href]));
  const PREFIX = '\0native:';
  return {
    name: 'native-modules',
    enforce: 'pre',
    resolveId(id: string, importer: string | undefined) {
      const isRelative = importer !== undefined && id.startsWith('.');
      const path = id === COLLECTIONS ? fileURLToPath(engineFile('content-collections')) : isRelative ? resolve(dirname(importer), id) : '';
      const native = files.get(withoutEnding(path));
      if (native === undefined) return undefined;
      return this.environment.mode === 'build' ? { id: native, external: 'absolute' as const } : PREFIX + native;
    },
    // Vite's server transforms every file; a module that is required is the one that Node imports (nodejs.org/api/modules.html#loading-ecmascript-modules-using-require).
    async load(id: string) {
      if (!id.startsWith(PREFIX)) return undefined;
      const url = id.slice(PREFIX.length);
      const names = Object.keys((await import(/* @vite-ignore */ url)) as object);
      return `import { createRequire } from 'node:module';
export const { ${names.join(', ')} } = createRequire(${JSON.stringify(url)})(${JSON.stringify(fileURLToPath(url))});`;
    },
  };
}

interface ShownLanguage extends InterfaceLanguage {
  /** Questions of the publication to begin with. */
  readonly questions: readonly string[] | undefined;
}

/** The sentences of the interface, as the modules of env.d.ts. */
export function stringModules(shown: () => ShownLanguage): VitePlugin {
  const modules: Readonly<Record<string, (shown: ShownLanguage) => object>> = {
    // For scripts, a module each: what two of them import becomes a file that both load.
    'virtual:copy-strings': ({ strings }) => ({ copy: strings.frame.copy, copied: strings.frame.copied }),
    'virtual:search-strings': searchStrings,
    'virtual:verify-strings': ({ strings }) => ({ default: verifyStrings(strings.verification) }),
  };
  const SECTIONS = 'virtual:strings';
  return {
    name: 'string-modules',
    resolveId: (id: string) => (Object.hasOwn(modules, id) || id.startsWith(SECTIONS) ? `\0${id}` : undefined),
    load(id: string) {
      const name = id.startsWith('\0') ? id.slice(1) : '';
      // A module for each section, so that a bundle contains only the sentences that it names.
      if (name.startsWith(SECTIONS)) {
        const { tag, strings } = shown();
        const section = Object.entries(strings).find(([key]) => name === `${SECTIONS}/${key}`)?.[1];
        const named = Object.keys(strings).map((key) => `export * as ${key} from '${SECTIONS}/${key}';`);
        return section ? exported(section) : [`export const language = ${JSON.stringify(tag)};`, ...named].join('\n');
      }
      const select = modules[name];
      return select && exported(select(shown()));
    },
  };
}

/** A module with an export for each member; its name may be a word of the language, such as `new`. */
function exported(members: object): string {
  const lines = Object.entries(members).map(([name, value], at) => [
    `const m${at} = ${JSON.stringify(value)};`,
    `m${at} as ${JSON.stringify(name)}`,
  ]);
  return `${lines.map(([line]) => line).join('\n')}\nexport { ${lines.map(([, name]) => name).join(', ')} };`;
}

function engineFile(path: string): URL {
  return new URL(path + extname(import.meta.url), import.meta.url);
}

function withoutEnding(path: string): string {
  return path.replace(/\?.*$/s, '').replace(/\.[jt]s$/, '');
}

function pick<From extends object, const Name extends keyof From>(from: From, ...names: readonly Name[]): Pick<From, Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<From, Name>;
}

/**
 * The sentences that the panel of verification shows from its script: readers download these and no others. env.d.ts has their types.
 *
 * @public
 */
export function verifyStrings(v: InterfaceStrings['verification']) {
  return {
    /** By check: what it shows if it passed, in a few words and in a sentence, and why it may not have run. */
    meanings: {
      json: [v.json, v.jsonMeaning],
      form: [v.form, v.formMeaning],
      subject: [v.subject, v.subjectMeaning],
      records: [v.records, v.recordsMeaning],
      chain: [v.chain, v.chainMeaning],
      head: [v.head, v.headMeaning],
      fresh: [v.fresh, v.freshMeaning, v.freshNotRun],
      text: [v.text, v.textMeaning, v.textNotRun],
      fields: [v.fields, v.fieldsMeaning],
      signature: [v.signature, v.signatureMeaning, v.signatureNotRun],
    },
    ...pick(v, 'noEd25519', 'notRunAfterFailure', 'fetching', 'checking', 'allPassed', 'allPassedUnsigned', 'allPassedButSignatures'),
    ...pick(
      v,
      'notSigned',
      'failures',
      'notFetched',
      'noResponse',
      'notLoaded',
      'foreignText',
      'nothingChecked',
      'verifyAgain',
      'tryAgain',
    ),
  } as const;
}

/**
 * The sentences that the search shows from its scripts: readers download these and no others. env.d.ts has their types.
 *
 * @public
 */
export function searchStrings({ tag, strings: { search, terms, capsules }, questions = [] }: ShownLanguage) {
  return {
    language: tag,
    questions,
    ...pick(search, 'titleOfQuery', 'found', 'foundAtLeast', 'nothingFound', 'corrected', 'advice', 'textsIn', 'label'),
    didYouMean: search.didYouMean.replace(/<\/?query>/g, ''),
    ...pick(
      search,
      'results',
      'dialogPlaceholder',
      'close',
      'keyMove',
      'keyOpen',
      'exampleQuestions',
      'recentSearches',
      'forgetRecent',
      'allResults',
      'dialogFailed',
      'orBrowse',
    ),
    groups: SEARCH_GROUPS.map(({ name }) => search[name]),
    /** Of a capsule that is not current. */
    stateSentences: pick(capsules, 'retractedTitle', 'supersededTitle', 'retractedOn', 'supersededOn', 'replacedBy'),
    stateTerms: pick(terms, 'status_retracted', 'status_superseded'),
  };
}

/** Vite treats ids with this ending as style sheets, but not if they begin with `\0`. */
const LOOK_ID = '/@akg/look.css';
const NO_THEME_ID = '/@akg/no-theme.css';

/** Provides `virtual:look.css`, the colours and fonts of publisher.yaml, and `virtual:theme.css`, the publication's theme.css if it has one. */
export function themePlugin(root: string, readLook: () => Look): VitePlugin {
  const file = join(root, THEME_FILE);
  const ids = (): Readonly<Record<string, string>> => ({
    'virtual:look.css': LOOK_ID,
    'virtual:theme.css': existsSync(file) ? file : NO_THEME_ID,
  });
  return {
    name: 'theme',
    enforce: 'pre',
    resolveId: (id: string) => ids()[id],
    load(id: string) {
      if (id === LOOK_ID) return lookCss(readLook());
      return id === NO_THEME_ID ? '' : undefined;
    },
    configureServer(server) {
      server.watcher.add(file);
      reloadPages(server, (changed) => changed === file);
    },
  };
}

const RADII: Readonly<Record<Look['corners'], string>> = { square: '0', soft: '0.25rem', round: '0.75rem' };

const FONTS: ReadonlySet<string> = new Set(FONT_NAMES);

/** The style sheet of `look` in publisher.yaml: colours of every scheme, and what differs from `styles/tokens.css`. */
export function lookCss(look: Look): string {
  const schemes = schemesOf(look);
  const [colors, others] = [paletteOf(look, schemes[0] ?? 'light'), paletteOf(look, schemes.at(-1) ?? 'light')];
  const declarations = [
    `color-scheme: ${schemes.join(' ')}`,
    ...(Object.keys(colors) as (keyof Palette)[]).map(
      (name) => `--color-${name}: ${colors[name] === others[name] ? colors[name] : `light-dark(${colors[name]}, ${others[name]})`}`,
    ),
    ...Object.entries(look.fonts).map(([role, font]) => `--font-${role}: ${FONTS.has(font) ? `var(--font-${font})` : font}`),
    `--radius: ${RADII[look.corners]}`,
  ];
  // The choice of the reader: scripts/color-scheme.js.
  const chosen = schemes.length === 1 ? [] : schemes.map((scheme) => `[data-color-scheme=${scheme}] {\n  color-scheme: ${scheme};\n}\n`);
  // The engine's fonts have the faces that its styles use; families of a publication may lack a bold or an italic one.
  const hasOwnFonts = Object.values(look.fonts).some((font) => !FONTS.has(font));
  const synthesis = hasOwnFonts ? 'body {\n  font-synthesis: weight style;\n}\n' : '';
  return `@layer engine {\n:root {\n${declarations.map((declaration) => `  ${declaration};\n`).join('')}}\n${chosen.join('')}${synthesis}}\n`;
}
