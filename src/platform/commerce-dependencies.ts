import type { CommerceDependencies } from '../gateway/orders/commerce-dependencies.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { d1Orders } from './d1/orders.ts';
import type { Environment } from './environment.ts';
import type { World } from './world.ts';

/** What buying works with on Cloudflare. */
export function commerceDependencies(environment: Environment, _deployment: Deployment, world: World): CommerceDependencies {
  const { STATE } = environment;
  return {
    orders: STATE ? d1Orders(STATE, world.randomness) : undefined,
    notices: undefined,
    invoices: undefined,
    processor: undefined,
    messages: { missing: 'This deployment has no secret to check messages of the payment processor with.' },
    sendNotice: async () => 'nothing is sent from here',
  };
}
