import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveBuiltFiles } from '../support/built-files.ts';
import { type EdgeGateway, startEdgeGateway } from '../support/edge-gateway.ts';
import { TEST_BASE_URL } from '../support/paths.ts';
import { type StaticServer, serveResponses } from '../support/static-server.ts';
import { CHROMIUM, launchBrowser, noteFaults } from './browser.ts';

/** Stands in for a browser with WebMCP: notes what a page registers. */
const NOTE_TOOLS = 'globalThis.tools = {}; document.modelContext = { registerTool: (tool) => { globalThis.tools[tool.name] = tool; } };';

describe.skipIf(CHROMIUM === undefined)('the tools of pages for an agent in the browser', () => {
  let gateway: EdgeGateway;
  let browser: Browser;
  let served: StaticServer;
  let page: Page;
  const faults: string[] = [];

  beforeAll(async () => {
    const files = await serveBuiltFiles();
    gateway = await startEdgeGateway({ files });
    served = await serveResponses((path, init) =>
      path.startsWith('/api/') ? gateway.fetch(path, init) : files(new Request(TEST_BASE_URL + path)),
    );
    browser = await launchBrowser();
    page = await browser.newPage();
    noteFaults(page, served.origin, faults);
    await page.addInitScript(NOTE_TOOLS);
    await page.goto(`${served.origin}/`);
  });
  afterAll(async () => {
    await browser?.close();
    await served?.stop();
    await gateway?.stop();
  });

  const call = (name: string, input: object): Promise<{ content: { text: string }[]; isError?: boolean }> =>
    page.evaluate(`tools[${JSON.stringify(name)}].execute(${JSON.stringify(input)})`);
  const read = async (name: string, input: object): Promise<unknown> => JSON.parse((await call(name, input)).content[0]?.text ?? '');

  it('are described, and marked as reading only and as content of others', async () => {
    const tools: Record<string, { description: string; inputSchema: object; annotations: object }> =
      await page.evaluate('JSON.parse(JSON.stringify(tools))');
    expect(Object.keys(tools)).toEqual(['search', 'list_capsules', 'read_capsule', 'list_offers']);
    for (const { description, inputSchema, annotations } of Object.values(tools)) {
      expect(description).not.toBe('');
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(annotations).toEqual({ readOnlyHint: true, untrustedContentHint: true });
    }
  });

  it('answer with what the service says, under the policy of the site', async () => {
    expect(await read('search', { q: 'x402 payment & headers' })).toMatchObject({ results: expect.arrayContaining([expect.anything()]) });
    expect(await read('list_capsules', {})).toMatchObject({ items: expect.arrayContaining([expect.anything()]) });
    expect(JSON.stringify(await read('read_capsule', { id: 'x402-v2' }))).toContain('x402-v2');
    expect(await read('list_offers', {})).toMatchObject({ offers: expect.arrayContaining([expect.anything()]) });
    expect(faults).toEqual([]);
  });

  it('say that there is no such capsule, and leave the folder of capsules for no id', async () => {
    for (const id of ['no-such-capsule', '../../offers.json?']) expect(await call('read_capsule', { id })).toMatchObject({ isError: true });
  });

  it('do nothing in a browser without WebMCP', async () => {
    const plain = await browser.newPage();
    const seen: string[] = [];
    noteFaults(plain, served.origin, seen);
    await plain.goto(`${served.origin}/`);
    expect(seen).toEqual([]);
    await plain.close();
  });
});
