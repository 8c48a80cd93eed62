import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { PaymentProcessor } from '../../../src/gateway/commerce/cart/checkout-ports.ts';
import { statusOf } from '../../../src/http/define-route.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { ACP_SESSIONS, acpCart, acpHeaders, acpSessionPath, tokenPayment } from '../../support/acp.ts';
import { openAcpShop } from '../../support/acp-shop.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { expectRefusal } from '../../support/expect-problem.ts';
import { FUNCTION_ROUTES, NO_SESSION, refusing, SAMPLE_OFFER } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { capsuleProposal, INTAKE, proposerHeaders } from '../../support/proposals.ts';
import { UCP_AGENT, UCP_PROFILE, ucpCart } from '../../support/ucp.ts';

type SendUnderKey = (body: unknown, idempotencyKey: string) => Promise<Response>;

/** Opens a resource that no other test uses: a session, a key, a network. */
type Open = () => Promise<SendUnderKey>;

/** An operation that takes an Idempotency-Key, with bodies that it accepts and bodies that it refuses. */
interface KeyedOperation {
  readonly id: string;
  readonly tool?: string;
  readonly open: Open;
  readonly accepted: unknown;
  readonly other: unknown;
  /** Refused by the schema of the body; without one if every JSON object has a meaning. */
  readonly invalid?: unknown;
  /** Refused for what it asks, perhaps of another resource. */
  readonly declined?: unknown;
  readonly openDeclined?: Open;
}

/**
 * The rule of Idempotency-Key, which is one for all protocols: a key belongs to the body of the first request that was read as JSON and
 * judged, whether it was accepted or refused. Each operation of the route table with that header is tested at every first use and every
 * second one.
 */
const gateway = useInProcessGateway();
const SESSIONS = `${PATHS.ucp}/checkout-sessions`;
const CART = acpCart(SAMPLE_OFFER.id);
const UCP_CART = ucpCart(SAMPLE_OFFER.id);
const BUYER = { email: 'ada@buyer.example' };
const UNKNOWN = acpCart('no-such-offer');
const INVOICE = { items: [{ id: SAMPLE_OFFER.id, quantity: 2 }], name: 'Ada', email: BUYER.email };
const PROCESSOR: PaymentProcessor = {
  takesRealMoney: false,
  charge: async ({ metadata, amountMinor }) => ({
    kind: 'paid',
    paymentReference: `pi_${metadata['checkout_session_id']}`,
    amountMinor,
    currency: 'usd',
  }),
  openCheckout: async () => 'https://checkout.example/r',
};

let agents = 0;

/** An agent of its own, so that no test counts against another's limits. */
function nextAgent(): string {
  agents += 1;
  return `00000000cc${agents.toString(16).padStart(6, '0')}`;
}

const at =
  (path: string, headers: Record<string, string> = {}, method = 'POST'): SendUnderKey =>
  (body, key) =>
    gateway.fetch(path, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers, 'Idempotency-Key': key },
      body: JSON.stringify(body),
    });
const idIn = async (response: Promise<Response>): Promise<string> => ((await (await response).json()) as { id: string }).id;
const onAcp =
  (action?: string): Open =>
  async () => {
    const headers = await acpHeaders({ agent: nextAgent() });
    const create = at(ACP_SESSIONS, headers);
    return action === undefined ? create : at(acpSessionPath(await idIn(create(CART, crypto.randomUUID())), action), headers);
  };
const onUcp =
  (action: string, method?: string): Open =>
  async () =>
    at(`${SESSIONS}/${await idIn(at(SESSIONS, UCP_AGENT)(UCP_CART, crypto.randomUUID()))}${action}`, UCP_AGENT, method);

