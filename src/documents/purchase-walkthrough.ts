import { unpaid } from '../gateway/commerce/payments/capsule-paywall.ts';
import type { PaidResource, PaymentChallengeSource } from '../gateway/commerce/payments/payment-ports.ts';
import { capsuleResponse } from '../gateway/knowledge/capsule-response.ts';
import { problemResponse } from '../http/render-problem.ts';
import { fillPath } from '../http/route-paths.ts';
import { acpExamples, acpWellKnown } from '../protocols/acp/acp.ts';
import { EXAMPLE_SESSION_TIME_MS } from '../protocols/protocol-module.ts';
import { type PaymentRequirements, requirementsFor } from '../protocols/x402/payment-required.ts';
import { offersByToken, x402Descriptor, x402Protocol } from '../protocols/x402/x402.ts';
import { exampleSecrets } from '../routes/route-examples.ts';
import { describedRoutes } from '../routes/route-table.ts';
import { featuresOf } from '../schemas/feature-switches.ts';
import type { OperationExample, Publication } from '../text/publication-model.ts';

/** Which members of a JSON value a page shows: all, those that are named, of a list the first item, or only that there is one. */
export type Shown = 'all' | 'present' | { readonly [member: string]: Shown };

export interface DecodedHeader {
  readonly name: string;
  readonly value: unknown;
  readonly shown: Shown;
}

/** A request and its response, or one of them where two steps share an exchange. */
export interface PurchaseStep {
  readonly id: 'discover' | 'ask' | 'verify' | 'challenge' | 'pay' | 'delivery' | 'order' | 'receipt';
  readonly request?: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: unknown;
  };
  readonly response?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
    readonly shown: Shown;
  };
  readonly decoded?: DecodedHeader;
}

export const EXAMPLE_KEY = '$API_KEY';
const JSON_TYPE = { 'Content-Type': 'application/json' };

const only = (...members: readonly string[]): { readonly [member: string]: Shown } =>
  Object.fromEntries(members.map((name) => [name, 'all']));

/**
 * How an agent buys here: by x402 the text of a capsule where one is sold, by the Agentic Commerce Protocol the first offer. The code that
 * answers requests makes the responses, at build; ids, times and signatures are examples. Empty where agents cannot buy.
 */
export async function purchaseSteps(publication: Publication): Promise<readonly PurchaseStep[]> {
  const { deployment } = publication;
  const features = featuresOf(publication.publisher, publication.offers);
  const [paid] = deployment.mode === 'edge' && features.x402 ? offersByToken(publication) : [];
  const acp: Readonly<Record<string, OperationExample>> = deployment.mode === 'edge' ? acpExamples(publication) : {};
  if (paid === undefined && acp['createCheckoutSession'] === undefined) return [];
  const routes = describedRoutes(deployment, features);
  const exchange = (id: PurchaseStep['id'], operation: string, example: OperationExample | undefined, shown: Shown): PurchaseStep[] => {
    const route = routes.find((candidate) => candidate.id === operation);
    if (route === undefined || example === undefined) return [];
    const { parameters = {}, request, response } = example;
    const query = Object.entries(parameters).filter(([name]) => !route.path.includes(`{${name}}`));
    const path = fillPath(route.path, (name) => parameters[name] ?? '') + (query.length === 0 ? '' : `?${new URLSearchParams(query)}`);
    const own = (route.headers ?? [])
      .filter(({ required }) => required)
      .map(({ name, example: value = '8e03978e-40d5-43e8-bc93-6894a57f9324' }) => [name, value]);
    const headers = {
      ...(route.access === 'open' ? {} : { Authorization: `Bearer ${EXAMPLE_KEY}` }),
      ...Object.fromEntries(own),
      ...(request === undefined ? {} : JSON_TYPE),
    };
    const status = route.responses.find(({ content }) => content?.type === 'application/json')?.status ?? 200;
    return [
      {
        id,
        request: { method: route.method, path, headers, ...(request === undefined ? {} : { body: request }) },
        response: { status, headers: JSON_TYPE, body: response, shown },
      },
    ];
  };
  const { examples } = publication;
  const { createCheckoutSession: opened, getCheckoutSession: read, completeCheckoutSession: completed } = acp;
  const verification = only('capsule_id', 'version', 'status', 'verdict', 'ranges', 'content_sha256');
  return [
    ...(paid
      ? exchange('discover', 'getX402Descriptor', { response: x402Descriptor(publication) }, only('name', 'resources', 'docs'))
      : exchange('discover', 'getAcpDiscovery', { response: acpWellKnown(publication) }, 'all')),
    ...exchange('ask', 'searchKnowledge', examples.get('searchKnowledge'), {
      results: only('capsule_id', 'version', 'title', 'evidence', 'content_sha256', 'quote'),
    }),
    ...exchange('verify', 'verifyQuote', examples.get('verifyQuote'), verification),
    ...(paid ? await paymentSteps(paid, publication) : []),
    ...exchange('order', 'createCheckoutSession', opened, only('id', 'status', 'totals', 'continue_url')),
    ...exchange('receipt', 'getCheckoutSession', read && { ...read, response: completed?.response }, {
      ...only('id', 'status'),
      order: only('id', 'status', 'permalink_url'),
    }),
  ];
}

