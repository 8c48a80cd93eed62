import type { Equivalent } from './equivalent.ts';

/** Changes of the area `money` that make no difference to any answer. */
export const MONEY_EQUIVALENTS: readonly Equivalent[] = [
  {
    file: 'src/gateway/commerce/catalog/catalog-document.ts',
    line: 'return offers.reduce((newest, { updated }) => (updated > newest ? updated : newest), publisher.updated);',
    original: 'updated > newest',
    replacement: 'updated >= newest',
    reason: 'Of two equal days each is the newest.',
  },
  {
    file: 'src/publication/offers/checkout-link.ts',
    line: "url.username === '' &&",
    original: "url.username === ''",
    replacement: 'true',
    reason: 'An address with a user name does not begin with the host; the check is a second lock.',
  },
  {
    file: 'src/publication/offers/checkout-link.ts',
    line: "url.password === '' &&",
    original: "url.password === ''",
    replacement: 'true',
    reason: 'An address with a password does not begin with the host; the check is a second lock.',
  },
];
