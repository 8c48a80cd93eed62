import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { PATHS } from '../../../src/schemas/paths.ts';
import { ACP_MARKET, ACP_SESSIONS, acpHeaders } from '../../support/acp.ts';
import { builtGenerated, useEdgeGateway } from '../../support/edge-gateway.ts';
import { SAMPLE_OFFER } from '../../support/function-routes.ts';
import { chargeRefunded, checkoutCompleted, signedMessage } from '../../support/stripe-messages.ts';

interface Notice {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const waiting: ((notice: Notice) => void)[] = [];
let server: Server;
let host: string;
const gateway = useEdgeGateway(async () => {
  server = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      response.writeHead(200).end();
      waiting.shift()?.({ headers: request.headers, body });
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { deployment } = await builtGenerated();
  const commerce = { ...deployment.commerce, acp: true, webhookHosts: [host] };
  return { generated: { deployment: { ...deployment, commerce } } };
});
afterAll(
  () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    }),
);
const next = (): Promise<Notice> => new Promise((resolve) => waiting.push(resolve));

test('an agent that named an address hears of its order and of its refund, signed with the secret that it reads', async () => {
  const body = {
    ...ACP_MARKET,
    line_items: [{ id: SAMPLE_OFFER.id }],
    currency: 'usd',
    capabilities: {},
    metadata: { order_webhook_url: `http://${host}/orders` },
  };
  const opened = await gateway.post(ACP_SESSIONS, body, await acpHeaders());
  const session = (await opened.json()) as { id: string; totals: { type: string; amount: number }[] };
  expect(opened.status).toBe(201);
  const total = session.totals.find(({ type }) => type === 'total')?.amount ?? 0;
  const webhook = await gateway.fetch(`${PATHS.acp}/order_webhook`, { headers: await acpHeaders() });
  const { signing_secret: secret } = (await webhook.json()) as { signing_secret: string };
  for (const [event, type] of [
    [checkoutCompleted(session.id, total), 'order_create'],
    [chargeRefunded(`pi_of_${session.id}`, 100), 'order_update'],
  ] as const) {
    const heard = next();
    expect(await (await gateway.fetch(PATHS.stripeWebhook, signedMessage(event))).json()).toMatchObject({ outcome: 'applied' });
    const notice = await heard;
    expect(JSON.parse(notice.body)).toMatchObject({ type, data: { checkout_session_id: session.id } });
    const [, time, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(notice.headers['merchant-signature'])) ?? [];
    expect(signature).toBe(createHmac('sha256', secret).update(`${time}.${notice.body}`).digest('hex'));
  }
});
