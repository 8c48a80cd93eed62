import * as z from 'zod';

const COLOR_FORM = 'must be a colour in quotes such as "#1b4b8f", or one for each scheme: { light: "#1b4b8f", dark: "#98bdf3" }';

/** `#rgb` or `#rrggbb`, made lower-case and long. In YAML it needs quotes, because `#` begins a comment. */
const HexColor = z
  .string(COLOR_FORM)
  .regex(/^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/, COLOR_FORM)
  .transform((color) => (color.length === 4 ? color.replace(/[0-9a-f]/gi, '$&$&') : color).toLowerCase());

/** One colour, or one for each colour scheme. */
const SchemeColor = z.union([HexColor, z.strictObject({ light: HexColor, dark: HexColor })], COLOR_FORM);
export type SchemeColor = z.infer<typeof SchemeColor>;

const FILE_FORM = 'must name a file in public/, such as /logo.svg';

function publicFile(endings: string): z.ZodType<string, unknown> {
  return z
    .string(FILE_FORM)
    .regex(/^\/?([A-Za-z0-9._~-]+\/)*[A-Za-z0-9._~-]+$/, FILE_FORM)
    .refine(
      (path) => endings.split(' ').includes(path.slice(path.lastIndexOf('.') + 1).toLowerCase()),
      `must be a file of one of these types: ${endings.replaceAll(' ', ', ')}`,
    )
    .transform((path) => (path.startsWith('/') ? path : `/${path}`));
}

const PICTURES = 'svg png webp avif jpg jpeg';
const PictureFile = publicFile(PICTURES);

/** Fonts by name. `serif` and `sans` come with the engine; the others are those of the reader's system. */
export const FONT_NAMES = ['serif', 'sans', 'system-serif', 'system-sans', 'mono'] as const;

const FONT_FORM = `must be ${FONT_NAMES.join(', ')}, or at least two families in the form of CSS such as '"Atkinson Hyperlegible", sans-serif'`;

/** A font by name, or families in the form of CSS with a fallback, which theme.css declares. */
const Font = z.union([z.enum(FONT_NAMES), z.string().regex(/^[A-Za-z"][A-Za-z0-9 "-]*(,[A-Za-z0-9 "-]+)+$/, FONT_FORM)], FONT_FORM);

const LOGO_FORM = 'must name a file in public/ such as /logo.svg, or one for each scheme: { light: /logo.svg, dark: /logo-dark.svg }';

/** How the site looks: `look` in publisher.yaml. docs/appearance.md explains each member to publishers. */
export const Look = z.strictObject({
  /** Left of the name in the header. An SVG in `currentColor` takes the colour of the text. */
  logo: z.union([PictureFile, z.strictObject({ light: PictureFile, dark: PictureFile })], LOGO_FORM).optional(),
  /** Whether the logo contains the name, so that the header does not repeat it. */
  logo_has_name: z.boolean().default(false),
  /** Icon of browser tabs. Without it, `public/favicon.svg`, or the first letter of the name. */
  favicon: publicFile('svg png').optional(),
  /** Picture of links to the site in messages, 1200 × 630 pixels. Without it, `public/og-image.png`, or the name on the background. */
  social_image: z
    .strictObject({
      file: publicFile('png jpg jpeg webp'),
      /** What the picture shows, for people who do not see it. */
      alt: z.string().min(1).max(200),
    })
    .optional(),
  /** `auto` follows the reader's system; `light` and `dark` are the same for everybody. */
  color_scheme: z.enum(['auto', 'light', 'dark']).default('auto'),
  /** A single colour is for the light scheme, or for the one of `color_scheme`. The build checks the contrast of text (WCAG 2.2, 1.4.3). */
  colors: z
    .strictObject({
      /** Links and buttons. The one for the other scheme is derived from a single colour. */
      accent: SchemeColor.optional(),
      /** Page background. */
      background: SchemeColor.optional(),
      text: SchemeColor.optional(),
    })
    .prefault({}),
  fonts: z
    .strictObject({
      /** Running text. */
      text: Font.default('serif'),
      headings: Font.default('serif'),
      /** Navigation, tables, forms and notes. */
      interface: Font.default('sans'),
      code: Font.default('mono'),
    })
    .prefault({}),
  /** Corners of buttons, fields, code and notes. */
  corners: z.enum(['square', 'soft', 'round']).default('square'),
});
export type Look = z.infer<typeof Look>;
