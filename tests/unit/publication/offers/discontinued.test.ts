import { describe, expect, test } from 'vitest';
import { makePublication } from '../../../../src/build/content/make-publication.ts';
import { documentFiles } from '../../../../src/documents/document-files.ts';
import { findBuyTarget } from '../../../../src/gateway/commerce/catalog/permalink.ts';
import { refuseUnsoldItems } from '../../../../src/gateway/commerce/catalog/unsold-offers.ts';
import { describeOrder } from '../../../../src/gateway/commerce/orders/describe-order.ts';
import type { Order } from '../../../../src/gateway/commerce/orders/order-ports.ts';
import { positionedOffers } from '../../../../src/site/site-content.ts';
import { offerData } from '../../../../src/site/structured-data.ts';
import { contentOf } from '../../cli/capsules/published-world.ts';
import { offer, problemsOf, publisher, TODAY, writeWorld } from '../content-world.ts';

const NAME = 'Quarterly workshop on brakes';
const GONE = offer({
  name: NAME,
  aliases: '[workshop]',
  discontinued: '2026-11-10',
  valid_until: '2026-10-31',
  delivers: '[{ kind: text, name: notes, title: Notes of the workshop, text: Loosen the screw. }]',
});
const WORLD = {
  'publisher.yaml': publisher({ commerce: '{ acp: true, ucp: true }' }),
  'offers/brake-workshop.md': GONE,
};

async function made(mode: 'edge' | 'static' = 'edge') {
  return (await makePublication(await contentOf(await writeWorld(WORLD)), { mode })).publication;
}

describe('a discontinued offer', () => {
  test.each(['edge', 'static'] as const)('is in no document of the mode %s, and changes the day of the catalog', async (mode) => {
    const publication = await made(mode);
    const files = documentFiles(publication);
    expect(files.filter(({ body }) => body.includes(NAME) || body.includes('brake-workshop')).map(({ path }) => path)).toEqual([]);
    const catalog = JSON.parse(files.find(({ path }) => path === '/offers.json')?.body ?? '') as { offers: unknown[]; updated_at: string };
    expect([catalog.offers.length, catalog.updated_at]).toEqual([1, '2026-11-10T00:00:00Z']);
    expect(publication.deployment.catalogUpdatedAt).toBe(catalog.updated_at);
    expect(publication.pages.some(({ path }) => path === '/buy/brake-workshop')).toBe(false);
  });

  test('keeps its page, whose structured data says so', async () => {
    const publication = await made();
    const entries = positionedOffers(publication);
    expect(entries.map(({ id }) => id)).toEqual(['an-offer', 'brake-workshop']);
    const [, entry] = entries;
    expect(entry && offerData(publication.publisher, entry, undefined)).toMatchObject({
      offers: { availability: 'https://schema.org/Discontinued' },
    });
  });

  test('is not sold: its checkout, its permalinks and its carts are refused with the day', async () => {
    const { deployment } = await made();
    const target = (segment: string, query = '') => findBuyTarget({ segment, sentSegment: segment, query }, deployment, TODAY);
    const page = 'https://tests.example/buy/brake-workshop';
    expect(target('brake-workshop')).toEqual({ kind: 'page' });
    expect(target('workshop')).toEqual({ kind: 'alias', location: page });
    for (const refused of [target('brake-workshop', 'go'), target('workshop', 'go'), target('brake-workshop:1')])
      expect(refused).toMatchObject({
        kind: 'refused',
        refusal: { code: 'offer_not_found', detail: `"${NAME}" was discontinued on 2026-11-10.` },
      });
    const items = [
      { id: 'an-offer', quantity: 1, pointer: '/items/0' },
      { id: 'workshop', quantity: 1, pointer: '/items/1' },
    ];
    expect(refuseUnsoldItems(items, deployment, '2026-11-22')?.refusal.errors).toEqual([
      { pointer: '/items/1', message: 'was discontinued on 2026-11-10' },
    ]);
    expect(refuseUnsoldItems(items.slice(0, 1), deployment, '2026-11-22')).toBeUndefined();
  });

  test('is still delivered to those who bought it', async () => {
    const { deployment } = await made();
    const line = {
      id: 'li_1',
      offerId: 'brake-workshop',
      name: NAME,
      cadence: 'one_time',
      unitMinor: 10_000,
      quantity: 1,
      demo: true,
    } as const;
    const order: Order = {
      id: 'ord_0123456789abcdef01234567',
      receipt: `rct_${'0'.repeat(32)}`,
      sessionId: 'cs_1',
      owner: 'page',
      channel: 'page',
      currency: 'USD',
      lines: [line],
      totalMinor: 10_000,
      refundedMinor: 0,
      paymentReference: 'pi_1',
      buyer: undefined,
      notifyUrl: undefined,
      createdAtMs: 0,
      updatedAtMs: 0,
    };
    expect(describeOrder(order, deployment)).toMatchObject({ deliveries: [{ name: 'notes', title: 'Notes of the workshop' }] });
  });

  test('cannot be discontinued in the future, nor be recommended', async () => {
    expect(await problemsOf({ ...WORLD, 'offers/brake-workshop.md': GONE.replace('2026-11-10', '2027-01-01') })).toEqual([
      expect.stringMatching(/^offers\/brake-workshop\.md:\d+ discontinued: 2027-01-01 is in the future; .*valid_until/),
    ]);
    const recommended = publisher({ offers: '{ recommended_first: brake-workshop }' });
    expect(await problemsOf({ ...WORLD, 'publisher.yaml': recommended })).toEqual([
      expect.stringContaining('names the offer "brake-workshop", which is discontinued; name another one'),
    ]);
  });
});
