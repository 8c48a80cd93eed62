import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '../../src/provenance/bytes-and-sha256.ts';
import { newScript } from '../support/campaign.ts';
import { installPackages } from '../support/install-packages.ts';
import { copyProject, freePort, startService } from '../support/project-copy.ts';
import { checkoutCompleted, signedMessage } from '../support/stripe-messages.ts';

/**
 * An agent's whole journey against a service that this script builds and starts in a folder of its own: discover, register, ask, verify
 * a quote, buy over the Agentic Commerce Protocol, pay for a capsule over x402 and over MPP, fetch the receipt. Clients of x402 and MPP
 * are the official ones; what they pay takes no money, as always with `npm start`. Where a person would pay on the hosted checkout, the script sends the message that the processor would send.
 */

newScript(
  'demo',
  "Make an agent's whole journey against a fresh service: discover, register, query, verify, buy, pay, fetch the receipt. Nothing here is worth money.",
).parse();
installPackages(import.meta.dirname);
const { kit } = await import('./kit.ts');

const OFFER = 'evidence-review';
const QUESTION = 'How long may a cached answer be reused without asking?';
const ACP_VERSION = '2026-04-17';
type Json = Record<string, unknown>;
let steps = 0;
function step(title: string): void {
  steps += 1;
  console.log(`\n${steps}. ${title}`);
}
function say(name: string, value: unknown): void {
  console.log(`   ${name.padEnd(18)} ${typeof value === 'string' ? value : JSON.stringify(value)}`);
}
/** A member of an answer, along a path; the demonstration ends where it is missing. */
function pick(value: unknown, ...path: (string | number)[]): unknown {
  const found = path.reduce<unknown>((at, name) => (at as Json | undefined)?.[name as string], value);
  if (found === undefined) throw new Error(`an answer has no ${path.join('.')}: ${JSON.stringify(value).slice(0, 600)}`);
  return found;
}
function expectTrue(condition: boolean, what: string): void {
  if (!condition) throw new Error(`this does not hold: ${what}`);
}

async function ask(url: string, init: RequestInit = {}, wanted: readonly number[] = [200]): Promise<Json> {
  const response = await fetch(url, init);
  const text = await response.text();
  if (!wanted.includes(response.status)) throw new Error(`${init.method ?? 'GET'} ${url} gave ${response.status}: ${text.slice(0, 800)}`);
  return JSON.parse(text) as Json;
}

/** Sends the message of the payment processor that a session was paid. */
async function payOnHostedCheckout(base: string, folder: string, sessionId: string, amountMinor: number): Promise<void> {
  const [, secret = ''] = /^STRIPE_WEBHOOK_SECRETS=([^,\n]*)/m.exec(await readFile(join(folder, '.dev.vars'), 'utf8')) ?? [];
  await ask(`${base}/api/v1/commerce/stripe-webhook`, signedMessage(checkoutCompleted(sessionId, amountMinor), { secret }));
}

