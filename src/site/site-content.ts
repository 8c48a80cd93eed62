import * as z from 'zod';
import type { FreeCapsule } from '../publication/capsules/paid-capsules.ts';
import { freePart, payableContent } from '../publication/capsules/paid-capsules.ts';
import { publishCapsules } from '../publication/capsules/published-capsules.ts';
import type { Content } from '../publication/content.ts';
import { InvalidContentError } from '../publication/content-problem.ts';
import { makeOffers } from '../publication/offers/offer.ts';
import { readContent } from '../publication/read-content.ts';
import { Cadence } from '../schemas/commerce/offer-front-matter.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { DecisionFrontMatter, DocFrontMatter } from '../schemas/doc-front-matter.ts';
import { CapsuleMetadata } from '../schemas/knowledge/capsule.ts';
import { Lineage } from '../schemas/knowledge/lineage.ts';
import { Id } from '../schemas/primitives.ts';
import type { Publisher } from '../schemas/publisher.ts';
import type { ApiDocument } from './api/api-document.ts';
import { atBaseUrl } from './markdown/at-base-url.ts';
import { type RenderedText, renderMarkdown } from './markdown/render-markdown.ts';

/** A capsule for its page; without its text if that is sold. */
export const CapsuleEntry = z.object({
  id: Id,
  metadata: CapsuleMetadata,
  markdown: z.string().optional(),
  lineage: Lineage,
  /** Number of relations to other capsules, in both directions. */
  degree: z.int().min(0),
});
export type CapsuleEntry = z.infer<typeof CapsuleEntry>;

/** An offer with the text of its page. */
export const OfferEntry = z.object({
  id: Id,
  name: z.string(),
  summary: z.string(),
  category: z.string(),
  price: z.object({ amountMinor: z.int().min(0), currency: z.literal('USD') }),
  cadence: Cadence,
  aliases: z.array(Id),
  checkoutUrl: z.string(),
  demo: z.boolean(),
  features: z.array(z.string()),
  refund: z.string(),
  delivery: z.string(),
  validUntil: z.string(),
  updated: z.string(),
  markdown: z.string(),
  /** Place in the publisher's order. */
  position: z.int().min(0),
});
export type OfferEntry = z.infer<typeof OfferEntry>;

/** A page of text, and a decision record. */
export const DocEntry = z.object({ id: z.string(), frontMatter: DocFrontMatter, markdown: z.string() });
export type DocEntry = z.infer<typeof DocEntry>;
export const DecisionEntry = z.object({ id: z.string(), frontMatter: DecisionFrontMatter, markdown: z.string() });
export type DecisionEntry = z.infer<typeof DecisionEntry>;

/** What a build knows of itself. */
export interface BuildStats {
  readonly corpusVersion?: string;
  readonly corpusDigest?: string;
  /** Id of the key that signed the records; none if they are unsigned. */
  readonly signingKeyId?: string | undefined;
  readonly sourceCommit?: string | undefined;
}

/** What every page may show, those rendered on demand too: it is part of the functions, so it is small. */
export interface Site {
  readonly mode: Deployment['mode'];
  readonly publisher: Publisher;
  readonly build: BuildStats;
  /** The publisher's text about buying on invoice. */
  readonly invoiceText: Omit<RenderedText, 'sourceOrder'> & {
    readonly title: string;
    readonly description: string;
    readonly updated: string | undefined;
  };
}

/** Everything that the pages are made from. */
export interface SiteContent {
  readonly site: Site;
  readonly capsules: readonly CapsuleEntry[];
  /** In the publisher's order. */
  readonly offers: readonly OfferEntry[];
  readonly docs: readonly DocEntry[];
  readonly decisions: readonly DecisionEntry[];
  /** Description of the API, where there is one. */
  readonly openApi?: ApiDocument;
}

/** What a build adds to the content. */
export interface SiteBuild extends Pick<SiteContent, 'openApi'> {
  readonly mode: Deployment['mode'];
  readonly stats: BuildStats;
}

/** Puts together what the pages are made from. */
export function siteContent(content: Content, capsules: readonly FreeCapsule[], { mode, stats, openApi }: SiteBuild): SiteContent {
  const { publisher } = content;
  const texts = new Map(content.offers.map(({ id, markdown }) => [id, markdown]));
  const docs = content.docs
    .filter(({ frontMatter }) => mode === 'edge' || !frontMatter.edge)
    .map((doc) => ({ ...doc, markdown: atBaseUrl(doc.markdown, publisher.base_url) }));
  return {
    site: { mode, publisher, build: stats, invoiceText: invoiceText(docs.find(({ id }) => id === 'invoice')) },
    capsules,
    offers: makeOffers(content.offers, publisher).map((offer, position) => ({
      ...offer,
      aliases: [...offer.aliases],
      features: [...offer.features],
      markdown: texts.get(offer.id) ?? '',
      position,
    })),
    docs,
    decisions: content.decisions,
    ...(openApi === undefined ? {} : { openApi }),
  };
}

/**
 * The content below a folder, for `astro dev` and `astro check`: as a production build would publish it, without an API to describe.
 *
 * @throws {InvalidContentError} With every problem, if the content cannot be published.
 */
export async function readSiteContent(root: string): Promise<SiteContent> {
  const { content: authored, problems } = await readContent(root, { today: new Date().toISOString().slice(0, 'YYYY-MM-DD'.length) });
  if (authored === undefined) throw new InvalidContentError(problems);
  const content = payableContent(authored, 'edge');
  return siteContent(content, (await publishCapsules(content)).map(freePart), { mode: 'edge', stats: {} });
}

function invoiceText(doc: DocEntry | undefined): Site['invoiceText'] {
  const { html, outline } = renderMarkdown(doc?.markdown ?? '');
  const fallback = {
    title: 'Buying on invoice',
    description: 'How to buy an offer on invoice instead of at the checkout, with the ids that a request names.',
  };
  const { title, description } = doc?.frontMatter ?? fallback;
  return { html, outline, title, description, updated: doc?.frontMatter.updated };
}
