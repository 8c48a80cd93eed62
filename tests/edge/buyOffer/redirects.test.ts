import { describe, expect, test } from 'vitest';
import type { Deployment } from '../../../src/schemas/deployment.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { builtGenerated, NOW_HEADER } from '../../support/edge-gateway.ts';
import { expectProblem, expectSharedHeaders } from '../../support/expect-problem.ts';
import { SAMPLE_OFFER } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import { soldOffer } from '../../support/sold-offer.ts';
import { words } from '../../support/words.ts';

const { deployment } = await builtGenerated();
const gateway = useInProcessGateway();
const page = (id: string): string => `${TEST_BASE_URL}/buy/${id}`;
const CART = `${TEST_BASE_URL}/checkout?items=`;
const withoutTables = useInProcessGateway({ state: 'empty' });
const withoutDatabase = useInProcessGateway({ state: 'unbound' });

async function locationOf(path: string, status: 302 | 303, init: RequestInit = {}): Promise<string> {
  const response = await gateway.fetch(path, init);
  expect(response.status).toBe(status);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  expectSharedHeaders(response.headers);
  expect(await response.text()).toBe('');
  return response.headers.get('location') ?? '';
}

test('buyOffer 302: every alias of the catalog leads to the page of its offer', async () => {
  const aliases = deployment.offers.flatMap(({ id, aliases: names }) => names.map((name) => [name, id] as const));
  expect(aliases.length).toBeGreaterThan(5);
  for (const [alias, id] of aliases) expect(await locationOf(`/buy/${alias}`, 302)).toBe(page(id));
});

describe('buyOffer 303', () => {
  test('every offer leads to its checkout by ?go and by the quantity 1, under its id and its aliases', async () => {
    for (const { id, aliases, checkoutUrl } of deployment.offers) {
      for (const name of [id, ...aliases])
        for (const path of [`/buy/${name}?go`, `/buy/${name}:1`]) expect(await locationOf(path, 303)).toBe(checkoutUrl);
    }
  });

  test('several offers lead to the page of the cart, in whichever form their ids stand', async () => {
    const token = `~${Buffer.from('readiness-review').toString('base64url')}`;
    expect(await locationOf(`/buy/${SAMPLE_OFFER.alias}:1,${token}:2?utm_source=a`, 303)).toBe(
      `${CART}${SAMPLE_OFFER.id}:1,readiness-review:2&utm_source=a`,
    );
    expect(await locationOf(`/buy/~${Buffer.from(SAMPLE_OFFER.id).toString('base64url')}:1`, 303)).toBe(SAMPLE_OFFER.checkout);
  });

  test('a permalink as long as an address may be is followed', async () => {
    const start = `/buy/${SAMPLE_OFFER.id}:1?x=`;
    const path = start + 'a'.repeat(LIMITS.requestUrlMaxLength - TEST_BASE_URL.length - start.length);
    expect(await locationOf(path, 303)).toBe(SAMPLE_OFFER.checkout);
  });

  test('a way to a checkout is counted by offer, by GET alone, and stored after a later response', async () => {
    const database = gateway.state();
    const counted = async (): Promise<unknown> =>
      (await database.prepare("SELECT name, sum(count) AS n FROM insights WHERE kind = 'cart' GROUP BY name ORDER BY name").all()).results;
    const later = (afterMs: number): Promise<Response> =>
      gateway.fetch('/no-such-page', { headers: { [NOW_HEADER]: String(Date.now() + afterMs) } });
    await later(4_000_000);
    await database.prepare('DELETE FROM insights').run();
    await gateway.fetch(`/buy/${SAMPLE_OFFER.id}:1`, { method: 'HEAD' });
    for (const path of ['team-licence', 'no-such-offer:1', `${SAMPLE_OFFER.id}:1?continue_to=/pricing`, SAMPLE_OFFER.alias])
      await gateway.fetch(`/buy/${path}`);
    for (const path of [`${SAMPLE_OFFER.id}:1`, `${SAMPLE_OFFER.alias}?go`, `${SAMPLE_OFFER.id}:2,team-licence:1`]) {
      const location = (await gateway.fetch(`/buy/${path}`)).headers.get('location') ?? '';
      if (location.startsWith(CART)) await gateway.fetch(location.slice(TEST_BASE_URL.length));
    }
    expect(await counted()).toEqual([]);
    await later(8_000_000);
    await expect.poll(counted).toEqual([
      { name: SAMPLE_OFFER.id, n: 3 },
      { name: 'team-licence', n: 1 },
    ]);
  });

  test('a database that does not answer closes no way', async () => {
    expect((await withoutTables.fetch(`/buy/${SAMPLE_OFFER.id}:1`)).headers.get('location')).toBe(SAMPLE_OFFER.checkout);
    expect((await withoutDatabase.fetch(`/buy/${SAMPLE_OFFER.id}:1`)).headers.get('location')).toBe(SAMPLE_OFFER.checkout);
  });

  test('HEAD leads to the same place, and charges as little as GET', async () => {
    expect(await locationOf(`/buy/${SAMPLE_OFFER.id}?go`, 303, { method: 'HEAD' })).toBe(SAMPLE_OFFER.checkout);
  });
});

