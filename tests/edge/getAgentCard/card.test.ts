import { expect, test } from 'vitest';
import { AgentCard } from '../../../src/protocols/a2a/a2a-schemas.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { useSharedGateway } from '../../support/edge-gateway.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';

const gateway = useSharedGateway();

test('getAgentCard 200 application/a2a-agent-card+json: names the endpoint with its version, and skills with examples', async () => {
  const response = await gateway.fetch(PATHS.agentCard);
  const { headers } = response;
  expect([response.status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
    200,
    'application/a2a-agent-card+json',
    'public, max-age=300',
  ]);
  expect(headers.get('etag')).toMatch(/^"/);
  const { supportedInterfaces, skills, capabilities } = AgentCard.parse(await response.json());
  expect(supportedInterfaces.map(({ url, protocolVersion }) => [url, protocolVersion])).toEqual([[`${TEST_BASE_URL}/a2a`, '1.0']]);
  expect(skills.map(({ id, examples = [] }) => [id, examples.length])).toEqual([
    ['ask', 1],
    ['verify_quote', 1],
    ['find_offer', 1],
  ]);
  expect(capabilities).toEqual({ streaming: true, pushNotifications: false, extendedAgentCard: false });
});
