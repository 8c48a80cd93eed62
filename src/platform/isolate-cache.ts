/**
 * Bytes of blocks that one isolate keeps. Blocks stay encoded in memory, so that with records that were read (some 14 MB), code, scores
 * and one answer under way an isolate takes less than 80 MB of the 128 MB that it may (developers.cloudflare.com/workers/platform/limits).
 */
export const BLOCK_CACHE_BYTES = 52 * 1024 * 1024;
