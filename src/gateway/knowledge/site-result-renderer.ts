import { sha256Hex } from '../../provenance/bytes.ts';
import { majorUnits, minorUnits, termSentences } from '../../publication/offers/stated-prices.ts';
import { availabilityOf, hasPrice, type Offer, type QuoteOnlyOffer } from '../../schemas/commerce/offers.ts';
import type { SiteResult } from '../../schemas/knowledge/search.ts';
import type { SITE_MEMBERS, SiteText } from '../../schemas/knowledge/site-texts.ts';
import { withBaseUrl } from '../../schemas/knowledge/site-texts.ts';
import { buyPath } from '../../schemas/paths.ts';
import { AnalysedText } from '../../search/passages/analysed-text.ts';
import { TextRenderer } from './result-renderer.ts';
import { siteFields } from './site-index.ts';

/** The offers that are sold now. */
export interface CurrentOffers {
  readonly offers: readonly Offer[];
  readonly quoteOnlyOffers?: readonly QuoteOnlyOffer[] | undefined;
}

/** Renders a guide, an offer or an error; quotes are from its markdown with the addresses of this site. */
export class SiteResultRenderer extends TextRenderer {
  /** What the index has of the text besides its body. */
  readonly fields: ReturnType<typeof siteFields>;
  readonly #stored: SiteText;
  readonly #digest: string;

  private constructor(stored: SiteText, markdown: string, digest: string) {
    super(new AnalysedText(markdown, stored.language, stored.title, stored.askedBy));
    this.fields = siteFields(stored);
    this.#stored = stored;
    this.#digest = digest;
  }

  static async of(stored: SiteText, baseUrl: string): Promise<SiteResultRenderer> {
    const markdown = withBaseUrl(stored.markdown, baseUrl);
    return new SiteResultRenderer(stored, markdown, await sha256Hex(new TextEncoder().encode(markdown)));
  }

  protected addressAt(_offset: number, baseUrl: string): string {
    return baseUrl + this.#stored.path;
  }

  protected members(baseUrl: string): Pick<SiteResult, (typeof STORED_MEMBERS)[number]> {
    const { kind, id, title, summary, language, updated, path, markdownPath } = this.#stored;
    const addresses = { url: baseUrl + path, markdown_url: baseUrl + markdownPath };
    return { kind, id, title, summary, language, updated, ...addresses, content_sha256: this.#digest };
  }

  /** What the catalog says of an offer now; nothing of anything else, or of an offer that is no longer sold. */
  current(site: CurrentOffers, baseUrl: string): OfferMembers {
    const { kind, id } = this.#stored;
    return kind === 'offer' ? offerMembers(id, site, baseUrl) : {};
  }
}

/** Members of a result that only offers have. */
export type OfferMembers = Partial<Pick<SiteResult, Exclude<(typeof SITE_MEMBERS)[number], 'id'>>>;

/** The terms of an offer as the catalog has them now; nothing of one that is not sold. */
export function offerMembers(id: string, { offers, quoteOnlyOffers = [] }: CurrentOffers, baseUrl: string): OfferMembers {
  const offer = [...offers, ...quoteOnlyOffers].find((one) => one.id === id);
  if (offer === undefined) return {};
  return {
    ...(hasPrice(offer) ? { price_usd: majorUnits(offer), cadence: offer.cadence } : {}),
    ...(offer.delivery === undefined ? {} : { delivery: offer.delivery }),
    ...(offer.validUntil === undefined ? {} : { valid_until: offer.validUntil }),
    available: hasPrice(offer) && availabilityOf(offer).available,
    buy_url: baseUrl + buyPath(id),
    ...(offer.demo ? { demo: true } : {}),
  };
}

/**
 * The terms of an offer that a search found, as sentences, for surfaces whose readers see no other member of it; without those that the quote
 * says already, and empty for a result of another kind.
 */
export function termsNote({
  kind,
  title,
  quote,
  ...members
}: Pick<SiteResult, 'kind' | 'title'> & OfferMembers & { readonly quote?: SiteResult['quote'] }): string {
  if (kind !== 'offer' || members.buy_url === undefined) return '';
  const { price_usd: price, cadence, delivery, valid_until: validUntil, demo = false } = members;
  return termSentences({
    name: title,
    ...(price === undefined ? {} : { amountMinor: minorUnits(price, 'USD') }),
    ...(cadence === undefined ? {} : { cadence }),
    ...{ delivery, validUntil, demo },
  })
    .filter((sentence) => quote?.text.includes(sentence) !== true)
    .join(' ');
}

const STORED_MEMBERS = ['kind', 'id', 'title', 'summary', 'language', 'updated', 'url', 'markdown_url', 'content_sha256'] as const;
