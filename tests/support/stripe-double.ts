import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { close, listen } from './listen.ts';

/** Key that the double takes, of the form of Stripe's. */
export const DOUBLE_KEY = 'sk_test_of_the_double_0001';

export const TOKENS = {
  pays: 'spt_pays',
  declined: 'spt_declined',
  stolen: 'spt_stolen',
  needsBuyer: 'spt_needs_buyer',
  unknown: 'spt_unknown',
  settlesLater: 'spt_settles_later',
  /** Charged, and the connection breaks before the answer; a repetition is answered. */
  answerLost: 'spt_answer_lost',
  /** Charged, and no connection ever brings an answer. */
  neverAnswers: 'spt_never_answers',
  tooMany: 'spt_too_many',
  fault: 'spt_fault',
} as const;

export interface LedgerIntent {
  readonly id: string;
  status: 'succeeded' | 'processing' | 'requires_action' | 'canceled';
  readonly amount: number;
  amount_received: number;
  readonly currency: string;
  readonly metadata: Record<string, string>;
  readonly token: string;
}

export interface LedgerCheckout {
  readonly id: string;
  readonly url: string;
  readonly parameters: Readonly<Record<string, string>>;
}

export interface StripeDouble {
  readonly origin: string;
  readonly intents: LedgerIntent[];
  readonly checkouts: LedgerCheckout[];
  /** What was wrong with requests: nothing, where they are as Stripe demands. */
  readonly faults: string[];
  readonly requests: string[];
  readonly settle: (intent: LedgerIntent) => void;
  readonly stop: () => Promise<void>;
}

type Answer = { readonly status: number; readonly body: unknown };

const error = (status: number, type: string, members: Readonly<Record<string, string>>): Answer => ({
  status,
  body: { error: { type, message: 'said by the double', ...members } },
});

/** Starts the double. It keeps answers under idempotency keys as Stripe does (docs.stripe.com/api/idempotent_requests). */
export async function startStripeDouble(): Promise<StripeDouble> {
  const intents: LedgerIntent[] = [];
  const checkouts: LedgerCheckout[] = [];
  const faults: string[] = [];
  const requests: string[] = [];
  const given = new Map<string, { readonly sent: string; readonly answer: Answer }>();
  const expect = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(fault);
  };

  const createIntent = (form: ReadonlyMap<string, string>, request: IncomingMessage): Answer => {
    const token = form.get('payment_method_data[shared_payment_granted_token]') ?? '';
    expect(/^\d{4}-\d{2}-\d{2}\.preview$/.test(String(request.headers['stripe-version'])), 'tokens need a preview version');
    expect(token !== '', 'a payment without a token');
    expect(form.get('confirm') === 'true' && form.get('error_on_requires_action') === 'true', 'a payment that waits for somebody');
    const isOfText = /^[\w-]{43}$/.test(form.get('metadata[mpp_challenge_id]') ?? '') && form.has('metadata[capsule_id]');
    expect(isOfText || /^cs_[0-9a-f]{32}$/.test(form.get('metadata[checkout_session_id]') ?? ''), 'a payment of no session and no text');
    expect(isOfText || form.get('metadata[attempt]') === request.headers['idempotency-key'], 'a payment that does not name its attempt');
    expect(['usd', 'eur'].includes(form.get('currency') ?? '') && Number(form.get('amount')) >= 50, 'an amount that cannot be charged');
    const is = (kind: string): boolean => token.startsWith(kind);
    if (is(TOKENS.tooMany)) return error(429, 'invalid_request_error', { code: 'rate_limit' });
    if (is(TOKENS.fault)) return error(500, 'api_error', {});
    if (is(TOKENS.unknown)) return error(400, 'invalid_request_error', { code: 'resource_missing', param: 'payment_method_data' });
    if (is(TOKENS.declined)) return error(402, 'card_error', { code: 'card_declined', decline_code: 'insufficient_funds' });
    if (is(TOKENS.stolen)) return error(402, 'card_error', { code: 'card_declined', decline_code: 'stolen_card' });
    if (intents.some((intent) => intent.token === token)) return error(400, 'invalid_request_error', { code: 'token_already_used' });
    const status = is(TOKENS.settlesLater) ? 'processing' : is(TOKENS.needsBuyer) ? 'requires_action' : 'succeeded';
    const amount = Number(form.get('amount'));
    const metadata = Object.fromEntries(
      [...form].flatMap(([name, value]) => {
        const [, member] = /^metadata\[(\w+)\]$/.exec(name) ?? [];
        return member === undefined ? [] : [[member, value]];
      }),
    );
    const intent: LedgerIntent = {
      id: `pi_double_${intents.length + 1}`,
      status,
      amount,
      amount_received: status === 'succeeded' ? amount : 0,
      currency: form.get('currency') ?? '',
      metadata,
      token,
    };
    intents.push(intent);
    return { status: 200, body: published(intent) };
  };

  const createCheckout = (form: ReadonlyMap<string, string>): Answer => {
    const id = `cs_test_double_${checkouts.length + 1}`;
    const checkout = { id, url: `https://checkout.stripe.example/${id}`, parameters: Object.fromEntries(form) };
    checkouts.push(checkout);
    return { status: 200, body: { id, object: 'checkout.session', url: checkout.url } };
  };

  const answer = (request: IncomingMessage, sent: string): Answer => {
    const form = new Map(new URLSearchParams(sent));
    const path = request.url ?? '';
    const [, id, verb] = /^\/v1\/payment_intents\/(\w+)(\/cancel)?$/.exec(path) ?? [];
    const intent = intents.find((known) => known.id === id);
    if (request.headers.authorization !== `Bearer ${DOUBLE_KEY}`) return error(401, 'invalid_request_error', {});
    expect(!('x-stripe-client-telemetry' in request.headers), 'telemetry is off');
    if (request.method === 'POST' && path === '/v1/payment_intents') return createIntent(form, request);
    if (request.method === 'POST' && path === '/v1/checkout/sessions') return createCheckout(form);
    if (intent === undefined) return error(404, 'invalid_request_error', { code: 'resource_missing' });
    if (verb !== undefined) intent.status = 'canceled';
    return { status: 200, body: published(intent) };
  };

  const server = createServer((request, response) => {
    void (async () => {
      let sent = '';
      for await (const chunk of request) sent += String(chunk);
      requests.push(`${request.method} ${request.url}`);
      const key = request.headers['idempotency-key'] as string | undefined;
      expect(request.method === 'GET' || (key !== undefined && key.length <= 255), 'a change without an idempotency key');
      const kept = key === undefined ? undefined : given.get(key);
      if (kept !== undefined && kept.sent !== sent) return reply(response, error(400, 'idempotency_error', { code: 'idempotency_error' }));
      const made = kept?.answer ?? answer(request, sent);
      const isLost = sent.includes(TOKENS.neverAnswers) || (kept === undefined && sent.includes(TOKENS.answerLost));
      // What is refused before it was worked on is not kept.
      if (key !== undefined && made.status !== 401 && made.status !== 429) given.set(key, { sent, answer: made });
      if (isLost) response.destroy();
      else reply(response, made);
    })();
  });
  return {
    origin: await listen(server),
    intents,
    checkouts,
    faults,
    requests,
    settle: (intent) => {
      intent.status = 'succeeded';
      intent.amount_received = intent.amount;
    },
    stop: () => close(server),
  };
}

function published({ token: _secret, ...intent }: LedgerIntent) {
  return { object: 'payment_intent', last_payment_error: null, ...intent };
}

function reply(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Request-Id': 'req_double', 'Stripe-Should-Retry': 'false' });
  response.end(JSON.stringify(body));
}
