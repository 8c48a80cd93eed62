import { sha256Hex } from '../../provenance/bytes-and-sha256.ts';
import { availabilityOf, hasPrice } from '../../schemas/commerce/currency-and-availability.ts';
import type { Offer, QuoteOnlyOffer } from '../../schemas/commerce/offers.ts';
import type { SITE_MEMBERS, SiteKind, SiteText } from '../../schemas/knowledge/result-kinds.ts';
import type { SiteResult } from '../../schemas/knowledge/search.ts';
import { buyPath } from '../../schemas/paths.ts';
import { stopWordsOf } from '../../search/analysis/stop-words.ts';
import type { ColumnSpec } from '../../search/format/columns.ts';
import { AnalysedText } from '../../search/passages/analysed-text.ts';
import type { AttributeValue, SearchDocument } from '../../search/search-document.ts';
import { majorUnits, minorUnits, termSentences } from '../../text/prices.ts';
import { dayNumber } from './capsule-filters.ts';
import { TextRenderer } from './render-capsule-result.ts';

export interface CurrentOffers {
  readonly offers: readonly Offer[];
  readonly quoteOnlyOffers?: readonly QuoteOnlyOffer[] | undefined;
}

/** Renders a guide, an offer or an error; quotes are from its markdown with the addresses of this site. */
export class SiteResultRenderer extends TextRenderer {
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

  /** Nothing of an offer that is no longer sold. */
  current(site: CurrentOffers, baseUrl: string): OfferMembers {
    const { kind, id } = this.#stored;
    return kind === 'offer' ? offerMembers(id, site, baseUrl) : {};
  }
}

export type OfferMembers = Partial<Pick<SiteResult, Exclude<(typeof SITE_MEMBERS)[number], 'id'>>>;

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

/** The terms of an offer that a search found, as sentences, without those that the quote says already; empty for other results. */
export function termsNote(result: Pick<SiteResult, 'kind' | 'title'> & OfferMembers & { readonly quote?: SiteResult['quote'] }): string {
  const { kind, title, quote, ...members } = result;
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

/** Attributes of texts that are no capsules in their index: those of capsules that they have as well, their kind, and their prior. */
export const SITE_COLUMNS: readonly ColumnSpec[] = [
  { name: 'kind', kind: 'keyword' },
  { name: 'language', kind: 'keyword' },
  { name: 'updated', kind: 'number' },
  { name: 'prior_percent', kind: 'number' },
];

/**
 * The prior of a text beside capsules, in percent: of several that fit alike, capsules come first, then guides. Offers
 * are above operations, by which `priorsFor` tells them apart, and errors below them: most are asked for by their names.
 */
const PRIOR_PERCENT: Readonly<Record<SiteKind, number>> = { guide: 95, operation: 89, offer: 91, error: 86 };

/** The same for pages that only the footer links to: policies mention much and explain little. */
const FOOTER_PRIOR_PERCENT = 80;

export function siteAttributes({ kind, language, updated, inFooter = false }: SiteText): Record<string, AttributeValue> {
  return { kind, language, updated: dayNumber(updated), prior_percent: inFooter ? FOOTER_PRIOR_PERCENT : PRIOR_PERCENT[kind] };
}

/** The indexed fields of a text except its body. Visitors' words count as tags and summary, because the text seldom has them. */
export function siteFields(text: SiteText): Pick<SearchDocument, 'language' | 'title' | 'tags' | 'summary'> {
  const { language, title, summary, askedBy } = text;
  return { language, title, summary: [summary, ...askedBy].join('\n'), tags: askedBy };
}

/** A question about this site, or about the asker and us: of texts that fit alike, those about the site come before capsules. */
const ABOUT_SITE = /(?<!\p{L})(?:(?:this|the|your) (?:site|website|service)|diese[rsmn]? (?:seite|website|dienst))(?!\p{L})/iu;
const ABOUT_ASKER =
  /(?<!\p{L})(?:i|my|me|mine|we|our|you|your|here|ich|mir|mich|mein\p{L}{0,2}|wir|uns|unser\p{L}{0,2}|ihr|ihre|ihnen|hier)(?!\p{L})/iu;

/** A question with such a word and only others of the shop asks what there is to buy and what it costs, which no capsule that mentions costs answers. */
const SHOP_WORD =
  /^(?:pric(?:es?|ing)|costs?|fees?|buy|shop|offers?|subscriptions?|discounts?|cheap\p{L}*|preise?|kost\p{L}+|tarife?|kaufen|angebote?|abos?|rabatte?)$/u;
const WORD_BESIDE_SHOP = /^(?:see|show|find|here|hier|gibt|viel|plans?|services?|leistungen)$/u;

/** Names of the shop, which within longer questions mean much else. */
const SHOP_NAME = /^(?:(?:our|your) )?(?:services|products|catalog(?:ue)?|leistungen|produkte)$/iu;

/** Whether words of visitors are a name of the shop and of little else. */
export function namesShop(words: string): boolean {
  return words.includes(' ') || SHOP_NAME.test(words) || SHOP_WORD.test(words.toLowerCase());
}

/** A question of such words alone asks how to reach the publisher. */
const CONTACT_WORD = /^(?:address|e|e?mail|phone|contact|adresse|anschrift|telefon|kontakt)$/u;

/** A name of the API, such as an error code: capsules are called by words. */
const NAME_OF_API = /(?<![\w-])[a-z]+(?:_[a-z]+)+(?![\w-])/;

/** The prior of pages that only the footer links to: near that of guides if the question is about the asker or the site, lower if it is about the world, which capsules answer. */
const FOOTER_PRIOR_FOR = { asker: 90, world: 68 } as const;

/** The priors of texts about the site for a question, by those of their index, in percent. By measurement (`npm run eval:visitors`). */
export function priorsFor(question: string): (priorPercent: number) => number {
  const words: readonly string[] = question.toLowerCase().match(/\p{L}+/gu) ?? [];
  const isContact = words.length > 0 && words.every((word) => CONTACT_WORD.test(word));
  const others = words.filter((word) => !SHOP_WORD.test(word));
  const isAboutShop =
    others.length < words.length &&
    others.every((word) => WORD_BESIDE_SHOP.test(word) || stopWordsOf('en').has(word) || stopWordsOf('de').has(word));
  if (isAboutShop || SHOP_NAME.test(question.trim())) return (prior) => (prior > PRIOR_PERCENT.operation ? prior * 1.8 : prior);
  const factor = ABOUT_SITE.test(question) ? 1.6 : ABOUT_ASKER.test(question) || NAME_OF_API.test(question) || isContact ? 1.4 : 1;
  const footer = FOOTER_PRIOR_FOR[factor === 1 ? 'world' : 'asker'];
  return (prior) => (prior === FOOTER_PRIOR_PERCENT ? footer : prior) * factor;
}

/** Stands for the base URL in stored texts. It is no character of a text: U+E000 is for private use. */
const BASE_URL_MARK = '\u{e000}';

export function withoutBaseUrl(text: string, baseUrl: string): string {
  return text.replaceAll(BASE_URL_MARK, '').replaceAll(baseUrl, BASE_URL_MARK);
}

export function withBaseUrl(stored: string, baseUrl: string): string {
  return stored.replaceAll(BASE_URL_MARK, baseUrl);
}
