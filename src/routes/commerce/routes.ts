import type { Route } from '../../http/define-route.ts';
import { startCheckoutRoute, viewCartRoute } from './checkout-page.ts';
import { getDeliveryRoute } from './get-delivery.ts';
import { getOrderRoute } from './get-order.ts';
import { openCheckoutRoute } from './open-checkout.ts';
import { paymentWebhookRoute } from './payment-webhook.ts';
import { openInvoiceFormRoute, requestInvoiceRoute } from './request-invoice.ts';

/** Operations on orders and requests for invoices, and the messages of the payment processor. */
export const ORDERS_ROUTES: readonly Route[] = [
  getOrderRoute,
  openCheckoutRoute,
  viewCartRoute,
  startCheckoutRoute,
  openInvoiceFormRoute,
  requestInvoiceRoute,
  getDeliveryRoute,
  paymentWebhookRoute,
];
