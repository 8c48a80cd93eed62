import { blockDigest } from '../../src/platform/block-stores.ts';
import type { AuthoredContent } from '../../src/publication/authored-content.ts';
import type { Offer, StoredDelivery } from '../../src/schemas/commerce/offers.ts';
import type { EdgeOptions } from './edge-gateway.ts';
import { TEST_BASE_URL } from './paths.ts';
import { TEST_PAYMENTS } from './payments.ts';
import { readSample } from './sample-content.ts';
import { buildInTurn, type InMemoryBuild } from './simulated/in-memory-build.ts';

/** The sample publication with payments switched on, so that its paid capsules are part of it. */
export interface PaidSite extends Pick<InMemoryBuild, 'generated' | 'publication'> {
  readonly blocks: ReadonlyMap<string, Uint8Array>;
  readonly capsuleId: string;
  /** Its price in the smallest unit of the token. */
  readonly amount: string;
}

let site: Promise<PaidSite> | undefined;

export function paidSite(): Promise<PaidSite> {
  site ??= makeSite();
  return site;
}

export async function paidEdge(facilitator: string, more: EdgeOptions = {}): Promise<EdgeOptions> {
  const { generated, blocks } = await paidSite();
  const deployment = { ...generated.deployment, payments: { ...generated.deployment.payments, ...TEST_PAYMENTS, facilitator } };
  return { blocks, ...more, generated: { ...generated, deployment } };
}

/** The site with offers that deliver something else, once and at one price. */
export async function siteThatSells(sold: Readonly<Record<string, StoredDelivery>>, amountMinor: number) {
  const { generated, blocks } = await paidSite();
  const offers = generated.deployment.offers.map((offer): Offer => {
    const delivery = sold[offer.id];
    return delivery === undefined ? offer : { ...offer, amountMinor, cadence: 'one_time', delivers: [delivery] };
  });
  return { blocks, generated: { ...generated, deployment: { ...generated.deployment, offers, payments: TEST_PAYMENTS } } };
}

async function makeSite(): Promise<PaidSite> {
  const [built] = await buildInTurn([await soldContent()]);
  if (built === undefined) throw new Error('nothing was built');
  const { generated, publication } = built;
  const document = generated.documents['x402_items'];
  const items = JSON.parse(document && 'body' in document ? document.body : '') as {
    items: { resource: { url: string }; accepts: { amount: string }[] }[];
  };
  const amount = items.items.find(({ resource }) => resource.url.endsWith(`/${SOLD_CAPSULE.id}`))?.accepts[0]?.amount ?? '';
  return { generated, publication, blocks: namesOf(built), capsuleId: SOLD_CAPSULE.id, amount };
}

function namesOf({ blocks }: InMemoryBuild): ReadonlyMap<string, Uint8Array> {
  return new Map([...blocks].map(([key, bytes]) => [blockDigest(key), bytes]));
}

export const SOLD_CAPSULE: { readonly id: string } = { id: 'payment-endpoint-checklist' };

export function soldContent(): Promise<AuthoredContent> {
  const { payTo, network, facilitator } = TEST_PAYMENTS;
  return readSample({ baseUrl: TEST_BASE_URL, payTo, paymentNetwork: network, facilitatorUrl: facilitator });
}
