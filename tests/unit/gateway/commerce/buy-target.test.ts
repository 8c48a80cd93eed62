import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findBuyTarget } from '../../../../src/gateway/commerce/buy-target.ts';
import type { Deployment } from '../../../../src/schemas/deployment.ts';
import { soldOffer } from '../../../support/sold-offer.ts';

const deployment: Deployment = {
  mode: 'edge',
  baseUrl: 'https://signpost.example',
  checkoutHost: 'https://checkout.example',
  name: 'Signpost',
  description: 'd',
  contactEmail: 'a@b.example',
  issuer: 'did:web:signpost.example',
  sample: true,
  keyPrefix: 'akg_live_',
  rateLimits: 'default',
  storage: 'kv',
  intake: 'open',
  catalogUpdatedAt: '2026-11-21T00:00:00Z',
  offers: [
    soldOffer({ id: 'review', aliases: ['check', 'second-look'] }),
    soldOffer({ id: 'support', checkoutUrl: 'https://checkout.example/pay?plan=2#top' }),
  ],
  commerce: { acp: false, ucp: false, processor: 'links', webhookHosts: [] },
};
const target = (segment: string, query = '') => findBuyTarget(segment, new URLSearchParams(query), deployment);
const page = { kind: 'page' };
const alias = { kind: 'alias', location: 'https://signpost.example/buy/review' };
const checkout = { kind: 'checkout', location: 'https://checkout.example/demo/review' };
const invoice = { kind: 'checkout', location: 'https://signpost.example/invoice' };

describe('findBuyTarget() leads', () => {
  test.each([
    ['review', '', page],
    ['check', '', alias],
    ['second-look', '', alias],
    ['review', 'go', checkout],
    ['review', 'go=', checkout],
    ['review', 'go=https://evil.example/', checkout],
    ['check', 'go=1', checkout],
    ['review:1', '', checkout],
    ['check:1', '', checkout],
    ['review:1', 'go', checkout],
    ['review:2', '', invoice],
    ['review:9999', 'go', invoice],
    ['check:2', '', invoice],
    ['review:0', '', page],
    ['review:01', '', page],
    ['review:-1', '', page],
    ['review:1.5', '', page],
    ['review:10000', '', page],
    ['review:1:1', '', page],
    ['review:', 'go', page],
    [':1', '', page],
    ['unknown', '', page],
    ['unknown', 'go', page],
    ['unknown:1', '', page],
    ['invoice', 'go', page],
    ['Review', 'go', page],
    ['review/', 'go', page],
    ['__proto__', 'go', page],
    ['constructor:1', '', page],
    ['../review', 'go', page],
    ['https://evil.example', 'go', page],
    ['', 'go', page],
  ])('%j?%s', (segment, query, expected) => {
    expect(target(segment, query)).toEqual(expected);
  });
});

describe('findBuyTarget() passes on to the checkout', () => {
  test.each([
    ['client_reference_id=order-1_A', 'https://checkout.example/demo/review?client_reference_id=order-1_A'],
    ['utm_source=agent&utm_campaign=x&go', 'https://checkout.example/demo/review?utm_source=agent&utm_campaign=x'],
    ['utm_source=', 'https://checkout.example/demo/review'],
    ['utm_source=a&utm_source=b', 'https://checkout.example/demo/review'],
    ['utm_source=a%20b', 'https://checkout.example/demo/review'],
    ['utm_source=a%0d%0aLocation:evil', 'https://checkout.example/demo/review'],
    ['utm_source=%3Cscript%3E', 'https://checkout.example/demo/review'],
    ['utm_source=a%00', 'https://checkout.example/demo/review'],
    ['utm_source=a%0a', 'https://checkout.example/demo/review'],
    ['client_reference_id=a%26utm_term=b', 'https://checkout.example/demo/review'],
    [`client_reference_id=${'a'.repeat(65)}`, 'https://checkout.example/demo/review'],
    [`client_reference_id=${'a'.repeat(64)}`, `https://checkout.example/demo/review?client_reference_id=${'a'.repeat(64)}`],
    ['redirect=https://evil.example&return_url=//evil.example&prefilled_email=a@b.example&price=0', 'https://checkout.example/demo/review'],
    ['UTM_SOURCE=a', 'https://checkout.example/demo/review'],
  ])('what is allowed of %s', (query, location) => {
    expect(target('review:1', query)).toEqual({ kind: 'checkout', location });
  });

  test('besides what the link has already', () => {
    expect(target('support', 'go&utm_medium=web')).toEqual({
      kind: 'checkout',
      location: 'https://checkout.example/pay?plan=2&utm_medium=web#top',
    });
  });
});

test('findBuyTarget() follows only links of the catalog, whatever is asked', () => {
  const segment = fc.oneof(
    fc.constantFrom('review', 'check', 'review:1', 'review:2', 'support:1'),
    fc.string({ unit: 'binary' }),
    fc.webUrl(),
  );
  const query = fc.array(
    fc.tuple(
      fc.constantFrom('go', 'utm_source', 'client_reference_id', 'url'),
      fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), fc.stringMatching(/^[a-z]{1,5}$/)),
    ),
  );
  fc.assert(
    fc.property(segment, query, (name, parameters) => {
      const found = findBuyTarget(name, new URLSearchParams(parameters), deployment);
      if (found.kind === 'page') return;
      expect(found.location).toMatch(
        /^https:\/\/(signpost\.example\/(buy\/review|invoice)|checkout\.example\/(demo\/review|pay\?plan=2)[\w?=&-]*(#top)?)$/,
      );
    }),
    { numRuns: 2_000 },
  );
});
