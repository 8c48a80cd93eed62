import type { OfferFrontMatter } from '../schemas/commerce/offers.ts';
import type { Incident } from '../schemas/incidents.ts';
import type { CapsuleFrontMatter } from '../schemas/knowledge/capsule-front-matter.ts';
import type { LineageKey } from '../schemas/knowledge/lineage.ts';
import type { Section, Subjects } from '../schemas/knowledge/sections.ts';
import type { Publisher } from '../schemas/publisher.ts';
import type { AuthoredPage, AuthoredText } from '../text/publication-model.ts';
import type { InterfaceLanguage } from '../text/strings/interface-strings.ts';
import type { MediaFile } from './read/media-file.ts';
import type { PublishedLedger } from './read/version-ledger.ts';

export interface AuthoredVersion {
  readonly frontMatter: CapsuleFrontMatter;
  /** The hashed text: body without front matter, UTF-8, LF, one final newline. */
  readonly markdown: string;
  readonly words?: number;
}

/** A capsule: its current version, and the frozen earlier ones, oldest first. */
export interface AuthoredCapsule extends AuthoredText<CapsuleFrontMatter> {
  readonly frozen: readonly AuthoredVersion[];
}

export type AuthoredOffer = AuthoredText<OfferFrontMatter>;

/** Everything in `content/`, checked, without drafts; each list by ascending id. */
export interface AuthoredContent {
  readonly publisher: Publisher;
  readonly interfaceLanguage: InterfaceLanguage;
  /** Public keys that sign or have signed publications. */
  readonly keys: readonly LineageKey[];
  readonly capsules: readonly AuthoredCapsule[];
  readonly offers: readonly AuthoredOffer[];
  /** Files that offers deliver, by name. They are never published. */
  readonly deliveries: ReadonlyMap<string, Uint8Array>;
  readonly pages: readonly AuthoredPage[];
  readonly media: readonly MediaFile[];
  /** In the order in which they are read; absent without any. */
  readonly sections?: readonly Section[];
  /** Subjects that `content/subjects.yaml` describes, by their tags; absent without any. */
  readonly subjects?: Subjects;
  /** Newest first; absent without any. */
  readonly incidents?: readonly Incident[];
  /** Further words that queries for a capsule may have, with weights, by its id; absent without any. */
  readonly expansions?: ReadonlyMap<string, Readonly<Record<string, number>>>;
  readonly ledger: PublishedLedger;
  readonly draftCount: number;
}
