import { join } from 'node:path';
import { build } from 'esbuild';

const CLIENT = join(import.meta.dirname, '../client');

/**
 * Bundles the client as one module without imports. The values of `operations.ts` stand in it as they are: the routes that they come from
 * need the whole gateway.
 */
export async function bundleClient(): Promise<Uint8Array> {
  const operations = join(CLIENT, 'operations.ts');
  const values = (await import(operations)) as object;
  const { outputFiles } = await build({
    absWorkingDir: CLIENT,
    entryPoints: [join(CLIENT, 'gateway.ts')],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    banner: { js: '/* Licence: Apache-2.0 */' },
    legalComments: 'none',
    write: false,
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
  const [bundle] = outputFiles;
  if (bundle === undefined) throw new Error('esbuild made no file');
  return bundle.contents;
}
