import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild';

/**
 * Programs that every site serves, so that their users need neither a package registry nor a copy of the source: each is one file without
 * dependencies in `src/site/public`. The same source gives the same bytes, so their digests can be compared.
 */
const ENGINE = join(import.meta.dirname, '..');
const PUBLIC = join(ENGINE, 'site/public');

/** The verifier as a module, for browsers and other programs. */
export const VERIFIER_FILE = join(PUBLIC, 'verify.js');
export const CLIENT_FILE = join(PUBLIC, 'client.js');
export const VERIFY_COMMAND_FILE = join(PUBLIC, 'akg-verify.mjs');

/** The command starts where it is bundled: in the engine, `akg` starts it. */
const VERIFY_COMMAND_ENTRY = `import { verifyCommand } from './cli/commands/verify.ts';
await verifyCommand('node akg-verify.mjs').name('akg-verify.mjs').parseAsync();
`;

/** commander is a CommonJS module, which loads modules of Node by `require`. */
const REQUIRE = "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);";

export const PROGRAMS: ReadonlyMap<string, () => Promise<Uint8Array>> = new Map([
  [VERIFIER_FILE, () => bundle({ entryPoints: [join(ENGINE, 'provenance/verify/verify.ts')] })],
  [CLIENT_FILE, bundleClient],
  [
    VERIFY_COMMAND_FILE,
    () =>
      bundle({ stdin: { contents: VERIFY_COMMAND_ENTRY, resolveDir: ENGINE, loader: 'ts' }, platform: 'node', target: 'node20' }, REQUIRE),
  ],
]);

/** The values of `operations.ts` stand in the client as they are: the routes that they come from need the whole gateway. */
async function bundleClient(): Promise<Uint8Array> {
  const values = (await import('../client/operations.ts')) as object;
  return bundle({
    entryPoints: [join(ENGINE, 'client/gateway-client.ts')],
    plugins: [
      {
        name: 'values-of-operations',
        setup: ({ onLoad }) => {
          onLoad({ filter: /\/operations\.ts$/ }, () => ({
            contents: Object.entries(values)
              .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
              .join('\n'),
          }));
        },
      },
    ],
  });
}

/** One module of ours as one minified file. @throws If the source has errors. */
async function bundle(options: BuildOptions, prelude = ''): Promise<Uint8Array> {
  const { outputFiles } = await build({
    absWorkingDir: ENGINE,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    banner: { js: ['/* Licence: Apache-2.0 */', prelude].filter((line) => line !== '').join('\n') },
    legalComments: 'none',
    ...options,
    write: false,
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error('esbuild made no file');
  return file.contents;
}

if (process.argv[1] === import.meta.filename) {
  for (const [file, make] of PROGRAMS) {
    const bytes = await make();
    await writeFile(file, bytes);
    console.log(`${file.slice(PUBLIC.length + 1)}: ${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} bytes gzipped`);
  }
}
