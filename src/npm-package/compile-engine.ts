import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { BUILD_FILE } from '../build/engine-package.ts';

/**
 * Compiles `src` into `lib`, the code of the npm package: `npm pack` runs this before it packs. Node strips no types below `node_modules`, so
 * TypeScript becomes JavaScript with the same lines and columns. Everything else is copied; Astro compiles its own files wherever they are.
 */
const SOURCE = join(import.meta.dirname, '..');
const PROJECT = join(SOURCE, '..');
const TARGET = join(PROJECT, 'lib');

/** Parts of `src` that only this project uses, and the client, which is packed as one module (`site/public/client.js`). */
const NOT_PACKED = /^(npm-package\/|client\/|search\/scoring-wasm\/assembly\/)|(^|\/)tsconfig\.json$|(?<!\.d)\.d\.ts$/;

/** What `exports` of package.json names: nothing else can be imported, so only this needs declarations, with what they refer to. */
const EXPORTED = ['build/astro-integration.ts', 'client/gateway-client.ts', 'site/content-collections.ts'];

await rm(TARGET, { recursive: true, force: true });
const paths = (await filesIn(SOURCE)).filter((path) => !NOT_PACKED.test(path));
for (const path of paths) await packFile(path);
writeDeclarations();
await writeFile(join(TARGET, BUILD_FILE), await digestOf(TARGET));
console.log(`lib: ${paths.length} files compiled or copied`);

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

async function packFile(path: string): Promise<void> {
  const [source, target] = [join(SOURCE, path), join(TARGET, path)];
  await mkdir(dirname(target), { recursive: true });
  if (path.endsWith('.ts')) {
    await writeFile(target.replace(/\.ts$/, '.js'), withCompiledImports(stripTypeScriptTypes(await readFile(source, 'utf8'))));
  } else if (/\.(astro|mjs)$/.test(path)) {
    await writeFile(target, withCompiledImports(await readFile(source, 'utf8')));
  } else await cp(source, target);
}

async function digestOf(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const file of (await filesIn(folder)).sort())
    hash
      .update(`/${file}\0`)
      .update(await readFile(join(folder, file)))
      .update('\0');
  return hash.digest('hex').slice(0, 12);
}

function withCompiledImports(code: string): string {
  return code.replace(/(['"])(\.{1,2}\/[^'"\n]+)\.ts\1/g, '$1$2.js$1');
}

/** Declarations for editors. Types are checked by `npm run check:types`, not here. */
function writeDeclarations(): void {
  const roots = EXPORTED.map((path) => join(SOURCE, path));
  const program = ts.createProgram(roots, {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    declaration: true,
    emitDeclarationOnly: true,
    noCheck: true,
    skipLibCheck: true,
    stripInternal: true,
    rootDir: SOURCE,
    outDir: TARGET,
    types: ['node', '@cloudflare/workers-types'],
  });
  const wanted = new Set(roots);
  for (const path of wanted)
    program.emit(program.getSourceFile(path), (name, text) => {
      ts.sys.writeFile(name, withCompiledImports(text));
      for (const { fileName } of ts.preProcessFile(text).importedFiles)
        if (fileName.startsWith('.')) wanted.add(join(dirname(path), fileName));
    });
}
