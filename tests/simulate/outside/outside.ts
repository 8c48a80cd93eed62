import type { Fault } from '../../support/simulated/faults.ts';
import type { OutsideWorld } from '../../support/simulated/gateway.ts';
import type { SimulatedTime } from '../../support/simulated/time.ts';
import { type ProcessorFate, SimulatedProcessor } from './processor.ts';

/** Fates of requests while nothing is amiss, and while something is; the usual one first. */
const PROCESSOR_FATES: readonly ProcessorFate[] = [
  'pays',
  'pays',
  'pays_late',
  'pays_silent',
  'declines',
  'declines_silent',
  'settles_later',
  'settles_later',
  'busy',
  'faulty',
  'down',
];
const FACILITATOR_FATES: readonly FacilitatorFate[] = ['well', 'down', 'lost', 'late', 'pending', 'refuses', 'error'];
const RECEIVER_FATES: readonly ReceiverFate[] = ['takes', 'refuses', 'down', 'takes_silent', 'late', 'redirects'];

/** When a request without an answer is given up, in milliseconds, as the client of Stripe does. */
const GIVEN_UP_MS = 8_000;

/** Chance of a lifetime. */
interface Chance {
  readonly chance: (probability: number) => boolean;
  readonly pick: <T>(from: readonly T[]) => T;
}

/** Everybody whom the service speaks to: payment processor, facilitator, and agents that hear of their orders. */
export class Outside {
  readonly processor: SimulatedProcessor;
  readonly facilitator: SimulatedFacilitator;
  readonly receiver: SimulatedReceiver;
  /** Whether anything may go wrong there. */
  isFair = false;
  readonly #time: SimulatedTime;

  constructor(time: SimulatedTime, { chance, pick }: Chance, looks: (webhook: ReceivedWebhook) => void) {
    this.#time = time;
    const fate =
      <T>(usual: T, all: readonly T[]) =>
      (): T =>
        this.isFair || chance(0.5) ? usual : pick(all);
    this.processor = new SimulatedProcessor(time, fate('pays', PROCESSOR_FATES));
    this.facilitator = new SimulatedFacilitator(time, fate('well', FACILITATOR_FATES));
    this.receiver = new SimulatedReceiver(time, fate('takes', RECEIVER_FATES), looks);
  }

  /**
   * All of them as one isolate reaches them.
   *
   * @param fault What becomes of a request because of the isolate: one that has died hears no answer.
   */
  as(fault: () => Fault): OutsideWorld {
    const reach = async (answer: () => Promise<Response>): Promise<Response> => {
      const became = fault();
      const answered = became === 'hangs' ? undefined : await answer();
      if (became === 'none' && answered !== undefined) return answered;
      await this.#time.sleep(GIVEN_UP_MS);
      throw new TypeError('nobody waits any more');
    };
    const { processor, receiver, facilitator } = this;
    let client: ReturnType<SimulatedProcessor['client']> | undefined;
    return {
      stripe: () => {
        client ??= processor.client(reach);
        return client;
      },
      sendWebhook: (url, init) => reach(() => receiver.answer(url, init)),
      askFacilitator: (url, init) => reach(() => facilitator.answer(url, init.body)),
    };
  }
}

/** What becomes of a webhook: taken, refused, taken although the answer is lost, or taken when nobody waits any more. */
export type ReceiverFate = 'takes' | 'refuses' | 'down' | 'takes_silent' | 'late' | 'redirects';

/** A webhook as it arrived. */
export interface ReceivedWebhook {
  readonly url: string;
  readonly body: string;
  readonly signature: string;
  readonly order: { readonly id: string; readonly totals: readonly { readonly type: string; readonly amount: number }[] };
  readonly kind: string;
}

/** The agents' side of webhooks. */
export class SimulatedReceiver {
  readonly received: ReceivedWebhook[] = [];
  readonly #time: SimulatedTime;
  readonly #fate: () => ReceiverFate;
  readonly #looks: (webhook: ReceivedWebhook) => void;

