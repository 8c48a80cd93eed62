import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** The publication that tests are about. The one in `content/` may be replaced without any of them. */
export const PUBLICATION = join(ROOT, 'tests/fixtures/signpost');

export const TEST_BASE_URL = 'http://127.0.0.1:8788';

/** Entry point of the compiled functions, with all that some build leaves out: tests switch on what the publication has off. */
export const FUNCTIONS_BUNDLE = join(PUBLICATION, '.akg/functions/_worker.js/index.js');
