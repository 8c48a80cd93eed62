import module from 'node:module';
import { isMainThread } from 'node:worker_threads';

/** Modules that Astro makes, for tests of modules of `src/site`. */
const MODULES = { 'virtual:strings': './english-strings.ts', 'astro:content': './astro-content.ts' };

export function resolve(specifier, context, nextResolve) {
  const file = MODULES[specifier];
  return file === undefined ? nextResolve(specifier, context) : { url: new URL(file, import.meta.url).href, shortCircuit: true };
}

/** What modules are as Node loads them, and what they become. */
const CHANGES = [
  {
    // Lets the buffer double into which Miniflare writes the configuration of each workerd that it starts. As it is, it copies megabytes for
    // each of a hundred modules, which is most of what a start costs the process of the tests.
    file: '/node_modules/miniflare/dist/src/index.js',
    from: 'minSize = minSize < MIN_SINGLE_SEGMENT_GROWTH ? MIN_SINGLE_SEGMENT_GROWTH : padToWord$1(minSize);',
    to: 'minSize = Math.max(padToWord$1(minSize), MIN_SINGLE_SEGMENT_GROWTH, srcBuffer.byteLength);',
  },
  // As in a build: Node has no environment.
  { file: '/src/site/query-collections.ts', from: 'import.meta.env.DEV', to: 'false' },
];

function load(url, context, nextLoad) {
  const loaded = nextLoad(url, context);
  const change = CHANGES.find(({ file }) => url.endsWith(file));
  return change === undefined ? loaded : { ...loaded, source: String(loaded.source).replace(change.from, () => change.to) };
}

// Before Node 22.15 hooks run in a thread of their own, where this file is loaded once more, and modules stay as they are.
if (module.registerHooks) module.registerHooks({ resolve, load });
else if (isMainThread) module.register(import.meta.url);
