import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COMMERCE_FOLDER, commercePackage } from '../support/commerce-kit.ts';
import { duringTests } from '../support/during-tests.ts';
import { type Generated, useEdgeGateway } from '../support/edge-gateway.ts';
import { paidEdge, paidSite } from '../support/paid-site.ts';
import { TEST_BASE_URL } from '../support/paths.ts';
import { startStandInFacilitator } from '../support/stand-in-facilitator.ts';
import { serveResponses } from '../support/static-server.ts';

const isInstalled = commercePackage('.') !== undefined;

describe.skipIf(!isInstalled)('the checkers of x402 and MPP, on a running service', () => {
  const facilitator = duringTests(startStandInFacilitator);
  const server = duringTests(() => serveResponses((path, init) => gateway.fetch(path, init)));
  const gateway = useEdgeGateway(async () => {
    const { generated, ...options } = await paidEdge(facilitator().url);
    return {
      ...options,
      // Built for another address.
      generated: JSON.parse(JSON.stringify(generated).replaceAll(TEST_BASE_URL, server().origin)) as Generated,
      files: () => new Response('A page of words.', { headers: { 'Content-Type': 'text/plain' } }),
    };
  });

  const run = (program: string, ...args: string[]): Promise<{ code: number; output: string }> =>
    new Promise((resolve) => {
      const environment = { ...process.env, CI: '1', NO_COLOR: '1', NODE_ENV: 'production' };
      execFile(join(COMMERCE_FOLDER, 'node_modules/.bin', program), args, { env: environment }, (error, stdout) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout }),
      );
    });

  test('mppx finds the API description valid', async () => {
    const { code, output } = await run('mppx', 'discover', 'validate', `${server().origin}/openapi.json`);
    expect([code, output]).toEqual([0, expect.stringContaining('Discovery document is valid.')]);
  });

  test('mppx finds the paid operations and their challenges in order, all but a payment, for which it has no wallet', async () => {
    const { code, output } = await run('mppx', 'validate', server().origin);
    expect([code, output]).toEqual([0, expect.stringContaining('Summary: 18 passed, 1 skipped')]);
    expect(output).toContain('x402 payment challenge (PAYMENT-REQUIRED with valid x402 v2 payload)');
  });

  test('@agentcash/discovery finds what is sold with its price by the draft of MPP, and has nothing to say against it', async () => {
    const found = await run('discovery', 'discover', server().origin, '-v');
    const { capsuleId } = await paidSite();
    const path = `/api/v1/agent-gateway/capsule/${capsuleId}`;
    expect([found.code, found.output]).toEqual([0, expect.stringMatching(new RegExp(`GET +${path} +paid +0\\.500000 USD +\\[mpp\\]`))]);
    expect(found.output).not.toMatch(/\[error\]|GUIDANCE/);
    const checked = await run('discovery', 'check', server().origin + path, '--json');
    const { advisories, warnings } = JSON.parse(checked.output) as { advisories: object[]; warnings: object[] };
    expect(advisories).toMatchObject([{ method: 'GET', authMode: 'paid', estimatedPrice: '0.500000 USD', protocols: ['mpp'] }]);
    expect(warnings).toEqual([]);
  });
});
