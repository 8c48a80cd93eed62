import { formatMoney } from '../../../publication/offers/money.ts';
import { CADENCE_WORDS } from '../../../schemas/commerce/offers.ts';
import type { Line } from '../sessions/session.ts';

/** An amount for people: `$1,450`, `$19.50`. */
export function priceText(amountMinor: number): string {
  return formatMoney({ amountMinor, currency: 'USD' });
}

/** How often a price is paid, to stand behind it: ` a month`, and nothing where it is paid once. */
export function formatBillingInterval(cadence: Line['cadence']): string {
  return cadence === 'monthly' || cadence === 'annual' ? ` ${CADENCE_WORDS[cadence]}` : '';
}
