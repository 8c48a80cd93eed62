import * as z from 'zod';
import { Look } from './appearance.ts';
import { Currency } from './commerce/currencies.ts';
import { OfferDefaults } from './commerce/offers.ts';
import { Editorial } from './editorial.ts';
import { Author, line, WrittenDate, writtenLine } from './knowledge/capsule-front-matter.ts';
import { StatedLicense } from './license.ts';
import { ContentDate, DidWeb, Id, Language } from './primitives.ts';
import { Footer, HomePage, Navigation, SocialLinks } from './site-links.ts';

const ORIGIN_FORM = 'must be an https origin such as https://docs.example.com, without a path or a slash at the end';

/** `https://host` or, locally, `http://127.0.0.1:8788`: an origin as `URL.origin` writes it. */
export const Origin = z
  .string()
  .regex(/^(https:\/\/[a-z0-9.-]+(:\d{1,5})?|http:\/\/(127\.0\.0\.1|localhost)(:\d{1,5})?)$/, { error: ORIGIN_FORM, abort: true })
  .refine((value) => URL.canParse(value) && new URL(value).origin === value, ORIGIN_FORM);

/** Where the blocks of the corpus are stored: in Workers KV, or among the static files. */
export const BlockStorage = z.enum(['kv', 'assets']);
export type BlockStorage = z.infer<typeof BlockStorage>;

/** How the pages of capsules are published: as files of the site, or by functions from the blocks; `auto` decides by their number. */
export const CapsulePages = z.enum(['files', 'edge', 'auto']);
export type CapsulePages = z.infer<typeof CapsulePages>;

/** How the pages of capsules show their provenance: lineage, verification, digests and citation. */
const Provenance = z.enum(['shown', 'folded', 'hidden']);

/** Who may send proposals to the API: every agent with a solved challenge, agents with a granted scope, or nobody. */
export const IntakePolicy = z.enum(['open', 'granted', 'closed']);
export type IntakePolicy = z.infer<typeof IntakePolicy>;

/** Agent commerce, off by default. */
export const CommerceSettings = z.strictObject({
  /** Agentic Commerce Protocol: checkout sessions under /api/v1/acp. */
  acp: z.boolean().default(false),
  /** Universal Commerce Protocol: catalog and checkout under /api/v1/ucp. */
  ucp: z.boolean().default(false),
  /**
   * `links`: a session is paid on the hosted link of its offer. `stripe`: agents' payments are charged, and carts get a checkout of their
   * own, with the secret STRIPE_SECRET_KEY.
   */
  processor: z.enum(['links', 'stripe']).default('links'),
  /** Account at the payment processor for shared payment tokens, such as `acct_…`; without it agents get none. */
  merchant_id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,256}$/, 'must be an account such as acct_1234567890')
    .optional(),
  /** Hosts that may receive order webhooks, such as `agent.example`; a loopback host with its port only on a loopback URL. */
  webhook_hosts: z
    .array(z.string().regex(/^[a-z0-9.-]+(:\d{1,5})?$/, 'must be a host such as agent.example'))
    .max(20)
    .default([]),
});

/** Payments for capsules (x402 and MPP), off by default. */
export const PaymentSettings = z.strictObject({
  pay_to: z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address such as 0x followed by 40 hexadecimal digits'),
  network: z.string().regex(/^eip155:[1-9]\d{0,9}$/, 'must be a network by CAIP-2 such as eip155:84532'),
  facilitator: z
    .string()
    .regex(/^(https:\/\/[a-z0-9.-]+|http:\/\/127\.0\.0\.1:\d{1,5})(\/[A-Za-z0-9._~/-]*)?$/, 'must be an https address'),
});

