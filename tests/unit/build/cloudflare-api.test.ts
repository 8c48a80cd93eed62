import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { cloudflareApi } from '../../../src/build/cloudflare-api.ts';
import { type BlockNote, type RemoteNamespace, remoteNamespace, type WrittenBlock } from '../../../src/build/kv/block-namespace.ts';
import { remoteDatabase } from '../../../src/build/local/d1-connections.ts';
import { sha256Hex } from '../../../src/provenance/bytes-and-sha256.ts';
import { type CloudflareAccount, startCloudflareAccount } from '../../support/cloudflare-api.ts';
import { sharedFolder } from '../publication/content-world.ts';

const NAMESPACE = 'a'.repeat(32);
const DATABASE = 'd0000000-0000-4000-8000-000000000001';
let account: CloudflareAccount;
const folder = sharedFolder();
/** Statuses with which the next requests are answered. */
const refusals: number[] = [];
const asked: string[] = [];
beforeAll(async () => {
  await writeFile(
    join(folder, 'wrangler.toml'),
    `[[kv_namespaces]]\nbinding = "CAPSULES"\nid = "${NAMESPACE}"\n[[d1_databases]]\nbinding = "STATE"\ndatabase_id = "${DATABASE}"\n`,
  );
  account = await startCloudflareAccount({
    onRequest: (method, path) => {
      asked.push(`${method} ${path}`);
      return refusals.shift();
    },
  });
  account.namespaces.set(NAMESPACE, { title: 'capsules', keys: new Map() });
  account.databases.set(DATABASE, { name: 'state', database: account.newDatabase() });
  for (const [name, value] of Object.entries(account.environment)) vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await account.stop();
});

async function blockOf(value: Uint8Array): Promise<WrittenBlock> {
  const note: BlockNote = { kind: 'documents', bytes: value.length, written: '2026-11-21T00:00:00.000Z' };
  return { sha256: await sha256Hex(value), value, note };
}

describe('the account at Cloudflare', () => {
  it('keeps blocks of any bytes, lists more of them than a page has, and removes them', async () => {
    const namespace: RemoteNamespace = remoteNamespace(folder);
    const texts = ['{"format":2}', '["a"]\n"[Grüße] {日本}"\n', '\u0000\u0001', ...Array.from({ length: 1_200 }, (_, at) => `text ${at}`)];
    const blocks = await Promise.all(texts.map((text) => blockOf(new TextEncoder().encode(text))));
    const binary = await blockOf(new Uint8Array([0, 255, 254, 10, 195, 40]));
    await namespace.write([...blocks, binary]);
    const held = await namespace.list();
    expect(held.map(({ sha256 }) => sha256).sort()).toEqual([...blocks, binary].map(({ sha256 }) => sha256).sort());
    expect(held.every(({ note }) => note?.kind === 'documents')).toBe(true);
    const read = await namespace.read([...blocks.map(({ sha256 }) => sha256), 'f'.repeat(64)]);
    expect([...read]).toEqual(blocks.map(({ sha256, value }) => [sha256, value]));
    expect([...(await namespace.readBytes(binary.sha256))]).toEqual([...binary.value]);
    await namespace.remove(held.slice(1).map(({ sha256 }) => sha256));
    expect((await namespace.list()).map(({ sha256 }) => sha256)).toEqual([held[0]?.sha256]);
    await expect(namespace.readBytes(binary.sha256)).rejects.toThrow('answered 404 (/storage/kv/namespaces/');
  });

  it('takes and gives any text in the database', async () => {
    const text = `O'Neil; "--" ?1 $(x) \\ %s 🤖 \u0007`;
    const database = remoteDatabase(folder);
    account.databases.get(DATABASE)?.database.exec('CREATE TABLE words (word TEXT PRIMARY KEY, count INTEGER)');
    const insert = database.prepare('INSERT INTO words VALUES (?1, ?2)').bind(text, 1);
    const select = database.prepare('SELECT word, count, NULL AS absent FROM words WHERE word = ?1').bind(text);
    const update = database.prepare('UPDATE words SET count = count + 1 WHERE word = ?1 RETURNING count').bind(text);
    expect((await database.batch([insert, select, update])).map(({ results }) => results)).toEqual([
      [],
      [{ word: text, count: 1, absent: null }],
      [{ count: 2 }],
    ]);
    await expect(insert.all()).rejects.toThrow('UNIQUE constraint failed');
  });

  it('repeats what came too often, and what is safe to repeat after a failure of the server', async () => {
    const api = cloudflareApi(folder);
    await api.accounts();
    refusals.push(429, 503);
    expect(await api.list('/d1/database')).toEqual([expect.objectContaining({ uuid: DATABASE })]);
    asked.length = 0;
    refusals.push(429, 503);
    const query = api.request(`/d1/database/${DATABASE}/query`, { method: 'POST', body: { sql: 'SELECT 1' } });
    await expect(query).rejects.toMatchObject({ status: 503, message: expect.stringContaining('refused by the test') });
    expect(asked).toHaveLength(2);
  });
});