async function journey(base: string, folder: string): Promise<void> {
  step('Discover what the site offers');
  const acp = await ask(`${base}/.well-known/acp.json`);
  say('acp.json', `version ${String(pick(acp, 'protocol', 'version'))}, services ${JSON.stringify(pick(acp, 'capabilities', 'services'))}`);
  const x402 = await ask(`${base}/.well-known/x402`);
  const resources = pick(x402, 'resources') as string[];
  say('x402', `${resources.length} paid resources, the first is ${resources[0] ?? 'none'}`);
  const capabilities = await ask(`${base}/api/v1/agent-gateway/capabilities`);
  say('corpus', pick(capabilities, 'corpus', 'corpus_version'));

  step('Register');
  const registration = await ask(
    `${base}/api/v1/agent-gateway/register`,
    {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ agent_name: 'Demonstration agent', scopes: ['read', 'buy'] }),
    },
    [201],
  );
  const key = String(pick(registration, 'api_key'));
  say('agent', pick(registration, 'agent_id'));
  say('scopes', pick(registration, 'scopes'));

  step(`Ask: ${QUESTION}`);
  const answer = await ask(`${base}/api/v1/agent-gateway/query`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
    body: JSON.stringify({ query: QUESTION, max_results: 3 }),
  });
  const result = pick(answer, 'results', 0) as Json;
  const quote = pick(result, 'quote') as { start: number; end: number; text: string };
  say('capsule', `${String(result['capsule_id'])} ${String(result['version'])}, evidence: ${String(result['evidence'])}`);
  say('quote', `“${quote.text.slice(0, 160).replaceAll('\n', ' ')}…”`);

  step('Verify the quote');
  const capsule = await ask(`${base}/api/v1/agent-gateway/capsule/${String(result['capsule_id'])}`);
  const markdown = String(pick(capsule, 'markdown'));
  const digest = await sha256Hex(markdown);
  expectTrue(digest === result['content_sha256'], 'the text has the digest that the answer names');
  expectTrue(markdown.slice(quote.start, quote.end) === quote.text, 'the quote stands in the text at its offsets');
  say('digest', digest);
  say('offsets', `${quote.start} to ${quote.end}: the same words`);

  step('Buy an offer over the Agentic Commerce Protocol');
  const acpBase = String(pick(acp, 'api_base_url'));
  const acpHeaders = (idempotencyKey?: string): Record<string, string> => ({
    Authorization: `Bearer ${key}`,
    'API-Version': ACP_VERSION,
    'Content-Type': 'application/json',
    ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
  });
  const session = await ask(
    `${acpBase}/checkout_sessions`,
    {
      method: 'POST',
      headers: acpHeaders(crypto.randomUUID()),
      body: JSON.stringify({ line_items: [{ id: OFFER, quantity: 1 }], currency: 'usd', capabilities: {} }),
    },
    [201],
  );
  const total = (pick(session, 'totals') as { type: string; amount: number }[]).find(({ type }) => type === 'total')?.amount ?? -1;
  const sessionId = String(session['id']);
  say('session', `${sessionId}, ${String(session['status'])}`);
  say('total', `${total} US cents, the price of the catalog`);
  say('a person pays at', pick(session, 'continue_url'));
  await payOnHostedCheckout(base, folder, sessionId, total);
  say('processor', 'its signed message was sent by this script, because the checkout is a demonstration');
  const bought = await ask(`${acpBase}/checkout_sessions/${sessionId}`, { headers: acpHeaders() });
  expectTrue(bought['status'] === 'completed', 'the session is completed');
  const permalink = String(pick(bought, 'order', 'permalink_url'));
  say('session', `${String(bought['status'])}, order ${String(pick(bought, 'order', 'id'))}`);

  const resource = resources[0];
  if (resource === undefined) throw new Error('no capsule is paid in this publication');
  for (const [name, pay] of [
    ['x402 (@x402/fetch)', kit.x402Fetch(kit.newAccount(), fetch)],
    ['MPP in a token (mppx)', kit.mppFetch(kit.newAccount(), fetch)],
    ['MPP by card (mppx)', kit.cardFetch(async () => 'spt_of_nobody', fetch)],
  ] as const) {
    step(`Pay for a capsule over ${name}`);
    const refused = await fetch(resource);
    const challenge = (await refused.json()) as Json;
    say('without payment', `${refused.status} ${String(challenge['code'])}: ${String(challenge['detail'])}`);
    const paid = await pay(resource);
    if (!paid.ok) throw new Error(`the payment was refused: ${paid.status} ${await paid.text()}`);
    const text = (await paid.json()) as Json;
    expectTrue(
      (await sha256Hex(String(text['markdown']))) === text['content_sha256'],
      'what was paid for has the digest that was announced',
    );
    say('paid', `${String(text['title'])}, ${String(text['words'])} words, digest as announced`);
    const receipt = paid.headers.get(name.startsWith('MPP') ? 'Payment-Receipt' : 'PAYMENT-RESPONSE');
    if (receipt === null) throw new Error('the answer has no receipt');
    say('receipt', Buffer.from(receipt, 'base64').toString());
  }

  step('Fetch the receipt of the order, and what it delivers');
  const order = await ask(permalink, { headers: { Accept: 'application/json' } });
  say('order', `${String(order['id'])}, ${String(order['state'])}, ${String(order['total_minor'])} US cents`);
  for (const delivery of (order['deliveries'] ?? []) as { title: string; url: string }[]) {
    const file = await (await fetch(delivery.url)).text();
    say('delivered', `${delivery.title}: “${file.slice(0, 60).replaceAll('\n', ' ')}…”`);
  }
  say('receipt', permalink);
}

const copy = await copyProject();
const port = await freePort();
console.log(`A fresh service is built and started on port ${port}. Its payments are a demonstration, which takes no money.`);
const service = await startService(copy.folder, port);
try {
  await journey(service.baseUrl, copy.folder);
  console.log('\nDone: every step held.');
} catch (error) {
  console.error(`\nThe journey ended at step ${steps}: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await service.interrupt();
  await copy.remove();
}