/** The example's buyer, signature, nonce and transaction. No key belongs to this address. */
const BUYER = '0x1111111111111111111111111111111111111111';
const SIGNATURE = `0x${'ab'.repeat(65)}`;
const NONCE = `0x${'07'.repeat(32)}`;
const TRANSACTION = `0x${'5e'.repeat(32)}`;

/** Of the extensions of x402, the signed offer or receipt. */
const SIGNED: Shown = { 'offer-receipt': { info: 'all' } };

/** A payment whose signature is made up: the caller replaces it, or shows the form alone. */
export function examplePayment(
  { url }: Pick<PaidResource, 'url'>,
  accepted: PaymentRequirements,
  nowMs: number,
  from = BUYER,
  nonce = NONCE,
) {
  const seconds = Math.floor(nowMs / 1_000);
  const validity = { validAfter: String(seconds - 600), validBefore: String(seconds + accepted.maxTimeoutSeconds) };
  const authorization = { from, to: accepted.payTo, value: accepted.amount, ...validity, nonce };
  return { x402Version: 2, resource: { url }, accepted, payload: { signature: SIGNATURE, authorization } };
}

/** The purchase of a text by x402, with the terms and the receipt as the gateway writes them. */
async function paymentSteps(
  { resource, terms }: ReturnType<typeof offersByToken>[number],
  { deployment, capsules }: Publication,
): Promise<PurchaseStep[]> {
  const { pathname } = new URL(resource.url);
  const { metadata, preview } = capsules.find(({ id }) => id === resource.capsuleId) ?? {};
  const scheme = x402Protocol.paymentScheme;
  if (metadata === undefined || scheme === undefined) return [];
  const source: PaymentChallengeSource = {
    schemes: [scheme],
    terms,
    cardProfile: undefined,
    seller: deployment.name,
    baseUrl: deployment.baseUrl,
    icon: deployment.payments?.icon,
    secrets: await exampleSecrets(),
    randomness: { bytes: (length) => new Uint8Array(length) },
    clock: { nowMs: () => EXAMPLE_SESSION_TIME_MS },
  };
  const { refusal } = await unpaid({ metadata, preview }, source, deployment);
  const challenge = problemResponse(refusal, { baseUrl: deployment.baseUrl, requestId: '9f86d081884c7d659a2feaa0', path: pathname });
  const accepted = requirementsFor(resource, terms);
  const payment = examplePayment(resource, accepted, EXAMPLE_SESSION_TIME_MS);
  const paid = { network: terms.networkId, transaction: TRANSACTION, payer: BUYER, amount: accepted.amount };
  const settled = { ...paid, resource: resource.url, settledAtMs: EXAMPLE_SESSION_TIME_MS };
  const receipt = (await scheme.receipt(settled, source))['PAYMENT-RESPONSE'] ?? '';
  const request = { method: 'GET', path: pathname, headers: {} };
  return [
    {
      id: 'challenge',
      request,
      response: {
        status: challenge.status,
        headers: { 'Content-Type': 'application/problem+json', 'PAYMENT-REQUIRED': challenge.headers.get('PAYMENT-REQUIRED') ?? '' },
        body: await challenge.json(),
        shown: { ...only('code', 'detail'), accepts: only('scheme', 'network', 'amount', 'asset', 'payTo'), extensions: SIGNED },
      },
    },
    {
      id: 'pay',
      request: { ...request, headers: { 'PAYMENT-SIGNATURE': btoa(JSON.stringify(payment)) } },
      decoded: { name: 'PAYMENT-SIGNATURE', value: payment, shown: only('resource', 'payload') },
    },
    {
      id: 'delivery',
      response: {
        status: 200,
        headers: { ...JSON_TYPE, 'PAYMENT-RESPONSE': receipt },
        // The text itself is what is sold.
        body: capsuleResponse({ metadata, markdown: '' }, deployment.baseUrl),
        shown: { ...only('capsule_id', 'version', 'words', 'content_sha256'), markdown: 'present' },
      },
      decoded: {
        name: 'PAYMENT-RESPONSE',
        value: JSON.parse(atob(receipt)),
        shown: { ...only('success', 'transaction', 'network', 'payer', 'amount'), extensions: SIGNED },
      },
    },
  ];
}

