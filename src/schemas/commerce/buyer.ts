import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { plainLine } from '../primitives.ts';

const Line = plainLine(LIMITS.shortTextMaxLength).optional();

/**
 * Who buys, as agents say it in both protocols; nothing else of a buyer is kept. Where there is an e-mail address it must be one, because
 * the payment processor refuses a checkout with another text in its place.
 */
export const Buyer = z.object({
  email: z
    .email('must be an e-mail address')
    .max(254)
    .regex(/@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,}$/, 'must be an e-mail address')
    .optional()
    .describe('Address that what was bought is sent to.'),
  full_name: Line.describe('Name.'),
  first_name: Line.describe('First name.'),
  last_name: Line.describe('Last name.'),
  phone_number: Line.describe('Telephone number.'),
});
export type Buyer = z.infer<typeof Buyer>;

/** What is kept of a buyer whose protocol has more members. */
export function keptBuyer({ email, full_name, first_name, last_name, phone_number }: Buyer): Buyer {
  return { email, full_name, first_name, last_name, phone_number };
}
