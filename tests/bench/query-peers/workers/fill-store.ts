import type { Database } from '../../../../src/platform/d1/database.ts';
import { CREATE_FTS5 } from '../../../eval/peers/peer-settings.ts';
import type { EngineWorker } from './serve-engine.ts';

export interface FillBindings {
  readonly STORE: { put(key: string, value: ArrayBuffer): Promise<void> };
  readonly DATABASE: Database;
}

const INSERT_DOCS =
  "INSERT INTO docs (rowid, title, body) SELECT value ->> 'number', value ->> 'title', value ->> 'body' FROM json_each(?1)";
const INSERT_IDS = "INSERT INTO ids (number, id) SELECT value ->> 'number', value ->> 'id' FROM json_each(?1)";

/**
 * Fills stores from inside: `PUT /kv/<key>` writes a value, `POST /d1/tables` makes tables, `POST /d1/documents` adds an array of
 * `{number, id, title, body}`, `POST /d1/finish` merges the index and answers with the bytes of the database.
 */
export function engineWorker(): EngineWorker<FillBindings> {
  return {
    fetch: async (request, { STORE, DATABASE }) => {
      const { pathname } = new URL(request.url);
      if (request.method === 'PUT') await STORE.put(pathname.replace('/kv/', ''), await request.arrayBuffer());
      if (pathname === '/d1/tables')
        await DATABASE.batch([
          DATABASE.prepare(CREATE_FTS5),
          DATABASE.prepare('CREATE TABLE ids (number INTEGER PRIMARY KEY, id TEXT NOT NULL)'),
        ]);
      if (pathname === '/d1/documents') {
        const documents = await request.text();
        await DATABASE.batch([INSERT_DOCS, INSERT_IDS].map((sql) => DATABASE.prepare(sql).bind(documents)));
      }
      if (pathname !== '/d1/finish') return Response.json([]);
      const finished: object = await DATABASE.prepare("INSERT INTO docs (docs) VALUES ('optimize')").all();
      return Response.json({ bytes: (finished as { readonly meta: { readonly size_after: number } }).meta.size_after });
    },
  };
}
