import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { ContentDate, Id, Sha256Hex, URI_CHARACTERS, Uri } from '../primitives.ts';

const Title = z
  .string()
  .min(3)
  .max(120)
  .regex(/^[^\r\n]*$/, 'must be on one line')
  .describe('What it is, for people.');

/** A text that is handed over as it is written in the offer. */
const TextDelivery = z.strictObject({
  kind: z.literal('text'),
  name: Id,
  title: Title,
  text: z.string().min(1).max(4_000, 'must have at most 4000 characters; put a longer text into a file of content/deliveries'),
});

/** A paid capsule, in all its versions. */
const CapsuleDelivery = z.strictObject({ kind: z.literal('capsule'), capsule: Id });

/** A key with the raised limit. A key lives 90 days at the most, so that it can always be taken back. */
const LimitDelivery = z.strictObject({ kind: z.literal('limit'), days: z.int().min(1).max(LIMITS.keyTtlDays) });

/** What an offer hands over by itself once it is paid, as its author writes it. */
export const AuthoredDelivery = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('file'),
    name: Id,
    title: Title,
    /** Name of a file in `content/deliveries`. */
    file: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,80}$/, 'must be the name of a file in content/deliveries'),
  }),
  TextDelivery,
  CapsuleDelivery,
  LimitDelivery,
]);
export type AuthoredDelivery = z.infer<typeof AuthoredDelivery>;

/** The same as functions hand it over: a file is a block of the store, under its digest. */
export const StoredDelivery = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('file'),
    name: Id,
    title: Title,
    fileName: z.string(),
    mediaType: z.string(),
    sha256: Sha256Hex,
    bytes: z.int().min(0),
  }),
  TextDelivery,
  CapsuleDelivery,
  LimitDelivery,
]);
export type StoredDelivery = z.infer<typeof StoredDelivery>;

/** What everybody may know of a delivery: neither its text nor the name of its file. */
export function announcedDelivery(delivery: AuthoredDelivery | StoredDelivery): { kind: AuthoredDelivery['kind']; title: string } {
  switch (delivery.kind) {
    case 'file':
    case 'text':
      return { kind: delivery.kind, title: delivery.title };
    case 'capsule':
      return { kind: delivery.kind, title: `The paid capsule ${delivery.capsule}` };
    case 'limit':
      return { kind: delivery.kind, title: `A key with a raised limit of queries for ${delivery.days} days` };
  }
}

/** Name under which a delivery is asked for, at the address of an order. */
export function deliveryName(delivery: AuthoredDelivery | StoredDelivery): string {
  if (delivery.kind === 'capsule') return delivery.capsule;
  return delivery.kind === 'limit' ? 'key' : delivery.name;
}

/** How often an offer is paid. */
export const CADENCES = ['free', 'one_time', 'monthly', 'annual'] as const;
export const Cadence = z.enum(CADENCES);
export type Cadence = z.infer<typeof Cadence>;

/** Cadence in words, for people. */
export const CADENCE_WORDS: Readonly<Record<Cadence, string>> = {
  free: 'free',
  one_time: 'once',
  monthly: 'a month',
  annual: 'a year',
};

/** Front matter of `content/offers/<id>.md`; the text below it describes the offer on its page. */
export const OfferFrontMatter = z.strictObject({
  name: z.string().min(3).max(80),
  summary: z.string().min(40, 'must have at least 40 characters').max(240, 'must have at most 240 characters'),
  category: Id,
  /** US dollars with at most two decimals; whole cents inside. */
  price_usd: z
    .number('must be a number of US dollars such as 450 or 19.50')
    .min(0, 'must not be below 0')
    .max(999_999, 'must be below 1,000,000')
    .refine((value) => Number(value.toFixed(2)) === value, 'must have at most two decimals'),
  cadence: Cadence,
  /** Page of the offer or one of its aliases; the default is the offer's own page. */
  route: z
    .string()
    .regex(/^\/buy\/[a-z0-9-]+$/, 'must be a route under /buy/, such as /buy/evidence-review')
    .optional(),
  aliases: z.array(Id).max(8).default([]),
  /** Path on the checkout host, or a whole https address on it. */
  checkout: z
    .string()
    .max(500)
    .regex(
      new RegExp(`^(/|https://)[${URI_CHARACTERS}]*$`),
      'must be a path such as /demo/evidence-review, or an https address on the checkout host, with other characters written as %XX',
    ),
  demo: z.boolean().default(false),
  draft: z.boolean().default(false),
  features: z.array(z.string().min(8).max(160)).min(2, 'must list at least 2 features').max(8),
  refund: z.string().min(10).max(300),
  delivery: z.string().min(10).max(300),
  /** What is handed over at the address of the order once it is paid; `delivery` says so in words, and the rest. */
  delivers: z.array(AuthoredDelivery).max(8).default([]),
  valid_until: ContentDate,
  updated: ContentDate,
});
export type OfferFrontMatter = z.infer<typeof OfferFrontMatter>;

/** An offer as pages, documents and orders have it: the only place that a price comes from. */
export const Offer = z.object({
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
  /** Path of the page that the publisher prefers to be linked: the offer's own or an alias. */
  preferredPath: z.string(),
  /** Hosted checkout that charges one piece. */
  checkoutUrl: Uri,
  /** True when the checkout is a demonstration on which nothing can be paid. */
  demo: z.boolean(),
  /** Last day on which it is sold, `YYYY-MM-DD`. */
  validUntil: z.string(),
  /** What happens once it is paid, and when money is given back, in the words of the offer. */
  delivery: z.string(),
  refund: z.string(),
  /** What the address of a paid order hands over. */
  delivers: z.array(StoredDelivery),
  /** Day of its newest change, `YYYY-MM-DD`. */
  updated: z.string(),
});
export type Offer = z.infer<typeof Offer>;

/**
 * Whether an offer can be bought, in the words that catalogs for agents share: members and values of `types/availability.json` of
 * UCP 2026-08-25, and of `Availability` in `schema.feed.json` of ACP 2026-04-17.
 */
export type Availability = { readonly available: boolean; readonly status: 'in_stock' | 'out_of_stock' };

/** Availability of an offer: a demonstration cannot be bought. The only source of it for documents and pages. */
export function availabilityOf({ demo }: Pick<Offer, 'demo'>): Availability {
  return demo ? { available: false, status: 'out_of_stock' } : { available: true, status: 'in_stock' };
}
