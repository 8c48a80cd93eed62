import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import {
  UcpCheckoutRequest,
  UcpCompleteRequest,
  UcpLookupRequest,
  UcpProductRequest,
  UcpSearchRequest,
} from '../../../src/protocols/ucp/ucp-schemas.ts';
import { loadUcpSchemas, type UcpOperation } from '../../support/official-schemas.ts';
import { mutatedBodies } from './mutated-bodies.ts';

/** Holds the bodies that are taken against the official schemas: one that they refuse is refused here, but for what {@link TAKEN} lists. */
const SCHEMAS = loadUcpSchemas();

const CONTEXT = {
  address_country: 'US',
  address_region: 'IL',
  postal_code: '62701',
  location: 'l',
  intent: 'a gift',
  language: 'en',
  currency: 'USD',
  eligibility: ['com.example.student'],
  payment: [{ handler: 'com.example.pay', types: ['card'] }],
};
const SHARED = {
  signals: { 'dev.ucp.buyer_ip': '192.0.2.1', 'dev.ucp.user_agent': 'x', 'com.example.score': 7 },
  attribution: { campaign: 'spring' },
};
const PAYMENT = {
  instruments: [
    {
      id: 'i',
      handler_id: 'h',
      type: 'card',
      billing_address: { street_address: '1 Main Street', address_locality: 'Springfield', address_country: 'US', first_name: 'Ada' },
      credential: { type: 'token' },
      display: { brand: 'visa' },
      selected: true,
    },
  ],
};
const LINE = {
  item: { id: 'review', quantity_unit: { unit: 'C62', scale: 0, display_text: 'piece', increment: 1 } },
  quantity: 1,
};
const CHECKOUT = {
  line_items: [LINE],
  buyer: { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@buyer.example', phone_number: '+1 555 0100' },
  context: CONTEXT,
  payment: PAYMENT,
  ...SHARED,
};
const FILTERS = { categories: ['reports'], price: { min: 0, max: 100 }, other: 1 };

interface Form {
  readonly name: string;
  readonly operation: UcpOperation;
  readonly id: string;
  readonly schema: z.ZodType;
  readonly body: object;
}
const FORMS: readonly Form[] = [
  { name: 'create', operation: 'create', id: 'shopping/checkout.json', schema: UcpCheckoutRequest, body: CHECKOUT },
  {
    name: 'update',
    operation: 'update',
    id: 'shopping/checkout.json',
    schema: UcpCheckoutRequest,
    body: { ...CHECKOUT, line_items: [{ ...LINE, id: 'li_1', parent_id: 'li_0' }] },
  },
  {
    name: 'complete',
    operation: 'complete',
    id: 'shopping/checkout.json',
    schema: UcpCompleteRequest,
    body: { payment: PAYMENT, ...SHARED },
  },
  {
    name: 'search',
    operation: 'search',
    id: 'shopping/catalog_search.json#/$defs/search_request',
    schema: UcpSearchRequest,
    body: { query: 'review', context: CONTEXT, filters: FILTERS, pagination: { cursor: 'c', limit: 5 }, ...SHARED },
  },
  {
    name: 'lookup',
    operation: 'lookup',
    id: 'shopping/catalog_lookup.json#/$defs/lookup_request',
    schema: UcpLookupRequest,
    body: { ids: ['review'], filters: FILTERS, context: CONTEXT, ...SHARED },
  },
  {
    name: 'product',
    operation: 'lookup',
    id: 'shopping/catalog_lookup.json#/$defs/get_product_request',
    schema: UcpProductRequest,
    body: {
      id: 'review',
      selected: [{ name: 'Size', id: 's', label: 'S' }],
      preferences: ['Size'],
      filters: FILTERS,
      context: CONTEXT,
      ...SHARED,
    },
  },
];

/** What is taken although the official schema refuses it, by what it says of it, and why. */
const TAKEN: readonly (readonly [fault: RegExp, why: string])[] = [
  [
    /^ must have required property 'payment'$/,
    'a request to complete is taken without a payment, because none is used: the session escalates',
  ],
  [
    /quantity_unit (must match "then" schema|.*scale must be equal to constant)|quantity_unit\/scale must be equal to constant$/,
    'pieces with decimal places are answered as an outcome, quantity_unit_mismatch',
  ],
  [/^\/(?:context|signals|attribution|payment\/instruments|selected)\b/, 'the content of a member that is ignored is not checked'],
];

describe.runIf(SCHEMAS).each(FORMS)('$name', ({ operation, id, schema, body: whole }) => {
  const faultsOf = (body: unknown): string[] => SCHEMAS?.requestFaults(operation, id, body) ?? [];

  test('a body with every member is taken', () => {
    expect(faultsOf(whole)).toEqual([]);
    expect(schema.safeParse(whole).error?.issues ?? []).toEqual([]);
  });

  test('what the official schema refuses is refused, one changed place at a time', () => {
    let refused = 0;
    const taken = mutatedBodies(whole).flatMap(({ pointer, change, body }) => {
      const faults = faultsOf(body);
      refused += faults.length > 0 ? 1 : 0;
      const isTaken =
        faults.length > 0 && schema.safeParse(body).success && !faults.every((fault) => TAKEN.some(([known]) => known.test(fault)));
      return isTaken ? [`${pointer} ${change}: ${faults.join(', ')}`] : [];
    });
    expect(taken).toEqual([]);
    expect(refused).toBeGreaterThan(20);
  });
});
