import type { Offer, OfferFrontMatter, QuoteOnlyOffer } from '../schemas/commerce/offers.ts';
import type { CapsuleFrontMatter } from '../schemas/knowledge/capsule-front-matter.ts';
import type { LineageKey } from '../schemas/knowledge/lineage.ts';
import type { PageFrontMatter, Publisher } from '../schemas/publisher.ts';
import type { SectionAnchor } from './links/anchors.ts';
import type { TextReferences } from './links/text-references.ts';
import type { MediaFile } from './media/media-file.ts';
import type { PublishedLedger } from './published-ledger.ts';
import type { InterfaceLanguage } from './strings/interface-strings.ts';

/** A version of a capsule as its author wrote it. */
export interface AuthoredVersion {
  readonly frontMatter: CapsuleFrontMatter;
  /** The hashed text: body without front matter, UTF-8, LF, one final newline. */
  readonly markdown: string;
  /** Number of words of this text, where reading has counted them. */
  readonly words?: number;
}

/** A text as its author wrote it. */
export interface AuthoredText<FrontMatter> {
  readonly id: string;
  readonly file: string;
  /** Line of the file on which the text begins, from 1. */
  readonly bodyLine: number;
  readonly frontMatter: FrontMatter;
  readonly markdown: string;
  /** Number of words of this text, where reading has counted them. */
  readonly words?: number;
  /** Where its relative links and images lead; absent if it has none. */
  readonly references?: TextReferences;
  /** Its sections as its page names them, where reading has found them; absent without any. */
  readonly sections?: readonly SectionAnchor[];
}

/** A capsule: its current version, and the frozen earlier ones, oldest first. */
export interface AuthoredCapsule extends AuthoredText<CapsuleFrontMatter> {
  readonly frozen: readonly AuthoredVersion[];
}

/** An offer as its author wrote it. */
export type AuthoredOffer = AuthoredText<OfferFrontMatter>;

/** An offer with a price, and the text of its page. */
export interface PricedOffer extends Offer {
  readonly markdown: string;
  /** Where its relative links and images lead; absent if it has none. */
  readonly references?: TextReferences;
}

/** An offer with the text of its page. */
export type PublishedOffer = PricedOffer | (QuoteOnlyOffer & Pick<PricedOffer, 'markdown' | 'references'>);

/** A page of the publisher, at `/<id>`. */
export type AuthoredPage = AuthoredText<PageFrontMatter>;

/** Everything in `content/`, checked, without drafts; each list by ascending id. */
export interface Content {
  readonly publisher: Publisher;
  readonly interfaceLanguage: InterfaceLanguage;
  /** Public keys that sign or have signed publications. */
  readonly keys: readonly LineageKey[];
  readonly capsules: readonly AuthoredCapsule[];
  readonly offers: readonly AuthoredOffer[];
  /** Files that offers deliver, by name. They are never published. */
  readonly deliveries: ReadonlyMap<string, Uint8Array>;
  readonly pages: readonly AuthoredPage[];
  /** Images and other files that the texts show or link to. */
  readonly media: readonly MediaFile[];
  /** What was published before. */
  readonly ledger: PublishedLedger;
  /** Number of capsules and offers that are drafts. */
  readonly draftCount: number;
}
