import { checkoutSessionPath, PATHS, submissionApiPath } from '../../src/schemas/paths.ts';
import { below, chance, hexDigits, oneOf, type Random, seededRandom } from '../eval/random.ts';
import { ACP_SESSIONS, acpCart, acpHeaders, acpSessionPath } from '../support/acp.ts';
import { NOW_HEADER } from '../support/edge-gateway.ts';
import { jsonRequest, type Send, STORING_OPERATIONS, type StoringOperation, storingRequest } from '../support/storing-requests.ts';
import { checkoutCompleted, signedMessage } from '../support/stripe-messages.ts';
import { type CanaryWatch, CONTACT_CANARY, IDEMPOTENCY_CANARY } from './canaries.ts';
import { type Judge, judgeReply, SLOW, type Verdict } from './judge-reply.ts';
import { makeRequest } from './make-request.ts';
import { curlLine, type FuzzedService, headerOf, type PlainReply, type PlainRequest } from './plain-request.ts';
import { RememberedValues } from './remembered-values.ts';

export interface Finding {
  readonly operation: string;
  readonly fault: string;
  readonly request: number;
  readonly lines: readonly string[];
  readonly reply: string;
}

export interface RunReport {
  readonly service: string;
  readonly requests: number;
  readonly counts: ReadonlyMap<string, ReadonlyMap<number, number>>;
  readonly codes: ReadonlySet<string>;
  readonly findings: readonly Finding[];
}

/** When a run is over: after so many requests, or so many seconds, whichever comes first. */
export interface RunBounds {
  readonly requests: number;
  readonly seconds: number;
}

/** Different findings after which a run gives up. */
export const FINDINGS_MAX = 25;
const WHOLE_SHARE = 0.05;

/** How often a slow request is sent again before that counts. */
const SLOW_TURNS = 10;

/** Sends requests to a service and judges every answer. The same seed gives the same requests, as long as the service answers alike. */
export class FuzzRun {
  readonly service: FuzzedService;
  readonly random: Random;
  readonly remembered = new RememberedValues();
  readonly judge: Judge;
  readonly #canaries: CanaryWatch;
  readonly #counts = new Map<string, Map<number, number>>();
  readonly #codes = new Set<string>();
  readonly #findings = new Map<string, Finding>();
  #sent = 0;
  #last: PlainRequest | undefined;

  constructor(service: FuzzedService, judge: Judge, canaries: CanaryWatch, seed: number) {
    this.service = service;
    this.judge = judge;
    this.#canaries = canaries;
    this.random = seededRandom(seed);
  }

  /** Sends requests at random until the run is over. A fault of the fuzzer itself ends the run and is a finding. */
  async run({ requests, seconds }: RunBounds): Promise<RunReport> {
    const beganMs = performance.now();
    const isOver = (): boolean =>
      this.#sent >= requests || performance.now() - beganMs > seconds * 1_000 || this.#findings.size >= FINDINGS_MAX;
    try {
      while (!isOver()) {
        if (chance(this.random, WHOLE_SHARE)) await sendWhole(this);
        else
          await this.send(
            makeRequest({ api: this.judge.api, random: this.random, remembered: this.remembered, nowMs: this.service.nowMs() }),
          );
        this.#checkLog();
      }
    } catch (error) {
      const before = this.#last === undefined ? [] : [this.#last];
      this.#note(
        'fuzzer',
        'fails itself, after this request or at it',
        before,
        error instanceof Error ? (error.stack ?? error.message) : String(error),
      );
    }
    return {
      service: this.service.name,
      requests: this.#sent,
      counts: this.#counts,
      codes: this.#codes,
      findings: [...this.#findings.values()],
    };
  }

