import { minuteOf } from '../../src/gateway/agents/api-key.ts';
import { revocationOfAgent } from '../../src/gateway/agents/change-keys.ts';
import { blockKey } from '../../src/platform/block-stores.ts';
import { agentStore } from '../../src/platform/d1/agent-store.ts';
import { FREE_PLAN } from '../../src/schemas/limits.ts';
import { buyPath, INVOICE_REQUESTS_PATH, PATHS } from '../../src/schemas/paths.ts';
import { below, hexDigits, oneOf, type Random, seededRandom } from '../eval/random.ts';
import { ACP_SESSIONS, acpCart, acpHeaders } from '../support/acp.ts';
import { bearer, makeKey } from '../support/agent-keys.ts';
import { useBudgets } from '../support/budget-rows.ts';
import { type Generated, NOW_HEADER } from '../support/edge-gateway.ts';
import { TEST_BASE_URL } from '../support/paths.ts';
import { type SimulatedDatabase, simulatedDatabase } from '../support/simulated/database.ts';
import { simulatedGateway } from '../support/simulated/gateway.ts';
import { simulatedKeyValue } from '../support/simulated/key-value.ts';
import { SimulatedTime, simulatedRuntime } from '../support/simulated/time.ts';
import { jsonRequest, type Send, STORING_OPERATIONS, type StoringRequest, storingRequest } from '../support/storing-requests.ts';
import { checkoutCompleted, signedMessage } from '../support/stripe-messages.ts';

export interface Flood {
  readonly days: number;
  readonly requestsPerDay: number;
  readonly networks: number;
  readonly seed: number;
  readonly generated: Generated;
  readonly blocks: ReadonlyMap<string, Uint8Array>;
  /** Whether each day begins with every budget of anybody used up, so that nothing of the flood may be stored. */
  readonly beginsUsedUp?: boolean;
  readonly onDay?: (day: FloodedDay) => void;
}

export interface FloodedDay {
  readonly day: number;
  /** Rows that were written, each counted twice for the index that it may stand in: D1 bills no more. */
  readonly rowsWritten: number;
  readonly databaseBytes: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** Writes that must not fail: how many there were, and what each that failed was answered with. */
  readonly reserved: number;
  readonly failed: readonly string[];
}

const DAY_MS = 86_400_000;
const BEGINS_MS = Date.UTC(2027, 0, 1);
/** How often in a day something is written that must not fail. */
const RESERVED_ROUNDS = 24;

/**
 * Lives days in which requests that store something come from many networks and with keys of many agents, in the real gateway over a
 * database that refuses to write once the rows of a day are used up. Among them are writes that have to work: an agent whose key was sold
 * buys and revokes, the payment processor reports payments, the publisher revokes. No maintenance runs: the companion is optional.
 */
export async function liveFlood(flood: Flood): Promise<readonly FloodedDay[]> {
  const time = new SimulatedTime(BEGINS_MS);
  const database = simulatedDatabase(time);
  const metered = meteredDatabase(database, time);
  const keyValue = simulatedKeyValue(time);
  keyValue.fill([...flood.blocks].map(([name, bytes]) => [blockKey(name), bytes] as const));
  const random = seededRandom(flood.seed);
  const days: FloodedDay[] = [];
  for (let day = 1; day <= flood.days; day += 1) {
    const lived = await liveDay(day, flood, { time, database, metered, keyValue: keyValue.binding('here'), random });
    days.push(lived);
    flood.onDay?.(lived);
  }
  database.close();
  return days;
}

interface Scene {
  readonly time: SimulatedTime;
  readonly database: SimulatedDatabase;
  readonly metered: MeteredDatabase;
  readonly keyValue: KVNamespace;
  readonly random: Random;
}

async function liveDay(day: number, { requestsPerDay, networks, generated, beginsUsedUp }: Flood, scene: Scene): Promise<FloodedDay> {
  const { time, database, metered, keyValue, random } = scene;
  // Isolates do not live for a day.
  const gateway = await simulatedGateway({ generated, world: simulatedRuntime(time, random), keyValue, database: metered.binding });
  const sendFrom =
    (network: number): Send =>
    async (path, init) => {
      const request = new Request(TEST_BASE_URL + path, init);
      request.headers.set('CF-Connecting-IP', `${10 + (network >> 16)}.${(network >> 8) & 255}.${network & 255}.1`);
      const work: Promise<unknown>[] = [];
      const response = await time.run(gateway(request, (deferred) => work.push(deferred)));
      const text = await response.text();
      await time.run(Promise.all(work));
      return new Response(text, { status: response.status });
    };
  if (beginsUsedUp) await time.run(useBudgets(database.binding(), ({ requests }) => requests, { nowMs: time.nowMs }));
  const offer = generated.deployment.offers.find(({ amountMinor }) => amountMinor > 0)?.id ?? '';
  const statuses: Record<string, number> = {};
  const failed: string[] = [];
  let reserved = 0;
  for (let count = 0; count < requestsPerDay; count += 1) {
    if (count % Math.ceil(requestsPerDay / RESERVED_ROUNDS) === 0) {
      const round = await reservedWrites(day * 1_000 + count, offer, sendFrom, scene);
      reserved += round.length;
      failed.push(...round.filter((answer) => !/^2\d\d /.test(answer)));
    }
    const send = sendFrom(below(random, networks));
    const { path, init } = await attack(random, offer, send, time.nowMs);
    const { status } = await send(path, init);
    statuses[status] = (statuses[status] ?? 0) + 1;
    await time.advance(Math.floor(DAY_MS / requestsPerDay) - 1);
  }
  const rowsWritten = metered.rowsOfDay();
  await time.advance(Math.max(0, BEGINS_MS + day * DAY_MS - time.nowMs));
  const [size] = database.look('SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()');
  return { day, rowsWritten, databaseBytes: Number(size?.['bytes']), statuses, reserved, failed };
}

