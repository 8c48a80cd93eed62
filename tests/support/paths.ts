import { join } from 'node:path';

/** Folder of the project. */
export const ROOT = join(import.meta.dirname, '../..');

/** Address that the tested site is built for; nothing listens there. */
export const TEST_BASE_URL = 'http://127.0.0.1:8788';

/** Compiled functions, as `wrangler pages` deploys them. */
export const FUNCTIONS_BUNDLE = join(ROOT, '.akg/functions/index.js');
