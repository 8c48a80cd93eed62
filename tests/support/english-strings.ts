/** The module `virtual:strings` of an English site, for tests of modules of `src/site`. */
import { ENGLISH } from '../../src/text/strings/interface-strings.ts';

export let language = 'en';
export const { frame, home, terms, capsules, lineage, verification, paidText, offers, orders } = ENGLISH;
export const { invoiceForm, contactForm, refusals, search, errors, connect, documentation, texts } = ENGLISH;

/** Makes another language that of the interface, whose strings stay English. */
export function setLanguage(tag: string): void {
  language = tag;
}
