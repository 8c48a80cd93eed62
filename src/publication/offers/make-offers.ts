import { createHash } from 'node:crypto';
import type { AuthoredDelivery, StoredDelivery } from '../../schemas/commerce/offers.ts';
import { buyPath } from '../../schemas/paths.ts';
import type { Publisher } from '../../schemas/publisher.ts';
import type { AuthoredOffer, PublishedOffer } from '../authored-content.ts';
import { resolveCheckoutUrl } from './check-offers.ts';

/**
 * Offers in the publisher's order.
 *
 * @param files Contents of `content/deliveries`, by name.
 * @throws {RangeError} If a checkout is not on the checkout host, or a delivered file is missing. Checked content never throws.
 */
export function makeOffers(
  authored: readonly Omit<AuthoredOffer, 'file'>[],
  publisher: Publisher,
  files: ReadonlyMap<string, Uint8Array> = new Map(),
): PublishedOffer[] {
  const byId = new Map(authored.map((offer) => [offer.id, makeOffer(offer, publisher, files)]));
  return publisher.offers.order.flatMap((id) => byId.get(id) ?? []);
}

function makeOffer(
  { id, frontMatter: authored, markdown, references }: Omit<AuthoredOffer, 'file'>,
  publisher: Publisher,
  files: ReadonlyMap<string, Uint8Array>,
): PublishedOffer {
  const checkoutUrl = resolveCheckoutUrl(authored.checkout, publisher.checkout_host);
  if (checkoutUrl === undefined) throw new RangeError(`offer "${id}" has a checkout outside ${publisher.checkout_host}`);
  return {
    id,
    aliases: authored.aliases,
    name: authored.name,
    summary: authored.summary,
    category: authored.category,
    features: authored.features,
    amountMinor: Math.round(authored.price_usd * 100),
    currency: publisher.currency,
    cadence: authored.cadence,
    preferredPath: authored.route ?? buyPath(id),
    checkoutUrl,
    demo: authored.demo,
    validUntil: authored.valid_until,
    delivery: authored.delivery,
    refund: authored.refund,
    delivers: authored.delivers.map((delivery) => storedDelivery(delivery, files)),
    updated: authored.updated,
    markdown,
    ...(references ? { references } : {}),
  };
}

function storedDelivery(delivery: AuthoredDelivery, files: ReadonlyMap<string, Uint8Array>): StoredDelivery {
  if (delivery.kind !== 'file') return delivery;
  const bytes = files.get(delivery.file);
  if (bytes === undefined) throw new RangeError(`content/deliveries/${delivery.file} is missing`);
  return {
    kind: 'file',
    name: delivery.name,
    title: delivery.title,
    fileName: delivery.file,
    mediaType: MEDIA_TYPES[delivery.file.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'application/octet-stream',
    sha256: createHash('sha256').update(bytes).digest('hex'),
    bytes: bytes.length,
  };
}

/** Media types of files that offers deliver, by file name extension; any other is `application/octet-stream`. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  epub: 'application/epub+zip',
  json: 'application/json',
  md: 'text/markdown',
  pdf: 'application/pdf',
  txt: 'text/plain',
  zip: 'application/zip',
};
