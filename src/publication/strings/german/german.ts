import type { InterfaceStrings } from '../interface-strings.ts';
import { capsules } from './capsules.ts';
import { documentation } from './documentation.ts';
import { errors } from './errors.ts';
import { frame } from './frame.ts';
import { home } from './home.ts';
import { invoiceForm } from './invoice-form.ts';
import { lineage } from './lineage.ts';
import { offers } from './offers.ts';
import { orders } from './orders.ts';
import { pages } from './pages.ts';
import { paidText } from './paid-text.ts';
import { refusals } from './refusals.ts';
import { search } from './search.ts';
import { terms } from './terms.ts';
import { texts } from './texts.ts';
import { verification } from './verification.ts';

/** Every sentence of the interface in German, which addresses people with “Sie”. */
export const GERMAN: InterfaceStrings = {
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
};
