import type { DatabaseCheck } from '../../gateway/knowledge/report-status.ts';

/** Whether the database answers a query on the table that registrations need. */
export function databaseCheck(database: D1Database | undefined): DatabaseCheck {
  return async () => {
    if (database === undefined) return 'not_bound';
    try {
      await database.prepare('SELECT 1 FROM registrations LIMIT 1').all();
      return 'ok';
    } catch {
      return 'unreachable';
    }
  };
}