/** `content/publisher.yaml`. */
export const Publisher = z.strictObject({
  name: z.string().min(2).max(80),
  tagline: z.string().min(1).max(160),
  description: z.string().min(1).max(600),
  base_url: Origin,
  /** Identity in lineage records, independent of `base_url`. */
  issuer: DidWeb,
  /** Origin of all hosted checkouts; needed by offers that have a checkout. */
  checkout_host: z
    .string()
    .regex(/^https:\/\/[a-z0-9.-]+$/, 'must be an https origin such as https://buy.stripe.com')
    .optional(),
  contact_email: z.email({ error: ({ code }) => (code === 'invalid_format' ? 'must be an e-mail address' : undefined) }),
  currency: z.literal('USD', 'must be USD: every price is stated in it; offers state further ones in "prices"').default('USD'),
  /** Currency that pages show and charge, where an offer has a checkout in it, and of invoices. */
  display_currency: Currency.default('USD'),
  /** Language of the interface, and of texts that name none. */
  language: Language.default('en'),
  /** Licence of texts that name none. */
  license: StatedLicense,
  /** Author of texts that name none, as a name or with its type; without one, the publisher. */
  author: z.preprocess((value) => (typeof value === 'string' ? { type: 'Person', name: value } : value), Author).optional(),
  /** Uses of the texts that robots.txt allows (contentsignals.org); by default search and AI input, no training. */
  content_signals: z.strictObject({ search: z.boolean(), ai_input: z.boolean(), ai_train: z.boolean() }).optional(),
  /** Whether this is the sample publication of the software, which pages state. */
  sample: z.boolean().default(false),
  storage: BlockStorage.default('kv'),
  capsule_pages: CapsulePages.default('auto'),
  /** How pages of capsules show lineage, verification, digests and citation; documents for machines have them in any case. */
  provenance: Provenance.default('folded'),
  /** Whether functions answer at the addresses of pages and send markdown to those who prefer it; each view of a page is then a request. */
  markdown_negotiation: z.boolean().default(true),
  /**
   * The most files that the host takes for a site. The default is the limit of Cloudflare Pages on the free plan
   * (developers.cloudflare.com/pages/platform/limits).
   */
  max_files: z.int().min(1).default(20_000),
  /**
   * Origin trial tokens (developer.chrome.com/docs/web-platform/origin-trials). Each enables one experimental feature of Chrome, such as WebMCP,
   * on this site.
   */
  origin_trial_tokens: z
    .array(z.string().regex(/^[A-Za-z0-9+/]{64,2000}={0,2}$/, 'must be an origin trial token in base64, as Chrome issues it'))
    .max(10)
    .default([]),
  intake: IntakePolicy.default('open'),
  /**
   * Days until a signed head or manifest expires. Builds issue them anew on the first of every month, so a monthly build on any day needs
   * 62.
   */
  proof_days: z.int().min(62).max(730).default(180),
  /**
   * Most blocks of long posting lists that a query reads for its words, and again for their corrections, in a large corpus
   * (docs/index-format.md, "Layouts"). `exact` reads all; by default small corpora read all, large ones eight blocks.
   */
  search_reads: z.union([z.literal('exact'), z.int().min(2).max(64)]).optional(),
  look: Look.prefault({}),
  /** Links of the header; by default capsules, price list, documentation, status, and the publisher's pages with `navigation: header`. */
  navigation: Navigation.optional(),
  footer: Footer.prefault({}),
  social: SocialLinks.default([]),
  home: HomePage.prefault({}),
  commerce: CommerceSettings.prefault({}),
  payments: PaymentSettings.optional(),
  /** Which offers come first, and what those have that do not state it themselves; everything has a default. */
  offers: OfferDefaults.extend({
    /** Order of lists. Offers that it does not name follow, by their own `order`, then by file name. */
    order: z.array(Id).default([]),
    /** By default the first offer with a price. */
    recommended_first: Id.optional(),
    /** By default the cheapest offer that is not free. */
    recommended_quick: Id.optional(),
    /** By default the three cheapest offers that are not free. */
    fast_paid_starts: z.array(Id).min(1, 'must name an offer; leave the field out for the default').optional(),
  }).prefault({}),
  /** House rules for texts, all off by default. */
  editorial: Editorial.prefault({}),
  updated: ContentDate,
});
export type Publisher = z.infer<typeof Publisher>;

/** publisher.yaml as it is written: what can be derived from the rest may be left out. */
export const WrittenPublisher = Publisher.partial({ tagline: true, description: true, issuer: true, license: true, updated: true });
export type WrittenPublisher = z.infer<typeof WrittenPublisher>;

/** Front matter of `content/pages/<id>.md`, a page of the publisher at `/<id>`. */
export const PageFrontMatter = z.strictObject({
  title: line(1, 200),
  description: line(1, 600),
  /** Position in navigation, ascending. */
  order: z.int().min(0).max(999).default(100),
  /** Short title for navigation. */
  label: z.string().trim().min(1).max(60).optional(),
  /** Where the site links to it: in header and footer, only in the footer, or only where you link to it. */
  navigation: z.enum(['header', 'footer', 'none']).default('footer'),
  updated: ContentDate,
});
export type PageFrontMatter = z.infer<typeof PageFrontMatter>;

/** Front matter as it stands in the file of a page; everything has a default, and that of the title is the first heading. */
export const WrittenPage = PageFrontMatter.extend({
  title: writtenLine(200).optional(),
  description: writtenLine(600).optional(),
  updated: WrittenDate.optional(),
});
export type WrittenPage = z.infer<typeof WrittenPage>;
