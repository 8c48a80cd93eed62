import { type ContentProblem, fileProblem } from '../content-problem.ts';
import type { PublishedLedger } from '../published-ledger.ts';

/** A warning for every offer that was published, and is missing or a draft now, and is no alias of another. */
export function checkPublishedOffers(
  offers: readonly { readonly id: string; readonly aliases: readonly string[] }[],
  { offers: published }: PublishedLedger,
): ContentProblem[] {
  const known = new Set(offers.flatMap(({ id, aliases }) => [id, ...aliases]));
  return [...published.values()]
    .filter(({ offer }) => !known.has(offer))
    .map(({ offer, published: day }) =>
      fileProblem(
        `content/offers/${offer}.md`,
        `was published on ${day}, and is missing or a draft now: /buy/${offer} answers 404, and paid orders of it deliver nothing. If it is no longer sold, restore it and add "discontinued: <day>": its page then says so, and its orders are delivered. To change its id, use "npm run rename ${offer} <new-id>". If nobody bought it, delete its line in content/published.jsonl`,
        'warning',
      ),
    );
}
