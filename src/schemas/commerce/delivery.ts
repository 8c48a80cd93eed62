import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { Id, Sha256Hex } from '../primitives.ts';

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
