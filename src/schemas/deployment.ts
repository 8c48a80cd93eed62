import * as z from 'zod';
import { Offer } from './commerce/offers.ts';
import { IsoDateTime } from './primitives.ts';
import { BlockStorage, CommerceSettings, IntakePolicy, Origin } from './publisher.ts';

/** Date of the interface, sent as `Gateway-Version`; raised when an answer changes in a way that a caller could notice. */
export const GATEWAY_VERSION = '2026-11-21';

/** Port at which `npm start` serves unless another one is named. */
export const LOCAL_PORT = 8788;

/** Address of a service that `npm start` serves. */
export const LOCAL_BASE_URL = `http://127.0.0.1:${LOCAL_PORT}`;

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
  offers: z.array(Offer),
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
  payments: z
    .object({
      /** Address that is paid. */
      payTo: z.string(),
      /** Network by CAIP-2. */
      network: z.string(),
      /** Address of the facilitator that settles, without a slash at the end. */
      facilitator: z.string(),
    })
    .optional(),
});
export type Deployment = z.infer<typeof Deployment>;
