import * as z from 'zod';

/** What a publisher can be told, as messages name it. */
const NOTICE_KINDS = [
  'order.created',
  'invoice.requested',
  'message.received',
  'proposal.received',
  'service.failing',
  'limit.near',
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** `notify` in publisher.yaml: where the publisher is told what happens. */
export const NotifySettings = z.strictObject({
  /** Receives signed webhooks (Standard Webhooks). */
  webhook: z
    .string()
    .max(500)
    .regex(/^https:\/\/[^\s/@]+\/\S*$/, 'must be an https address with a path, such as https://hooks.example/notices')
    .optional(),
  /** Receives mail from an address of a domain with Email Routing at Cloudflare. */
  mail: z.strictObject({ to: z.email(), from: z.email() }).optional(),
  events: z
    .array(z.enum(NOTICE_KINDS))
    .min(1)
    .default([...NOTICE_KINDS]),
});
export type NotifySettings = z.infer<typeof NotifySettings>;
