/** A D1 database that adds up the rows that its statements read and write, as D1 bills them (`meta.rows_written`). */
export interface CountedDatabase {
  readonly binding: D1Database;
  /** Rows written and read since the last call. */
  readonly taken: () => { readonly written: number; readonly read: number };
}

/** Wraps a database so that what its statements cost is counted. */
export function countedDatabase(database: D1Database): CountedDatabase {
  let written = 0;
  let read = 0;
  const count = <T>(result: D1Result<T>): D1Result<T> => {
    written += result.meta.rows_written;
    read += result.meta.rows_read;
    return result;
  };
  const plain = new WeakMap<D1PreparedStatement, D1PreparedStatement>();
  const counted = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = {
      bind: (...values: unknown[]) => counted(statement.bind(...values)),
      all: async () => count(await statement.all()),
      run: async () => count(await statement.run()),
      raw: () => statement.raw(),
      first: async () => count(await statement.all<Record<string, unknown>>()).results[0] ?? null,
    } as unknown as D1PreparedStatement;
    plain.set(wrapped, statement);
    return wrapped;
  };
  const binding = {
    prepare: (sql: string) => counted(database.prepare(sql)),
    batch: async (statements: D1PreparedStatement[]) =>
      (await database.batch(statements.map((statement) => plain.get(statement) ?? statement))).map(count),
  } as unknown as D1Database;
  return {
    binding,
    taken: () => {
      const taken = { written, read };
      [written, read] = [0, 0];
      return taken;
    },
  };
}
