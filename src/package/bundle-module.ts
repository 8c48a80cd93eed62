import { type BuildOptions, build } from 'esbuild';

/** One module of ours as one minified file; the same source gives the same bytes. @throws If the source has errors. */
export async function bundleModule(
  options: Pick<BuildOptions, 'absWorkingDir' | 'plugins'> & { readonly entryPoint: string },
): Promise<Uint8Array> {
  const { entryPoint, ...more } = options;
  const { outputFiles } = await build({
    ...more,
    entryPoints: [entryPoint],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    banner: { js: '/* Licence: Apache-2.0 */' },
    legalComments: 'none',
    write: false,
  });
  const [bundle] = outputFiles;
  if (bundle === undefined) throw new Error('esbuild made no file');
  return bundle.contents;
}
