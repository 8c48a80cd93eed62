import type { ClickCounter } from './catalog/click-counts.ts';
import type { PaymentWebhookReader } from './orders/handle-payment-event.ts';
import type { OrderStore, PaymentProcessor } from './orders/order-ports.ts';
import type { InvoiceStore } from './orders/request-invoice.ts';
import type { SendWebhook, WebhookDeliveries, WriteOrderEvent } from './orders/webhook-ports.ts';
import type { PaymentAdapters } from './payments/payment-scheme.ts';

/** Why something that the build declares cannot be used: a secret or a binding is missing or malformed. Names no secret. */
export interface NotConfigured {
  readonly missing: string;
}

/** What buying needs from the platform. */
export interface CommerceDependencies {
  /** `undefined` when no database is bound; so are the other stores. */
  readonly orders: OrderStore | undefined;
  readonly webhooks: WebhookDeliveries | undefined;
  readonly invoices: InvoiceStore | undefined;
  readonly clicks: ClickCounter;
  /** `undefined` where the build decided that only hosted links are paid. */
  readonly processor: PaymentProcessor | NotConfigured | undefined;
  readonly readPaymentWebhook: PaymentWebhookReader | NotConfigured;
  readonly writeOrderEvent: WriteOrderEvent;
  readonly sendWebhook: SendWebhook;
}

/** What the gateway leaves to protocols; handed in where one is put together. */
export interface ProtocolAdapters {
  readonly payments: PaymentAdapters;
  readonly writeOrderEvent: WriteOrderEvent;
}
