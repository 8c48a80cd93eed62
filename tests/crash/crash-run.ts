import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { below, seededRandom } from '../eval/random.ts';
import { type Act, findLoss, makeAct, send, sessionOf } from './acts.ts';
import { installService, type KillableService, startKillable } from './killable-service.ts';

/** Requests under way at a time. */
const PARALLEL = 6;

/** Moments of a kill after the first request, in milliseconds: the shortest meets requests of a cold service. */
const KILL_MS = { min: 5, max: 1_200 };

/** Acts of earlier lives that are looked at after each start; at the end all are. */
const SAMPLE = 15;

/** What a run came to. */
export interface CrashReport {
  readonly kills: number;
  readonly acts: number;
  /** Acts by kind that were acknowledged before a kill. */
  readonly acknowledged: Readonly<Record<string, number>>;
  /** Requests that a kill met without an answer. */
  readonly cutOff: number;
  /** What was lost, doubled or unreadable. */
  readonly losses: readonly string[];
  /** What SQLite says of each database file in the end: `ok`. */
  readonly integrity: readonly string[];
}

/** Kills a working service again and again, and looks after each start whether what it acknowledged is there. */
export async function runCrashes(kills: number, seed: number, progress: (text: string) => void = () => undefined): Promise<CrashReport> {
  const random = seededRandom(seed);
  const folder = await mkdtemp(join(tmpdir(), 'akg-crash-'));
  const acts: Act[] = [];
  const numbers = new Numbers();
  const losses: string[] = [];
  const acknowledged: Record<string, number> = {};
  let cutOff = 0;
  const look = async (looked: readonly Act[], { origin }: KillableService, when: string): Promise<void> => {
    for (const act of looked) {
      const loss = await findLoss(act, origin);
      if (loss !== undefined) losses.push(`${when}: ${act.kind}: ${loss}`);
    }
  };
  await installService(folder);
  let service = await startKillable(folder, 'fill');
  try {
    for (let kill = 1; kill <= kills; kill += 1) {
      const begun = acts.length;
      const life = live(acts, numbers, service, random, (act) => {
        acknowledged[act.kind] = (acknowledged[act.kind] ?? 0) + 1;
      });
      await new Promise((resolve) => setTimeout(resolve, KILL_MS.min + below(random, KILL_MS.max - KILL_MS.min)));
      await service.kill();
      await life;
      const ofThisLife = acts.slice(begun);
      cutOff += ofThisLife.filter(({ answer }) => answer === undefined).length;
      service = await startKillable(folder, 'open');
      const earlier =
        begun === 0 ? [] : Array.from({ length: SAMPLE }, () => acts[below(random, begun)]).filter((act) => act !== undefined);
      await look([...ofThisLife, ...earlier], service, `after kill ${kill}`);
      progress(`kill ${kill}: ${ofThisLife.length} acts, ${acts.length} in all, ${losses.length} losses`);
    }
    await look(acts, service, 'in the end');
  } finally {
    await service.kill();
  }
  const { integrity, rows, refunded } = await checkFiles(folder);
  losses.push(...bookLosses(acts, refunded));
  for (const [table, wanted] of expectedRows(acts))
    if (rows.get(table) !== wanted) losses.push(`in the end: ${rows.get(table)} rows of ${table} in the place of ${wanted}`);
  await rm(folder, { recursive: true, force: true });
  return { kills, acts: acts.length, acknowledged, cutOff, losses, integrity };
}

/** Numbers that are given once. */
class Numbers {
  #last = 0;
  get next(): number {
    this.#last += 1;
    return this.#last;
  }
}

/** Sends acts, some at a time, until the service answers no more. */
async function live(
  acts: Act[],
  numbers: Numbers,
  { origin }: KillableService,
  random: () => number,
  onAcknowledged: (act: Act) => void,
): Promise<void> {
  let isAlive = true;
  const lane = async (): Promise<void> => {
    while (isAlive) {
      const sessions = acts.filter(({ kind, answer }) => kind === 'checkout' && (answer?.status ?? 500) < 300);
      const act = await makeAct(numbers.next, random, sessions);
      acts.push(act);
      const answer = await send(act, origin);
      if (answer === undefined) isAlive = false;
      else act.answer = answer;
      if (answer !== undefined && answer.status < 300) onAcknowledged(act);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, lane));
}

/** Rows that the acts leave behind when each of them was done once. */
function expectedRows(acts: readonly Act[]): [table: string, rows: number][] {
  const done = (...kinds: readonly string[]): number =>
    acts.filter(({ kind, answer }) => kinds.includes(kind) && (answer?.status ?? 500) < 300).length;
  return [
    ['registrations', done('register')],
    ['revocations', done('rotate', 'revoke')],
    ['proposals', done('propose')],
    ['checkout_sessions', done('checkout')],
    ['invoice_requests', done('invoice')],
    ['orders', sessionsTold(acts, 'pay').size],
  ];
}

/** What the books must say of orders in the end: each session that was paid has one, with all that was paid back. */
function bookLosses(acts: readonly Act[], orders: ReadonlyMap<string, number>): string[] {
  const paid = sessionsTold(acts, 'pay');
  return acts.flatMap((act) => {
    if (act.kind !== 'checkout' || (act.answer?.status ?? 500) >= 300) return [];
    const { id } = sessionOf(act);
    if (!paid.has(id)) return orders.has(id) ? [`${id} has an order that nobody paid`] : [];
    const refunds = acts.filter(({ kind, session }) => kind === 'refund' && session?.id === id);
    const wanted = Math.max(
      0,
      ...refunds.map(({ body }) => (JSON.parse(body) as { data: { object: { amount_refunded: number } } }).data.object.amount_refunded),
    );
    return orders.get(id) === wanted ? [] : [`the order of ${id} says that ${orders.get(id)} was paid back in the place of ${wanted}`];
  });
}

function sessionsTold(acts: readonly Act[], kind: Act['kind']): Set<string> {
  return new Set(acts.flatMap((act) => (act.kind === kind && act.session !== undefined ? [act.session.id] : [])));
}

/** Tables whose rows are counted. */
const COUNTED = ['registrations', 'revocations', 'proposals', 'checkout_sessions', 'orders', 'invoice_requests'];

/** What SQLite says of each file, how many rows the tables have, and what was paid back of orders, by session. */
async function checkFiles(folder: string): Promise<{ integrity: string[]; rows: Map<string, number>; refunded: Map<string, number> }> {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.sqlite'));
  const rows = new Map<string, number>();
  const refunded = new Map<string, number>();
  const integrity = files.map((name) => {
    const database = new DatabaseSync(join(folder, name));
    for (const { name: table } of database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()) {
      if (table === 'orders')
        for (const row of database.prepare('SELECT session_id, refunded_minor FROM orders').all())
          refunded.set(String(row['session_id']), Number(row['refunded_minor']));
      if (COUNTED.includes(String(table)))
        rows.set(String(table), Number(database.prepare(`SELECT count(*) AS n FROM ${String(table)}`).get()?.['n']));
    }
    const [row] = database.prepare('PRAGMA integrity_check').all();
    database.close();
    return String(row?.['integrity_check']);
  });
  return { integrity, rows, refunded };
}
