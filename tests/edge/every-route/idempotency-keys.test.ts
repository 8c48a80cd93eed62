import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../../support/expect-problem.ts';
import { FUNCTION_ROUTES, refusing } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { keyedOperations } from './keyed-operations.ts';

/**
 * The rule of Idempotency-Key, which is one for all protocols: a key belongs to the body of the first request that was read as JSON and
 * judged, whether it was accepted or refused. Each operation of the route table with that header is tested at every first use and every
 * second one.
 */
const gateway = useInProcessGateway();
const OPERATIONS = keyedOperations(gateway).map((operation) => {
  const route = FUNCTION_ROUTES.find(({ id }) => id === operation.id)?.route;
  if (route === undefined) throw new Error(`there is no route ${operation.id}`);
  return { ...operation, route, name: `${operation.id}${operation.tool === undefined ? '' : ` ${operation.tool}`}` };
});

test('every route that takes an Idempotency-Key is here', () => {
  const taking = FUNCTION_ROUTES.filter(({ route }) => route.headers?.some(({ name }) => name === 'Idempotency-Key'));
  expect([...new Set(OPERATIONS.map(({ id }) => id))].sort()).toEqual(taking.map(({ id }) => id).sort());
});

/** What two answers have in common if they say the same: the status, and the body without ids of requests. */
const saidBy = async (response: Response): Promise<{ status: number; text: string }> => ({
  status: response.status,
  text: (await response.text()).replaceAll(/"(?:request_id|instance)":"[^"]*"/g, ''),
});

describe.each(refusing('idempotency_conflict'))('$id idempotency_conflict', ({ id }) =>
  describe.each(OPERATIONS.filter((operation) => operation.id === id))(
    '$name under one Idempotency-Key',
    ({ open, accepted, other, invalid, declined, route }) => {
      const refusals = { ...(invalid ? { 'as not valid': invalid } : {}), ...(declined ? { 'for what it asks': declined } : {}) };

      test('an accepted request, sent again, has the same answer', async () => {
        const [send, key] = [await open(), crypto.randomUUID()];
        const first = await saidBy(await send(accepted, key));
        expect(first.status, first.text).toBeLessThan(300);
        expect(await saidBy(await send(accepted, key))).toEqual(first);
      });

      test('after an accepted request, every other body is a conflict, whether it is valid or not', async () => {
        const [send, key] = [await open(), crypto.randomUUID()];
        await (await send(accepted, key)).text();
        for (const body of [other, ...(invalid ? [invalid.body] : [])])
          await expectRefusal(await send(body, key), 'idempotency_conflict', route);
        expect((await send(accepted, key)).status).toBeLessThan(300);
      });

      describe.each(Object.entries(refusals))('after a request that is refused %s', (_how, refused) => {
        test('the same body is refused in the same way', async () => {
          const [send, key] = [await (refused.open ?? open)(), crypto.randomUUID()];
          const first = await saidBy(await send(refused.body, key));
          expect(await saidBy(await send(refused.body, key))).toEqual(first);
        });

        test('every other body is a conflict, and has no effect', async () => {
          const [send, key] = [await (refused.open ?? open)(), crypto.randomUUID()];
          await (await send(refused.body, key)).text();
          const others = [other, accepted, ...(invalid ? [invalid.body] : [])].filter((one) => !isDeepStrictEqual(one, refused.body));
          expect(others.length).toBeGreaterThan(0);
          for (const body of others) await expectRefusal(await send(body, key), 'idempotency_conflict', route);
        });

        test('a new key is free for another body', async () => {
          const send = await (refused.open ?? open)();
          await (await send(refused.body, crypto.randomUUID())).text();
          expect(await (await send(other, crypto.randomUUID())).text()).not.toContain('idempotency_conflict');
        });
      });

      test('of two requests at the same time one has the key, and the other is a conflict', async () => {
        const [send, key] = [await open(), crypto.randomUUID()];
        const bodies = invalid ? [accepted, invalid.body] : [accepted, other];
        const statuses = (await Promise.all(bodies.map((body) => send(body, key)))).map(({ status }) => status);
        const again: number[] = [];
        for (const body of bodies) again.push((await send(body, key)).status);
        expect(again).toEqual(statuses);
        const conflict = route.protocol?.statusOf('idempotency_conflict') ?? 422;
        expect(statuses.filter((status) => status === conflict)).toHaveLength(1);
      });
    },
  ),
);

// A payment that is under way at the processor is tested with the operation that pays.
describe.each(refusing('request_in_flight', 'completeCheckoutSession'))('$id request_in_flight', ({ id }) => {
  test.each(OPERATIONS.filter((operation) => operation.id === id))(
    '$name: the same request, before the first is answered',
    async ({ open, accepted, route }) => {
      const [send, key] = [await open(), crypto.randomUUID()];
      expect((await send(accepted, key)).status).toBeLessThan(300);
      await gateway.state().prepare('UPDATE idempotency SET status = 0').run();
      const { retryAfterSeconds } = await expectRefusal(await send(accepted, key), 'request_in_flight', route);
      expect(retryAfterSeconds).toBeGreaterThan(0);
    },
  );
});

describe.each(OPERATIONS.filter(({ tool }) => tool === undefined))('$name', ({ open, accepted }) => {
  test('a request that is no JSON object decides nothing: its key is free', async () => {
    const [send, key] = [await open(), crypto.randomUUID()];
    expect((await send([], key)).status).toBe(400);
    expect((await send(accepted, key)).status).toBeLessThan(300);
  });
});
