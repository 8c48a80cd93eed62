import * as z from 'zod';
import { HOME_PAGE_ID, PATHS } from './paths.ts';
import { Id } from './primitives.ts';

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
  status: PATHS.status,
} as const;
export type LinkedPage = keyof typeof LINKED_PAGES;

const HREF_FORM = 'must begin with /, https:// or mailto:';

/** Address of a link: a path of this site, or another site. */
const Href = z.string(HREF_FORM).regex(/^(\/(?!\/)|https:\/\/[^\s/]+|mailto:[^\s]+@)\S*$/, HREF_FORM);
const Label = z.string().trim().min(1).max(60);

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

/** Links of the header, in order. */
export const Navigation = z.array(SiteLink, LINK_FORM).max(12);

/** The end of every page. docs/appearance.md explains each member to publishers. */
export const Footer = z.strictObject({
  /** Instead of the column with the publisher's pages. */
  columns: z
    .array(z.strictObject({ heading: Label, links: z.array(SiteLink).min(1).max(20) }))
    .max(4)
    .optional(),
  /** Whether the lists of formats for machines are shown. Machines find these addresses in the head of the page as well. */
  machine_formats: z.boolean().default(true),
  /** Below the name, such as an address or a register number. */
  imprint: z.string().trim().min(1).max(400).optional(),
  /** Whether the software is named. */
  credits: z.boolean().default(false),
});
export type Footer = z.infer<typeof Footer>;

/** Profiles of the publisher elsewhere, which the footer links to and structured data names as the same organization. */
export const SocialLinks = z
  .array(z.strictObject({ label: Label, href: z.string().regex(/^https:\/\/[^\s/]+\S*$/, 'must be an https address') }))
  .max(12);

/** Sections of the home page, in the order without a setting. */
export const HOME_SECTIONS = ['text', 'numbers', 'capsules', 'evidence', 'agents', 'offers'] as const;
export type HomeSectionName = (typeof HOME_SECTIONS)[number];

const SECTION_FORM = `must be one of ${HOME_SECTIONS.join(', ')}, or { section: capsules, heading: "Our guides" }`;
const SectionName = z.enum(HOME_SECTIONS, SECTION_FORM);

/** A section of the home page. One without content is left out. */
export const HomeSection = z.union(
  [
    SectionName.transform((section): HomeSection => ({ section })),
    z.strictObject({
      section: SectionName,
      heading: z.string().trim().min(1).max(90).optional(),
      /** Beside the heading. */
      note: z.string().trim().min(1).max(280).optional(),
      /** Only of `text`: the page of `content/pages/` whose text it shows, by default `home`. */
      page: Id.optional(),
    }),
  ],
  SECTION_FORM,
);
export interface HomeSection {
  readonly section: HomeSectionName;
  readonly heading?: string | undefined;
  readonly note?: string | undefined;
  readonly page?: string | undefined;
}

/** The home page. Everything has a default: title and lead are `tagline` and `description`. */
export const HomePage = z.strictObject({
  title: z.string().trim().min(1).max(160).optional(),
  lead: z.string().trim().min(1).max(600).optional(),
  /** Links below the lead; the first one is a button. */
  actions: z.array(SiteLink).max(3).default([]),
  /** Beside the title. */
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
export type HomePage = z.infer<typeof HomePage>;

function isEachOnce(sections: readonly HomeSection[]): boolean {
  const names = sections.map(({ section, page = HOME_PAGE_ID }) => (section === 'text' ? `text ${page}` : section));
  return new Set(names).size === names.length;
}
