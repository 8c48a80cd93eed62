import { formatMoney } from '../../catalog/offer.ts';
import { CADENCE_WORDS } from '../../schemas/offer-front-matter.ts';
import type { Line } from './session.ts';

/** An amount for people: `$1,450`, `$19.50`. */
export function priceText(amountMinor: number): string {
  return formatMoney({ amountMinor, currency: 'USD' });
}

/** How often a price is paid, to stand behind it: ` a month`, and nothing where it is paid once. */
export function rhythmText(cadence: Line['cadence']): string {
  return cadence === 'monthly' || cadence === 'annual' ? ` ${CADENCE_WORDS[cadence]}` : '';
}