  /** @param looks Looks at each webhook when it arrives. */
  constructor(time: SimulatedTime, fate: () => ReceiverFate, looks: (webhook: ReceivedWebhook) => void) {
    this.#time = time;
    this.#fate = fate;
    this.#looks = looks;
  }

  async answer(url: string, { headers, body }: RequestInit): Promise<Response> {
    const fate = this.#fate();
    await this.#time.sleep(80);
    if (fate === 'down') throw new TypeError('fetch failed');
    if (fate === 'refuses') return new Response('', { status: 500 });
    if (fate === 'redirects') return new Response(null, { status: 307, headers: { Location: 'https://elsewhere.example/' } });
    if (fate === 'late') await this.#time.sleep(9_000);
    const text = String(body);
    const { type, data } = JSON.parse(text) as { type: string; data: ReceivedWebhook['order'] };
    const webhook = { url, body: text, signature: new Headers(headers).get('merchant-signature') ?? '', order: data, kind: type };
    this.received.push(webhook);
    this.#looks(webhook);
    if (fate === 'takes_silent') throw new TypeError('the connection broke');
    return new Response(null, { status: 204 });
  }
}

/** What becomes of a request to settle. After `lost` ones the connection breaks, `late` ones are answered when nobody waits any more. */
export type FacilitatorFate = 'well' | 'down' | 'lost' | 'late' | 'pending' | 'refuses' | 'error';

interface Asked {
  readonly paymentPayload: {
    readonly resource: { readonly url: string };
    readonly payload: { readonly authorization: { readonly nonce: string; readonly validBefore: string } };
  };
}

/** A facilitator over a network in memory: an authorization moves its money once. */
export class SimulatedFacilitator {
  /** Address that was paid for with each nonce by which the seller was paid. */
  readonly settled = new Map<string, string>();
  /** Nonces by which the payer has paid somebody else. */
  readonly #elsewhere = new Set<string>();
  readonly #time: SimulatedTime;
  readonly #fate: () => FacilitatorFate;

  constructor(time: SimulatedTime, fate: () => FacilitatorFate) {
    this.#time = time;
    this.#fate = fate;
  }

  /** Has the payer use a nonce for somebody else, if nobody has used it. */
  spendElsewhere(nonce: string): void {
    if (!this.settled.has(nonce)) this.#elsewhere.add(nonce);
  }

  async answer(address: string, body: unknown): Promise<Response> {
    const { paymentPayload } = JSON.parse(String(body)) as Asked;
    const { nonce, validBefore } = paymentPayload.payload.authorization;
    const fate = this.#fate();
    await this.#time.sleep(150);
    if (fate === 'down') throw new TypeError('fetch failed');
    if (fate === 'error') return new Response('bad gateway', { status: 502 });
    const isOver = Number(validBefore) * 1_000 < this.#time.nowMs;
    const isUsed = this.settled.has(nonce) || this.#elsewhere.has(nonce);
    const used = isUsed ? 'invalid_exact_evm_nonce_already_used' : undefined;
    const why = isOver ? 'invalid_exact_evm_payload_authorization_valid_before' : used;
    if (address.endsWith('/verify')) return Response.json(why === undefined ? { isValid: true } : { isValid: false, invalidReason: why });
    const reason = why ?? (fate === 'refuses' ? 'invalid_exact_evm_insufficient_balance' : undefined);
    if (reason !== undefined) return Response.json({ success: false, errorReason: reason, transaction: '' });
    this.settled.set(nonce, paymentPayload.resource.url);
    if (fate === 'late') await this.#time.sleep(25_000);
    if (fate === 'lost') throw new TypeError('the connection broke');
    if (fate === 'pending') return Response.json({ success: false, errorReason: 'settlement_pending', transaction: '' });
    return Response.json({ success: true, transaction: `0x${'5e'.repeat(32)}`, network: 'eip155:84532' });
  }
}
