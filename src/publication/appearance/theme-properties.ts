import { FONT_NAMES } from '../../schemas/appearance.ts';
import { PALETTE_NAMES } from './palette.ts';

/** Sizes and distances of `src/site/styles/tokens.css`. */
const LENGTHS = [
  ...['text', 'ui', 'small', 'list', 'item', '1', '2', '3', 'display'].map((name) => `size-${name}`),
  ...[1, 2, 3, 4, 5, 6].map((step) => `space-${step}`),
  ...['radius', 'measure', 'measure-wide', 'rail', 'margin', 'gutter', 'page-width'],
];

const FONT_ROLES = ['text', 'headings', 'interface', 'code'];

/** What the value of a property is: a property of CSS that takes the same values, and its name for people. */
export interface ValueKind {
  readonly property: 'color' | 'font-family' | 'padding-left';
  readonly name: string;
}

const COLOR: ValueKind = { property: 'color', name: 'a colour such as #1b4b8f' };
const LENGTH: ValueKind = { property: 'padding-left', name: 'a length such as 1.5rem' };
const FONTS: ValueKind = { property: 'font-family', name: 'font families such as "Inter", sans-serif' };

/** The custom properties that a publication may set, and the kind of their values. docs/appearance.md lists them. */
export const THEME_PROPERTIES: ReadonlyMap<string, ValueKind> = new Map([
  ...PALETTE_NAMES.map((name) => [`--color-${name}`, COLOR] as const),
  ...LENGTHS.map((name) => [`--${name}`, LENGTH] as const),
  ...[...FONT_ROLES, ...FONT_NAMES].map((name) => [`--font-${name}`, FONTS] as const),
]);
