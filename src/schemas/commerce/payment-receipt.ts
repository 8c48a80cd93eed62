import * as z from 'zod';

/** What the payment processor is told once its message is stored. */
export const ProcessorReceipt = z.strictObject({
  received: z.literal(true).describe('Says that the message is stored and need not be sent again.'),
  outcome: z
    .enum([
      'applied',
      'duplicate',
      'waiting',
      'ignored',
      'no_session',
      'already_paid',
      'session_canceled',
      'amount_differs',
      'currency_differs',
    ])
    .describe(
      'What became of it: applied to an order; a duplicate; waiting for the order of its payment; ignored, because it changes nothing; or kept for the publisher to look at, because the money belongs to no open session, to one that is paid or canceled, or differs from its total, or because money was paid back in another currency than that of the order.',
    ),
});
export type ProcessorReceipt = z.infer<typeof ProcessorReceipt>;
