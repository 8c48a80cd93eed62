import type { PaymentProcessor } from '../../src/gateway/commerce/cart/checkout-ports.ts';
import type { Offer } from '../../src/schemas/commerce/offers.ts';
import type { Deployment } from '../../src/schemas/deployment.ts';
import { builtGenerated } from './edge-gateway.ts';
import { TEST_BASE_URL } from './paths.ts';
import { type SimulatedDatabase, simulatedDatabase } from './simulated/database.ts';
import { simulatedGateway } from './simulated/gateway.ts';
import { SimulatedTime, simulatedRuntime } from './simulated/time.ts';
import { soldOffer } from './sold-offer.ts';

const SHOP_OFFERS = [
  soldOffer({ id: 'review', aliases: ['check'], amountMinor: 24_000 }),
  soldOffer({ id: 'digest', amountMinor: 900, cadence: 'monthly' }),
];

export interface AcpShop {
  readonly time: SimulatedTime;
  readonly database: SimulatedDatabase;
  /** Sends a request from a network of its own; a body that is no text is written as JSON. */
  readonly send: (path: string, headers: Record<string, string>, body?: unknown) => Promise<Response>;
}

/**
 * Opens a shop.
 *
 * @param processor Charges tokens; without one hosted links alone are paid.
 */
export async function openAcpShop(
  processor?: PaymentProcessor,
  commerce: Partial<Deployment['commerce']> = {},
  offers: readonly Offer[] = SHOP_OFFERS,
): Promise<AcpShop> {
  const time = new SimulatedTime(Date.now());
  const database = simulatedDatabase(time);
  const { deployment: built, generation, documents } = await builtGenerated();
  const deployment: Deployment = {
    ...built,
    offers: [...offers],
    commerce: {
      acp: true,
      ucp: false,
      webhookHosts: ['agent.example'],
      ...(processor === undefined ? { processor: 'links' } : { processor: 'stripe', merchantId: 'acct_1' }),
      ...commerce,
    },
  };
  const gateway = await simulatedGateway({
    generated: { deployment, generation, documents },
    world: simulatedRuntime(time),
    database: database.binding(),
    processor,
  });
  let networks = 0;
  return {
    time,
    database,
    send: async (path, headers, body) => {
      networks += 1;
      const all = { 'CF-Connecting-IP': `10.${networks >> 8}.${networks & 255}.1`, 'Content-Type': 'application/json', ...headers };
      const init = body === undefined ? {} : { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) };
      return time.run(gateway(new Request(TEST_BASE_URL + path, { headers: all, ...init })));
    },
  };
}
