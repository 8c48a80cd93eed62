import type { ClickCounter } from '../catalog/click-counts.ts';
import type { GatewayMessageReader } from '../orders/payment-event-ports.ts';
import type { InvoiceStore } from '../orders/invoice-ports.ts';
import type { NoticeSender, NoticeStore } from '../orders/webhook-ports.ts';
import type { OrderStore, PaymentProcessor } from '../orders/order-ports.ts';

/** Why something that the build declares cannot be used: a secret or a binding is missing. Names no secret. */
export interface Missing {
  readonly missing: string;
}

/** What buying needs from the world. */
export interface CommerceDependencies {
  /** `undefined` when no database is bound; so are the other stores. */
  readonly orders: OrderStore | undefined;
  readonly notices: NoticeStore | undefined;
  readonly invoices: InvoiceStore | undefined;
  readonly clicks: ClickCounter;
  /** `undefined` where the build decided that hosted links alone are paid. */
  readonly processor: PaymentProcessor | Missing | undefined;
  /** Reads messages of the processor. */
  readonly messages: GatewayMessageReader | Missing;
  readonly sendNotice: NoticeSender;
}
