import type { Route } from '../../../http/define-route.ts';
import { callUcpToolRoute } from '../../mcp/call-mcp.ts';
import { getUcpProductRoute, getUcpProductsRoute, searchUcpCatalogRoute } from './catalog-routes.ts';
import {
  cancelUcpCheckoutRoute,
  completeUcpCheckoutRoute,
  createUcpCheckoutRoute,
  getUcpCheckoutRoute,
  updateUcpCheckoutRoute,
} from './checkout-routes.ts';

/** Operations of the Universal Commerce Protocol, in the order of the documentation. */
export const UCP_ROUTES: readonly Route[] = [
  searchUcpCatalogRoute,
  getUcpProductsRoute,
  getUcpProductRoute,
  createUcpCheckoutRoute,
  getUcpCheckoutRoute,
  updateUcpCheckoutRoute,
  completeUcpCheckoutRoute,
  cancelUcpCheckoutRoute,
  callUcpToolRoute,
];
