import { capsules } from './english/capsules.ts';
import { documentation } from './english/documentation.ts';
import { errors } from './english/errors.ts';
import { frame } from './english/frame.ts';
import { home } from './english/home.ts';
import { invoiceForm } from './english/invoice-form.ts';
import { lineage } from './english/lineage.ts';
import { offers } from './english/offers.ts';
import { orders } from './english/orders.ts';
import { pages } from './english/pages.ts';
import { paidText } from './english/paid-text.ts';
import { refusals } from './english/refusals.ts';
import { search } from './english/search.ts';
import { terms } from './english/terms.ts';
import { texts } from './english/texts.ts';
import { verification } from './english/verification.ts';
import { GERMAN } from './german/german.ts';
import type { Message, PluralForms } from './message.ts';

/** Every sentence of the interface, by section: the original of all translations. */
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
  refusals,
  search,
  errors,
  documentation,
  texts,
} as const satisfies Readonly<Record<string, Readonly<Record<string, Message>>>>;

/** A section in another language: the same keys, and plural forms only where English has some. */
export type Translated<Section> = { readonly [Key in keyof Section]: Section[Key] extends string ? string : Message };

/** The sentences of the interface in one language. */
export type InterfaceStrings = { readonly [Name in keyof typeof ENGLISH]: Translated<(typeof ENGLISH)[Name]> };

/** Languages that come with the engine. */
const BUILT_IN: Readonly<Record<string, InterfaceStrings>> = { en: ENGLISH, de: GERMAN };

/** The English sentences by section and key, for code that handles all alike. */
export const ORIGINALS: Readonly<Record<string, Readonly<Record<string, Message>>>> = { ...ENGLISH };

/** Number of all sentences. */
export const SENTENCES: number = Object.values(ORIGINALS).reduce((sum, messages) => sum + Object.keys(messages).length, 0);

/** Sentences of a publisher, by section and key. Any may be missing. */
export type StringOverrides = Readonly<Record<string, Readonly<Record<string, Message | undefined>> | undefined>>;

/** The language of the interface, and all its sentences. */
export interface InterfaceLanguage {
  /** Language tag, such as `de` or `pt-BR`. */
  readonly tag: string;
  readonly strings: InterfaceStrings;
}

/**
 * The interface in a language: each sentence from `overrides`, else from the engine in this language, with or without its region, else
 * in English.
 */
export function interfaceLanguage(tag: string, overrides: StringOverrides = {}): InterfaceLanguage {
  const strings: InterfaceStrings = structuredClone(builtInStrings(tag) ?? ENGLISH);
  for (const section of Object.keys(strings) as (keyof InterfaceStrings)[]) Object.assign(strings[section], overrides[section]);
  return { tag, strings };
}

/** The sentences that the engine has for a language: `de-AT` has those of `de`. */
export function builtInStrings(tag: string): InterfaceStrings | undefined {
  const [name = ''] = tag.split('-');
  return Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined;
}

/** Whether a message has plural forms. */
export function isPlural(message: Message): message is PluralForms {
  return typeof message !== 'string';
}
