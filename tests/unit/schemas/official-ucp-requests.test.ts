import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import {
  UcpCheckoutRequest,
  UcpCompleteRequest,
  UcpLookupRequest,
  UcpProductRequest,
  UcpSearchRequest,
} from '../../../src/protocols/ucp/ucp-schemas.ts';
import REQUESTS from '../../data/ucp-requests.json' with { type: 'json' };
import { loadUcpSchemas, type UcpOperation } from '../../support/official-schemas.ts';
import { takenMutations } from './mutated-bodies.ts';

/** Holds the bodies that are taken against the official schemas: one that they refuse is refused here, but for what {@link TAKEN} lists. */
const SCHEMAS = loadUcpSchemas();

const CHECKOUT = 'shopping/checkout.json';
const FORMS: readonly (readonly [name: keyof typeof REQUESTS, operation: UcpOperation, id: string, schema: z.ZodType])[] = [
  ['create', 'create', CHECKOUT, UcpCheckoutRequest],
  ['update', 'update', CHECKOUT, UcpCheckoutRequest],
  ['complete', 'complete', CHECKOUT, UcpCompleteRequest],
  ['search', 'search', 'shopping/catalog_search.json#/$defs/search_request', UcpSearchRequest],
  ['lookup', 'lookup', 'shopping/catalog_lookup.json#/$defs/lookup_request', UcpLookupRequest],
  ['product', 'lookup', 'shopping/catalog_lookup.json#/$defs/get_product_request', UcpProductRequest],
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

describe.runIf(SCHEMAS).each(FORMS)('%s', (name, operation, id, schema) => {
  const faultsOf = (body: unknown): string[] => SCHEMAS?.requestFaults(operation, id, body) ?? [];

  test('a body with every member is taken', () => {
    expect(faultsOf(REQUESTS[name])).toEqual([]);
    expect(schema.safeParse(REQUESTS[name]).error?.issues ?? []).toEqual([]);
  });

  test('what the official schema refuses is refused, one changed place at a time', () => {
    const { refused, taken } = takenMutations([REQUESTS[name]], schema, faultsOf, TAKEN);
    expect(taken).toEqual([]);
    expect(refused).toBeGreaterThan(20);
  });
});
