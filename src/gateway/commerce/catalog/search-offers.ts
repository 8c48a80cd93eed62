import type { Offer } from '../../../schemas/commerce/offers.ts';
import { analyse } from '../../../search/analysis/analyse.ts';

/** What a word counts for, by where it stands. */
const WEIGHTS = { name: 4, id: 2, summary: 1 } as const;

/** Language of offers. */
const LANGUAGE = 'en';

/**
 * Offers in which a word of a query stands: those with most of its different words first, then those in which the words stand in the
 * name, then in the id, an alias or the category, and last in the summary or a feature; then in the publisher's order. Words are
 * compared as the capsule index compares them: without their endings, and without words such as "the".
 *
 * @param query Blank to get all offers in the publisher's order.
 */
export function searchOffers(query: string, offers: readonly Offer[]): Offer[] {
  if (query.trim() === '') return [...offers];
  const words = termsOf(query);
  return offers
    .map((offer, order) => ({ offer, order, ...rank(words, offer) }))
    .filter(({ found }) => found > 0)
    .sort((a, b) => b.found - a.found || b.score - a.score || a.order - b.order)
    .map(({ offer }) => offer);
}

function rank(words: ReadonlySet<string>, offer: Offer): { found: number; score: number } {
  const fields: readonly (readonly [number, ReadonlySet<string>])[] = [
    [WEIGHTS.name, termsOf(offer.name)],
    [WEIGHTS.id, termsOf([offer.id, ...offer.aliases, offer.category].join(' '))],
    [WEIGHTS.summary, termsOf([offer.summary, ...offer.features].join(' '))],
  ];
  let found = 0;
  let score = 0;
  for (const word of words) {
    const best = Math.max(...fields.map(([weight, terms]) => (terms.has(word) ? weight : 0)));
    if (best > 0) found += 1;
    score += best;
  }
  return { found, score };
}

function termsOf(text: string): Set<string> {
  return new Set(analyse(text, LANGUAGE).map(({ term }) => term));
}
