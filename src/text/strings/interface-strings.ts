import { capsules, lineage, terms, verification } from './english/capsules.ts';
import { contactForm, invoiceForm, offers, orders, paidText } from './english/commerce.ts';
import { connect, documentation, errors, frame, home, pages, refusals, search, texts } from './english/site.ts';
import type { Message } from './message.ts';

/**
 * Every sentence of the interface, by section: the original of all translations. It is code, because the types of the values and elements
 * that a page must fill in are taken from its sentences; translations are YAML (`strings-file.ts`).
 */
export const ENGLISH = {
  frame,
  pages,
  home,
  terms,
  capsules,
  lineage,
  verification,
  paidText,
  offers,
  orders,
  invoiceForm,
  contactForm,
  refusals,
  search,
  errors,
  connect,
  documentation,
  texts,
} as const satisfies Readonly<Record<string, Readonly<Record<string, Message>>>>;

/** A section in another language: the same keys, and plural forms only where English has some. */
type Translated<Section> = { readonly [Key in keyof Section]: Section[Key] extends string ? string : Message };

export type InterfaceStrings = { readonly [Name in keyof typeof ENGLISH]: Translated<(typeof ENGLISH)[Name]> };

export interface InterfaceLanguage {
  /** Language tag, such as `de` or `pt-BR`. */
  readonly tag: string;
  readonly strings: InterfaceStrings;
}
