import { afterEach, beforeEach } from 'vitest';
import { type SimulatedDatabase, simulatedDatabase } from './database.ts';
import { SimulatedTime } from './time.ts';

export function useDatabase(nowMs: number): Pick<SimulatedDatabase, 'binding' | 'look'> {
  let current: SimulatedDatabase;
  beforeEach(() => {
    current = simulatedDatabase(new SimulatedTime(nowMs));
  });
  afterEach(() => current.close());
  return { binding: (weather) => current.binding(weather), look: (sql, ...values) => current.look(sql, ...values) };
}
