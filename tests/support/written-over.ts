import type { Database } from '../../src/platform/d1/database.ts';
import { inlineSqlDatabase } from '../../src/build/local/database.ts';

/** A database that is reached as at Cloudflare, by statements with their values written into them, but in this process. */
export function writtenOver(database: Database): Database {
  return inlineSqlDatabase((statements) => database.batch(statements.map((text) => database.prepare(text))));
}
