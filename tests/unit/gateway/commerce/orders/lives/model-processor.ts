import type { ChargeOutcome, PaymentProcessor } from '../../../../../../src/gateway/commerce/cart/checkout-ports.ts';
import type { PaymentEvent } from '../../../../../../src/gateway/commerce/orders/order-ports.ts';

/** What becomes of a charge. The last three are not told to whoever asked for it. */
export type Fate = 'pays' | 'declines' | 'is_busy' | 'settles_later' | 'pays_and_is_silent' | 'declines_and_is_silent' | 'is_down';

/** Lets whatever else is under way go on. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Money at the processor. */
export interface Payment {
  readonly reference: string;
  readonly sessionId: string;
  /** The attempt of an agent; `undefined` where a buyer paid on a hosted checkout. */
  readonly attempt: string | undefined;
  readonly amountMinor: number;
  state: 'paid' | 'under_way' | 'failed';
  refundedMinor: number;
}

/**
 * A payment processor as the engine may expect one: it keeps what it did under idempotency keys, loses answers, and has a message for
 * all that it did. Messages are never used up, so that they can come again.
 */
export class ModelProcessor implements PaymentProcessor {
  readonly payments: Payment[] = [];
  readonly events: PaymentEvent[] = [];
  /** What becomes of the next charges. */
  fate: () => Fate = () => 'pays';
  readonly #begun = new Map<string, { payment: Payment | undefined; fate: Fate }>();

  readonly charge: PaymentProcessor['charge'] = async ({ sessionId, amountMinor, idempotencyKey }) => {
    const before = this.#begun.get(idempotencyKey);
    if (before !== undefined) return this.#told(before.payment, before.fate === 'is_busy' ? 'is_busy' : 'declines');
    const fate = this.fate();
    if (fate === 'is_down') throw new Error('no connection');
    if (fate === 'is_busy') return { kind: 'unavailable' };
    const isRefused = fate === 'declines' || fate === 'declines_and_is_silent';
    const state = isRefused ? 'failed' : fate === 'settles_later' ? 'under_way' : 'paid';
    const payment = this.#add({ sessionId, attempt: idempotencyKey, amountMinor, state });
    this.#begun.set(idempotencyKey, { payment, fate });
    this.#tell(payment);
    await turn();
    await turn();
    if (fate.endsWith('is_silent')) throw new Error('the answer was lost');
    return this.#told(payment, fate);
  };

  readonly takesRealMoney = false;
  readonly openCheckout: PaymentProcessor['openCheckout'] = async ({ idempotencyKey }) => ({
    reference: `checkout_${idempotencyKey}`,
    url: `https://checkout.example/${idempotencyKey}`,
  });

  /** A buyer pays on a hosted checkout, whatever became of the session meanwhile. */
  payHosted(sessionId: string, amountMinor: number): void {
    const payment = this.#add({ sessionId, attempt: undefined, amountMinor, state: 'paid' });
    // The processor tells of one payment in two messages.
    this.#tell(payment);
    this.#tell(payment);
  }

  /** A payment that is under way ends. */
  settle(payment: Payment, state: 'paid' | 'failed'): void {
    payment.state = state;
    this.#tell(payment);
  }

  /** More of a payment is paid back. */
  refund(payment: Payment, refundedMinor: number): void {
    payment.refundedMinor = Math.min(payment.amountMinor, Math.max(payment.refundedMinor, refundedMinor));
    this.events.push({
      id: `evt_${this.events.length}`,
      type: 'charge.refunded',
      kind: 'refunded',
      paymentReference: payment.reference,
      amountMinor: payment.refundedMinor,
      currency: 'USD',
    });
  }

  #add(given: Omit<Payment, 'reference' | 'refundedMinor'>): Payment {
    const payment = { ...given, reference: `pi_${this.payments.length}`, refundedMinor: 0 };
    this.payments.push(payment);
    return payment;
  }

  #told(payment: Payment | undefined, fate: Fate): ChargeOutcome {
    if (payment === undefined) return { kind: 'unavailable' };
    const { reference, state, amountMinor } = payment;
    if (state === 'paid') return { kind: 'paid', paymentReference: reference, amountMinor, currency: 'USD' };
    if (state === 'under_way') return { kind: 'pending', paymentReference: reference };
    return fate === 'is_busy' ? { kind: 'unavailable' } : { kind: 'declined', reason: 'insufficient_funds' };
  }

  #tell({ reference, sessionId, attempt, amountMinor, state }: Payment): void {
    if (state === 'under_way') return;
    const id = `evt_${this.events.length}`;
    this.events.push(
      state === 'paid'
        ? {
            id,
            type: 'payment_intent.succeeded',
            kind: 'paid',
            sessionId,
            paymentReference: reference,
            amountMinor,
            currency: 'USD',
            email: undefined,
          }
        : { id, type: 'payment_intent.payment_failed', kind: 'failed', sessionId, attempt, reason: 'insufficient_funds' },
    );
  }
}
