import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveLikeHost } from '../support/built-files.ts';
import { duringTests } from '../support/during-tests.ts';
import { useSharedGateway } from '../support/edge-gateway.ts';
import { PUBLICATION } from '../support/paths.ts';
import { serveResponses } from '../support/static-server.ts';
import { CHROMIUM, launchBrowser, noteFaults, useBrowser } from './browser.ts';

/** Stands in for a browser with WebMCP: notes what a page registers. */
const NOTE_TOOLS = 'globalThis.tools = {}; document.modelContext = { registerTool: (tool) => { globalThis.tools[tool.name] = tool; } };';

describe.skipIf(CHROMIUM === undefined)('the tools of pages for an agent in the browser', () => {
  const { browser, usePage } = useBrowser();
  const gateway = useSharedGateway({ files: 'built' });
  const served = duringTests(() => serveResponses(gateway.fetch));
  let page: Page;
  const faults: string[] = [];

  beforeAll(async () => {
    page = await browser().newPage();
    noteFaults(page, served().origin, faults);
    await page.addInitScript(NOTE_TOOLS);
    await page.goto(`${served().origin}/`);
  });
  afterAll(() => page?.close());

  const call = (name: string, input: object): Promise<{ content: { text: string }[]; isError?: boolean }> =>
    page.evaluate(`tools[${JSON.stringify(name)}].execute(${JSON.stringify(input)})`);
  const read = async (name: string, input: object): Promise<unknown> => JSON.parse((await call(name, input)).content[0]?.text ?? '');

  it('of the API send a request of theirs, explain a refusal, and get a key for the next one, by keyboard', async () => {
    const api = await usePage();
    noteFaults(api, served().origin, faults);
    await api.goto(`${served().origin}/docs/api/queryKnowledge`);
    const answer = api.getByRole('status');
    const press = async (name: string, status: string): Promise<void> => {
      await api.getByRole('button', { name }).focus();
      await api.keyboard.press('Enter');
      await api.getByRole('status').filter({ hasText: status }).waitFor();
    };
    await press('Send POST request', '401');
    expect(await answer.innerText()).toMatch(/^401 Unauthorized after \d+ ms, \d+ bytes$/);
    const explained = api.getByRole('link', { name: 'What this error means' });
    expect(await explained.getAttribute('href')).toBe('/problems/api_key_missing');
    await press('Get a key for one day', '201');
    expect(await api.getByLabel('API key').inputValue()).toMatch(/^akg_test_/);
    const issued = JSON.parse(await api.locator('.answer > pre').innerText());
    expect(Date.parse(issued.expires_at) - Date.parse(issued.issued_at)).toBe(86_400_000);
    await press('Send POST request', '200');
    expect(JSON.parse(await api.locator('.answer > pre').innerText())).toMatchObject({ results: [{ kind: 'capsule' }, {}] });
    expect(await explained.isVisible()).toBe(false);
    await api.getByText('Headers of the answer').click();
    expect(await api.locator('.answer details pre').innerText()).toContain('content-type: application/json');
    // What was chosen and got holds for the next page.
    await api.getByRole('radio', { name: 'Python' }).check();
    await api.goto(`${served().origin}/docs/api/getKey`);
    expect(await api.getByText('requests.get(').isVisible()).toBe(true);
    expect(await api.getByText('curl -s').isVisible()).toBe(false);
    await press('Send GET request', '200');
    await api.getByLabel('API key').fill('ключ');
    await press('Send GET request', 'No answer. The request cannot be sent');
    await api.goto(`${served().origin}/docs/api/getCapsule`);
    await api.getByLabel('capsule_id').fill('../no such capsule');
    await press('Send GET request', '404');
    expect(await explained.getAttribute('href')).toBe('/problems/capsule_not_found');
    expect(faults.splice(0).filter((fault) => !fault.includes('401'))).toEqual([]);
  });

  it('of a missing address lists pages with a similar name, and says nothing where there is none', async () => {
    const missing = await usePage();
    await missing.goto(`${served().origin}/capsules/x402-v9`);
    const near = missing.locator('[data-near]');
    await near.getByRole('link').first().waitFor();
    expect(await near.getByRole('link').allInnerTexts()).toContainEqual(expect.stringContaining('x402'));
    await missing.goto(`${served().origin}/zzqqx-flurb`);
    await near.waitFor({ state: 'hidden' });
  });

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
    const plain = await usePage();
    const seen: string[] = [];
    noteFaults(plain, served().origin, seen);
    await plain.goto(`${served().origin}/`);
    expect(seen).toEqual([]);
  });
});

