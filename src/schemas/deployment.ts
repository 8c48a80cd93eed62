import * as z from 'zod';
import { Id, IsoDateTime, Uri } from './primitives.ts';
import { StoredDelivery } from './commerce/delivery.ts';
import { Cadence } from './commerce/offer-front-matter.ts';
import { BlockStorage, CommerceSettings, IntakePolicy, Origin } from './publisher.ts';

/** Date of the interface, sent as `Gateway-Version`; raised when an answer changes in a way that a caller could notice. */
export const GATEWAY_VERSION = '2026-11-21';

/** Port at which `npm start` serves unless another one is named. */
export const LOCAL_PORT = 8788;

/** Address of a service that `npm start` serves. */
export const LOCAL_BASE_URL = `http://127.0.0.1:${LOCAL_PORT}`;

/** An offer as orders need it: the only place that a price comes from at run time. */
export const SoldOffer = z.object({
  id: Id,
  aliases: z.array(Id),
  name: z.string(),
  summary: z.string(),
  category: z.string(),
  features: z.array(z.string()),
  /** Price of one piece, or of one period, in integer minor units. */
  amountMinor: z.int().min(0),
  currency: z.literal('USD'),
  cadence: Cadence,
  /** Hosted checkout that charges one piece. */
  checkoutUrl: Uri,
  /** True when the checkout is a demonstration on which nothing can be paid. */
  demo: z.boolean(),
  /** Last day on which it is sold, `YYYY-MM-DD`. */
  validUntil: z.string(),
  /** What happens once it is paid, and when money is given back, in the words of the offer. */
  delivery: z.string(),
  refund: z.string(),
  /** What is handed over at the address of an order that is paid. */
  delivers: z.array(StoredDelivery),
});
export type SoldOffer = z.infer<typeof SoldOffer>;

/** How paid capsules are paid. */
export const PaymentTerms = z.object({
  /** Address that is paid. */
  payTo: z.string(),
  /** Network by CAIP-2. */
  network: z.string(),
  /** Address of the facilitator that settles, without a slash at the end. */
  facilitator: z.string(),
});
export type PaymentTerms = z.infer<typeof PaymentTerms>;

/** What a build decided. Run time reads only secrets and bindings besides. */
export const Deployment = z.object({
  /** `static`: files only. `edge`: files and functions. */
  mode: z.enum(['static', 'edge']),
  baseUrl: Origin,
  checkoutHost: z.string(),
  name: z.string(),
  description: z.string(),
  contactEmail: z.string(),
  issuer: z.string(),
  sample: z.boolean(),
  keyPrefix: z.enum(['akg_live_', 'akg_test_']),
  /** `bench` lifts the rate limits; only on a loopback address. */
  rateLimits: z.enum(['default', 'bench']),
  /** Where functions find the blocks of the corpus. */
  storage: BlockStorage,
  /** Who may propose; `closed` where there are no functions. */
  intake: IntakePolicy,
  /** Newest change of an offer or of the publisher. */
  catalogUpdatedAt: IsoDateTime,
  offers: z.array(SoldOffer),
  /** How agents buy; everything is off where there are no functions. */
  commerce: z.object({
    acp: CommerceSettings.shape.acp.unwrap(),
    ucp: CommerceSettings.shape.ucp.unwrap(),
    processor: CommerceSettings.shape.processor.unwrap(),
    webhookHosts: z.array(z.string()),
    /** Account at the processor for which agents get shared payment tokens; without it none are taken. */
    merchantId: z.string().optional(),
  }),
  /** How paid capsules are paid; absent while payments are off. */
  payments: PaymentTerms.optional(),
});
export type Deployment = z.infer<typeof Deployment>;
