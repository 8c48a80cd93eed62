import * as z from 'zod';
import { OfferDefaults } from './commerce/offers.ts';
import { ContentSignals, UsageSettings } from './content-usage.ts';
import { Editorial } from './editorial-rules.ts';
import { Author, line } from './knowledge/capsule-fields.ts';
import { WrittenDate, writtenLine } from './knowledge/capsule-front-matter.ts';
import { HOME_PAGE_ID, PATHS } from './paths.ts';
import { ContentDate, Currency, DidWeb, Id, Language, Picture, publicFile } from './primitives.ts';
import { StatedLicense } from './spdx-license.ts';

const NOTICE_KINDS = [
  'order.created',
  'invoice.requested',
  'message.received',
  'proposal.received',
  'service.failing',
  'limit.near',
] as const;

export const NotifySettings = z.strictObject({
  /** Receives signed webhooks (Standard Webhooks). */
  webhook: z
    .string()
    .max(500)
    .regex(/^https:\/\/[^\s/@]+\/\S*$/, 'must be an https address with a path, such as https://hooks.example/notices')
    .optional(),
  /** Receives mail from an address of a domain with Email Routing at Cloudflare. */
  mail: z.strictObject({ to: z.email(), from: z.email() }).optional(),
  events: z
    .array(z.enum(NOTICE_KINDS))
    .min(1)
    .default([...NOTICE_KINDS]),
});
export type NotifySettings = z.infer<typeof NotifySettings>;

const BASE_URL_FORM =
  'must be an https address such as https://docs.example.com, with a path if the site is below one, as in https://ada.github.io/notes';

/** Where a site is, as `URL` writes it: `https://host` or, locally, `http://127.0.0.1:8788`, with a path if it is below one, without a slash at the end. */
export const BaseUrl = z
  .string()
  .overwrite((value) => value.replace(/\/$/, ''))
  .regex(/^(https:\/\/[a-z0-9.-]+|http:\/\/(127\.0\.0\.1|localhost))(:\d{1,5})?(\/[A-Za-z0-9._~-]+)*$/, {
    error: BASE_URL_FORM,
    abort: true,
  })
  .refine((value) => URL.canParse(value) && new URL(value).href.replace(/\/$/, '') === value, BASE_URL_FORM);

/** Where the blocks of the corpus are stored: in Workers KV, or among the static files. */
export const BlockStorage = z.enum(['kv', 'assets']);
export type BlockStorage = z.infer<typeof BlockStorage>;

/** How the pages of capsules are published: as files of the site, or by functions from the blocks; `auto` decides by their number. */
export const CapsulePages = z.enum(['files', 'edge', 'auto']);
export type CapsulePages = z.infer<typeof CapsulePages>;

/** Senders of proposals: every agent with a solved challenge, agents with a granted scope, or none. */
export const IntakePolicy = z.enum(['open', 'granted', 'closed']);
export type IntakePolicy = z.infer<typeof IntakePolicy>;

