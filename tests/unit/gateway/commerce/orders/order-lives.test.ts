import { expect, test } from 'vitest';
import { holdAlways, holdInTheEnd, type Remembered } from './lives/order-invariants.ts';
import { OrderLife } from './lives/order-life.ts';

/** Lives, and steps of one; ORDER_LIVES asks for more of them. */
const LIVES = Number(process.env['ORDER_LIVES'] ?? 20);
const FIRST_SEED = Number(process.env['ORDER_SEED'] ?? 1);
const STEPS = 120;
/** Time that one life may take on a busy machine. */
const MS_PER_LIFE = 2_000;

test(
  'no order is doubled, no money lost and nothing forgotten, in whatever order things happen and whatever the database loses',
  async () => {
    const sums = { orders: 0, kept: 0, refunded: 0, messages: 0 };
    for (let seed = FIRST_SEED; seed < FIRST_SEED + LIVES; seed += 1) {
      const life = new OrderLife(seed);
      let remembered: Remembered = { log: [], refunded: new Map() };
      try {
        for (let step = 0; step < STEPS; step += 1) {
          // Some of what happens, happens at the same time.
          await Promise.all(Array.from({ length: 1 + (step % 3) }, () => life.step()));
          remembered = holdAlways(life, remembered);
        }
        await life.end();
        holdAlways(life, remembered);
        holdInTheEnd(life);
      } catch (error) {
        throw new Error(`ORDER_SEED=${seed} ORDER_LIVES=1: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
      }
      const count = (sql: string): number => Number(life.database.look(sql)[0]?.['n']);
      sums.orders += count('SELECT count(*) AS n FROM orders');
      sums.refunded += count('SELECT count(*) AS n FROM orders WHERE refunded_minor > 0');
      sums.kept += count("SELECT count(*) AS n FROM processor_events WHERE outcome NOT IN ('applied', 'duplicate', 'ignored', 'waiting')");
      sums.messages += life.processor.events.length;
      life.database.close();
    }
    console.log(`${LIVES} lives: ${JSON.stringify(sums)}`);
    for (const sum of Object.values(sums)) expect(sum).toBeGreaterThan(LIVES / 2);
  },
  LIVES * MS_PER_LIFE,
);
