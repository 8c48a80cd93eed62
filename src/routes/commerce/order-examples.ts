import { issuedKey } from '../../gateway/agents/api-key.ts';
import { describeInvoiceRequest, describeOrder } from '../../gateway/commerce/orders/describe-order.ts';
import type { Order } from '../../gateway/commerce/orders/order.ts';
import { orderKeyPayload } from '../../gateway/commerce/orders/order-key.ts';
import { type InvoiceRequestRecord, requestInvoice } from '../../gateway/commerce/orders/request-invoice.ts';
import { expectValue, ok } from '../../gateway/result.ts';
import type { OperationExample } from '../../publication/publication.ts';
import type { Offer } from '../../schemas/commerce/offers.ts';
import { InvoiceRequestBody } from '../../schemas/commerce/orders.ts';
import type { Deployment } from '../../schemas/deployment.ts';
import { deployedFeatures } from '../../schemas/features.ts';
import { EXAMPLE_TIME_MS, exampleSecrets, withInvalidKey } from '../agents/agent-examples.ts';

const SESSION_ID = 'cs_00112233445566778899aabbccddeeff';
const RECEIPT = 'rct_ffeeddccbbaa99887766554433221100';

type Shop = Pick<Deployment, 'baseUrl' | 'contactEmail' | 'keyPrefix' | 'intake' | 'commerce' | 'payments' | 'offers' | 'quoteOnlyOffers'>;

/** The offer in the examples of a publication without offers. */
const SAMPLE_OFFER: Offer = {
  id: 'example-review',
  aliases: [],
  name: 'Evidence review',
  summary: 'A review of one page.',
  category: 'review',
  features: [],
  amountMinor: 12_000,
  currency: 'USD',
  cadence: 'one_time',
  preferredPath: '/buy/example-review',
  checkoutUrl: 'https://checkout.example/demo/example-review',
  demo: true,
  validUntil: '9999-12-31',
  delivery: 'A table, by e-mail, within 4 working days.',
  refund: 'Full refund until work starts.',
  delivers: [],
  updated: '2026-01-01',
};

/** Examples of the operations on orders and invoices, for the first paid offer. */
export async function orderExamples(real: Shop): Promise<[string, OperationExample][]> {
  const offer = real.offers.find(({ amountMinor }) => amountMinor > 0) ?? SAMPLE_OFFER;
  const deployment = { ...real, offers: [offer] };
  const items = `${offer.id}:2`;
  const order: Order = {
    id: 'ord_0123456789abcdef01234567',
    receipt: RECEIPT,
    sessionId: SESSION_ID,
    owner: 'agt_1122334455667788',
    channel: 'acp',
    currency: 'USD',
    lines: [
      {
        id: 'li_1',
        offerId: offer.id,
        name: offer.name,
        cadence: offer.cadence,
        unitMinor: offer.amountMinor,
        quantity: 1,
        demo: offer.demo,
      },
    ],
    totalMinor: offer.amountMinor,
    refundedMinor: 0,
    paymentReference: undefined,
    buyer: undefined,
    notifyUrl: undefined,
    createdAtMs: EXAMPLE_TIME_MS,
    updatedAtMs: EXAMPLE_TIME_MS,
  };
  const secrets = await exampleSecrets();
  const request = InvoiceRequestBody.parse({
    items: [{ id: offer.id, quantity: 2 }],
    name: 'Ada Lovelace',
    email: 'ada@buyer.example',
    company: 'Analytical Engines Ltd',
    note: 'Purchase order 1843.',
  });
  return [
    ['getOrder', { parameters: { receipt: RECEIPT }, response: describeOrder(order, deployment) }],
    [
      'getDelivery',
      {
        parameters: { receipt: RECEIPT, delivery: 'key' },
        response: withInvalidKey(
          await issuedKey(await orderKeyPayload(order, 31, secrets), {
            baseUrl: real.baseUrl,
            keyPrefix: real.keyPrefix,
            secrets,
            features: deployedFeatures(real),
          }),
          real.keyPrefix,
        ),
        otherForms: { 'text/plain': 'The text that was bought.', 'text/markdown': '# The text that was bought\n' },
      },
    ],
    ['takeProcessorMessage', { request: paidEvent(order), response: { received: true, outcome: 'applied' } }],
    ['openCheckout', { parameters: { session: SESSION_ID }, response: undefined }],
    ['viewCart', { parameters: { items }, response: undefined }],
    ['startCheckout', { request: { items }, response: undefined }],
    ['openInvoiceForm', { parameters: { items }, response: undefined }],
    ['requestInvoice', { request, response: describeInvoiceRequest(await storedRequest(request, deployment), deployment) }],
  ];
}

/** The request as the service stores it. */
async function storedRequest(request: InvoiceRequestBody, deployment: Shop): Promise<InvoiceRequestRecord> {
  const stored = new Map<string, InvoiceRequestRecord>();
  const result = requestInvoice(
    request,
    { network: 'unknown', idempotencyKey: undefined, bindKey: async () => ok(undefined) },
    {
      deployment,
      invoices: {
        save: async (record) => {
          stored.set(record.receipt, record);
        },
        byReceipt: async (receipt) => stored.get(receipt),
      },
      secrets: await exampleSecrets(),
      quotas: { take: async (_name, _subject, nowMs) => ({ allowed: true, remaining: 1, endsAtMs: nowMs }) },
      clock: { nowMs: () => EXAMPLE_TIME_MS },
    },
  );
  return expectValue(await result);
}

/** The payment event of an order's session, with the members that the gateway reads. */
function paidEvent({ sessionId, totalMinor }: Order): object {
  return {
    id: 'evt_1A2b3C4d5E6f7G8h',
    object: 'event',
    type: 'checkout.session.completed',
    data: {
      object: {
        object: 'checkout.session',
        mode: 'payment',
        payment_status: 'paid',
        client_reference_id: sessionId,
        amount_total: totalMinor,
        currency: 'usd',
        payment_intent: 'pi_1A2b3C4d5E6f7G8h',
      },
    },
  };
}
