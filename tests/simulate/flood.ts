import { minuteOf } from '../../src/gateway/agents/api-key.ts';
import { revocationOfAgent } from '../../src/gateway/agents/revoke-keys.ts';
import { blockKey } from '../../src/platform/block-stores.ts';
import { agentStore } from '../../src/platform/d1/agent-store.ts';
import { DATABASE_PLAN } from '../../src/schemas/limits.ts';
import { below, type Random, seededRandom } from '../eval/random.ts';
import { ACP_SESSIONS, acpHeaders, acpSessionPath } from '../support/acp.ts';
import { bearer, makeKey } from '../support/agent-keys.ts';
import { useBudgets } from '../support/budget-rows.ts';
import { type Generated, NOW_HEADER } from '../support/edge-gateway.ts';
import { TEST_BASE_URL } from '../support/paths.ts';
import { capsuleProposal, INTAKE } from '../support/proposals.ts';
import { type SimulatedDatabase, simulatedDatabase } from '../support/simulated/database.ts';
import { simulatedGateway } from '../support/simulated/gateway.ts';
import { simulatedKeyValue } from '../support/simulated/key-value.ts';
import { SimulatedTime } from '../support/simulated/time.ts';
import { simulatedRuntime } from '../support/simulated/world.ts';
import { checkoutCompleted, signedMessage } from '../support/stripe-messages.ts';
import { UCP_AGENT, ucpCart } from '../support/ucp.ts';

/** What a flood is. */
export interface Flood {
  readonly days: number;
  readonly requestsPerDay: number;
  /** Networks that requests come from. */
  readonly networks: number;
  readonly seed: number;
  readonly generated: Generated;
  /** Blocks of the build, by name. */
  readonly blocks: ReadonlyMap<string, Uint8Array>;
  /** Whether each day begins with every budget of anybody used up, so that nothing of the flood may be stored. */
  readonly beginsUsedUp?: boolean;
  /** Hears of each day when it is over. */
  readonly onDay?: (day: FloodedDay) => void;
}

/** What a day of a flood left behind. */
export interface FloodedDay {
  readonly day: number;
  /** Rows that were written, each counted twice for the index that it may stand in: D1 bills no more. */
  readonly rowsWritten: number;
  readonly databaseBytes: number;
  /** Responses to the flood, by status. */
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
  const send: Send = async (path, init, network) => {
    const request = new Request(TEST_BASE_URL + path, init);
    request.headers.delete(NOW_HEADER);
    request.headers.set('CF-Connecting-IP', `${10 + (network >> 16)}.${(network >> 8) & 255}.${network & 255}.1`);
    const work: Promise<unknown>[] = [];
    const response = await time.run(gateway(request, (deferred) => work.push(deferred)));
    const text = await response.text();
    await time.run(Promise.all(work));
    return { status: response.status, text };
  };
  if (beginsUsedUp) await time.run(useBudgets(database.binding(), ({ requests }) => requests, { nowMs: time.nowMs }));
  const offer = generated.deployment.offers.find(({ amountMinor }) => amountMinor > 0)?.id ?? '';
  const statuses: Record<string, number> = {};
  const failed: string[] = [];
  const opened: string[] = [];
  let reserved = 0;
  for (let count = 0; count < requestsPerDay; count += 1) {
    if (count % Math.ceil(requestsPerDay / RESERVED_ROUNDS) === 0) {
      const round = await reservedWrites(day * 1_000 + count, offer, send, scene);
      reserved += round.length;
      failed.push(...round.filter((answer) => !/^2\d\d /.test(answer)));
    }
    const { path, init } = await attack(random, offer, opened, time.nowMs);
    const { status, text } = await send(path, init, below(random, networks));
    statuses[status] = (statuses[status] ?? 0) + 1;
    const [, id] = /"id":"(cs_[0-9a-f]{32})"/.exec(text) ?? [];
    if (id !== undefined && isOpenedByOne(init)) opened.push(id);
    await time.advance(Math.floor(DAY_MS / requestsPerDay) - 1);
  }
  const rowsWritten = metered.rowsOfDay();
  await time.advance(Math.max(0, BEGINS_MS + day * DAY_MS - time.nowMs));
  const [size] = database.look('SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()');
  return { day, rowsWritten, databaseBytes: Number(size?.['bytes']), statuses, reserved, failed };
}

type Send = (path: string, init: RequestInit, network: number) => Promise<{ readonly status: number; readonly text: string }>;

const JSON_TYPE = { 'Content-Type': 'application/json' };
/** Network of those whose writes must not fail; no request of the flood comes from it. */
const OWN_NETWORK = 0xff_ff_ff;

const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { ...JSON_TYPE, ...headers },
  body: JSON.stringify(body),
});

/** Sessions belong to the agent that opened them, so all that change one come from one agent. */
const CHANGING_AGENT = '00000000000000f1';
const CHANGED = `session-of-${CHANGING_AGENT}`;

/** Whether a request opens a session that is changed afterwards. */
function isOpenedByOne({ headers }: RequestInit): boolean {
  return (headers as Record<string, string> | undefined)?.['Request-Id'] === CHANGED;
}

