import { describe, expect, test } from 'vitest';
import { readSigningSecrets } from '../../../src/platform/environment.ts';
import { AcpOrderWebhook } from '../../../src/protocols/acp/acp-schemas.ts';
import { orderWebhookSecret } from '../../../src/protocols/acp/order-event.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { builtGenerated, TEST_SIGNING_SECRETS } from '../../support/edge-gateway.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';

const gateway = useInProcessGateway(async () => {
  const { deployment } = await builtGenerated();
  return {
    generated: {
      deployment: { ...deployment, commerce: { ...deployment.commerce, webhookHosts: ['agent.example', 'other.example:8443'] } },
    },
  };
});
const read = async (agent: string, scopes: 'buy'[] = ['buy']): Promise<AcpOrderWebhook> => {
  const response = await gateway.fetch(`${PATHS.acp}/order_webhook`, { headers: bearer(await makeKey({ agent, scopes })) });
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
  return AcpOrderWebhook.parse(await response.json());
};

describe('getOrderWebhook 200 application/json', () => {
  test('tells hosts, headers and the secret of this agent, without a version of the protocol', async () => {
    const secrets = await readSigningSecrets(TEST_SIGNING_SECRETS);
    if ('missing' in secrets) throw new Error(secrets.missing);
    expect(await read('00000000000000f1')).toEqual({
      object: 'order_webhook',
      request_member: 'metadata.order_webhook_url',
      allowed_hosts: ['agent.example', 'other.example:8443'],
      signature_header: 'Merchant-Signature',
      headers: ['Content-Type', 'Merchant-Signature', 'Request-Id', 'Timestamp'],
      signing_secret: await orderWebhookSecret('agt_00000000000000f1', secrets[0]),
    });
  });

  test('another agent has another secret', async () => {
    const [one, two] = [await read('00000000000000f1'), await read('00000000000000f2')];
    expect(one.signing_secret).not.toBe(two.signing_secret);
  });
});
