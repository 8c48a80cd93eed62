import type { Content } from '../../src/publication/content.ts';
import { readContent } from '../../src/publication/read-content.ts';
import { ROOT, TEST_BASE_URL } from './paths.ts';
import { TEST_PAYMENTS } from './payments.ts';

/** The paid capsule of the sample publication. */
export const SOLD_CAPSULE = { id: 'payment-endpoint-checklist' } as const;

/** The sample publication with payments switched on, at an address. */
export async function soldContent(baseUrl = TEST_BASE_URL): Promise<Content> {
  const { payTo, network, facilitator } = TEST_PAYMENTS;
  const { content } = await readContent(ROOT, {
    today: '2026-11-22',
    baseUrl,
    payTo,
    paymentNetwork: network,
    facilitatorUrl: facilitator,
  });
  if (content === undefined) throw new Error('the sample publication has faults');
  return content;
}
