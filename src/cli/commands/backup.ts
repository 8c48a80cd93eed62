import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import * as z from 'zod';
import { storageOf } from '../../build/describe-deployment.ts';
import { BlockNote, type RemoteNamespace, remoteNamespace } from '../../build/kv/block-namespace.ts';
import { withDatabase } from '../../build/local/d1-connections.ts';
import { LOCAL_STATE } from '../../build/local/local-stores.ts';
import { requireNamespace } from '../../build/wrangler-settings.ts';
import { countAllRows, readAllTables, type TableRows, writeTables } from '../../platform/d1/backup.ts';
import type { Database } from '../../platform/d1/database.ts';
import { sha256Hex } from '../../provenance/bytes-and-sha256.ts';
import { UserError } from '../../publication/content-problem.ts';
import { KEYS_FILE } from '../../publication/read/read-keys.ts';
import { LEDGER_FILE } from '../../publication/read/version-ledger.ts';
import { loadPublisher } from '../../publication/read-publisher.ts';
import type { BlockStorage } from '../../schemas/publisher.ts';
import { writeNewFile } from '../capsules/capsule-file.ts';
import { defineCommand, examples } from '../define-command.ts';

export const command = defineCommand()
  .description(
    `Save what is at Cloudflare into one file: the rows of the database (agents, orders, proposals), the published blocks, public keys and the list of what was published. The file holds addresses of buyers and texts that are sold: keep it as you keep secrets. Secrets themselves are not in it. A file that exists is never overwritten; the default name has the time (UTC).

Restore it with "akg restore --from <file>", into a new database.`,
  )
  .argument('[file]', 'file to write', `backup-${new Date().toISOString().slice(0, 19).replace(/[T:]/g, '-')}.jsonl.gz`)
  .option('--local', 'save the database of "npm start" instead of what is at Cloudflare')
  .addHelpText('after', examples('npm run backup', 'npm run backup -- ../before-the-move.jsonl.gz'))
  .action(async (file, { local }) => {
    const root = process.cwd();
    const publisher = await loadPublisher(root, { baseUrl: process.env['BASE_URL'] });
    const { rows, blocks } = await withStores(root, storageOf(publisher, process.env['STORAGE']), local, (stores) =>
      writeBackup(root, file, stores, { created: new Date(), site: publisher.base_url }),
    );
    console.log(`${file}: ${rows} rows, ${blocks} blocks`);
    console.log(
      `It may hold addresses of buyers and texts that are sold: keep it out of git. To restore it: npm run restore:kv -- --from ${file}${local ? ' --local' : ''}`,
    );
  });

/** Stores of a deployment; without KV where blocks are files of the site. */
interface Stores {
  readonly database: Database;
  readonly namespace: RemoteNamespace | undefined;
}

/**
 * Opens the stores at Cloudflare, or of this machine the database alone: `npm start` writes its blocks anew.
 *
 * @throws {UserError} If wrangler.toml has no id of the namespace yet.
 */
export async function withStores<T>(
  root: string,
  storage: BlockStorage,
  isLocal: boolean | undefined,
  use: (stores: Stores) => Promise<T>,
): Promise<T> {
  const hasNamespace = storage === 'kv' && !isLocal;
  if (hasNamespace) await requireNamespace(root);
  return withDatabase(root, isLocal ? 'local' : 'remote', (database) =>
    use({ database, namespace: hasNamespace ? remoteNamespace(root) : undefined }),
  );
}

/** Files of the publication that cannot be made again: public keys, and records of what was published. */
const FILES: readonly string[] = [KEYS_FILE, LEDGER_FILE];

const Line = z.union([
  z.strictObject({ format: z.literal('akg-backup/1'), created: z.iso.datetime(), site: z.url() }),
  z.strictObject({ file: z.enum(FILES), text: z.string() }),
  z.strictObject({
    table: z.string().regex(/^[a-z0-9_]+$/),
    rows: z.array(z.record(z.string().regex(/^[a-z0-9_]+$/), z.union([z.string(), z.int(), z.null()]))),
  }),
  z.strictObject({ block: z.string(), note: BlockNote, value: z.base64() }),
]);
type Line = z.infer<typeof Line>;

/** Blocks written to KV at once. */
const BLOCKS_AT_ONCE = 100;

