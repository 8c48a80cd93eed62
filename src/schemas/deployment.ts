import * as z from 'zod';
import { Offer, QuoteOnlyOffer } from './commerce/offers.ts';
import { Usage } from './content-usage.ts';
import { Incident } from './incidents.ts';
import type { Section, Subjects } from './knowledge/sections.ts';
import { PATHS } from './paths.ts';
import { Id, IsoDate, IsoDateTime } from './primitives.ts';
import { BaseUrl, BlockStorage, CapsulePages, CommerceSettings, IntakePolicy } from './publisher.ts';

export const LOCAL_PORT = 8788;

export const LOCAL_BASE_URL = `http://127.0.0.1:${LOCAL_PORT}`;

export const POLICY_PAGES = ['about', 'terms', 'refunds', 'privacy'] as const;
export type PolicyPage = (typeof POLICY_PAGES)[number];

const SoldTextName = z.object({ capsule_id: Id, title: z.string(), tags: z.array(z.string()) });
export type SoldTextName = z.infer<typeof SoldTextName>;

/** The decisions of a build. At run time only secrets and bindings are read in addition. */
export const Deployment = z.object({
  /** `static`: files only; `edge`: files and functions. */
  mode: z.enum(['static', 'edge']),
  baseUrl: BaseUrl,
  checkoutHost: z.string().optional(),
  name: z.string(),
  description: z.string(),
  contactEmail: z.string(),
  issuer: z.string(),
  sample: z.boolean(),
  keyPrefix: z.enum(['akg_live_', 'akg_test_']),
  /** `bench` lifts the rate limits; only on a loopback address. */
  rateLimits: z.enum(['default', 'bench']),
  storage: BlockStorage,
  /** The host, as files, or functions serve the pages of capsules, their markdown, JSON and lineage. */
  capsulePages: CapsulePages.exclude(['auto']),
  /** Whether functions answer at the addresses of pages, in HTML or markdown as the caller prefers; absent if they do not. */
  markdownNegotiation: z.literal(true).optional(),
  insights: z.enum(['counts', 'questions']).optional(),
  /** Requests a minute of agents that sign them, by their origins; absent without any. */
  signedAgents: z.record(z.string(), z.int()).optional(),
  /** `closed` where there are no functions. */
  intake: IntakePolicy,
  usage: Usage,
  /** Newest change of an offer or of publisher.yaml. */
  catalogUpdatedAt: IsoDateTime,
  /** Offers with a price, in the publisher's order. */
  offers: z.array(Offer),
  /** Paid capsules that passes open, at most 200: the page of a pass leads to them. Absent where no offer has a pass. */
  soldTexts: z.array(SoldTextName).optional(),
  /** Present ids of renamed capsules, by the ids that they had; absent without any. */
  formerIds: z.record(Id, Id).optional(),
  /** Ids of capsules by further addresses that redirect to their pages; absent without any. */
  furtherAddresses: z.record(z.string(), Id).optional(),
  sections: z.custom<readonly Section[]>().optional(),
  subjects: z.custom<Subjects>().optional(),
  /** Incidents that the publisher reports, newest first; absent without any. */
  incidents: z.array(Incident).optional(),
  takenDown: z.record(Id, z.object({ date: IsoDate, reason: z.string(), legal: z.boolean() })).optional(),
  quoteOnlyOffers: z.array(QuoteOnlyOffer).optional(),
  /** Offers that are no longer sold, because orders of them are still delivered; absent if there are none. */
  discontinuedOffers: z.array(z.union([QuoteOnlyOffer, Offer])).optional(),
  missingPages: z.array(z.enum(POLICY_PAGES)).optional(),
  /** Currency of invoices, where all their items have a price in it; US dollars if absent. */
  displayCurrency: z.string().optional(),
  /** Everything is off without functions. */
  commerce: z.object({
    acp: CommerceSettings.shape.acp.unwrap(),
    ucp: CommerceSettings.shape.ucp.unwrap(),
    processor: CommerceSettings.shape.processor.unwrap(),
    webhookHosts: z.array(z.string()),
    /** Account at the payment processor for shared payment tokens; without it none are accepted. */
    merchantId: z.string().optional(),
  }),
  payments: z
    .object({
      /** `payTo`, `network`, `facilitator` and `icon` are absent where no token is taken. */
      payTo: z.string().optional(),
      network: z.string().optional(),
      /** Its URL without a trailing slash. */
      facilitator: z.string().optional(),
      icon: z.string().optional(),
      /** Stripe profile for payments by card; absent where none are taken. */
      stripeProfile: z.string().optional(),
      /** Name of the publisher in ASCII, as headers of payments need it; absent if the name is ASCII. */
      sellerName: z.string().optional(),
    })
    .optional(),
});
export type Deployment = z.infer<typeof Deployment>;

export function policyUrl(site: Pick<Deployment, 'baseUrl' | 'missingPages'>, page: PolicyPage): string | undefined {
  const { baseUrl, missingPages = [] } = site;
  return missingPages.includes(page) ? undefined : baseUrl + PATHS[page];
}

export function policyLinks<Link extends { readonly page: PolicyPage }>(
  deployment: Pick<Deployment, 'baseUrl' | 'missingPages'>,
  links: readonly Link[],
): (Omit<Link, 'page'> & { readonly url: string })[] {
  return links.flatMap(({ page, ...link }) => {
    const url = policyUrl(deployment, page);
    return url === undefined ? [] : [{ ...link, url }];
  });
}