  /** Sends one request from a network at random, and takes note of all that is wrong with the answer. */
  async send(plain: PlainRequest): Promise<PlainReply> {
    const request = this.#fromSomewhere(plain);
    this.#last = request;
    const reply = await this.service.send(request);
    if (reply.status === 0) return reply;
    const verdict = judgeReply(request, reply, this.judge);
    this.#sent += 1;
    const counts = this.#counts.get(verdict.operation) ?? new Map<number, number>();
    this.#counts.set(verdict.operation, counts.set(reply.status, (counts.get(reply.status) ?? 0) + 1));
    if (verdict.code !== undefined) this.#codes.add(verdict.code);
    if (reply.status < 300 && !/^getOpenApi/.test(verdict.operation)) this.remembered.learn(verdict.value);
    if (reply.status < 300 && request.body !== undefined && request.body.length > 0 && verdict.operation !== '-')
      this.remembered.learnBody(verdict.operation, request.body);
    const etag = reply.headers.get('etag');
    if (etag !== null) this.remembered.keep('etag', etag);
    const faults = [
      ...verdict.faults,
      ...this.#canaries.check(request, reply, verdict.operation),
      ...(await this.#headFaults(request, reply, verdict)),
    ];
    for (const fault of faults) await this.#noteFault(verdict.operation, fault, request, reply);
    return reply;
  }

  #note(operation: string, fault: string, requests: readonly PlainRequest[], reply: string): void {
    const name = `${operation} ${withoutNumbers(fault)}`;
    if (this.#findings.has(name)) return;
    const lines = requests.map((request) => curlLine(this.service.baseUrl, request));
    this.#findings.set(name, { operation, fault, request: this.#sent, lines, reply });
  }

  async #noteFault(operation: string, fault: string, request: PlainRequest, reply: PlainReply): Promise<void> {
    if (this.#findings.has(`${operation} ${withoutNumbers(fault)}`)) return;
    if (fault.startsWith(SLOW) && !(await this.#isSlowAgain(request))) return;
    this.#note(operation, fault, [request], `${reply.status} ${reply.body.slice(0, 600)}`);
  }

  /** Whether a request is slow every time that it is sent: once it may have waited for a busy machine. */
  async #isSlowAgain(request: PlainRequest): Promise<boolean> {
    for (let turn = 0; turn < SLOW_TURNS; turn += 1)
      if (!judgeReply(request, await this.service.send(request), this.judge).faults.some((fault) => fault.startsWith(SLOW))) return false;
    return true;
  }

  /** HEAD answers like GET, without a body. */
  async #headFaults(request: PlainRequest, reply: PlainReply, { operation }: Verdict): Promise<string[]> {
    // Each of the two would count against a limit.
    if (this.judge.limited || request.method !== 'HEAD' || operation === '-' || !chance(this.random, 0.3)) return [];
    const get = await this.service.send({ ...request, method: 'GET' });
    const faults = get.status === reply.status ? [] : [`answers HEAD with ${reply.status} and GET with ${get.status}`];
    for (const name of ['content-type', 'etag', 'cache-control', 'location', 'allow', 'vary', 'retry-after', 'www-authenticate'])
      if (get.headers.get(name) !== reply.headers.get(name)) faults.push(`answers HEAD and GET with another ${name}`);
    return faults;
  }

  #checkLog(): void {
    const lines = this.service.takeLog();
    for (const fault of this.#canaries.checkLog(lines)) this.#note('-', fault, [], lines.join('\n').slice(0, 600));
  }

  /** Requests come from networks at random, so that no quota is used up at once. */
  #fromSomewhere(request: PlainRequest): PlainRequest {
    if (headerOf(request, 'cf-connecting-ip') !== undefined) return request;
    // Where limits are counted, most requests come from one network, so that its limit is reached.
    const address =
      this.judge.limited && chance(this.random, 0.7) ? '10.0.0.1' : `10.${below(this.random, 256)}.${below(this.random, 256)}.1`;
    return { ...request, headers: [...request.headers, ['CF-Connecting-IP', address]] };
  }
}

function withoutNumbers(fault: string): string {
  return fault.replace(/\d{4,}/g, 'n').slice(0, 120);
}

const OWN_OPERATIONS = ['registerAgent', 'takeProcessorMessage'] as const;

/** No document describes the form for messages, which the judge of answers would miss. */
const DESCRIBED = STORING_OPERATIONS.filter((id) => id !== 'sendMessage');

/** Sends requests that an operation accepts, so that random ones find keys, proposals, sessions and orders to work on. */
async function sendWhole(run: FuzzRun): Promise<void> {
  const send: Send = async (path, { method = 'GET', headers = {}, body }) => {
    const reply = await run.send({
      method,
      target: path,
      headers: Object.entries(headers as Record<string, string>).filter(([name]) => name !== NOW_HEADER),
      ...(typeof body === 'string' ? { body: new TextEncoder().encode(body) } : {}),
    });
    return new Response(reply.body, { status: reply.status === 0 ? 599 : reply.status });
  };
  const operation: StoringOperation | (typeof OWN_OPERATIONS)[number] = oneOf(run.random, [...DESCRIBED, ...OWN_OPERATIONS]);
  if (operation === 'registerAgent') return register(run, send);
  if (operation === 'takeProcessorMessage') return payForOrder(run, send);
  const uuid = (): string => hexDigits(run.random, 32);
  const { path, init } = await storingRequest(operation, send, { uuid, nowMs: run.service.nowMs() });
  const response = await send(path, init);
  if (operation !== 'submitProposal' || response.status !== 202) return;
  const { receipt } = (await response.json()) as { receipt: string };
  const { Authorization = '' } = init.headers as Record<string, string>;
  await send(submissionApiPath(receipt), { headers: { Authorization } });
}

async function register(run: FuzzRun, send: Send): Promise<void> {
  const body = { agent_name: 'fuzzer', contact: `${CONTACT_CANARY}${hexDigits(run.random, 8)}`, scopes: ['read', 'buy'] };
  const path = `${PATHS.gateway}/register`;
  await send(path, jsonRequest(path, body, { 'Idempotency-Key': `${IDEMPOTENCY_CANARY}${hexDigits(run.random, 24)}` }).init);
}

async function payForOrder(run: FuzzRun, send: Send): Promise<void> {
  const nowMs = run.service.nowMs();
  const headers = await acpHeaders({ agent: hexDigits(run.random, 16), idempotencyKey: hexDigits(run.random, 32), nowMs });
  const cart = acpCart(oneOf(run.random, ['evidence-review', 'change-notices']));
  const opened = await send(ACP_SESSIONS, jsonRequest(ACP_SESSIONS, cart, headers).init);
  if (opened.status !== 201) return;
  const { id, totals } = (await opened.json()) as { id: string; totals: { type: string; amount: number }[] };
  await send(checkoutSessionPath(id), {});
  const total = totals.find(({ type }) => type === 'total')?.amount ?? 0;
  await send(PATHS.stripeWebhook, signedMessage(checkoutCompleted(id, total), { atMs: nowMs }));
  const session = (await (await send(acpSessionPath(id), { headers })).json()) as { order?: { permalink_url: string } };
  if (session.order === undefined) return;
  const shown = await send(new URL(session.order.permalink_url).pathname, { headers: { Accept: 'application/json' } });
  if (shown.status !== 200) return;
  const { deliveries } = (await shown.json()) as { deliveries: { url: string }[] };
  for (const { url } of deliveries) await send(new URL(url).pathname, {});
}