export const CommerceSettings = z.strictObject({
  /** Agentic Commerce Protocol: checkout sessions under /api/v1/acp. */
  acp: z.boolean().default(false),
  /** Universal Commerce Protocol: catalog and checkout under /api/v1/ucp. */
  ucp: z.boolean().default(false),
  /** `links`: a session is paid on the hosted link of its offer. `stripe`: agents' payments are charged, and carts get a checkout of their own. */
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

/** Payments for capsules, off by default: in a token (x402, MPP) if the first three are there, by card (MPP) with a Stripe profile. */
export const PaymentSettings = z.strictObject({
  pay_to: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address such as 0x followed by 40 hexadecimal digits')
    .optional(),
  network: z
    .string()
    .regex(/^eip155:[1-9]\d{0,9}$/, 'must be a network by CAIP-2 such as eip155:84532')
    .optional(),
  facilitator: z
    .string()
    .regex(/^(https:\/\/[a-z0-9.-]+|http:\/\/127\.0\.0\.1:\d{1,5})(\/[A-Za-z0-9._~/-]*)?$/, 'must be an https address')
    .optional(),
  /** Stripe Business Network profile, to which buyers restrict shared payment tokens. */
  stripe_profile: z
    .string()
    .regex(/^profile_[A-Za-z0-9_]{1,100}$/, 'must be the id of your profile at Stripe, such as profile_1AbC')
    .optional(),
});

const PictureFile = publicFile('svg png webp avif jpg jpeg');

const LOGO_FORM = 'must name a file in public/ such as /logo.svg, or one for each scheme: { light: /logo.svg, dark: /logo-dark.svg }';

const COLOR_FORM = 'must be a colour in quotes such as "#1b4b8f", or one for each scheme: { light: "#1b4b8f", dark: "#98bdf3" }';

/** `#rgb` or `#rrggbb`, made lower-case and long. In YAML it needs quotes, because `#` begins a comment. */
const HexColor = z
  .string(COLOR_FORM)
  .regex(/^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/, COLOR_FORM)
  .transform((color) => (color.length === 4 ? color.replace(/[0-9a-f]/gi, '$&$&') : color).toLowerCase());

const SchemeColor = z.union([HexColor, z.strictObject({ light: HexColor, dark: HexColor })], COLOR_FORM);

/** Fonts by name. `serif` and `sans` come with the engine; the others are those of the reader's system. */
export const FONT_NAMES = ['serif', 'sans', 'system-serif', 'system-sans', 'mono'] as const;

const FONT_FORM = `must be ${FONT_NAMES.join(', ')}, or at least two families in the form of CSS such as '"Atkinson Hyperlegible", sans-serif'`;

/** A font by name, or families in the form of CSS with a fallback, which theme.css declares. */
const Font = z.union([z.enum(FONT_NAMES), z.string().regex(/^[A-Za-z"][A-Za-z0-9 "-]*(,[A-Za-z0-9 "-]+)+$/, FONT_FORM)], FONT_FORM);

/** How the site looks: `look` in publisher.yaml. docs/appearance.md explains each member to publishers. */
export const Look = z.strictObject({
  logo: z.union([PictureFile, z.strictObject({ light: PictureFile, dark: PictureFile })], LOGO_FORM).optional(),
  logo_has_name: z.boolean().default(false),
  favicon: publicFile('svg png').optional(),
  social_image: Picture.optional(),
  color_scheme: z.enum(['auto', 'light', 'dark']).default('auto'),
  /** A single colour is for the light scheme, or for the one of `color_scheme`. The build checks the contrast of text (WCAG 2.2, 1.4.3). */
  colors: z
    .strictObject({
      accent: SchemeColor.optional(),
      background: SchemeColor.optional(),
      text: SchemeColor.optional(),
    })
    .prefault({}),
  fonts: z
    .strictObject({
      text: Font.default('serif'),
      headings: Font.default('serif'),
      interface: Font.default('sans'),
      code: Font.default('mono'),
    })
    .prefault({}),
  corners: z.enum(['square', 'soft', 'round']).default('square'),
});
export type Look = z.infer<typeof Look>;

const Label = z.string().trim().min(1).max(60);

const HREF_FORM = 'must begin with /, https:// or mailto:';

const Href = z.string(HREF_FORM).regex(/^(\/(?!\/)|https:\/\/[^\s/]+|mailto:[^\s]+@)\S*$/, HREF_FORM);

const LINK_FORM =
  'must be the name of a page such as capsules or about, { page: about, label: "Who we are" }, or { label: "Blog", href: "https://…" }';

/** A link of navigation: a page by its name (an engine's, or a file in `content/pages/`), or any address with a label. */
export const SiteLink = z.union(
  [
    Id.transform((page) => ({ page, label: undefined })),
    z.strictObject({ page: Id, label: Label.optional() }),
    z.strictObject({ label: Label, href: Href }),
  ],
  LINK_FORM,
);
export type SiteLink = z.infer<typeof SiteLink>;

const Footer = z.strictObject({
  columns: z
    .array(z.strictObject({ heading: Label, links: z.array(SiteLink).min(1).max(20) }))
    .max(4)
    .optional(),
  machine_formats: z.boolean().default(true),
  imprint: z.string().trim().min(1).max(400).optional(),
  credits: z.boolean().default(false),
});

/** Profiles of the publisher elsewhere, which the footer links to and structured data names as the same organization. */
const SocialLinks = z
  .array(z.strictObject({ label: Label, href: z.string().regex(/^https:\/\/[^\s/]+\S*$/, 'must be an https address') }))
  .max(12);

/** Sections of the home page, in the order without a setting. */
const HOME_SECTIONS = ['text', 'ask', 'answer', 'doors', 'picture', 'numbers', 'capsules', 'evidence', 'agents', 'offers'] as const;

const SECTION_FORM = `must be one of ${HOME_SECTIONS.join(', ')}, or { section: capsules, heading: "Our guides" }`;
const SectionName = z.enum(HOME_SECTIONS, SECTION_FORM);
export type HomeSectionName = z.infer<typeof SectionName>;

const HomeSection = z.union(
  [
    SectionName.transform((section): HomeSection => ({ section })),
    z.strictObject({
      section: SectionName,
      heading: z.string().trim().min(1).max(90).optional(),
      note: z.string().trim().min(1).max(280).optional(),
      /** Only of `text`: the page of `content/pages/` whose text it shows, by default `home`. */
      page: Id.optional(),
    }),
  ],
  SECTION_FORM,
);

const Assistant = z.strictObject({
  name: Label,
  url: z
    .string()
    .max(200)
    .regex(/^https:\/\/[^\s{}]+\{prompt\}[^\s{}]*$/, 'must be an https address with {prompt}, such as https://claude.ai/new?q={prompt}'),
});

/** The home page. Everything has a default: title and lead are `tagline` and `description`. */
export const HomePage = z.strictObject({
  title: z.string().trim().min(1).max(160).optional(),
  lead: z.string().trim().min(1).max(600).optional(),
  questions: z.array(z.string().trim().min(3).max(160)).min(1).max(3).optional(),
  actions: z.array(SiteLink).max(3).default([]),
  image: z
    .strictObject({
      file: z.string().regex(/^\/[A-Za-z0-9._~/-]+$/, 'must name a file in public/, such as /workshop.jpg'),
      alt: z.string().max(200),
    })
    .optional(),
  sections: z
    .array(HomeSection)
    .max(12)
    .refine(isEachOnce, 'must name each section once, and `text` once for each page')
    .default(HOME_SECTIONS.map((section) => ({ section }))),
});

/** Where an agent publishes its keys; on this machine also without TLS. */
const AGENT_ORIGIN = /^(https:\/\/[a-z0-9.-]+|http:\/\/(127\.0\.0\.1|localhost):\d{1,5})$/;

export const Publisher = z.strictObject({
  name: z.string().min(2).max(80),
  tagline: z.string().min(1).max(160),
  description: z.string().min(1).max(600),
  base_url: BaseUrl,
  /** Identity in lineage records, independent of `base_url`. */
  issuer: DidWeb,
  checkout_host: z
    .string()
    .regex(/^https:\/\/[a-z0-9.-]+$/, 'must be an https origin such as https://buy.stripe.com')
    .optional(),
  contact_email: z.email({ error: ({ code }) => (code === 'invalid_format' ? 'must be an e-mail address' : undefined) }),
  currency: z.literal('USD', 'must be USD: every price is stated in it; offers state further ones in "prices"').default('USD'),
  /** Currency that pages show and charge, where an offer has a checkout in it, and of invoices. */
  display_currency: Currency.default('USD'),
  language: Language.default('en'),
  license: StatedLicense,
  author: z.preprocess((value) => (typeof value === 'string' ? { type: 'Person', name: value } : value), Author).optional(),
  usage: UsageSettings.optional(),
  content_signals: ContentSignals.optional(),
  /** Whether this is the sample publication of the software, which pages state. */
  sample: z.boolean().default(false),
  /** What runs a site with functions at Cloudflare: a Pages project, or one Worker with static assets. */
  target: z.enum(['pages', 'workers']).default('pages'),
  storage: BlockStorage.default('kv'),
  /** Which file is the page at `/x` without functions: `x.html`, or `x/index.html`, which every server of files knows. */
  static_form: z.enum(['file', 'directory']).default('file'),
  capsule_pages: CapsulePages.default('auto'),
  assistants: z
    .array(Assistant)
    .max(6)
    .default([
      { name: 'Claude', url: 'https://claude.ai/new?q={prompt}' },
      { name: 'ChatGPT', url: 'https://chatgpt.com/?q={prompt}' },
    ]),
  provenance: z.enum(['shown', 'folded', 'hidden']).default('folded'),
  markdown_negotiation: z.boolean().default(true),
  insights: z.enum(['off', 'counts', 'questions']).default('counts'),
  notify: NotifySettings.optional(),
  limits: z
    .strictObject({
      signed_agents: z
        .record(z.string().regex(AGENT_ORIGIN, 'must be the origin of an agent such as https://agent.example'), z.int().min(1).max(100_000))
        .refine((agents) => Object.keys(agents).length <= 50, 'must have at most 50 agents')
        .default({}),
    })
    .prefault({}),
  /** The most files that the host takes; by default the limit of Cloudflare Pages, free plan (developers.cloudflare.com/pages/platform/limits). */
  max_files: z.int().min(1).default(20_000),
  /** Origin trial tokens, each for one experimental feature of Chrome, such as WebMCP (developer.chrome.com/docs/web-platform/origin-trials). */
  origin_trial_tokens: z
    .array(z.string().regex(/^[A-Za-z0-9+/]{64,2000}={0,2}$/, 'must be an origin trial token in base64, as Chrome issues it'))
    .max(10)
    .default([]),
  intake: IntakePolicy.default('open'),
  /** Days until a signed head or manifest expires. Builds issue them on the first of every month: a monthly build on any day needs 62. */
  proof_days: z.int().min(62).max(730).default(180),
  search_reads: z.union([z.literal('exact'), z.int().min(2).max(64)]).optional(),
  look: Look.prefault({}),
  navigation: z.array(SiteLink, LINK_FORM).max(12).optional(),
  footer: Footer.prefault({}),
  social: SocialLinks.default([]),
  home: HomePage.prefault({}),
  commerce: CommerceSettings.prefault({}),
  payments: PaymentSettings.optional(),
  offers: OfferDefaults.extend({
    order: z.array(Id).default([]),
    recommended_first: Id.optional(),
    recommended_quick: Id.optional(),
    fast_paid_starts: z.array(Id).min(1, 'must name an offer; leave the field out for the default').optional(),
  }).prefault({}),
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
  language: Language.optional(),
  translation_of: Id.optional(),
  order: z.int().min(0).max(999).default(100),
  label: z.string().trim().min(1).max(60).optional(),
  navigation: z.enum(['header', 'footer', 'none']).default('footer'),
  updated: ContentDate,
});
export type PageFrontMatter = z.infer<typeof PageFrontMatter>;

/** Front matter as it stands in the file of a page; every field has a default, and the title defaults to the first heading. */
export const WrittenPage = PageFrontMatter.extend({
  title: writtenLine(200).optional(),
  description: writtenLine(600).optional(),
  updated: WrittenDate.optional(),
});
export type WrittenPage = z.infer<typeof WrittenPage>;

/** Pages of the engine that links of publisher.yaml may name. */
export const LINKED_PAGES = {
  home: PATHS.home,
  capsules: PATHS.capsules,
  subjects: PATHS.subjects,
  buy: PATHS.buy,
  pricing: PATHS.pricing,
  checkout: PATHS.checkout,
  invoice: PATHS.invoice,
  contact: PATHS.contact,
  docs: PATHS.docs,
  connect: PATHS.connect,
  status: PATHS.status,
} as const;
export type LinkedPage = keyof typeof LINKED_PAGES;

export interface HomeSection {
  readonly section: HomeSectionName;
  readonly heading?: string | undefined;
  readonly note?: string | undefined;
  readonly page?: string | undefined;
}

function isEachOnce(sections: readonly HomeSection[]): boolean {
  const names = sections.map(({ section, page = HOME_PAGE_ID }) => (section === 'text' ? `text ${page}` : section));
  return new Set(names).size === names.length;
}
