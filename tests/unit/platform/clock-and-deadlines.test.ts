import { describe, expect, it } from 'vitest';
import { DeadlineError, withinDeadline } from '../../../src/platform/clock-and-deadlines.ts';
import { boundEnvironment, type Environment } from '../../../src/platform/environment.ts';
import { simulatedDatabase } from '../../support/simulated/database.ts';
import { type StoreWeather, simulatedAssets } from '../../support/simulated/faults.ts';
import { simulatedKeyValue } from '../../support/simulated/key-value.ts';
import { SimulatedTime } from '../../support/simulated/time.ts';

const FOREVER = new Promise<never>(() => undefined);

/** Longest time that one call may take, in milliseconds. */
const CALL_MS_MAX = 2_000;

describe('withinDeadline()', () => {
  it('returns a result or an error that arrives in time', async () => {
    const time = new SimulatedTime(0);
    const call = async (ms: number): Promise<string> => {
      await time.sleep(ms);
      return 'here';
    };
    expect(await time.run(withinDeadline(() => call(999), 1_000, 'a call', time.timers))).toBe('here');
    expect(time.nowMs).toBe(999);
    const broken = withinDeadline(() => Promise.reject(new TypeError('broken')), 1_000, 'a call', time.timers);
    await expect(time.run(broken)).rejects.toBeInstanceOf(TypeError);
    const atOnce = withinDeadline(
      () => {
        throw new RangeError('at once');
      },
      1_000,
      'a call',
      time.timers,
    );
    await expect(time.run(atOnce)).rejects.toBeInstanceOf(RangeError);
    expect(time.nowMs, 'no timer is left').toBe(999);
  });

  it('throws after the deadline, names the call, and releases a late result', async () => {
    const time = new SimulatedTime(0);
    const dropped: string[] = [];
    const late = async (): Promise<string> => {
      await time.sleep(5_000);
      return 'too late';
    };
    const failed = async (): Promise<string> => {
      await time.sleep(5_000);
      throw new Error('too late, and nobody hears it');
    };
    const outcomes = Promise.allSettled(
      [late, failed].map((call) => withinDeadline(call, 1_000, 'a slow call', time.timers, (value) => void dropped.push(value))),
    );
    for (const outcome of await time.run(outcomes))
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { name: 'DeadlineError', message: 'a slow call did not respond within 1000 ms' },
      });
    expect(time.nowMs).toBe(1_000);
    await time.advance(10_000);
    expect(dropped).toEqual(['too late']);
  });
});

describe('boundEnvironment()', () => {
  const hanging: StoreWeather = { fault: () => 'hangs' };

  it('changes no result of a binding', async () => {
    const time = new SimulatedTime(0);
    const namespace = simulatedKeyValue(time);
    namespace.fill([['key', new TextEncoder().encode('value')]]);
    const database = simulatedDatabase(time);
    const { CAPSULES, STATE, ASSETS, SIGNING_SECRETS } = boundEnvironment(
      {
        CAPSULES: namespace.binding('here'),
        STATE: database.binding(),
        ASSETS: simulatedAssets(time, new Map([['/x', new Uint8Array([1])]])),
        SIGNING_SECRETS: 'kept',
      },
      time.timers,
    );
    expect(SIGNING_SECRETS).toBe('kept');
    expect(await CAPSULES?.get('key', { type: 'text' })).toBe('value');
    expect(await CAPSULES?.get(['key', 'none'], { type: 'text' })).toEqual(
      new Map([
        ['key', 'value'],
        ['none', null],
      ]),
    );
    const insert = STATE?.prepare('INSERT INTO quotas (ends_at_ms, name, subject, count) VALUES (?1, ?2, ?3, 1)').bind(1, 'a', 'b');
    const select = STATE?.prepare('SELECT name, subject FROM quotas');
    if (insert === undefined || select === undefined) throw new Error('the database is not bound');
    expect((await STATE?.batch([insert, select]))?.[1]?.results).toEqual([{ name: 'a', subject: 'b' }]);
    expect(await select.first()).toEqual({ name: 'a', subject: 'b' });
    expect((await select.all()).results).toHaveLength(1);
    expect((await ASSETS.fetch('https://any.host/x')).status).toBe(200);
    await expect(STATE?.prepare('SELECT missing FROM quotas').all()).rejects.toThrow('no such column');
    database.close();
  });

  it('leaves out absent bindings', () => {
    const time = new SimulatedTime(0);
    const ASSETS = simulatedAssets(time, new Map());
    expect(Object.keys(boundEnvironment({ ASSETS }, time.timers))).toEqual(['ASSETS']);
  });

  const CALLS: [name: string, call: (environment: Environment) => Promise<unknown> | undefined][] = [
    ['a read of KV', ({ CAPSULES }) => CAPSULES?.get('key', { type: 'arrayBuffer' })],
    ['a bulk read of KV', ({ CAPSULES }) => CAPSULES?.get(['key'], { type: 'text' })],
    ['a statement', ({ STATE }) => STATE?.prepare('SELECT 1').all()],
    ['a statement with values', ({ STATE }) => STATE?.prepare('SELECT ?1').bind(1).first()],
    ['a batch', ({ STATE }) => STATE?.batch([STATE.prepare('SELECT 1')])],
    ['a file', ({ ASSETS }) => ASSETS.fetch('https://any.host/x')],
  ];
  it.each(CALLS)('ends a hanging call: %s', async (_name, call) => {
    const time = new SimulatedTime(0);
    const database = simulatedDatabase(time);
    const environment = boundEnvironment(
      {
        CAPSULES: simulatedKeyValue(time).binding('here', hanging),
        STATE: database.binding(hanging),
        ASSETS: simulatedAssets(time, new Map(), hanging),
      },
      time.timers,
    );
    await expect(time.run(call(environment) ?? FOREVER)).rejects.toBeInstanceOf(DeadlineError);
    expect(time.nowMs).toBeLessThanOrEqual(CALL_MS_MAX);
    database.close();
  });

  it.each([
    ['a list without rows', 'all', { success: true }],
    ['a text in the place of a list', 'all', 'rows'],
    ['rows that are none', 'all', { results: ['row'] }],
    ['an empty row', 'first', {}],
    ['a text in the place of a row', 'first', 'row'],
  ] as const)('rejects %s', async (_name, operation, answer) => {
    const time = new SimulatedTime(0);
    const statement = { [operation]: async () => answer } as unknown as D1PreparedStatement;
    const STATE = { prepare: () => statement, batch: async () => [] } as unknown as D1Database;
    const environment = boundEnvironment({ STATE, ASSETS: simulatedAssets(time, new Map()) }, time.timers);
    await expect(environment.STATE?.prepare('SELECT 1')[operation]()).rejects.toMatchObject({ name: 'MalformedResultError' });
    await expect(environment.STATE?.batch([statement])).rejects.toMatchObject({ name: 'MalformedResultError' });
  });
});