/** Longest text of a value on a page, and longest object on one line, in characters. */
const TEXT_MAX = 160;
const LINE_MAX = 76;
/** Most items of a list that is shown whole. */
const ITEMS_MAX = 4;

/** JSON as a page shows it: an ellipsis stands for members, items and ends of texts that are left out. */
export function shownJson(value: unknown, shown: Shown, indent = ''): string {
  if (shown === 'present') return '"…"';
  if (typeof value === 'string' && value.length > TEXT_MAX) return JSON.stringify(`${[...value].slice(0, TEXT_MAX).join('')}…`);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const all = Array.isArray(value) ? value.map((item: unknown) => ['', item] as const) : Object.entries(value);
  const kept = Array.isArray(value)
    ? all.slice(0, shown === 'all' ? ITEMS_MAX : 1)
    : all.filter(([name, member]) => member !== undefined && (shown === 'all' || name in shown));
  const lines = kept.map(([name, member]) => {
    const text = shownJson(member, shown === 'all' || Array.isArray(value) ? shown : (shown[name] ?? 'all'), inner);
    return Array.isArray(value) ? text : `${JSON.stringify(name)}: ${text}`;
  });
  if (kept.length < all.length) lines.push('…');
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const line = lines.length === 0 ? `${open}${close}` : `${open} ${lines.join(', ')} ${close}`;
  if (line.length + indent.length <= LINE_MAX && !line.includes('\n')) return line;
  return `${open}\n${lines.map((each) => inner + each).join(',\n')}\n${indent}${close}`;
}

/** Longest value of a header on a page, in characters. */
const HEADER_MAX = 44;

function headerLines(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value.length > HEADER_MAX ? `${value.slice(0, HEADER_MAX)}…` : value}`);
}

/** A request as HTTP/1.1 sends it (RFC 9112 section 3). */
export function requestText({ method, path, headers, body }: NonNullable<PurchaseStep['request']>, baseUrl: string): string {
  const head = [`${method} ${path} HTTP/1.1`, `Host: ${new URL(baseUrl).host}`, ...headerLines(headers)];
  return [...head, ...(body === undefined ? [] : ['', shownJson(body, 'all')])].join('\n');
}

/** A response as HTTP/1.1 sends it (RFC 9112 section 4), with the headers that the step is about. */
export function responseText({ status, headers, body, shown }: NonNullable<PurchaseStep['response']>): string {
  return [`HTTP/1.1 ${status} ${STATUS_WORDS[status] ?? ''}`.trimEnd(), ...headerLines(headers), '', shownJson(body, shown)].join('\n');
}

const STATUS_WORDS: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 402: 'Payment Required' };
