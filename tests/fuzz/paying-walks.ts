import { ACP_VERSION } from '../../src/protocols/acp/schemas/responses.ts';
import { deliveryPath, orderPath, PATHS } from '../../src/schemas/paths.ts';
import { below } from '../eval/random.ts';
import { chargeRefunded, checkoutCompleted, signatureOf, type TestEvent } from '../support/stripe-messages.ts';
import { IDEMPOTENCY_CANARY } from './canaries.ts';
import { chance, oneOf } from './choose.ts';
import type { FuzzRun } from './fuzz-run.ts';
import { hostileText } from './hostile-values.ts';
import { type JsonTree, mutateTree, treeOf, writeJson } from './json-tree.ts';
import { type Step, Walk } from './walk.ts';

/** An order as its receipt shows it, as far as walks look. */
interface ShownOrder {
  readonly state: string;
  readonly refunded_minor: number;
  readonly total_minor: number;
  readonly deliveries: readonly { readonly name: string; readonly kind: string }[];
}

/** Damaged messages of one walk. */
const DAMAGED = 6;

const JSON_ONLY = { Accept: 'application/json' };

/** A session that an agent opened, and how to read it. */
interface OpenedSession {
  readonly id: string;
  readonly totalMinor: number;
  readonly read: () => Promise<Step>;
}

/** Opens a session, has it paid, sees the order, takes what it delivers under right and wrong names, and has it paid back. */
export async function payAndTake(run: FuzzRun): Promise<boolean> {
  const walk = new Walk(run);
  const session = await openedSession(walk, oneOf(run.random, ['evidence-review', 'change-notices']));
  if (session === undefined) return false;
  const { id, totalMinor } = session;
  if (!(await tell(walk, run, checkoutCompleted(id, totalMinor), 'applied'))) return false;
  if (!(await tell(walk, run, checkoutCompleted(id, totalMinor), 'duplicate'))) return false;
  const receipt = receiptOf(await session.read());
  if (receipt === undefined) return walk.wrong('a paid session has no order') ?? false;
  const seen = await walk.send('GET', orderPath(receipt), { headers: JSON_ONLY });
  if (!walk.ended(seen, 'see an order', 200)) return false;
  const { name = '', kind } = (seen.value as unknown as ShownOrder).deliveries[0] ?? {};
  const taken = await walk.send('GET', deliveryPath(receipt, name));
  if (!walk.ended(taken, 'take a delivery', 200)) return false;
  await takeWrongly(walk, run, receipt, name, taken);
  const key = kind === 'limit' ? taken.text('api_key') : undefined;
  const self = `${PATHS.agentKeys}/self`;
  if (key !== undefined && !walk.ended(await walk.send('GET', self, { key }), 'use the key of an order', 200)) return false;
  if (!(await tell(walk, run, chargeRefunded(`pi_of_${id}`, totalMinor), 'applied'))) return false;
  if (!walk.ended(await walk.send('GET', deliveryPath(receipt, name)), 'take it after the refund', 410)) return false;
  const after = await walk.send('GET', orderPath(receipt), { headers: JSON_ONLY });
  if ((after.value as unknown as ShownOrder).state !== 'refunded') walk.wrong('an order that was paid back says otherwise', after);
  return key === undefined || walk.ended(await walk.send('GET', self, { key }), 'use the key after the refund', 'api_key_revoked');
}

/** Opens a session and tells of it in messages that are well signed and damaged; nothing but the right one completes it. */
export async function tellDamaged(run: FuzzRun): Promise<boolean> {
  const walk = new Walk(run);
  const session = await openedSession(walk, 'evidence-review');
  if (session === undefined) return false;
  const { id, totalMinor } = session;
  let isApplied = false;
  for (let count = 0; count < DAMAGED; count += 1) {
    const whole = chance(run.random, 0.7) ? checkoutCompleted(id, totalMinor) : chargeRefunded(`pi_of_${id}`, totalMinor);
    let tree: JsonTree = treeOf({ ...whole, id: `evt_${walk.word(16)}` });
    for (let times = 1 + below(run.random, 2); times > 0; times -= 1) tree = mutateTree(tree, run.random);
    const step = await send(walk, run, writeJson(tree));
    if (!walk.ended(step, 'a damaged message', 200, 400, 413)) return false;
    const read = await session.read();
    if (!walk.ended(read, 'the session after a damaged message', 200)) return false;
    // What was changed may be nothing that matters; what is paid then is the total all the same.
    isApplied ||= step.value['outcome'] === 'applied';
    if (read.text('status') === 'completed' && !isApplied) walk.wrong('a session is completed by nobody', read);
  }
  const told = await send(walk, run, JSON.stringify({ ...checkoutCompleted(id, totalMinor), id: `evt_${walk.word(16)}` }));
  if (!walk.ended(told, 'the right message', 200)) return false;
  return walk.ended(await session.read(), 'the session in the end', 200);
}

