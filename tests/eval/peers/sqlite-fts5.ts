import { DatabaseSync } from 'node:sqlite';
import type { RankerFactory } from '../ranker.ts';
import { CREATE_FTS5, type Fts5Settings, fts5Match } from './fts5-query.ts';
import { peerDocument } from './peer-document.ts';

/** The FTS5 of the SQLite inside Node: its own `porter` analysis and `bm25()`, the words of a query without stop words joined by OR. */
export function sqliteFts5(name: string, { titleWeight }: Fts5Settings): RankerFactory {
  return {
    name,
    make: async (documents) => {
      const database = new DatabaseSync(':memory:');
      database.exec(CREATE_FTS5);
      const insert = database.prepare('INSERT INTO docs (rowid, title, body) VALUES (?, ?, ?)');
      database.exec('BEGIN');
      documents.map(peerDocument).forEach(({ title, body }, number) => {
        insert.run(number, title, body);
      });
      database.exec('COMMIT');
      const select = database.prepare('SELECT rowid FROM docs WHERE docs MATCH ? ORDER BY bm25(docs, ?, 1.0), rowid LIMIT ?');
      return {
        name,
        rank: async (query, depth) => {
          const match = fts5Match(query);
          if (match === undefined) return [];
          return select.all(match, titleWeight, depth).flatMap(({ rowid }) => documents[Number(rowid)]?.id ?? []);
        },
      };
    },
  };
}
