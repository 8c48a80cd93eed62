import type { DatabaseCheck } from '../../gateway/capsules/report-status.ts';

/** Longest time that a check waits for the database, in milliseconds. */
const CHECK_TIMEOUT_MS = 2_000;

/** Whether the database answers a query on the table that registrations need. */
export function databaseCheck(database: D1Database | undefined): DatabaseCheck {
  return async () => {
    if (database === undefined) return 'not_bound';
    const answered = database
      .prepare('SELECT 1 FROM registrations LIMIT 1')
      .all()
      .then(
        () => true,
        () => false,
      );
    const tooLate = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), CHECK_TIMEOUT_MS));
    return (await Promise.race([answered, tooLate])) ? 'ok' : 'unreachable';
  };
}
