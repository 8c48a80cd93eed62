import { lookUpCatalog, productOf, searchCatalog } from '../catalog.ts';
import { ok } from '../../../gateway/result.ts';
import { PATHS } from '../../../schemas/paths.ts';
import {
  UcpLookupAnswer,
  UcpLookupRequest,
  UcpProductAnswer,
  UcpProductRequest,
  UcpSearchAnswer,
  UcpSearchRequest,
} from '../schemas/catalog.ts';
import { defineRoute } from '../../../http/define-route.ts';
import { UCP_BINDING, UCP_HEADERS } from '../http-binding.ts';
import { ucpCatalog } from '../answers.ts';

/** What the operations on the catalog have in common. */
const COMMON = {
  method: 'POST',
  capability: 'commerce',
  access: 'open',
  servedBy: 'function',
  edge: true,
  headers: UCP_HEADERS,
  protocol: UCP_BINDING,
  rateLimit: 'buy',
  cache: 'no-store',
} as const;

export const searchUcpCatalogRoute = defineRoute<undefined, undefined, UcpSearchRequest>({
  ...COMMON,
  id: 'searchUcpCatalog',
  path: `${PATHS.ucp}/catalog/search`,
  summary: 'Search the offers (UCP)',
  description:
    'Offers in which words of the query stand, those with most of its words first, then those in which they stand in the name. Filters for category and price. The same question on the same catalog has the same answer.',
  body: UcpSearchRequest,
  responses: [{ status: 200, description: 'A page of offers.', content: { type: 'application/json', schema: UcpSearchAnswer } }],
  errors: ['invalid_cursor'],
  handle: async ({ body }, deps) => {
    const found = await searchCatalog(body, ucpCatalog(deps));
    return found.ok ? ok({ kind: 'json', status: 200, value: found.value }) : found;
  },
});

export const getUcpProductsRoute = defineRoute<undefined, undefined, UcpLookupRequest>({
  ...COMMON,
  id: 'getUcpProducts',
  path: `${PATHS.ucp}/catalog/lookup`,
  summary: 'Look offers up by their ids (UCP)',
  description: 'The offers with some ids or aliases. Those that are none are named in the messages.',
  body: UcpLookupRequest,
  responses: [{ status: 200, description: 'The offers that were found.', content: { type: 'application/json', schema: UcpLookupAnswer } }],
  errors: [],
  handle: async ({ body }, deps) => {
    const found = lookUpCatalog(body, ucpCatalog(deps));
    return found.ok ? ok({ kind: 'json', status: 200, value: found.value }) : found;
  },
});

export const getUcpProductRoute = defineRoute<undefined, undefined, UcpProductRequest>({
  ...COMMON,
  id: 'getUcpProduct',
  path: `${PATHS.ucp}/catalog/product`,
  summary: 'Read one offer (UCP)',
  description: 'One offer with its price. If there is none, the status in the answer is error.',
  body: UcpProductRequest,
  responses: [
    {
      status: 200,
      description: 'The offer, or the message that there is none.',
      content: { type: 'application/json', schema: UcpProductAnswer },
    },
  ],
  errors: [],
  handle: async ({ body }, deps) => ok({ kind: 'json', status: 200, value: productOf(body, ucpCatalog(deps)) }),
});