/** A tool that changes something, with the key in the metadata of its arguments. */
const call =
  (name: string, id?: string): SendUnderKey =>
  (body, key) => {
    const meta = { 'ucp-agent': { profile: UCP_PROFILE }, 'idempotency-key': key };
    const params = { name, arguments: { meta, ...(id === undefined ? {} : { id }), ...(body as object) } };
    return gateway.post(PATHS.ucpMcp, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  };
const onTool = (name: string) => async (): Promise<SendUnderKey> => {
  const created = await call('create_checkout')({ checkout: UCP_CART }, crypto.randomUUID());
  const { result } = (await created.json()) as { result: { structuredContent: { id: string } } };
  return call(name, result.structuredContent.id);
};

/** A session that nobody has opened. */
const nobodys = (): string => `${NO_SESSION}${nextAgent().slice(-4)}`;

/** What is closed by an empty request before. */
const closed =
  (open: Open): Open =>
  async () => {
    const send = await open();
    await (await send({}, crypto.randomUUID())).text();
    return send;
  };

const KEYED: readonly KeyedOperation[] = [
  {
    id: 'registerAgent',
    open: async () => at(`${PATHS.gateway}/register`),
    accepted: { agent_name: 'one' },
    other: { agent_name: 'two' },
    invalid: { agent_name: '' },
  },
  {
    id: 'rotateKey',
    open: async () => at(`${PATHS.agentKeys}/rotate`, bearer(await makeKey({ agent: nextAgent() }))),
    accepted: { overlap_minutes: 60 },
    other: { overlap_minutes: 61 },
    invalid: { overlap_minutes: -1 },
    declined: { scopes: ['submit'] },
  },
  {
    id: 'submitProposal',
    open: async () => at(INTAKE, await proposerHeaders()),
    accepted: capsuleProposal(),
    other: capsuleProposal({ note: 'The same with a note.' }),
    invalid: { kind: 'capsule' },
    declined: capsuleProposal({ capsule_id: 'bm25' }),
  },
  {
    id: 'requestInvoice',
    open: async () => at(`${PATHS.commerceApi}/invoice-requests`),
    accepted: INVOICE,
    other: { ...INVOICE, name: 'Grace' },
    invalid: { ...INVOICE, items: [] },
    declined: { ...INVOICE, items: [{ id: 'no-such-offer', quantity: 1 }] },
  },
  {
    id: 'createCheckoutSession',
    open: onAcp(),
    accepted: CART,
    other: { ...CART, buyer: BUYER },
    invalid: { ...CART, line_items: [] },
    declined: UNKNOWN,
  },
  {
    id: 'updateCheckoutSession',
    open: onAcp(''),
    accepted: { buyer: BUYER },
    other: { buyer: { email: 'grace@buyer.example' } },
    invalid: { line_items: [] },
    declined: { line_items: UNKNOWN.line_items },
  },
  {
    id: 'completeCheckoutSession',
    open: async () => {
      const [shop, agent] = [await openAcpShop(PROCESSOR), nextAgent()];
      const id = await idIn(shop.send(ACP_SESSIONS, await acpHeaders({ agent }), acpCart('review')));
      return async (body, idempotencyKey) => shop.send(acpSessionPath(id, 'complete'), await acpHeaders({ agent, idempotencyKey }), body);
    },
    accepted: tokenPayment('spt_one'),
    other: tokenPayment('spt_two'),
    invalid: {},
    declined: { payment_data: { purchase_order_number: 'PO-1' } },
  },
  {
    id: 'cancelCheckoutSession',
    open: onAcp('cancel'),
    accepted: {},
    other: { metadata: { why: 'changed my mind' } },
    declined: {},
    openDeclined: closed(onAcp('cancel')),
  },
  {
    id: 'createUcpCheckout',
    open: async () => at(SESSIONS, UCP_AGENT),
    accepted: UCP_CART,
    other: { ...UCP_CART, buyer: BUYER },
    invalid: { line_items: [] },
    declined: ucpCart('no-such-offer'),
  },
  {
    id: 'updateUcpCheckout',
    open: onUcp('', 'PUT'),
    accepted: UCP_CART,
    other: { ...UCP_CART, buyer: BUYER },
    invalid: { line_items: 7 },
    declined: ucpCart(SAMPLE_OFFER.id, 2),
  },
  {
    id: 'completeUcpCheckout',
    open: onUcp('/complete'),
    accepted: {},
    other: { payment: { instruments: [] } },
    invalid: { payment: 'cash' },
    declined: {},
    openDeclined: async () => at(`${SESSIONS}/${nobodys()}/complete`, UCP_AGENT),
  },
  {
    id: 'cancelUcpCheckout',
    open: onUcp('/cancel'),
    accepted: {},
    other: { reason: 'changed my mind' },
    declined: {},
    openDeclined: closed(onUcp('/cancel')),
  },
];

/** The tools take the bodies of their operations as `checkout`, but for the one that cancels. */
const TOOLS = KEYED.filter(({ id }) => id.endsWith('UcpCheckout')).map(({ id, declined, openDeclined, ...bodies }): KeyedOperation => {
  const tool = id.replace('UcpCheckout', '_checkout');
  const { accepted, other, invalid } = bodies;
  const wrapped = (checkout: unknown): unknown => (tool === 'cancel_checkout' ? checkout : { checkout });
  return {
    id: 'callUcpTool',
    tool,
    open: tool === 'create_checkout' ? async () => call(tool) : onTool(tool),
    accepted: wrapped(accepted),
    other: wrapped(other),
    ...(invalid === undefined ? {} : { invalid: wrapped(invalid) }),
    declined: wrapped(declined),
    ...(openDeclined === undefined ? {} : { openDeclined: async () => call(tool, nobodys()) }),
  };
});

const OPERATIONS = [...KEYED, ...TOOLS].map((operation) => {
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
    ({ open, accepted, other, invalid, declined, openDeclined = open, tool, route }) => {
      const refusals = [
        { how: 'as not valid', body: invalid, openRefused: open },
        { how: 'for what it asks', body: declined, openRefused: openDeclined },
      ].filter(({ body }) => body !== undefined);
      const others = (than: unknown) => [other, accepted, invalid].filter((one) => one !== undefined && !isDeepStrictEqual(one, than));

      test('an accepted request, sent again, has the same answer, which says so where the protocol has a word for it', async () => {
        const [send, key] = [await open(), crypto.randomUUID()];
        const [first, again] = [await send(accepted, key), await send(accepted, key)];
        const said = await saidBy(first);
        expect(said.status, said.text).toBeLessThan(300);
        expect(await saidBy(again)).toEqual(said);
        const marks = [first, again].map(({ headers }) => headers.get('idempotent-replayed'));
        expect(marks).toEqual([null, route.protocol && tool === undefined ? 'true' : null]);
      });

      test('after an accepted request, every other body is a conflict, whether it is valid or not', async () => {
        const [send, key] = [await open(), crypto.randomUUID()];
        await (await send(accepted, key)).text();
        for (const body of others(accepted)) await expectRefusal(await send(body, key), 'idempotency_conflict', route);
        expect((await send(accepted, key)).status).toBeLessThan(300);
      });

      describe.each(refusals)('after a request that is refused $how', ({ body: refused, openRefused }) => {
        test('the same body is refused in the same way', async () => {
          const [send, key] = [await openRefused(), crypto.randomUUID()];
          const first = await saidBy(await send(refused, key));
          expect(await saidBy(await send(refused, key))).toEqual(first);
        });

        test('every other body is a conflict, and has no effect', async () => {
          const [send, key] = [await openRefused(), crypto.randomUUID()];
          await (await send(refused, key)).text();
          expect(others(refused).length).toBeGreaterThan(0);
          for (const body of others(refused)) await expectRefusal(await send(body, key), 'idempotency_conflict', route);
        });

        test('a new key is free for another body', async () => {
          const send = await openRefused();
          await (await send(refused, crypto.randomUUID())).text();
          expect(await (await send(other, crypto.randomUUID())).text()).not.toContain('idempotency_conflict');
        });
      });

      test('of two requests at the same time one has the key, and the other is a conflict', async () => {
        const [send, key] = [await open(), crypto.randomUUID()];
        const bodies = [accepted, invalid ?? other];
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