/** Network of those whose writes must not fail; no request of the flood comes from it. */
const OWN_NETWORK = 0xff_ff_ff;

/** A request that would store something, from somebody whom nobody knows; `send` first opens the session that it needs. */
async function attack(random: Random, offer: string, send: Send, nowMs: number): Promise<StoringRequest> {
  const hex = (length: number): string => hexDigits(random, length);
  const variation = { uuid: () => hex(32), nowMs };
  const kinds: readonly (() => StoringRequest | Promise<StoringRequest>)[] = [
    ...STORING_OPERATIONS.map((id) => () => storingRequest(id, send, variation)),
    () => jsonRequest(ACP_SESSIONS, acpCart(`no-${hex(8)}`), { 'Idempotency-Key': hex(32) }),
    () =>
      jsonRequest(
        `${PATHS.gateway}/register`,
        { agent_name: hex(80), contact: hex(190), platform: hex(190) },
        { 'Idempotency-Key': hex(32) },
      ),
    () =>
      jsonRequest(INVOICE_REQUESTS_PATH, { items: [{ id: offer, quantity: 1 }], name: hex(80), email: 'a@b.example', note: hex(1_900) }),
    () => ({ path: `${buyPath(offer)}?go`, init: {} }),
  ];
  return oneOf(random, kinds)();
}

async function reservedWrites(
  round: number,
  offer: string,
  sendFrom: (network: number) => Send,
  { time, metered }: Scene,
): Promise<string[]> {
  const nowMs = time.nowMs;
  const agent = round.toString(16).padStart(16, '0');
  const key = bearer(await makeKey({ agent, scopes: ['read', 'buy'], issuedMinute: minuteOf(nowMs), isRaised: true }));
  const { [NOW_HEADER]: _, ...headers } = await acpHeaders({ nowMs, agent, idempotencyKey: `reserved-${round}` });
  const send = sendFrom(OWN_NETWORK - round);
  const session = await send(ACP_SESSIONS, jsonRequest(ACP_SESSIONS, acpCart(offer), { ...headers, ...key }).init);
  const answers = [`${session.status} a session of an agent that the publisher knows`];
  const { id, totals = [] } = (await session.json()) as { id?: string; totals?: { type: string; amount: number }[] };
  const total = totals.find(({ type }) => type === 'total')?.amount ?? 0;
  const paid = signedMessage(checkoutCompleted(id ?? null, total, {}, `evt_${round}`), { atMs: nowMs });
  answers.push(`${(await sendFrom(OWN_NETWORK)(PATHS.stripeWebhook, paid)).status} a payment webhook`);
  const revoke = jsonRequest(`${PATHS.agentKeys}/revoke`, {}, key);
  answers.push(`${(await send(revoke.path, revoke.init)).status} a revocation of a sold key`);
  const revoked = agentStore(metered.binding)
    .revoke(revocationOfAgent((round + 0x1000_0000).toString(16).padStart(16, '0'), nowMs, 90), nowMs)
    .then(
      () => 200,
      () => 503,
    );
  answers.push(`${await time.run(revoked)} a revocation by the publisher`);
  return answers;
}

interface MeteredDatabase {
  readonly binding: D1Database;
  /** Rows written today, by the count of {@link FloodedDay.rowsWritten}. */
  readonly rowsOfDay: () => number;
}

function meteredDatabase(database: SimulatedDatabase, time: SimulatedTime): MeteredDatabase {
  let day = 0;
  let before = 0;
  const changes = (): number => Number(database.look('SELECT total_changes() AS n')[0]?.['n']);
  const rowsOfDay = (): number => {
    const today = Math.floor(time.nowMs / DAY_MS);
    if (today !== day) [day, before] = [today, changes()];
    return 2 * (changes() - before);
  };
  const binding = database.binding({
    fault: ({ what }) => {
      const writes = what.some((sql) => /\b(INSERT|UPDATE|DELETE)\b/.test(sql));
      return writes && rowsOfDay() >= FREE_PLAN.rowsWrittenADay ? 'refused' : 'none';
    },
  });
  return { binding, rowsOfDay };
}
