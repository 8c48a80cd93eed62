import type { Route } from '../define-route.ts';

/** Operations of the Agentic Commerce Protocol, in the order of the documentation. */
export const ACP_ROUTES: readonly Route[] = [];
