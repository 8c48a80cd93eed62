import { sha256Hex } from '../../provenance/bytes.ts';
import { majorUnits } from '../../publication/offers/money.ts';
import { hasPrice, type Offer, type QuoteOnlyOffer } from '../../schemas/commerce/offers.ts';
import type { SiteResult } from '../../schemas/knowledge/search.ts';
import { type SiteText, withBaseUrl } from '../../schemas/knowledge/site-texts.ts';
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
    super(new AnalysedText(markdown, stored.language, stored.title));
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
  current({ offers, quoteOnlyOffers = [] }: CurrentOffers, baseUrl: string): Partial<SiteResult> {
    const { kind, id, path } = this.#stored;
    if (kind !== 'offer') return {};
    const offer = [...offers, ...quoteOnlyOffers].find((one) => one.id === id);
    if (offer === undefined) return {};
    return {
      ...(hasPrice(offer) ? { price_usd: majorUnits(offer), cadence: offer.cadence } : {}),
      buy_url: baseUrl + path,
      ...(offer.demo ? { demo: true } : {}),
    };
  }
}

const STORED_MEMBERS = ['kind', 'id', 'title', 'summary', 'language', 'updated', 'url', 'markdown_url', 'content_sha256'] as const;
