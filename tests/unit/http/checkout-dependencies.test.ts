import { expect, test } from 'vitest';
import type { SessionChange } from '../../../src/gateway/commerce/cart/checkout-ports.ts';
import { checkoutDependencies } from '../../../src/http/checkout-dependencies.ts';
import type { GatewayDependencies } from '../../../src/http/gateway-dependencies.ts';

test.each([
  ['open', true, 1],
  ['completed', true, 1],
  ['canceled', true, 1],
  ['open', false, 0],
  ['charging', true, 0],
] as const)('after a step to %s, stored: %s, sends the webhooks that are due: %i', async (state, applied, times) => {
  let taken = 0;
  const deferred: Promise<unknown>[] = [];
  const deps = {
    commerce: {
      orders: { apply: async () => ({ applied, record: undefined }) },
      webhooks: {
        takeDue: async () => {
          taken += 1;
          return [];
        },
      },
      processor: undefined,
    },
    quotas: {},
    secrets: [{}],
    deployment: { baseUrl: 'https://signpost.example' },
    clock: { nowMs: () => 0 },
  } as unknown as GatewayDependencies;
  const checkout = checkoutDependencies(deps, { network: '192.0.2.0', defer: (work) => void deferred.push(work) });
  if (!checkout.ok) throw new Error(checkout.refusal.detail);
  expect(await checkout.value.store.apply({ session: { state } } as SessionChange)).toMatchObject({ applied });
  await Promise.all(deferred);
  expect(taken).toBe(times);
});