describe('buyOffer with checkouts of other forms', () => {
  const offers: Deployment['offers'] = [
    soldOffer({ id: 'with-query', aliases: ['q'], checkoutUrl: 'https://checkout.example/pay?plan=2&utm_source=publisher' }),
    soldOffer({ id: 'with-anchor', checkoutUrl: 'https://checkout.example/pay#top' }),
    soldOffer({ id: 'constructor', aliases: ['tostring'], checkoutUrl: 'https://checkout.example/c' }),
  ];
  const other = useInProcessGateway({ generated: { deployment: { ...deployment, offers } } });
  const location = async (path: string): Promise<string | null> => (await other.fetch(path)).headers.get('location');

  test('names of built-in properties are offers only where the catalog has them', async () => {
    expect(await location('/buy/constructor?go')).toBe('https://checkout.example/c');
    expect(await location('/buy/tostring')).toBe(page('constructor'));
    expect(await location('/buy/valueof?go')).toBeNull();
  });
});

// tests/unit/gateway/commerce/cart/permalink.test.ts has what is no permalink; these differ by how an address writes them.
test.each(words`Evidence-Review evidence-review:01 evidence-review%3A1 a%2Fb %zz %00 evidence-review%20 évidence {offer}`)(
  'an address under /buy/ that is no offer the segment %s is left to the files and their 404 page',
  async (segment) => {
    const response = await gateway.fetch(`/buy/${segment}?go`);
    expect(response.headers.get('location')).toBeNull();
    expect(await response.text()).toMatch(/^file \/(buy\/|-$)/);
  },
);

test('buyOffer 422 cart_refused: more units than one purchase has, of an offer that is named twice, are refused by GET and by HEAD', async () => {
  const path = `/buy/${SAMPLE_OFFER.id}:${LIMITS.quantityMax},${SAMPLE_OFFER.alias}:1`;
  const { detail } = await expectProblem(await gateway.fetch(path), 'cart_refused');
  expect(detail).toContain(`At most ${LIMITS.quantityMax} of one offer`);
  expect((await gateway.fetch(path, { method: 'HEAD' })).status).toBe(422);
});

describe('buyOffer 400 invalid_request', () => {
  const over = LIMITS.quantityMax + 1;
  test.each([
    `/buy/${SAMPLE_OFFER.id}:0`,
    `/buy/${SAMPLE_OFFER.id}:${over}`,
    `/buy/~${Buffer.from(SAMPLE_OFFER.id).toString('base64url')}:${over}?go`,
  ])('the quantity of %s is refused at its own address, by GET and by HEAD', async (path) => {
    const { detail } = await expectProblem(await gateway.fetch(path), 'invalid_request');
    expect(detail).toContain(`a quantity from 1 to ${LIMITS.quantityMax}`);
    expect((await gateway.fetch(path, { method: 'HEAD' })).status).toBe(400);
  });

  test('a segment that is longer than any permalink is refused', async () => {
    const problem = await expectProblem(await gateway.fetch(`/buy/${'a'.repeat(LIMITS.buySegmentMaxLength + 1)}?go`), 'invalid_request');
    expect(problem.errors?.map(({ pointer }) => pointer)).toContain('offer');
  });
});
