import type { Buyer } from '../../../schemas/commerce/buyer.ts';
import type { Channel, Line, Session } from '../sessions/session.ts';

/** A bought session: it is there exactly when the session is completed. */
export interface Order {
  /** `ord_` and 24 hexadecimal digits. */
  readonly id: string;
  /** What opens the page of the order: `rct_` and 32 hexadecimal digits. */
  readonly receipt: string;
  readonly sessionId: string;
  readonly owner: string;
  readonly channel: Channel;
  readonly currency: Session['currency'];
  readonly lines: readonly Line[];
  readonly totalMinor: number;
  /** How much was paid back, in minor units: the most that the processor ever told. */
  readonly refundedMinor: number;
  /** The payment at the processor, such as `pi_…`; `undefined` where nothing was to be paid. */
  readonly paymentReference: string | undefined;
  readonly buyer: Buyer | undefined;
  readonly notifyUrl: string | undefined;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Whether all, a part or nothing of an order was paid back. */
export function refundStateOf({ totalMinor, refundedMinor }: Pick<Order, 'totalMinor' | 'refundedMinor'>): 'none' | 'part' | 'all' {
  if (refundedMinor <= 0) return 'none';
  return refundedMinor >= totalMinor ? 'all' : 'part';
}
