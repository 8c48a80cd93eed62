import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makePrivateKey, makeSigner } from '../../src/provenance/sign.ts';
import { Lineage } from '../../src/schemas/knowledge/lineage.ts';
import { capsuleFilePath, capsulePath, capsuleVersionPath, lineageFilePath, PATHS } from '../../src/schemas/paths.ts';
import { serveLikeHost } from '../support/built-files.ts';
import { duringTests } from '../support/during-tests.ts';
import { PUBLICATION } from '../support/paths.ts';
import { accessibilityFaults, CHROMIUM, noteFaults, useBrowser, type View } from './browser.ts';

const ID = 'rate-limit-header-fields';
const OLD_TEXT = capsuleVersionPath(ID, '1.0.0');
const LINEAGE = lineageFilePath(ID);
const SITE = join(PUBLICATION, 'dist');

/** Bodies in place of those of the site; `undefined` is a document that is missing. */
type Replacements = Readonly<Record<string, string | Buffer | undefined>>;

describe.skipIf(CHROMIUM === undefined)('the panel that verifies in the browser', () => {
  const { usePage } = useBrowser();
  const server = duringTests(() => serveLikeHost(SITE));
  /** The page of the capsule under the policy of the site, one for all tests, and what went wrong in it. */
  let page: Page;
  const faults: string[] = [];

  beforeAll(async () => {
    page = await usePage();
    noteFaults(page, server().origin, faults);
    await page.goto(server().origin + capsulePath(ID));
  });
  afterEach(async () => {
    await page.unrouteAll();
    expect(faults).toEqual([]);
  });

  /** Presses the button by keyboard and waits for what comes of it: the outcome, and every check with its state. */
  async function press(replacements: Replacements = {}): Promise<{ outcome: string; checks: Record<string, string> }> {
    await page.unrouteAll();
    for (const [path, body] of Object.entries(replacements))
      await page.route(`${server().origin}${path}*`, (route) => route.fulfill(body === undefined ? { status: 404, body: '' } : { body }));
    const panel = page.locator('[data-verify]');
    const button = panel.locator('button.button');
    await button.focus();
    await page.keyboard.press('Enter');
    await panel.locator('button[aria-disabled=false]').waitFor();
    expect(await button.evaluate((element) => element.matches(':focus'))).toBe(true);
    const checks = await panel.locator('.checks:visible > li').evaluateAll((lines) =>
      lines.map((line): [string, string] => {
        const [name = ''] = line.querySelector('code')?.textContent?.split(':') ?? [];
        return [name, line.querySelector('.status')?.textContent ?? ''];
      }),
    );
    return { outcome: await panel.getByRole('status').innerText(), checks: Object.fromEntries(checks) };
  }

  const served = (path: string): Promise<Buffer> => readFile(join(SITE, path));
  const jwksOf = (x: string): string => JSON.stringify({ keys: [{ kty: 'OKP', crv: 'Ed25519', x }] });
  const PASSED = { json: 'Passed', form: 'Passed', subject: 'Passed', records: 'Passed', chain: 'Passed', head: 'Passed' };
  const UNSIGNED = { ...PASSED, text: 'Passed', fields: 'Passed', fresh: 'Not run', signature: 'Not run' };

  it('shows that an unsigned capsule holds, from documents of this site alone', async () => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    expect(await press()).toEqual({ outcome: 'All applicable checks passed. The records are not signed.', checks: UNSIGNED });
    const texts = [OLD_TEXT, capsuleVersionPath(ID, '1.1.0')];
    expect(asked.filter((path) => !path.startsWith('/favicon')).toSorted()).toEqual(
      [PATHS.verifier, PATHS.jwks, LINEAGE, capsuleFilePath(ID), ...texts].toSorted(),
    );
    expect(await page.getByRole('heading', { name: 'Checks' }).isVisible()).toBe(true);
  });

  it('names the signer of a signed capsule, and says when a browser cannot check signatures', async () => {
    const signer = await makeSigner((await makePrivateKey()).secret);
    const lineage = Lineage.parse(JSON.parse((await served(LINEAGE)).toString()));
    for (const entry of lineage.versions) entry.signatures = [await signer.sign('record', entry.record)];
    lineage.head.statement.validUntil = '9999-12-31T00:00:00Z';
    lineage.head.signatures = [await signer.sign('head', lineage.head.statement)];
    const replacements = { [LINEAGE]: JSON.stringify(lineage), [PATHS.jwks]: jwksOf(signer.publicKey.x) };
    const signed = await press(replacements);
    expect(signed.outcome).toBe(`All checks passed: signed by ${lineage.head.statement.issuer.id} with a key of this site.`);
    expect(new Set(Object.values(signed.checks))).toEqual(new Set(['Passed']));
    await page.evaluate(() => {
      Object.defineProperty(crypto.subtle, 'importKey', {
        configurable: true,
        value: () => Promise.reject(new DOMException('unknown', 'NotSupportedError')),
      });
    });
    const { outcome, checks } = await press(replacements);
    await page.evaluate(() => Reflect.deleteProperty(crypto.subtle, 'importKey'));
    expect(outcome).toBe('All other checks passed, but this browser cannot check the signatures.');
    expect(checks).toMatchObject({ records: 'Passed', signature: 'Not run' });
  });

  it('says that a capsule is not signed with the keys that the site publishes', async () => {
    const { outcome, checks } = await press({ [PATHS.jwks]: jwksOf((await makePrivateKey()).publicKey.x) });
    expect(outcome).toBe('The documents are consistent, but not all are signed with a key of this site. Do not rely on them.');
    expect(checks).toEqual({ ...UNSIGNED, signature: 'Failed' });
  });

  it('shows one altered byte of an earlier text', async () => {
    const altered = await served(OLD_TEXT);
    altered[100] = (altered[100] ?? 0) ^ 1;
    const { outcome, checks } = await press({ [OLD_TEXT]: altered });
    expect(outcome).toBe('Failed: Text unchanged. Do not rely on these documents.');
    expect(checks).toEqual({ ...UNSIGNED, text: 'Failed' });
    expect(await page.locator('.checks').innerText()).toContain(`${ID} 1.0.0`);
  });

  it('shows one altered byte of the lineage, and asks no other site for a text', async () => {
    const text = (await served(LINEAGE)).toString();
    const { outcome, checks } = await press({ [LINEAGE]: text.replace('"sequence":0', '"sequence":1') });
    expect(outcome).toMatch(/^Failed: Records unchanged; Versions in one chain/);
    expect(checks).toMatchObject({ json: 'Passed', records: 'Failed', chain: 'Failed', text: 'Passed' });
    expect((await press({ [LINEAGE]: text.replace('"head":', '"hesd":') })).outcome).toMatch(/^Failed: Complete\. /);
    const elsewhere = text.replace(`"canonical":"${OLD_TEXT}"`, '"canonical":"//elsewhere.example/"');
    expect((await press({ [LINEAGE]: elsewhere })).outcome).toMatch(/not on this site.+Nothing was checked\.$/);
    const broken = await press({ [LINEAGE]: text.slice(1) });
    expect(broken.checks).toMatchObject({ json: 'Failed', records: 'Not run', text: 'Not run', signature: 'Not run' });
  });

  it.each([LINEAGE, PATHS.jwks, OLD_TEXT])('says that %s is missing, and goes on when it is back', async (missing) => {
    const outcome = `${missing} could not be fetched (status 404). Nothing was checked.`;
    expect(await press({ [missing]: undefined })).toEqual({ outcome, checks: {} });
    expect((await press()).checks).toEqual(UNSIGNED);
  });

  it('says that the verifier is missing, and goes on when it is back', async () => {
    await page.reload();
    const outcome = `${PATHS.verifier} could not be loaded. Nothing was checked.`;
    expect(await press({ [PATHS.verifier]: undefined })).toEqual({ outcome, checks: {} });
    expect((await press()).checks).toEqual(UNSIGNED);
  });

  it('has no accessibility violation and no overflow after a run', async () => {
    await press({ [LINEAGE]: (await served(LINEAGE)).toString().replace('"sequence":0', '"sequence":1') });
    const views: readonly View[] = [
      { colorScheme: 'light', width: 1280 },
      { colorScheme: 'dark', width: 390, rules: 'colours' },
    ];
    expect(await accessibilityFaults(page, views)).toEqual([]);
  });

  it('shows the command and no button where no script runs', async () => {
    const plain = await usePage({ javaScriptEnabled: false });
    await plain.goto(server().origin + capsulePath(ID));
    const panel = plain.locator('[data-verify]');
    expect(await panel.innerText()).toMatch(/curl -sO http.+akg-verify\.mjs\nnode akg-verify\.mjs http.+lineage\.json$/m);
    expect(await panel.getByRole('button').count()).toBe(0);
  });
});
