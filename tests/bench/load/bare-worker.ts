import { Hono } from 'hono';
import type { Database } from '../../../src/platform/d1/database.ts';

/**
 * The same framework without a gateway. `POST`: the cost of an empty handler. `PATCH`: the same with one row written to D1 after the
 * response. `PUT` creates its table, with as many indexes as the table `agents` has. A worker cannot export constants for these.
 */
const app = new Hono<{ Bindings: { readonly STATE: Database } }>();
app.put('/', async (context) => {
  const { STATE } = context.env;
  await STATE.batch(
    [
      'CREATE TABLE rows (id TEXT PRIMARY KEY, text TEXT, created_at_ms INTEGER, expires_at_ms INTEGER) STRICT, WITHOUT ROWID',
      'CREATE INDEX rows_by_creation ON rows (created_at_ms)',
      'CREATE INDEX rows_by_expiry ON rows (expires_at_ms)',
    ].map((sql) => STATE.prepare(sql)),
  );
  return context.json({});
});
app.patch('/', (context) => {
  const nowMs = Date.now();
  const insert = context.env.STATE.prepare('INSERT INTO rows VALUES (?1, ?2, ?3, ?4)').bind(crypto.randomUUID(), 'bare', nowMs, nowMs);
  context.executionCtx.waitUntil(insert.all());
  return context.json({});
});
app.all('*', (context) => context.json({}));

export default app;
