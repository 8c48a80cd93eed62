import module from 'node:module';
import { isMainThread } from 'node:worker_threads';

/** Modules that Astro makes, for tests of modules of `src/site`. */
const MODULES = { 'virtual:strings': './english-strings.ts', 'astro:content': './astro-content.ts' };

export function resolve(specifier, context, nextResolve) {
  const file = MODULES[specifier];
  return file === undefined ? nextResolve(specifier, context) : { url: new URL(file, import.meta.url).href, shortCircuit: true };
}

/**
 * Lets the buffer double into which Miniflare writes the configuration of each workerd that it starts. As it is, it copies megabytes for
 * each of a hundred modules, which is most of what a start costs the process of the tests.
 */
const GROWTH = 'minSize = minSize < MIN_SINGLE_SEGMENT_GROWTH ? MIN_SINGLE_SEGMENT_GROWTH : padToWord$1(minSize);';

function loadGrowing(url, context, nextLoad) {
  const loaded = nextLoad(url, context);
  if (!url.endsWith('/node_modules/miniflare/dist/src/index.js')) return loaded;
  const source = String(loaded.source).replace(GROWTH, () => `${GROWTH} minSize = Math.max(minSize, srcBuffer.byteLength);`);
  return { ...loaded, source };
}

// Before Node 22.15 hooks run in a thread of their own, where this file is loaded once more; without the second, starts are only slower.
if (module.registerHooks) module.registerHooks({ resolve, load: loadGrowing });
else if (isMainThread) module.register(import.meta.url);
