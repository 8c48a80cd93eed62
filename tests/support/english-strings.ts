import { ENGLISH } from '../../src/text/strings/interface-strings.ts';

/** The module `virtual:strings` of an English site, for tests of modules of `src/site`. */
export const {
  frame,
  home,
  terms,
  capsules,
  search,
  lineage,
  verification,
  paidText,
  offers,
  orders,
  invoiceForm,
  refusals,
  documentation,
  texts,
} = ENGLISH;
export const language = 'en';
