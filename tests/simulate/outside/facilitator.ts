import type { SimulatedTime } from '../../support/simulated/time.ts';

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
