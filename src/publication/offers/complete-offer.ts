import { OFFER_SUMMARY_MAX_LENGTH, type OfferDefaults, type OfferFrontMatter, type WrittenOffer } from '../../schemas/commerce/offers.ts';
import { type TextDefaults, updatedDay } from '../defaults/complete-front-matter.ts';
import { cutSummary } from '../defaults/summary-of-text.ts';

/**
 * Front matter of an offer with its defaults: the summary from the text, the day of the last change from the file, the rest from `offers` of
 * publisher.yaml. Terms that nobody states stay absent.
 */
export function completeOffer(written: WrittenOffer, defaults: TextDefaults, publication: OfferDefaults): OfferFrontMatter {
  const { category, refund, delivery, valid_until } = publication;
  const summary = written.summary ?? cutSummary(defaults.text().summary ?? '', OFFER_SUMMARY_MAX_LENGTH);
  return {
    ...written,
    category: written.category ?? category,
    refund: written.refund ?? refund,
    delivery: written.delivery ?? delivery,
    valid_until: written.valid_until ?? valid_until,
    summary: summary || written.name,
    updated: updatedDay(written, defaults),
  };
}
