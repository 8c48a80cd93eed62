import type { AuthoredPage } from '../publication/content.ts';
import { InvalidContentError } from '../publication/content-problem.ts';
import { paymentOverrides } from '../publication/payment-settings.ts';
import { type FreeCapsule, freePart, payableContent } from '../publication/capsules/paid-capsules.ts';
import { publishCapsules } from '../publication/capsules/published-capsules.ts';
import { readContent } from '../publication/read-content.ts';
import { makeOffers, type Offer } from '../publication/offers/offer.ts';
import type { Publisher } from '../schemas/publisher.ts';
import { MODE } from './deployment.ts';

/** An offer with the text of its page. */
export interface OfferEntry extends Offer {
  readonly markdown: string;
}

/** Everything that the pages are made from. Offers are in the publisher's order, all other lists in ascending order of id. */
export interface Publication {
  readonly publisher: Publisher;
  /** Without texts that are sold. */
  readonly capsules: readonly FreeCapsule[];
  readonly offers: readonly OfferEntry[];
  readonly pages: readonly AuthoredPage[];
}

let current: Promise<Publication> | undefined;

/**
 * The publication in `content/`, read and checked once.
 *
 * @throws {InvalidContentError} With every problem, if the content cannot be published.
 */
export function publication(): Promise<Publication> {
  current ??= readPublication();
  return current;
}

/** Makes the next call of {@link publication} read `content/` again. */
export function forgetPublication(): void {
  current = undefined;
}

async function readPublication(): Promise<Publication> {
  const { content: authored, problems } = await readContent(process.cwd(), {
    today: process.env['AKG_TODAY'] ?? new Date().toISOString().slice(0, 10),
    baseUrl: process.env['BASE_URL'],
    checkoutHost: process.env['CHECKOUT_HOST'],
    ...paymentOverrides(process.env),
    areTextsChecked: process.env['AKG_TEXTS_CHECKED'] === 'yes',
  });
  if (authored === undefined) throw new InvalidContentError(problems);
  const content = payableContent(authored, MODE);
  const texts = new Map(content.offers.map(({ id, markdown }) => [id, markdown]));
  return {
    publisher: content.publisher,
    capsules: (await publishCapsules(content)).map(freePart),
    offers: makeOffers(content.offers, content.publisher).map((offer) => ({ ...offer, markdown: texts.get(offer.id) ?? '' })),
    pages: content.pages,
  };
}
