import type { Offer } from '../../../schemas/commerce/offers.ts';
import { analyse } from '../../../search/analysis/analyse.ts';

const WEIGHTS = { name: 4, id: 2, summary: 1 } as const;

const LANGUAGE = 'en';

/**
 * Offers that contain a word of the query, sorted by number of distinct words, then by field (name; id, alias or category; summary or
 * feature), then in the publisher's order. Words are analysed as in the capsule index.
 *
 * @param query Blank for all offers in the publisher's order.
 */
export function searchOffers(query: string, offers: readonly Offer[]): Offer[] {
  if (query.trim() === '') return [...offers];
  const words = termsOf(query);
  return offers
    .map((offer, order) => ({ offer, order, ...rank(words, offer) }))
    .filter(({ matched }) => matched > 0)
    .sort((a, b) => b.matched - a.matched || b.score - a.score || a.order - b.order)
    .map(({ offer }) => offer);
}

function rank(words: ReadonlySet<string>, offer: Offer): { matched: number; score: number } {
  const fields: readonly (readonly [number, ReadonlySet<string>])[] = [
    [WEIGHTS.name, termsOf(offer.name)],
    [WEIGHTS.id, termsOf([offer.id, ...offer.aliases, offer.category ?? ''].join(' '))],
    [WEIGHTS.summary, termsOf([offer.summary, ...offer.features].join(' '))],
  ];
  let matched = 0;
  let score = 0;
  for (const word of words) {
    const best = Math.max(...fields.map(([weight, terms]) => (terms.has(word) ? weight : 0)));
    if (best > 0) matched += 1;
    score += best;
  }
  return { matched, score };
}

function termsOf(text: string): Set<string> {
  return new Set(analyse(text, LANGUAGE).map(({ term }) => term));
}
