/** A value that a statement takes. */
export type SqlValue = string | number | null;

/** What a statement gave. Rows only: what was changed is asked for with `RETURNING`, because not every way to D1 counts it. */
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
 * The part of a D1 binding that statements for the publisher's commands need: such an adapter works in a function, where the binding
 * is one, and in Node through `withDatabase` of src/build/local/database.ts.
 */
export interface Database {
  prepare(sql: string): Statement;
  /** Runs statements one after the other in one transaction: all of them count, or none. */
  batch<Row>(statements: Statement[]): Promise<StatementResult<Row>[]>;
}
