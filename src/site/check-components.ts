import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ContentProblem } from '../publication/content-problem.ts';
import { engineComponents, OVERRIDES_FOLDER, readConfiguredComponents, readOverrides, resolveComponent } from './component-overrides.ts';

/** The part of Astro's compiler that is used: it reports what it cannot compile, with 1-based lines. */
interface AstroCompiler {
  transform(
    source: string,
    options: { readonly filename: string },
  ): {
    readonly diagnostics: readonly {
      readonly severity: string;
      readonly text: string;
      readonly labels: readonly { readonly line: number }[];
    }[];
  };
}

/** Whether a component has a default slot, through which it shows what it encloses. */
function hasDefaultSlot(source: string): boolean {
  return [...source.matchAll(/<slot\b([^<>]{0,500})>/g)].some(
    ([, attributes = '']) => !/\bname\b/.test(attributes) || /default/.test(attributes),
  );
}

const IMPORT = /^[ \t]*import\s(?:[^'";]*?\sfrom\s*)?["']([^"'\n]+)["']/gm;

/**
 * Mistakes in the components of a publication that show without a build: names that the engine does not have, missing files, files that do
 * not compile, imports that lead nowhere; as warnings replacements without the slot of the original.
 */
export async function checkComponents(root: string): Promise<ContentProblem[]> {
  const configured = await readConfiguredComponents(root);
  const { files, problems } = await readOverrides(root, configured);
  const own = await componentFiles(root);
  const all = [...new Set([...own, ...files.values()])];
  if (all.length === 0) return [...problems];
  const components = await engineComponents();
  const compiler = await loadCompiler();
  const found = await Promise.all(
    all.map(async (path): Promise<ContentProblem[]> => {
      const file = relative(root, path);
      const source = await readFile(path, 'utf8');
      const failures = compiler
        .transform(source, { filename: path })
        .diagnostics.filter(({ severity }) => severity === 'error')
        .map(({ text, labels }) => ({ file, field: '', ...compileFault(source, text, labels[0]?.line) }));
      if (failures.length > 0) return failures;
      const imports = [...source.matchAll(IMPORT)].flatMap(({ 0: { length }, 1: target = '', index }) => {
        const message = importProblem(root, target, path, { components, overrides: files });
        return message === undefined ? [] : [{ file, line: source.slice(0, index + length).split('\n').length, field: '', message }];
      });
      const name = [...files].find(([, replacing]) => replacing === path)?.[0];
      const original = name === undefined ? undefined : components.get(name);
      const losesContent =
        original !== undefined &&
        hasDefaultSlot(await readFile(original, 'utf8')) &&
        !hasDefaultSlot(source) &&
        !source.includes('Astro.slots');
      const slot: ContentProblem = {
        file,
        line: 1,
        field: '',
        message: `has no <slot />, so everything that ${name} encloses is missing on the pages; write <slot /> where it belongs`,
        level: 'warning',
      };
      return [...imports, ...(losesContent ? [slot] : [])];
    }),
  );
  return [...problems, ...found.flat()];
}

/** A message of the compiler, at a line that exists: it names the line below the last one where something is still open at the end. */
function compileFault(source: string, text: string, line: number | undefined): { readonly line: number; readonly message: string } {
  const lines = source.trimEnd().split('\n').length;
  if (line !== undefined && line <= lines) return { line, message: `does not compile: ${text}` };
  return { line: lines, message: `does not compile: ${text}. A tag, a bracket or a quote is still open at the end of the file; close it` };
}

/** What is wrong with an import; `undefined` if it leads to something, or is of a package. */
function importProblem(root: string, target: string, importer: string, known: Parameters<typeof resolveComponent>[2]): string | undefined {
  const former = /^virtual:(site|brand|overview)$/.exec(target)?.[1];
  if (former !== undefined) return `imports ${target}, which no longer exists; write "const { ${former} } = Astro.locals;" instead`;
  try {
    if (resolveComponent(target, importer, known) !== undefined) return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(importer, '').trim() : String(error);
  }
  if (!/^\.{1,2}\//.test(target)) return undefined;
  const file = resolve(dirname(importer), target.replace(/[?#].*$/, ''));
  const isThere = [file, ...['.ts', '.js', '.mjs', '.json', '/index.ts', '/index.js'].map((ending) => file + ending)].some((path) =>
    existsSync(path),
  );
  return isThere ? undefined : `imports ${target}, and ${relative(root, file)} is missing`;
}

/** All components of a publication, also those in subfolders of `components/`. */
async function componentFiles(root: string): Promise<string[]> {
  const folder = join(root, OVERRIDES_FOLDER);
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  return names
    .filter((name) => name.endsWith('.astro'))
    .sort()
    .map((name) => join(folder, name));
}

/** The compiler that Astro depends on. */
async function loadCompiler(): Promise<AstroCompiler> {
  const astro = createRequire(import.meta.url).resolve('astro/package.json');
  const path = createRequire(astro).resolve('@astrojs/compiler-rs');
  return (await import(/* @vite-ignore */ pathToFileURL(path).href)) as AstroCompiler;
}
