import type { Route } from '../define-route.ts';

/** Operations on orders and requests for invoices, and the messages of the payment processor. */
export const ORDERS_ROUTES: readonly Route[] = [];