async function openedSession(walk: Walk, offer: string): Promise<OpenedSession | undefined> {
  const agent = await walk.register({ scopes: ['read', 'buy'] });
  if (!walk.ended(agent, 'register to pay', 201)) return undefined;
  const key = agent.text('api_key');
  const headers = (): Record<string, string> => ({
    'API-Version': ACP_VERSION,
    'Idempotency-Key': `${IDEMPOTENCY_CANARY}${walk.word(24)}`,
  });
  const sessions = `${PATHS.acp}/checkout_sessions`;
  const opened = await walk.send('POST', sessions, {
    key,
    body: { line_items: [{ id: offer }], currency: 'usd', capabilities: {} },
    headers: headers(),
  });
  if (!walk.ended(opened, 'open a session to pay', 201)) return undefined;
  const totals = opened.value['totals'] as readonly { type: string; amount: number }[];
  const id = opened.text('id');
  return {
    id,
    totalMinor: totals.find(({ type }) => type === 'total')?.amount ?? 0,
    read: () => walk.send('GET', `${sessions}/${id}`, { key, headers: headers() }),
  };
}

function receiptOf({ value }: Step): string | undefined {
  const order = value['order'] as { readonly permalink_url: string } | undefined;
  return order?.permalink_url.split('/').at(-1);
}

/** Asks for an order and its delivery with one member spoiled after another: nobody gets what belongs to the order. */
async function takeWrongly(walk: Walk, run: FuzzRun, receipt: string, name: string, right: Step): Promise<void> {
  const at = 4 + below(run.random, receipt.length - 4);
  const digit = receipt[at] === '0' ? '1' : '0';
  const hostile = (): string =>
    encodeURIComponent(
      hostileText(run.random)
        .slice(0, 300)
        .replaceAll(/\p{Cs}/gu, ''),
    ) || '%20';
  const receipts = [receipt.slice(0, at) + digit + receipt.slice(at + 1), receipt.slice(0, -1), receipt.toUpperCase(), hostile()];
  const spoiled = [
    ...receipts.map((one) => deliveryPath(one, name)),
    ...receipts.map(orderPath),
    deliveryPath(receipt, hostile()),
    deliveryPath(receipt, `${name}x`),
    deliveryPath(receipt, `..%2f${name}`),
  ];
  for (const path of spoiled) {
    const step = await walk.send('GET', path, { headers: chance(run.random, 0.5) ? JSON_ONLY : {} });
    if (step.status === 200 && step.body === right.body) walk.wrong(`${path} gives what belongs to another address`, step);
  }
  const range = { Range: 'bytes=0-1', 'If-None-Match': '*', 'Accept-Encoding': 'zzz' };
  for (const headers of [{ Accept: 'image/png;q=0.1' }, { Accept: hostileHeader(run) }, range]) {
    const step = await walk.send('GET', deliveryPath(receipt, name), { headers });
    if (step.status === 200 && step.body !== right.body) walk.wrong('the same delivery is another one', step);
  }
}

function hostileHeader(run: FuzzRun): string {
  return hostileText(run.random).replaceAll(/[^\x21-\x7e]/g, '') || '*/*';
}

async function tell(walk: Walk, run: FuzzRun, event: TestEvent, outcome: string): Promise<boolean> {
  const step = await send(walk, run, JSON.stringify(event));
  if (!walk.ended(step, 'tell of a payment', 200)) return false;
  if (step.value['outcome'] !== outcome) walk.wrong(`tell of a payment: ${step.text('outcome')} instead of ${outcome}`, step);
  return true;
}

function send(walk: Walk, run: FuzzRun, body: string): Promise<Step> {
  const headers = { 'Stripe-Signature': signatureOf(new TextEncoder().encode(body), { atMs: run.service.nowMs() }) };
  return walk.send('POST', PATHS.stripeWebhook, { body, headers });
}
