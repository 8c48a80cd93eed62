import { type Compilation, finishCompilation, setCompilation } from './compilation.ts';
import { astroConfig } from './integration.ts';

/**
 * Compiles the pages of the publication at `root` with Astro, with its `astro.config.mjs` if it has one. A process compiles once.
 *
 * @returns The files of the publication that were compiled, as absolute paths.
 */
export async function compilePages(root: string, compilation: Omit<Compilation, 'files'>): Promise<string[]> {
  const files = new Set<string>();
  setCompilation({ ...compilation, files });
  const { build } = await import('astro');
  // Errors are thrown too, and reported once.
  await build({ ...astroConfig(root), logLevel: 'silent' });
  await finishCompilation(compilation, root);
  return [...files].sort();
}

/** A development server of Astro. */
export interface DevPages {
  readonly stop: () => Promise<void>;
}

/** Opens Astro's development server of the publication at `root`, for the live site of this process, at a port of this machine. */
export async function openDevPages(root: string, port: number): Promise<DevPages> {
  process.env['ASTRO_TELEMETRY_DISABLED'] = '1';
  process.env['ASTRO_DISABLE_UPDATE_CHECK'] = 'true';
  // Whatever the shell has set: with "test" or "production" Astro hears of no change (astro/dist/core/create-vite.js, `hmr`).
  process.env['NODE_ENV'] = 'development';
  // Loaded late: Astro is large.
  const { dev } = await import('astro');
  return dev({ ...astroConfig(root), logLevel: 'error', server: { port, host: '127.0.0.1' } });
}
