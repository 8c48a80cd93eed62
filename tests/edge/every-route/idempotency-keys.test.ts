import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { PaymentProcessor } from '../../../src/gateway/commerce/cart/checkout-ports.ts';
import { statusOf } from '../../../src/http/define-route.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { ACP_SESSIONS, acpCart, acpHeaders, acpSessionPath, tokenPayment } from '../../support/acp.ts';
import { openAcpShop } from '../../support/acp-shop.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import type { Requests } from '../../support/edge-gateway.ts';
import { expectRefusal } from '../../support/expect-problem.ts';
import { FUNCTION_ROUTES, NO_SESSION, refusing, SAMPLE_OFFER } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { capsuleProposal, INTAKE, proposerHeaders } from '../../support/proposals.ts';
import { UCP_AGENT, UCP_PROFILE, ucpCart } from '../../support/ucp.ts';

type SendUnderKey = (body: unknown, idempotencyKey: string) => Promise<Response>;

interface RefusedUse {
  readonly body: unknown;
  readonly open?: () => Promise<SendUnderKey>;
}

/** An operation that takes an Idempotency-Key, with bodies that it accepts and bodies that it refuses. */
interface KeyedOperation {
  readonly id: string;
  readonly tool?: string;
  /** A resource that no other test uses: a session, a key, a network. */
  readonly open: () => Promise<SendUnderKey>;
  readonly accepted: unknown;
  readonly other: unknown;
  /** Refused by the schema of the body; without one if every JSON object has a meaning. */
  readonly invalid?: RefusedUse;
  readonly declined?: RefusedUse;
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const CART = acpCart(SAMPLE_OFFER.id);
const BUYER = { email: 'ada@buyer.example' };
const UNKNOWN = acpCart('no-such-offer');
let agents = 0;
/** An agent of its own, so that no test counts against another's limits. */
function nextAgent(): string {
  agents += 1;
  return `00000000cc${agents.toString(16).padStart(6, '0')}`;
}

/** Every operation with an Idempotency-Key, at a service; paying with a token is tested at a shop of its own. */
function keyedOperations(gateway: Requests): KeyedOperation[] {
  return [...agentOperations(gateway), ...acpOperations(gateway), ...ucpOperations(gateway), ...toolOperations(gateway)];
}

function agentOperations(gateway: Requests): KeyedOperation[] {
  const invoice = { items: [{ id: SAMPLE_OFFER.id, quantity: 2 }], name: 'Ada', email: BUYER.email };
  const plain = async (): Promise<(path: string) => SendUnderKey> => (path) => (body, key) =>
    gateway.post(path, body, { 'Idempotency-Key': key });
  return [
    {
      id: 'registerAgent',
      open: async () => (await plain())(`${PATHS.gateway}/register`),
      accepted: { agent_name: 'one' },
      other: { agent_name: 'two' },
      invalid: { body: { agent_name: '' } },
    },
    {
      id: 'rotateKey',
      open: async () => {
        const key = bearer(await makeKey({ agent: nextAgent() }));
        return (body, idempotencyKey) => gateway.post(`${PATHS.agentKeys}/rotate`, body, { ...key, 'Idempotency-Key': idempotencyKey });
      },
      accepted: { overlap_minutes: 60 },
      other: { overlap_minutes: 61 },
      invalid: { body: { overlap_minutes: -1 } },
      declined: { body: { scopes: ['submit'] } },
    },
    {
      id: 'submitProposal',
      open: async () => {
        const headers = await proposerHeaders();
        return (body, idempotencyKey) => gateway.post(INTAKE, body, { ...headers, 'Idempotency-Key': idempotencyKey });
      },
      accepted: capsuleProposal(),
      other: capsuleProposal({ note: 'The same with a note.' }),
      invalid: { body: { kind: 'capsule' } },
      declined: { body: capsuleProposal({ capsule_id: 'bm25' }) },
    },
    {
      id: 'requestInvoice',
      open: async () => (await plain())(`${PATHS.commerceApi}/invoice-requests`),
      accepted: invoice,
      other: { ...invoice, name: 'Grace' },
      invalid: { body: { ...invoice, items: [] } },
      declined: { body: { ...invoice, items: [{ id: 'no-such-offer', quantity: 1 }] } },
    },
  ];
}

const PROCESSOR: PaymentProcessor = {
  takesRealMoney: false,
  charge: async ({ metadata, amountMinor }) => ({
    kind: 'paid',
    paymentReference: `pi_${metadata['checkout_session_id']}`,
    amountMinor,
    currency: 'usd',
  }),
  openCheckout: async () => ({ reference: 'r', url: 'https://checkout.example/r' }),
};

function acpOperations(gateway: Requests): KeyedOperation[] {
  type Post = (path: string, headers: Record<string, string>, body: unknown) => Promise<Response>;
  const post: Post = (path, headers, body) => gateway.post(path, body, headers);
  const at =
    (send: Post, path: string, agent: string): SendUnderKey =>
    async (body, idempotencyKey) =>
      send(path, await acpHeaders({ agent, idempotencyKey }), body);
  const opened = async (send: Post, cart: object, agent: string): Promise<string> =>
    ((await (await send(ACP_SESSIONS, await acpHeaders({ agent }), cart)).json()) as { id: string }).id;
  const onSession = (action: string) => async (): Promise<SendUnderKey> => {
    const agent = nextAgent();
    return at(post, acpSessionPath(await opened(post, CART, agent), action), agent);
  };
  return [
    {
      id: 'createCheckoutSession',
      open: async () => at(post, ACP_SESSIONS, nextAgent()),
      accepted: CART,
      other: { ...CART, buyer: BUYER },
      invalid: { body: { ...CART, line_items: [] } },
      declined: { body: UNKNOWN },
    },
    {
      id: 'updateCheckoutSession',
      open: onSession(''),
      accepted: { buyer: BUYER },
      other: { buyer: { email: 'grace@buyer.example' } },
      invalid: { body: { line_items: [] } },
      declined: { body: { line_items: UNKNOWN.line_items } },
    },
    {
      id: 'completeCheckoutSession',
      open: async () => {
        const shop = await openAcpShop(PROCESSOR);
        const agent = nextAgent();
        const id = await opened(shop.send, acpCart('review'), agent);
        return at(shop.send, acpSessionPath(id, 'complete'), agent);
      },
      accepted: tokenPayment('spt_one'),
      other: tokenPayment('spt_two'),
      invalid: { body: {} },
      declined: { body: { payment_data: { purchase_order_number: 'PO-1' } } },
    },
    {
      id: 'cancelCheckoutSession',
      open: onSession('cancel'),
      accepted: {},
      other: { metadata: { why: 'changed my mind' } },
      declined: {
        body: {},
        open: async () => {
          const send = await onSession('cancel')();
          await (await send({}, crypto.randomUUID())).text();
          return send;
        },
      },
    },
  ];
}

function ucpOperations(gateway: Requests): KeyedOperation[] {
  const sessions = `${PATHS.ucp}/checkout-sessions`;
  const at =
    (path: string, method = 'POST'): SendUnderKey =>
    (body, key) =>
      gateway.fetch(path, {
        method,
        headers: { ...JSON_TYPE, ...UCP_AGENT, 'Idempotency-Key': key },
        body: JSON.stringify(body),
      });
  const onSession =
    (action: string, method = 'POST') =>
    async (): Promise<SendUnderKey> => {
      const created = (await (await at(sessions)(ucpCart(SAMPLE_OFFER.id), crypto.randomUUID())).json()) as { id: string };
      return at(`${sessions}/${created.id}${action}`, method);
    };
  const cart = ucpCart(SAMPLE_OFFER.id);
  return [
    {
      id: 'createUcpCheckout',
      open: async () => at(sessions),
      accepted: cart,
      other: { ...cart, buyer: BUYER },
      invalid: { body: { line_items: [] } },
      declined: { body: ucpCart('no-such-offer') },
    },
    {
      id: 'updateUcpCheckout',
      open: onSession('', 'PUT'),
      accepted: cart,
      other: { ...cart, buyer: BUYER },
      invalid: { body: { line_items: 7 } },
      declined: { body: ucpCart(SAMPLE_OFFER.id, 2) },
    },
    {
      id: 'completeUcpCheckout',
      open: onSession('/complete'),
      accepted: {},
      other: { payment: { instruments: [] } },
      invalid: { body: { payment: 'cash' } },
      declined: { body: {}, open: async () => at(`${sessions}/${NO_SESSION}${nextAgent().slice(-4)}/complete`) },
    },
    {
      id: 'cancelUcpCheckout',
      open: onSession('/cancel'),
      accepted: {},
      other: { reason: 'changed my mind' },
      declined: {
        body: {},
        open: async () => {
          const send = await onSession('/cancel')();
          await (await send({}, crypto.randomUUID())).text();
          return send;
        },
      },
    },
  ];
}

/** The tools that change something, with the key in the metadata of their arguments. */
function toolOperations(gateway: Requests): KeyedOperation[] {
  const call =
    (name: string, id?: string): SendUnderKey =>
    (body, key) =>
      gateway.post(PATHS.ucpMcp, {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name,
          arguments: {
            meta: { 'ucp-agent': { profile: UCP_PROFILE }, 'idempotency-key': key },
            ...(id === undefined ? {} : { id }),
            ...(body as object),
          },
        },
      });
  const cart = { checkout: ucpCart(SAMPLE_OFFER.id) };
  const onSession = (name: string) => async (): Promise<SendUnderKey> => {
    const response = await call('create_checkout')(cart, crypto.randomUUID());
    const { result } = (await response.json()) as { result: { structuredContent: { id: string } } };
    return call(name, result.structuredContent.id);
  };
  const other = { checkout: { ...cart.checkout, buyer: BUYER } };
  const nobodys = (name: string) => async (): Promise<SendUnderKey> => call(name, `${NO_SESSION}${nextAgent().slice(-4)}`);
  return [
    {
      id: 'callUcpTool',
      tool: 'create_checkout',
      open: async () => call('create_checkout'),
      accepted: cart,
      other,
      invalid: { body: { checkout: { line_items: [] } } },
      declined: { body: { checkout: ucpCart('no-such-offer') } },
    },
    {
      id: 'callUcpTool',
      tool: 'update_checkout',
      open: onSession('update_checkout'),
      accepted: cart,
      other,
      invalid: { body: { checkout: 7 } },
      declined: { body: { checkout: ucpCart(SAMPLE_OFFER.id, 2) } },
    },
    {
      id: 'callUcpTool',
      tool: 'complete_checkout',
      open: onSession('complete_checkout'),
      accepted: { checkout: {} },
      other: { checkout: { payment: { instruments: [] } } },
      invalid: { body: { checkout: { payment: 'cash' } } },
      declined: { body: { checkout: {} }, open: nobodys('complete_checkout') },
    },
    {
      id: 'callUcpTool',
      tool: 'cancel_checkout',
      open: onSession('cancel_checkout'),
      accepted: {},
      other: { reason: 'changed my mind' },
      declined: { body: {}, open: nobodys('cancel_checkout') },
    },
  ];
}

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
        const conflict = statusOf('idempotency_conflict', route.protocol);
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
