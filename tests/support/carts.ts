import { expect } from 'vitest';
import { PATHS } from '../../src/schemas/paths.ts';
import type { UsedGateway } from './edge-gateway.ts';
import { SAMPLE_OFFER } from './function-routes.ts';
import { TEST_BASE_URL } from './paths.ts';
import { chargeRefunded, checkoutCompleted, signedMessage } from './stripe-messages.ts';

export const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
export const SAMPLE_PRICE = 12_000;

type Fetch = Pick<UsedGateway, 'fetch'>;

export function sendForm({ fetch }: Fetch, path: string, fields: Record<string, string>, headers: object = BROWSER): Promise<Response> {
  return fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  });
}

/** Begins the checkout of a cart, as the button on its page does. @returns Path of the session. */
export async function beginCheckout(gateway: Fetch, items = `${SAMPLE_OFFER.id}:1`): Promise<string> {
  const response = await sendForm(gateway, '/checkout', { items });
  expect(response.status).toBe(303);
  const location = response.headers.get('location') ?? '';
  expect(location).toMatch(new RegExp(`^${TEST_BASE_URL}/checkout/cs_[0-9a-f]{32}$`));
  return location.slice(TEST_BASE_URL.length);
}

export async function pay(gateway: Fetch, sessionPath: string, amountMinor = SAMPLE_PRICE): Promise<void> {
  const id = sessionPath.slice(sessionPath.lastIndexOf('/') + 1);
  await tell(gateway, checkoutCompleted(id, amountMinor));
}

export async function giveBack(gateway: Fetch, sessionPath: string, amountMinor: number): Promise<void> {
  const id = sessionPath.slice(sessionPath.lastIndexOf('/') + 1);
  await tell(gateway, chargeRefunded(`pi_of_${id}`, amountMinor));
}

async function tell(gateway: Fetch, event: unknown): Promise<void> {
  const response = await gateway.fetch(PATHS.stripeWebhook, signedMessage(event));
  expect(response.status).toBe(200);
  await response.arrayBuffer();
}

/** A paid order. @returns Paths of its session and of its page. */
export async function makeOrder(gateway: Fetch, offer?: string, amountMinor?: number): Promise<{ session: string; order: string }> {
  const session = await beginCheckout(gateway, offer && `${offer}:1`);
  await pay(gateway, session, amountMinor);
  const page = await (await gateway.fetch(session, { headers: BROWSER })).text();
  const [receipt] = /rct_[0-9a-f]{32}/.exec(page) ?? [];
  expect(receipt).toBeDefined();
  return { session, order: `/orders/${receipt}` };
}

/** Asserts that a browser gets a whole page of the site, which no shared cache keeps and no search engine lists. @returns Its text. */
export async function expectPage(response: Response, status: number): Promise<string> {
  const text = await response.text();
  expect({ status: response.status, type: response.headers.get('content-type'), text }).toEqual({
    status,
    type: 'text/html; charset=utf-8',
    text: expect.stringMatching(/^<!DOCTYPE html>[\s\S]*<main[\s\S]*<h1>[\s\S]*<\/html>\s*$/) as unknown,
  });
  expect(response.headers.get('cache-control')).toMatch(/^(?:private, no-cache|(?:private, )?no-store)$/);
  expect(response.headers.get('vary')).toBe('Accept');
  expect(response.headers.get('x-robots-tag')).toBe('noindex');
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
  expect(text).not.toMatch(/<!--\/?slot:main-->/);
  return text;
}
