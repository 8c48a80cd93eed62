import type { Database } from '../../platform/d1/database.ts';
import { ordersByOffer } from '../../platform/d1/order-administration.ts';
import { UserError } from '../user-error.ts';

/**
 * Requires that every offer with orders still exists, because what it delivers is in its file.
 *
 * @param offers Ids of the offers of the build, and their aliases.
 * @param report Receives the reason if the orders cannot be read, for instance because the database has no tables yet.
 * @throws {UserError} If an offer with an order that was not refunded in full is missing.
 */
export async function requireOrderedOffers(database: Database, offers: Iterable<string>, report: (line: string) => void): Promise<void> {
  const orders = await ordersByOffer(database).catch((error: Error) => {
    report(`orders: not compared with content/offers, because the database cannot be read (${error.message.split('\n')[0]})`);
    return new Map<string, number>();
  });
  const known = new Set(offers);
  const missing = [...orders].filter(([offer]) => !known.has(offer));
  if (missing.length === 0) return;
  const counts = missing.map(([offer, count]) => `"${offer}" (${count === 1 ? '1 order' : `${count} orders`})`).join(', ');
  throw new UserError(
    `the database has orders of offers that are missing in content/offers: ${counts}. They could not be delivered any more. Restore the files, and add "discontinued: <day>" to what is no longer sold. To publish anyway, add --drop-offers`,
  );
}
