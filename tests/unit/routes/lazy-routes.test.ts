import { describe, expect, test } from 'vitest';
import { loadedRoutes, type Route } from '../../../src/http/define-route.ts';
import type { ProtocolSettings } from '../../../src/protocols/protocol-module.ts';
import { deployedRoutes, lazyRoutes } from '../../../src/routes/lazy-routes.ts';
import { routeTable } from '../../../src/routes/route-table.ts';
import { TEST_PAYMENTS } from '../../support/payments.ts';

const SITE = { baseUrl: 'https://site.example', checkoutHost: 'https://checkout.example' };

const SETTINGS: readonly (readonly [string, ProtocolSettings])[] = [
  ['nothing is switched on', SITE],
  [
    'everything is switched on',
    { ...SITE, payments: TEST_PAYMENTS, commerce: { acp: true, ucp: true }, capsulePages: 'edge', formerIds: { old: 'new' }, sections: [] },
  ],
];

/** What runs: a handler that is made for a deployment is another function each time. */
const behaviour = ({ handle, keyScope, responses, errors, ...route }: Route) => ({ ...route, handles: handle !== undefined });

describe.each(SETTINGS)('a deployment where %s', (_case, settings) => {
  test('loads for each operation of its table the definition that the table has', async () => {
    const table = routeTable(settings).filter(({ servedBy }) => servedBy === 'function');
    const deployed = JSON.parse(JSON.stringify(await deployedRoutes(table, settings)));
    const lazy = lazyRoutes(deployed, settings);
    expect(lazy.map(({ id }) => id)).toEqual(table.map(({ id }) => id));
    for (const [at, entry] of lazy.entries()) {
      const route = await entry.load();
      expect(behaviour(route)).toEqual(behaviour(table[at] as Route));
      expect(entry.load()).toBe(route);
    }
  });

  test('knows of each operation, before it is loaded, what a gateway matches and refuses by', async () => {
    const table = routeTable(settings);
    const known = (await deployedRoutes(table, settings)).map(({ module: _module, ...entry }) => entry);
    expect(known).toEqual(loadedRoutes(table).map(({ load: _load, ...entry }) => entry));
  });
});

test('the build fails for an operation that no module defines', async () => {
  const [route] = routeTable(SITE);
  await expect(deployedRoutes([{ ...(route as Route), id: 'getNothing' }], SITE)).rejects.toThrow(
    'no module of operations defines getNothing',
  );
});