describe.skipIf(CHROMIUM === undefined)('the tools of pages of a site without functions', () => {
  const { browser } = useBrowser();
  const host = duringTests(() => serveLikeHost(join(PUBLICATION, 'dist-static')));
  let page: Page;
  const faults: string[] = [];

  beforeAll(async () => {
    page = await browser().newPage();
    noteFaults(page, host().origin, faults);
    await page.addInitScript(NOTE_TOOLS);
    await page.goto(`${host().origin}/`);
  });
  afterAll(() => page?.close());

  const read = async (name: string, input: object): Promise<unknown> => {
    const result: { content: { text: string }[] } = await page.evaluate(`tools.${name}.execute(${JSON.stringify(input)})`);
    return JSON.parse(result.content[0]?.text ?? '');
  };

  it('are those that need no function: there is no search by the API', async () => {
    expect(await page.evaluate('Object.keys(tools)')).toEqual(['list_capsules', 'read_capsule', 'list_offers']);
    expect(await page.locator('form[toolname]').evaluateAll((forms) => forms.map((form) => form.getAttribute('toolname')))).toEqual([
      'show_search_results',
    ]);
  });

  it('answer with the files of the site', async () => {
    expect(await read('list_capsules', {})).toMatchObject({ items: expect.arrayContaining([expect.anything()]) });
    expect(JSON.stringify(await read('read_capsule', { id: 'x402-v2' }))).toContain('x402-v2');
    expect(await read('list_offers', {})).toMatchObject({ offers: expect.arrayContaining([expect.anything()]) });
    expect(faults).toEqual([]);
  });

  it('include the search form in a browser with WebMCP, which leads the person to the results', async ({ skip }) => {
    await using webMcp = await launchBrowser(['--enable-features=WebMCP,WebMCPTesting', '--enable-blink-features=ModelContext']);
    const page = await webMcp.newPage();
    await page.goto(`${host().origin}/about`);
    if (!(await page.evaluate("typeof document.modelContext?.getTools === 'function'"))) skip('this Chromium has no tools of forms');
    // Some versions of Chromium give the schema as JSON, and take the input so.
    const tools: { name: string; inputSchema: object | string }[] = await page.evaluate(
      'document.modelContext.getTools().then((tools) => [...tools].map(({ name, inputSchema }) => ({ name, inputSchema })))',
    );
    expect(tools.map(({ name }) => name).sort()).toEqual(['list_capsules', 'list_offers', 'read_capsule', 'show_search_results']);
    const schema = tools.find(({ name }) => name === 'show_search_results')?.inputSchema;
    expect(typeof schema === 'string' ? JSON.parse(schema) : schema).toMatchObject({
      properties: { q: { type: 'string', description: 'Question or keywords.' } },
    });
    const input = JSON.stringify({ q: 'workers kv' });
    const call = `document.modelContext.getTools().then((tools) => document.modelContext.executeTool(
      [...tools].find(({ name }) => name === 'show_search_results'), ${typeof schema === 'string' ? JSON.stringify(input) : input}))`;
    await Promise.all([page.waitForURL(/\/search\?q=workers\+kv$/), page.evaluate(call).catch(() => undefined)]);
    await page.locator('.search-hits li').first().waitFor();
  });
});
