import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { AcpCancelRequest, AcpCompleteRequest, AcpCreateRequest, AcpUpdateRequest } from '../../../src/protocols/acp/acp-schemas.ts';
import REQUESTS from '../../data/acp-requests.json' with { type: 'json' };
import { officialAcp, officialAcpExamples } from '../../support/official-schemas.ts';
import { takenMutations } from './mutated-bodies.ts';

/** Holds the bodies that are taken against the official schema: one that it refuses is refused here, but for what {@link TAKEN} lists. */
const official = officialAcp();

const FORMS: readonly (readonly [definition: keyof typeof REQUESTS, schema: z.ZodType])[] = [
  ['CheckoutSessionCreateRequest', AcpCreateRequest],
  ['CheckoutSessionUpdateRequest', AcpUpdateRequest],
  ['CheckoutSessionCompleteRequest', AcpCompleteRequest],
  ['CancelSessionRequest', AcpCancelRequest],
];

/** What is taken although the official schema refuses it, by what it says of it, and why. */
const TAKEN: readonly (readonly [fault: RegExp, why: string])[] = [
  [/must NOT have additional properties$/, 'a member that the schema does not name is left alone: an extension breaks no purchase'],
  [
    /^\/(?:(?:buyer|payment_data)\/)?(?:capabilities|company|loyalty|tax_exemption|fulfillment_(?:details|groups)|selected_fulfillment_options|affiliate_attribution|billing_address|authentication_result|risk_signals|marketing_consents|intent_trace)\b.* (?:must|should)/,
    'the content of a member that is ignored is not checked',
  ],
  [/^\/buyer must be object$/, 'null takes back the buyer that was named before'],
];

describe.each(FORMS)('%s', (definition, schema) => {
  const bodies: readonly object[] = REQUESTS[definition];

  test('every valid body is taken', () => {
    for (const body of bodies) {
      expect(official(definition, body)).toEqual([]);
      expect(schema.safeParse(body).error?.issues ?? []).toEqual([]);
    }
  });

  test.runIf(official.isHere)('what the official schema refuses is refused, one changed place at a time', () => {
    const { refused, taken } = takenMutations(bodies, schema, (body) => official(definition, body), TAKEN);
    expect(taken).toEqual([]);
    expect(refused).toBeGreaterThan(20);
  });
});

test.runIf(official.isHere).each([
  ['a quantity, which the schema has no place for', { line_items: [{ id: 'review', quantity: 2 }] }],
  ['an item with a quantity', { line_items: [{ item: { id: 'review' }, quantity: 2 }] }],
  ['an item with an id of its line', { line_items: [{ id: 'li_1', item: { id: 'review' }, quantity: 2 }] }],
  ['the name of before for the items', { items: [{ id: 'review', quantity: 2 }] }],
])('clients in use send %s, and it is taken', (_what, wanted) => {
  const body = { ...wanted, currency: 'usd', capabilities: {} };
  expect(official('CheckoutSessionCreateRequest', body)).not.toEqual([]);
  expect(AcpCreateRequest.safeParse(body).success).toBe(true);
});

test.runIf(official.isHere)('requests of the official examples are taken, or are refused by the official schema as well', () => {
  const named = Object.entries(officialAcpExamples()).filter(([name]) => /request$/.test(name));
  for (const [name, body] of named) {
    const form = FORMS.find(([definition]) => definition.toLowerCase().includes(/create|update|complete|cancel/.exec(name)?.[0] ?? 'none'));
    if (form === undefined) continue;
    const [definition, schema] = form;
    expect([name, schema.safeParse(body).success || official(definition, body).length > 0]).toEqual([name, true]);
  }
  expect(named.length).toBeGreaterThan(0);
});
