import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PATHS } from '../../../src/schemas/paths.ts';
import { builtOpenApi, useSharedGateway } from '../../support/edge-gateway.ts';
import { PUBLICATION, TEST_BASE_URL } from '../../support/paths.ts';
import { type ArazzoDocument, type DescribedApi, runWorkflow } from '../../support/run-workflow.ts';

const document = JSON.parse(await readFile(join(PUBLICATION, 'dist', PATHS.arazzo), 'utf8')) as ArazzoDocument;
const api = JSON.parse(await builtOpenApi()) as DescribedApi;

describe('the document of workflows', () => {
  const service = useSharedGateway({ files: 'built' });

  test('refers to the description of the API', () => {
    expect(document.arazzo).toBe('1.0.1');
    expect(document.sourceDescriptions).toEqual([{ name: 'api', url: TEST_BASE_URL + PATHS.openApi, type: 'openapi' }]);
    expect(document.workflows.map(({ workflowId }) => workflowId)).toEqual(['ask', 'checkout']);
  });

  test('asks a question and ends with the quoted text and its lineage', async () => {
    const [ask] = document.workflows;
    if (ask === undefined) throw new Error('there is no workflow');
    const { quote, markdown, head } = await runWorkflow(ask, api, service);
    expect(markdown).toContain(quote);
    expect(head).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  test('opens a checkout session and cancels it', async () => {
    const checkout = document.workflows[1];
    if (checkout === undefined) throw new Error('there is no workflow');
    const outputs = await runWorkflow(checkout, api, service);
    expect(outputs).toEqual({ session_id: expect.stringMatching(/^cs_/) });
  });

  test('a criterion that is not met is seen', async () => {
    const [ask] = document.workflows;
    if (ask === undefined) throw new Error('there is no workflow');
    const [first, ...steps] = ask.steps;
    if (first === undefined) throw new Error('there is no step');
    const changed = { ...ask, steps: [{ ...first, successCriteria: [{ condition: '$statusCode == 200' }] }, ...steps] };
    await expect(runWorkflow(changed, api, service)).rejects.toThrow('$statusCode == 200 does not hold');
  });
});

test('a site of files has no workflows', async () => {
  await expect(readFile(join(PUBLICATION, 'dist-static', PATHS.arazzo))).rejects.toMatchObject({ code: 'ENOENT' });
});
