import type { Neighbourhood } from '../provenance/relation-graph.ts';
import { priceText } from '../schemas/commerce/capsule-price.ts';
import type { Offer, QuoteOnlyOffer } from '../schemas/commerce/offers.ts';
import type { Deployment } from '../schemas/deployment.ts';
import type { CapsuleMetadata } from '../schemas/knowledge/capsule.ts';
import type { ChangeEvent, CorpusManifest, CorpusStats } from '../schemas/knowledge/corpus-responses.ts';
import type { TextPreview } from '../schemas/knowledge/generation-manifest.ts';
import type { Lineage, LineageKey, Tombstone } from '../schemas/knowledge/lineage.ts';
import type { SiteText } from '../schemas/knowledge/result-kinds.ts';
import type { PageFrontMatter, Publisher } from '../schemas/publisher.ts';
import type { SectionAnchor } from './markdown/heading-anchors.ts';
import type { TextReferences } from './markdown/resolve-links.ts';
import type { InterfaceLanguage } from './strings/interface-strings.ts';

export interface AuthoredText<FrontMatter> {
  readonly id: string;
  readonly file: string;
  /** Line of the file on which the text begins, from 1. */
  readonly bodyLine: number;
  readonly frontMatter: FrontMatter;
  readonly markdown: string;
  readonly words?: number;
  readonly references?: TextReferences;
  /** Its sections as its page names them, where reading has found them; absent without any. */
  readonly sections?: readonly SectionAnchor[];
}

export type AuthoredPage = AuthoredText<PageFrontMatter>;

export type PublishedOffer = (Offer | QuoteOnlyOffer) & Pick<AuthoredText<unknown>, 'markdown' | 'references'>;

export interface PublishedVersion {
  readonly metadata: CapsuleMetadata;
  readonly markdown: string;
}

export interface PublishedCapsule extends PublishedVersion {
  readonly id: string;
  /** All versions, oldest first; the last one is current. */
  readonly versions: readonly PublishedVersion[];
  /** Its unsigned lineage, with the first page of the graph. */
  readonly lineage: Lineage;
  readonly relatives: Neighbourhood;
  /** Number of relations to other capsules, in both directions. */
  readonly degree: number;
  readonly references?: TextReferences;
  readonly sections?: readonly SectionAnchor[];
  /** Of a text that is sold. */
  readonly preview?: TextPreview;
}

/** One version as everybody may read it: without a text that is sold. */
export interface FreeVersion extends Pick<PublishedVersion, 'metadata'> {
  readonly markdown?: string;
}

export interface FreeCapsule extends Omit<PublishedCapsule, 'markdown' | 'versions'>, FreeVersion {
  readonly versions: readonly FreeVersion[];
  /** Ids of the most similar capsules, nearest first; absent without an index, as in `astro dev`, and where functions find them. */
  readonly related?: readonly string[];
  /** Exact text of its lineage document; absent where functions serve it. */
  readonly lineageText?: string;
}

/** A page other than a capsule, for lists of pages. */
export interface DocumentPage {
  readonly path: string;
  readonly title: string;
  readonly description: string;
  /** `YYYY-MM-DD`. */
  readonly updated: string;
}

export interface OperationExample {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly request?: unknown;
  readonly otherRequests?: Readonly<Record<string, unknown>>;
  readonly response: unknown;
  readonly otherForms?: Readonly<Record<string, unknown>>;
}

/** The part of a publication that its pages show. */
export interface PageContent {
  readonly publisher: Publisher;
  readonly interfaceLanguage: InterfaceLanguage;
  /** Capsules by ascending id, without paid texts. */
  readonly capsules: readonly FreeCapsule[];
  /** Offers that are sold, in the publisher's order. */
  readonly offers: readonly PublishedOffer[];
  /** Offers that are no longer sold, which have a page. */
  readonly discontinuedOffers: readonly PublishedOffer[];
  readonly takenDown?: Deployment['takenDown'];
  readonly sections?: Deployment['sections'];
  readonly subjects?: Deployment['subjects'];
  readonly incidents?: Deployment['incidents'];
  readonly publisherPages: readonly AuthoredPage[];
}

/** Instructions that teach an agent one task at this site, as a file SKILL.md (agentskills.io). */
export interface AgentSkill {
  /** Permanent name: lower case with hyphens, at most 64 characters. */
  readonly name: string;
  /** What the skill does and when to use it, at most 1,024 characters. */
  readonly description: string;
  /** Questions and requests that the skill serves, 2 to 5. */
  readonly representativeQueries: readonly string[];
  readonly markdown: string;
}

export interface Publication extends PageContent {
  readonly deployment: Deployment;
  readonly skills: readonly AgentSkill[];
  /** Of capsules that were taken down, by ascending id. */
  readonly tombstones: readonly Tombstone[];
  readonly mirror: {
    readonly parts: readonly Pick<DocumentFile, 'path' | 'body'>[];
    readonly manifest: CorpusManifest;
    /** The whole change log, oldest first. */
    readonly changes: readonly ChangeEvent[];
  };
  readonly keys: readonly LineageKey[];
  readonly pages: readonly DocumentPage[];
  /** Guides, offers and errors that searches find, each with a markdown file; absent without functions. */
  readonly siteTexts?: readonly SiteText[];
  readonly stats: CorpusStats;
  /** Examples by operation id, except those of documents. */
  readonly examples: ReadonlyMap<string, OperationExample>;
}

/** The price of a capsule as a sentence; empty for a free one. */
export function priceNote({ words, ...text }: Pick<CapsuleMetadata, 'price' | 'prices' | 'words'>): string {
  return text.price === undefined ? '' : `Paid, ${priceText(text)} for ${words} words. `;
}

export interface DocumentFile {
  readonly path: string;
  readonly contentType: string;
  readonly body: string;
}

export function markdownFile(path: string, body: string): DocumentFile {
  return { path, contentType: 'text/markdown; charset=utf-8', body };
}
