import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { AcpCancelRequest, AcpCompleteRequest, AcpCreateRequest, AcpUpdateRequest } from '../../../src/protocols/acp/acp-schemas.ts';
import { officialAcp, officialAcpExamples } from '../../support/official-schemas.ts';
import { mutatedBodies } from './mutated-bodies.ts';

/** Holds the bodies that are taken against the official schema: one that it refuses is refused here, but for what {@link TAKEN} lists. */
const official = officialAcp();

const ADDRESS = {
  name: 'Ada',
  line_one: '1 Main Street',
  line_two: 'Floor 2',
  city: 'Springfield',
  state: 'IL',
  country: 'US',
  postal_code: '62701',
  company: 'Ada Ltd',
};
const BUYER = {
  email: 'ada@buyer.example',
  first_name: 'Ada',
  last_name: 'Lovelace',
  full_name: 'Ada Lovelace',
  phone_number: '+1 555 0100',
  customer_id: 'c_1',
  account_type: 'business',
  authentication_status: 'authenticated',
  company: { name: 'Ada Ltd', tax_id: 'x', department: 'x', cost_center: 'x' },
  loyalty: { tier: 'gold', points_balance: 7, member_since: '2026-01-01T00:00:00Z' },
  tax_exemption: { certificate_id: 'x', certificate_type: 'resale', exempt_regions: ['IL'], expires_at: '2027-01-01T00:00:00Z' },
};
const FULFILLMENT = { name: 'Ada', phone_number: '+1 555 0100', email: 'ada@buyer.example', address: ADDRESS };
const GROUP = {
  id: 'g',
  item_ids: ['review'],
  destination_type: 'digital',
  fulfillment_details: FULFILLMENT,
  location_id: 'l',
  instructions: 'i',
};
const AFFILIATE = {
  provider: 'p.example',
  token: 't',
  campaign_id: 'c',
  creative_id: 'c',
  sub_id: 's',
  source: { type: 'url', url: 'https://p.example/page' },
  issued_at: '2026-01-01T00:00:00Z',
  expires_at: '2027-01-01T00:00:00Z',
  metadata: { campaign: 'spring', weight: 1, tested: true },
  touchpoint: 'first',
};
const HANDLER = {
  id: 'h',
  name: 'example.handler',
  display_name: 'Card',
  version: '2026-04-17',
  spec: 'https://h.example/spec',
  requires_delegate_payment: true,
  requires_pci_compliance: false,
  psp: 'p',
  config_schema: 'https://h.example/config.json',
  instrument_schemas: ['https://h.example/instrument.json'],
  config: { any: 1 },
  display_order: 1,
};
const CAPABILITIES = {
  payment: { handlers: [HANDLER] },
  interventions: {
    supported: ['3ds'],
    required: ['3ds'],
    enforcement: 'always',
    display_context: 'native',
    redirect_context: 'in_app',
    max_redirects: 1,
    max_interaction_depth: 1,
  },
  extensions: [
    { name: 'discount@2026-01-27', extends: ['$.CheckoutSession.discounts'], schema: 'https://e.example/s', spec: 'https://e.example/d' },
  ],
};
const ITEM = { id: 'review', name: 'Review', unit_amount: 24_000 };
const CHANGE = {
  buyer: BUYER,
  line_items: [ITEM],
  fulfillment_details: FULFILLMENT,
  fulfillment_groups: [GROUP],
  coupons: ['SPRING'],
  discounts: { codes: ['SPRING'] },
  order_notes: 'At the door.',
};
const CREATE = {
  ...CHANGE,
  currency: 'usd',
  capabilities: CAPABILITIES,
  affiliate_attribution: AFFILIATE,
  locale: 'en-US',
  timezone: 'America/New_York',
  quote_id: 'q',
  metadata: { any: [1] },
};
const PAYMENT = {
  handler_id: 'h',
  instrument: { type: 'card', credential: { type: 'spt', token: 'spt_1' } },
  billing_address: ADDRESS,
  payment_terms: 'net_30',
  due_date: '2026-12-01T00:00:00Z',
  approval_required: false,
};
const COMPLETE = {
  buyer: BUYER,
  payment_data: PAYMENT,
  authentication_result: {
    outcome: 'authenticated',
    outcome_details: { three_ds_cryptogram: 'x', electronic_commerce_indicator: '05', transaction_id: 'x', version: '2.2.0' },
  },
  affiliate_attribution: AFFILIATE,
  risk_signals: { ip_address: '192.0.2.1', user_agent: 'x', accept_language: 'en', session_id: 's', device_fingerprint: 'd' },
  marketing_consents: [{ channel: 'email', opted_in: true }],
  order_notes: 'At the door.',
};

interface Form {
  readonly definition: string;
  readonly schema: z.ZodType;
  readonly bodies: readonly object[];
}
const FORMS: readonly Form[] = [
  {
    definition: 'CheckoutSessionCreateRequest',
    schema: AcpCreateRequest,
    bodies: [CREATE, { line_items: [{ id: 'review' }], currency: 'usd', capabilities: { extensions: ['discount'] } }],
  },
  {
    definition: 'CheckoutSessionUpdateRequest',
    schema: AcpUpdateRequest,
    bodies: [{ ...CHANGE, selected_fulfillment_options: [{ type: 'digital', option_id: 'o', item_ids: ['review'] }] }],
  },
  {
    definition: 'CheckoutSessionCompleteRequest',
    schema: AcpCompleteRequest,
    bodies: [COMPLETE, { payment_data: { purchase_order_number: 'PO-1' } }],
  },
  {
    definition: 'CancelSessionRequest',
    schema: AcpCancelRequest,
    bodies: [{ intent_trace: { reason_code: 'other', trace_summary: 'x', metadata: { step: 1, last: true, why: 'x' } } }],
  },
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

describe.each(FORMS)('$definition', ({ definition, schema, bodies }) => {
  test('every valid body is taken', () => {
    for (const body of bodies) {
      expect(official(definition, body)).toEqual([]);
      expect(schema.safeParse(body).error?.issues ?? []).toEqual([]);
    }
  });

  test.runIf(official.isHere)('what the official schema refuses is refused, one changed place at a time', () => {
    let refused = 0;
    const taken = bodies.flatMap(mutatedBodies).flatMap(({ pointer, change, body }) => {
      const faults = official(definition, body);
      refused += faults.length > 0 ? 1 : 0;
      const isTaken =
        faults.length > 0 && schema.safeParse(body).success && !faults.every((fault) => TAKEN.some(([known]) => known.test(fault)));
      return isTaken ? [`${pointer} ${change}: ${faults.join(', ')}`] : [];
    });
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
    const form = FORMS.find(({ definition }) =>
      definition.toLowerCase().includes(/create|update|complete|cancel/.exec(name)?.[0] ?? 'none'),
    );
    if (form === undefined) continue;
    expect([name, form.schema.safeParse(body).success || official(form.definition, body).length > 0]).toEqual([name, true]);
  }
  expect(named.length).toBeGreaterThan(0);
});
