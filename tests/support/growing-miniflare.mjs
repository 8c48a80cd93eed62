import module from 'node:module';

/**
 * Lets the buffer double into which Miniflare writes the configuration of each workerd that it starts. As it is, it copies megabytes for
 * each of a hundred modules, which is most of what a start costs the process of the tests.
 */
const GROWTH = 'minSize = minSize < MIN_SINGLE_SEGMENT_GROWTH ? MIN_SINGLE_SEGMENT_GROWTH : padToWord$1(minSize);';

// Without these hooks, as before Node 22.15, starts are only slower.
module.registerHooks?.({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith('/node_modules/miniflare/dist/src/index.js')) return loaded;
    const source = String(loaded.source).replace(GROWTH, () => `${GROWTH} minSize = Math.max(minSize, srcBuffer.byteLength);`);
    return { ...loaded, source };
  },
});
