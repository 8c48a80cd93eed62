import type { Route } from '../define-route.ts';

/** Operations of the Universal Commerce Protocol, in the order of the documentation. */
export const UCP_ROUTES: readonly Route[] = [];
