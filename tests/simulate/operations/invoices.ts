import type { InvoiceRequest } from '../../../src/schemas/commerce/orders.ts';
import { orderPath, PATHS } from '../../../src/schemas/paths.ts';
import { below } from '../../eval/random.ts';
import { type Slot, UNSENT } from '../knowledge.ts';
import type { Lifetime } from '../lifetime.ts';
import { hold } from '../violation.ts';

const REQUESTS = `${PATHS.commerceApi}/invoice-requests`;

/** A request of the same content or key is the same one for a day; clocks of the service differ by this much at most. */
const SAME_FOR_MS = 24 * 3_600_000 - 2 * 300_000;

/** Somebody asks for an invoice, or asks again. */
export async function askForInvoice(life: Lifetime): Promise<void> {
  const { invoiceRequests } = life.known.shop;
  const isAgain = invoiceRequests.length > 0 && life.chance(0.5);
  const slot = isAgain ? life.pick(invoiceRequests) : newRequest(life);
  if (!isAgain) invoiceRequests.push(slot);
  await Promise.all(Array.from({ length: life.chance(0.2) ? 2 : 1 }, () => send(life, slot)));
}

function newRequest(life: Lifetime): Slot {
  const body = {
    items: [{ id: life.pick(['evidence-review', 'team-licence']), quantity: 1 + below(life.random, 3) }],
    name: life.fresh('buyer'),
    email: 'buyer@agents.example',
  };
  // Without a key of its sender, the content is the key.
  const idempotencyKey = life.chance(0.6) ? life.fresh('invoice') : '';
  return { ...UNSENT, idempotencyKey, body, network: `203.0.113.${100 + below(life.random, 3)}`, key: undefined };
}

async function send(life: Lifetime, slot: Slot): Promise<void> {
  const { idempotencyKey, body, network: address } = slot;
  const wasAcknowledged = slot.acknowledgedMs !== undefined;
  const asked = {
    method: 'POST',
    path: REQUESTS,
    body,
    address,
    idempotencyKey: idempotencyKey === '' ? undefined : idempotencyKey,
  } as const;
  const heard = await life.ask(life.isolate(), asked);
  if (heard === undefined || life.chance(0.15)) return;
  hold('one-effect', heard.code !== 'idempotency_conflict', () => `${idempotencyKey} has no rival: ${heard.body}`);
  if (heard.status !== 201) return;
  const { receipt, total_minor: totalMinor } = JSON.parse(heard.body) as InvoiceRequest;
  // Without a key a request over another price is another one.
  const isSame = wasAcknowledged && idempotencyKey !== '' && heard.heardMs - (slot.acknowledgedMs ?? 0) < SAME_FOR_MS;
  if (isSame) hold('one-effect', receipt === slot.answer, () => `${idempotencyKey}: ${slot.answer} and ${receipt}`);
  if (!isSame) slot.acknowledgedMs = heard.heardMs;
  slot.answer = receipt;
  const known = life.known.shop.invoices.find((one) => one.receipt === receipt);
  hold('acknowledged', (known?.totalMinor ?? totalMinor) === totalMinor, () => `${receipt}: ${known?.totalMinor} and ${totalMinor}`);
  if (known === undefined) life.known.shop.invoices.push({ receipt, totalMinor });
}

/** Somebody opens the receipt of a request for an invoice. */
export async function openInvoiceReceipt(life: Lifetime): Promise<void> {
  const { invoices } = life.known.shop;
  if (invoices.length === 0) return;
  const { receipt, totalMinor } = life.pick(invoices);
  const asked = { method: 'GET', path: orderPath(receipt), headers: { Accept: 'application/json' } } as const;
  const heard = await life.ask(life.isolate(), asked);
  if (heard === undefined || heard.status === 429 || heard.status === 503) return;
  const answer = heard.status === 200 ? (JSON.parse(heard.body) as InvoiceRequest) : undefined;
  const isIt = answer?.receipt === receipt && answer.total_minor === totalMinor;
  hold('acknowledged', isIt, () => `${receipt} over ${totalMinor}: ${heard.status} ${heard.body}`);
}
