import type { DatabaseCheck } from '../../gateway/knowledge/report-status.ts';

/** A value that a statement takes. */
export type SqlValue = string | number | null;

/** Result of a statement: rows only. Changes are counted with `RETURNING`, because not every way to D1 reports them. */
export interface StatementResult<Row> {
  readonly results: Row[];
}

/** A statement with numbered parameters, `?1` and on. */
export interface Statement {
  bind(...values: SqlValue[]): Statement;
  all<Row>(): Promise<StatementResult<Row>>;
  first<Row>(): Promise<Row | null>;
}

/**
 * The part of a D1 binding that all SQL here needs: in a function it is the binding, in Node `withDatabase` of
 * src/build/local/database.ts provides it.
 */
export interface Database {
  prepare(sql: string): Statement;
  /** Runs statements one after the other in one transaction: all of them count, or none. */
  batch<Row>(statements: Statement[]): Promise<StatementResult<Row>[]>;
}

/** Whether the database answers a query on the table that registrations need. */
export function databaseCheck(database: Pick<Database, 'prepare'> | undefined): DatabaseCheck {
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

/** The database returned something else than the result of its operation: a part was lost, or another came in its place. */
class MalformedResultError extends Error {
  override readonly name = 'MalformedResultError';
}

/**
 * The result of a statement, if it has the form that D1 promises. A row that is missing from it is then not stored, rather than lost on
 * the way.
 *
 * @param operation `first`, `all`, `run` or `raw`.
 * @param values Arguments of the operation.
 * @throws {MalformedResultError} If it does not have that form.
 */
export function requireResult(operation: string, result: unknown, values: readonly unknown[]): unknown {
  if (operation === 'first') {
    // With the name of a column it returns the value alone.
    if (result === null || isRow(result) || typeof values[0] === 'string') return result;
  } else if (operation === 'raw' ? Array.isArray(result) : hasRows(result)) return result;
  throw new MalformedResultError(`the result of "${operation}" is malformed`);
}

/**
 * The results of a batch, if there is one for each statement.
 *
 * @throws {MalformedResultError} If there is not.
 */
export function requireBatchResults(results: unknown, statements: number): unknown {
  if (Array.isArray(results) && results.length === statements && results.every(hasRows)) return results;
  throw new MalformedResultError('a batch did not return one result for each statement');
}

function hasRows(result: unknown): boolean {
  const rows = typeof result === 'object' && result !== null && 'results' in result ? result.results : undefined;
  return Array.isArray(rows) && rows.every(isRow);
}

function isRow(row: unknown): boolean {
  return typeof row === 'object' && row !== null && Object.keys(row).length > 0;
}
