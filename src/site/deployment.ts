import type { Deployment } from '../schemas/deployment.ts';

/** Which deployment the pages are built for: `edge` has an API under /api/v1, `static` is files alone. */
export type Mode = Deployment['mode'];

/** Mode of this build. Pages name nothing that does not answer in it. */
export const MODE: Mode = process.env['AKG_MODE'] === 'static' ? 'static' : 'edge';