/** Saves the state, the published blocks and files of the publication into one file: gzip of lines of JSON, the last the SHA-256 of all others. */
export async function writeBackup(
  root: string,
  path: string,
  { database, namespace }: Stores,
  about: { readonly created: Date; readonly site: string },
) {
  const lines: Line[] = [{ format: 'akg-backup/1', created: about.created.toISOString(), site: about.site }];
  for (const file of FILES) {
    const text = await readFile(join(root, file), 'utf8').catch(() => undefined);
    if (text !== undefined) lines.push({ file, text });
  }
  const tables = await readAllTables(database);
  lines.push(...tables.map(({ table, rows }) => ({ table, rows: [...rows] })));
  const held = (await namespace?.list()) ?? [];
  const values = await namespace?.read(held.map(({ sha256 }) => sha256));
  for (const { sha256, note } of held) {
    if (note === undefined || namespace === undefined) continue;
    let value = values?.get(sha256);
    // Blocks that are no text arrive whole one by one only.
    if (value === undefined || (await sha256Hex(value)) !== sha256) value = await namespace.readBytes(sha256);
    if ((await sha256Hex(value)) !== sha256)
      throw new UserError(`KV has no sound block ${sha256}: run "npm run publish:kv", then this command again`);
    lines.push({ block: sha256, note, value: Buffer.from(value).toString('base64') });
  }
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const digest = createHash('sha256').update(text).digest('hex');
  await writeNewFile(path, await promisify(gzip)(`${text}${digest}\n`), `${path} exists: name another file`, 0o600);
  return { rows: rowsOf(tables), blocks: lines.filter((line) => 'block' in line).length };
}

/** Writes a backup into stores, and files where they are missing. @param isResumed Whether rows may be there already, of an interrupted run. */
export async function restoreBackup(root: string, path: string, { database, namespace }: Stores, isResumed: boolean, isLocal = false) {
  const lines = await readBackup(path);
  const tables: TableRows[] = lines.flatMap((line) => ('table' in line ? [line] : []));
  const blocks = lines.flatMap((line) => ('block' in line ? [line] : []));
  if (!isResumed && (await countAllRows(database)) > 0)
    throw new UserError(
      `the database holds rows already: ${isLocal ? `delete ${LOCAL_STATE}` : 'for a new one, write zeros in the place of database_id in wrangler.toml and run "npm run setup"'}, or add --resume if an earlier run was interrupted`,
    );
  for (const line of lines) if ('file' in line && !existsSync(join(root, line.file))) await writeFile(join(root, line.file), line.text);
  const held = new Set(((await namespace?.list()) ?? []).map(({ sha256 }) => sha256));
  const missing = blocks.filter(({ block }) => !held.has(block));
  // Manifests last, as a publish writes them.
  missing.sort((a, b) => Number(a.note.kind === 'manifest') - Number(b.note.kind === 'manifest'));
  for (let from = 0; from < missing.length; from += BLOCKS_AT_ONCE)
    await namespace?.write(
      missing
        .slice(from, from + BLOCKS_AT_ONCE)
        .map(({ block, note, value }) => ({ sha256: block, note, value: Buffer.from(value, 'base64') })),
    );
  await writeTables(database, tables);
  return { rows: rowsOf(tables), blocks: missing.length };
}

async function readBackup(path: string): Promise<Line[]> {
  const damaged = (why: string): UserError => new UserError(`${path} is no sound backup: ${why}. Take another one`);
  const packed = await readFile(path).catch(() => undefined);
  if (packed === undefined) throw new UserError(`${path} cannot be read`);
  const unpacked = await promisify(gunzip)(packed).catch(() => undefined);
  if (unpacked === undefined) throw damaged('it cannot be unpacked');
  const text = unpacked.toString('utf8');
  const end = text.lastIndexOf('\n', text.length - 2) + 1;
  const body = text.slice(0, end);
  if (createHash('sha256').update(body).digest('hex') !== text.slice(end).trim()) throw damaged('its digest does not match');
  const lines = body
    .trimEnd()
    .split('\n')
    .map((line) => Line.safeParse(JSON.parse(line)).data);
  if (!lines.every((line) => line !== undefined) || !('format' in (lines[0] ?? {}))) throw damaged('another version of the engine made it');
  for (const line of lines)
    if ('block' in line && (await sha256Hex(Buffer.from(line.value, 'base64'))) !== line.block)
      throw damaged(`block ${line.block} is altered`);
  return lines;
}

function rowsOf(tables: readonly TableRows[]): number {
  return tables.reduce((sum, { rows }) => sum + rows.length, 0);
}
