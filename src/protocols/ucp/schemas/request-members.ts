import * as z from 'zod';
import { LIMITS } from '../../../schemas/limits.ts';
import { IgnoredList, IgnoredObject } from '../../ignored-members.ts';

/* Members of requests of the Universal Commerce Protocol 2026-08-25 that this service ignores, wholly or in part. */

/** Context of the buyer (`common/types/context.json`). */
export const UcpContext = z
  .looseObject({ currency: z.string().max(16).optional().describe('Preferred currency, ISO 4217, also that of a price filter.') })
  .describe('Context of the buyer. Only the currency is used.');
export type UcpContext = z.infer<typeof UcpContext>;

/** Payment (`shopping/payment.json`). */
export const UcpPayment = z.looseObject({
  instruments: IgnoredList.max(LIMITS.cartItemsMax).optional().describe('Instruments; none is accepted.'),
});

/** Members that every request with a body may have. */
export const UCP_REQUEST_MEMBERS = {
  signals: IgnoredObject.optional().describe('Ignored.'),
  attribution: IgnoredObject.optional().describe('Ignored.'),
};
