import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makePrivateKey, makeSigner } from '../../src/provenance/sign.ts';
import { Lineage } from '../../src/schemas/lineage.ts';
import { capsuleFilePath, capsulePath, capsuleVersionPath, lineageFilePath, PATHS } from '../../src/schemas/paths.ts';
import { findTool } from '../support/optional-tools.ts';
import { ROOT } from '../support/paths.ts';
import { serveFolder, type StaticServer } from '../support/static-server.ts';

const program = findTool('chromium');

/** A capsule of two versions. */
const ID = 'rate-limit-header-fields';
const OLD_TEXT = capsuleVersionPath(ID, '1.0.0');
const LINEAGE = lineageFilePath(ID);
const SITE = join(ROOT, 'dist');

/** Bodies in place of those of the site; `undefined` is a document that is missing. */
type Replacements = Readonly<Record<string, string | Buffer | undefined>>;

describe.skipIf(program === undefined)('the panel that verifies in the browser', () => {
  let browser: Browser;
  let server: StaticServer;

  beforeAll(async () => {
    const [, policy = ''] = /Content-Security-Policy: (.+)/.exec(await readFile(join(SITE, '_headers'), 'utf8')) ?? [];
    expect(policy).toContain("connect-src 'self'");
    server = await serveFolder(SITE, { 'Content-Security-Policy': policy });
    browser = await chromium.launch({ executablePath: program ?? '', args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  /** The page of the capsule, in a browser of its own; what goes wrong in it is added to `faults`. */
  async function openPage(replacements: Replacements = {}, faults: string[] = [], options: BrowserContextOptions = {}): Promise<Page> {
    const page = await (await browser.newContext(options)).newPage();
    page.on('request', (request) => {
      if (!request.url().startsWith(server.origin)) faults.push(`request to ${request.url()}`);
    });
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(error.message));
    for (const [path, body] of Object.entries(replacements))
      await page.route(server.origin + path, (route) => route.fulfill(body === undefined ? { status: 404, body: '' } : { body }));
    await page.goto(server.origin + capsulePath(ID));
    return page;
  }

  /** Presses the button by keyboard and waits for what comes of it: the outcome, and every check with its state. */
  async function press(page: Page): Promise<{ outcome: string; checks: Record<string, string> }> {
    const panel = page.locator('[data-verify]');
    const button = panel.locator('button.button');
    await button.focus();
    await page.keyboard.press('Enter');
    await panel.getByRole('button', { name: /again/ }).waitFor();
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
    const lines = await panel.getByRole('listitem').all();
    const checks = lines.map(
      async (line): Promise<[string, string]> => [
        (await line.locator('code').innerText()).replace(/:.*/s, ''),
        await line.locator('.status').innerText(),
      ],
    );
    return { outcome: await panel.getByRole('status').innerText(), checks: Object.fromEntries(await Promise.all(checks)) };
  }

  /** What the site serves at an address. */
  const served = (path: string): Promise<Buffer> => readFile(join(SITE, path));

  const PASSED = { json: 'Passed', form: 'Passed', subject: 'Passed', records: 'Passed', chain: 'Passed', head: 'Passed' };
  const UNSIGNED = { ...PASSED, text: 'Passed', fields: 'Passed', fresh: 'Not made', signature: 'Not made' };

  it('shows that an unsigned capsule holds, under the policy of the site and from it alone', async () => {
    const faults: string[] = [];
    const asked: string[] = [];
    const page = await openPage({}, faults);
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    expect(await press(page)).toEqual({ outcome: 'Everything that can be checked holds. The records are unsigned.', checks: UNSIGNED });
    expect(faults).toEqual([]);
    expect(asked.toSorted()).toEqual(
      [PATHS.verifier, PATHS.jwks, LINEAGE, capsuleFilePath(ID), OLD_TEXT, capsuleVersionPath(ID, '1.1.0')].toSorted(),
    );
    await expect(page.getByRole('heading', { name: 'What was checked' }).isVisible()).resolves.toBe(true);
    await page.context().close();
  });

  it('names the signer of a signed capsule, and says when a browser cannot check signatures', async () => {
    const signer = await makeSigner((await makePrivateKey()).secret);
    const lineage = Lineage.parse(JSON.parse((await served(LINEAGE)).toString()));
    for (const entry of lineage.versions) entry.signatures = [await signer.sign('record', entry.record)];
    lineage.head.statement.validUntil = '9999-12-31T00:00:00Z';
    lineage.head.signatures = [await signer.sign('head', lineage.head.statement)];
    const replacements = {
      [LINEAGE]: JSON.stringify(lineage),
      [PATHS.jwks]: JSON.stringify({ keys: [{ kty: 'OKP', crv: 'Ed25519', x: signer.publicKey.x }] }),
    };
    const page = await openPage(replacements);
    const { id } = lineage.head.statement.issuer;
    const signed = await press(page);
    expect(signed.outcome).toBe(`Everything holds: signed by ${id} with a key of this site.`);
    expect(new Set(Object.values(signed.checks))).toEqual(new Set(['Passed']));
    await page.evaluate(() => {
      crypto.subtle.importKey = () => Promise.reject(new Error('no such algorithm'));
    });
    const { outcome, checks } = await press(page);
    expect(outcome).toBe('Everything else holds, but this browser cannot check the signatures.');
    expect(checks).toMatchObject({ records: 'Passed', signature: 'Not made' });
    await page.context().close();
  });

  it('says that a capsule is not signed with the keys that the site publishes', async () => {
    const { publicKey } = await makePrivateKey();
    const page = await openPage({ [PATHS.jwks]: JSON.stringify({ keys: [{ kty: 'OKP', crv: 'Ed25519', x: publicKey.x }] }) });
    const { outcome, checks } = await press(page);
    expect(outcome).toBe('The documents fit together, but not all are signed with a key of this site. Do not rely on them.');
    expect(checks).toEqual({ ...UNSIGNED, signature: 'Failed' });
    await page.context().close();
  });

  it('shows one altered byte of an earlier text', async () => {
    const altered = await served(OLD_TEXT);
    altered[100] = (altered[100] ?? 0) ^ 1;
    const page = await openPage({ [OLD_TEXT]: altered });
    const { outcome, checks } = await press(page);
    expect(outcome).toBe('Failed: Words unchanged. Do not rely on these documents.');
    expect(checks).toEqual({ ...UNSIGNED, text: 'Failed' });
    expect(await page.locator('.checks').innerText()).toContain(`${ID} 1.0.0`);
    await page.context().close();
  });

  it('shows one altered byte of the lineage', async () => {
    const text = (await served(LINEAGE)).toString();
    const page = await openPage({ [LINEAGE]: text.replace('"sequence":0', '"sequence":1') });
    const { outcome, checks } = await press(page);
    expect(outcome).toMatch(/^Failed: Records unchanged; Versions in one chain/);
    expect(checks).toMatchObject({ json: 'Passed', records: 'Failed', chain: 'Failed', text: 'Passed' });
    await page.unroute(server.origin + LINEAGE);
    await page.route(server.origin + LINEAGE, (route) => route.fulfill({ body: text.slice(1) }));
    expect((await press(page)).checks).toMatchObject({ json: 'Failed', records: 'Not made', text: 'Not made', signature: 'Not made' });
    await page.context().close();
  });

  it.each([LINEAGE, PATHS.jwks, OLD_TEXT])('says that %s is missing, and goes on when it is back', async (missing) => {
    const page = await openPage({ [missing]: undefined });
    expect(await press(page)).toEqual({ outcome: `${missing} could not be fetched (status 404). Nothing was checked.`, checks: {} });
    await page.unroute(server.origin + missing);
    expect((await press(page)).checks).toEqual(UNSIGNED);
    await page.context().close();
  });

  it('says that the verifier is missing, and goes on when it is back', async () => {
    const page = await openPage({ [PATHS.verifier]: undefined });
    expect((await press(page)).outcome).toBe(`${PATHS.verifier} could not be loaded. Nothing was checked.`);
    await page.unroute(server.origin + PATHS.verifier);
    expect((await press(page)).checks).toEqual(UNSIGNED);
    await page.context().close();
  });

  it.each([
    { colorScheme: 'light', width: 1280 },
    { colorScheme: 'dark', width: 390 },
  ] as const)('has no accessibility violation and no overflow after a run, $colorScheme at $width px', async ({ colorScheme, width }) => {
    const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
    const altered = (await served(LINEAGE)).toString().replace('"sequence":0', '"sequence":1');
    const page = await openPage({ [LINEAGE]: altered }, [], { colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
    await press(page);
    await page.addScriptTag({ path: axe });
    const violations = await page.evaluate(async () => {
      const { axe: rules } = globalThis as unknown as {
        axe: { run: () => Promise<{ violations: { id: string; nodes: { target: unknown[] }[] }[] }> };
      };
      return (await rules.run()).violations.map(({ id, nodes }) => `${id} at ${nodes[0]?.target.join(' ')}`);
    });
    expect(violations).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')).toBe(false);
    await page.context().close();
  });

  it('shows the command and no button where no script runs', async () => {
    const page = await openPage({}, [], { javaScriptEnabled: false });
    const panel = page.locator('[data-verify]');
    expect(await panel.innerText()).toContain(`${LINEAGE} --trust`);
    expect(await panel.getByRole('button').count()).toBe(0);
    await page.context().close();
  });
});