/** A request that would store something, from somebody whom nobody knows. */
async function attack(
  random: Random,
  offer: string,
  opened: readonly string[],
  nowMs: number,
): Promise<{ readonly path: string; readonly init: RequestInit }> {
  const hex = (length: number): string => Array.from({ length }, () => below(random, 16).toString(16)).join('');
  const agent = hex(16);
  const key = async (...scopes: ('read' | 'submit')[]): Promise<Record<string, string>> =>
    bearer(await makeKey({ agent, scopes, issuedMinute: minuteOf(nowMs) }));
  const acp = (of = CHANGING_AGENT): Promise<Record<string, string>> => acpHeaders({ nowMs, agent: of, idempotencyKey: hex(32) });
  const session = opened[below(random, Math.max(1, opened.length))] ?? `cs_${hex(32)}`;
  const ucp = { ...UCP_AGENT, 'Idempotency-Key': hex(32) };
  const cart = { line_items: [{ id: offer }], currency: 'usd', capabilities: {} };
  const kinds: readonly (() => Promise<{ path: string; init: RequestInit }>)[] = [
    async () => ({ path: ACP_SESSIONS, init: post(cart, { ...(await acp()), 'Request-Id': CHANGED }) }),
    async () => ({ path: ACP_SESSIONS, init: post(cart, await acp(agent)) }),
    async () => ({ path: '/api/v1/ucp/checkout-sessions', init: post(ucpCart(offer), ucp) }),
    async () => ({ path: '/checkout', init: post({ items: `${offer}:1` }) }),
    async () => ({
      path: acpSessionPath(session),
      init: post({ line_items: [{ id: offer }], buyer: { email: `${hex(8)}@a.example` } }, await acp()),
    }),
    async () => ({ path: acpSessionPath(session), init: post({ line_items: [{ id: `no-${hex(8)}` }] }, await acp()) }),
    async () => ({
      path: '/api/v1/commerce/invoice-requests',
      init: post({ items: [{ id: offer, quantity: 1 }], name: hex(80), email: 'a@b.example', note: hex(1_900) }),
    }),
    async () => ({
      path: '/api/v1/agent-gateway/register',
      init: post({ agent_name: hex(80), contact: hex(190), platform: hex(190) }, { 'Idempotency-Key': hex(32) }),
    }),
    async () => ({ path: '/api/v1/agent-gateway/keys/rotate', init: post({}, { ...(await key('read')), 'Idempotency-Key': hex(32) }) }),
    async () => ({ path: '/api/v1/agent-gateway/keys/revoke', init: post({}, await key('read')) }),
    async () => ({
      path: INTAKE,
      init: post(capsuleProposal({ capsule_id: `q-${hex(12)}` }), { ...(await key('read', 'submit')), 'Idempotency-Key': hex(32) }),
    }),
    async () => ({ path: `/buy/${offer}?go`, init: {} }),
  ];
  const kind = kinds[below(random, kinds.length)];
  if (kind === undefined) throw new TypeError('there is no kind of request');
  return kind();
}

/** Writes that have to work whatever else happens, as `<status> <what>`. */
async function reservedWrites(round: number, offer: string, send: Send, { time, metered }: Scene): Promise<string[]> {
  const nowMs = time.nowMs;
  const agent = round.toString(16).padStart(16, '0');
  const sold = { agent, scopes: ['read' as const, 'buy' as const], issuedMinute: minuteOf(nowMs), isRaised: true as const };
  const key = bearer(await makeKey(sold));
  const answers: string[] = [];
  const headers = { ...(await acpHeaders({ nowMs, agent, idempotencyKey: `reserved-${round}` })), ...key };
  const session = await send(
    ACP_SESSIONS,
    post({ line_items: [{ id: offer }], currency: 'usd', capabilities: {} }, headers),
    OWN_NETWORK - round,
  );
  answers.push(`${session.status} a session of an agent that the publisher knows`);
  const { id, totals = [] } = JSON.parse(session.text) as { id?: string; totals?: { type: string; amount: number }[] };
  const total = totals.find(({ type }) => type === 'total')?.amount ?? 0;
  const paid = signedMessage(checkoutCompleted(id ?? null, total, {}, `evt_${round}`), { atMs: nowMs });
  answers.push(`${(await send('/api/v1/commerce/stripe-webhook', paid, OWN_NETWORK)).status} a message of the payment processor`);
  answers.push(
    `${(await send('/api/v1/agent-gateway/keys/revoke', post({}, key), OWN_NETWORK - round)).status} a revocation of a sold key`,
  );
  const revoked = agentStore(metered.binding)
    .revoke(revocationOfAgent((round + 0x1000_0000).toString(16).padStart(16, '0'), nowMs, 90), nowMs)
    .then(
      () => 200,
      () => 503,
    );
  answers.push(`${await time.run(revoked)} a revocation by the publisher`);
  return answers;
}

/** A database that writes as many rows a day as D1's free plan. */
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
      return writes && rowsOfDay() >= DATABASE_PLAN.rowsPerDay ? 'refused' : 'none';
    },
  });
  return { binding, rowsOfDay };
}
