import { randomBytes } from 'node:crypto';
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { blockDigest, blockKey } from '../../platform/block-stores.ts';
import { applyMigrations, type Database } from '../../platform/d1/database.ts';
import { readSigningSecrets } from '../../platform/environment.ts';
import { UserError } from '../../publication/content-problem.ts';
import { demoPayments } from '../../schemas/commerce/stablecoin-payments.ts';
import { LOCAL_PORT } from '../../schemas/deployment.ts';
import { buildEnvironment, isLoopbackOrigin } from '../describe-deployment.ts';
import { type BlockNamespace, type HeldBlock, readNote } from '../kv/block-namespace.ts';
import { expectWrangler, QUIET_ENVIRONMENT } from '../run-process.ts';

/** Folder in which wrangler keeps the local KV and D1. */
export const LOCAL_STATE = '.wrangler/state';

/**
 * Adds random secrets to `.dev.vars` that it lacks: for signing, for test payment webhooks, and for the dashboard, which it returns.
 *
 * @throws {UserError} If its signing secret is unusable or a published sample.
 */
export async function ensureLocalSecret(root: string): Promise<string> {
  const path = join(root, '.dev.vars');
  const present = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT')
      throw new UserError(`.dev.vars cannot be read (${error.code}); it holds SIGNING_SECRETS, so make it a readable file`);
    return '';
  });
  const given = settingIn(present, 'SIGNING_SECRETS');
  if (given !== undefined) {
    const secrets = await readSigningSecrets(given, 'live');
    if ('missing' in secrets)
      throw new UserError(
        `SIGNING_SECRETS in .dev.vars cannot be used: ${secrets.missing} Delete the line, and npm start creates a secret.`,
      );
  }
  const admin = settingIn(present, 'ADMIN_SECRET');
  const adminSecret = admin ?? (await randomSecret());
  const lines =
    (given === undefined ? `SIGNING_SECRETS=1:${await randomSecret()}\n` : '') +
    (settingIn(present, 'STRIPE_WEBHOOK_SECRETS') === undefined
      ? `STRIPE_WEBHOOK_SECRETS=whsec_${randomBytes(24).toString('base64url')}\n`
      : '') +
    (admin === undefined ? `ADMIN_SECRET=${adminSecret}\n` : '');
  if (present === '')
    await writeFile(path, `# Secrets of this machine, created by npm start. Do not commit them.\n${lines}`, { mode: 0o600 });
  else if (lines !== '') await appendFile(path, `${present.endsWith('\n') ? '' : '\n'}${lines}`);
  return adminSecret;
}

/**
 * Settings of a build for this machine. At a loopback address, payments are a demonstration as far as neither the environment nor `.dev.vars`
 * says otherwise.
 *
 * @param address Where the server listens; `BASE_URL` overrides it.
 */
export async function localSettings(root: string, environment: Readonly<Record<string, string | undefined>>, address: string) {
  const settings = buildEnvironment(environment);
  const baseUrl = settings.baseUrl || address;
  const stripeKey = settingIn(await readFile(join(root, '.dev.vars'), 'utf8'), 'STRIPE_SECRET_KEY');
  return { ...settings, baseUrl, ...(stripeKey || !isLoopbackOrigin(baseUrl) ? {} : { demoPayments: demoPayments(baseUrl) }) };
}

/** The port that `PORT` names, or {@link LOCAL_PORT}. @throws {UserError} If it is not a port or is in use; the message says how to run `command` on another one. */
export async function freePort(setting: string | undefined, command: string) {
  const port = readPort(setting);
  if (!(await portIsFree(port))) {
    const other = port === LOCAL_PORT + 2 ? LOCAL_PORT : LOCAL_PORT + 2;
    throw new UserError(`port ${port} is in use; stop the program that uses it, or choose another port: PORT=${other} ${command}`);
  }
  return { port, address: port === 80 ? 'http://127.0.0.1' : `http://127.0.0.1:${port}` };
}

function readPort(text: string | undefined): number {
  if (text === undefined || text === '') return LOCAL_PORT;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new UserError(`PORT=${text} is not a port; use a number from 1 to 65535`);
  return port;
}

function portIsFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/** Value of a setting in the text of `.dev.vars`. The last line counts, as for wrangler. */
export function settingIn(text: string, name: string): string | undefined {
  const values = text.split('\n').flatMap((line) => {
    const at = line.indexOf('=');
    const named = line
      .slice(0, Math.max(at, 0))
      .trim()
      .replace(/^export\s/, '')
      .trim();
    return named === name ? [line.slice(at + 1).trim()] : [];
  });
  return values.at(-1)?.replace(/^(['"`])(.*)\1$/, '$2');
}

/** A random secret that is accepted; very few contain a rejected word by chance. */
async function randomSecret(): Promise<string> {
  for (;;) {
    const secret = randomBytes(32).toString('base64url');
    if (!('missing' in (await readSigningSecrets(`1:${secret}`, 'live')))) return secret;
  }
}

const MIGRATIONS = join(import.meta.dirname, '../../platform/d1/migrations');

interface LocalBindings {
  readonly CAPSULES: KvBinding;
  readonly STATE: Database;
}

/** Opens the stores of `npm start`, and closes them after `use`. @throws {UserError} If wrangler is not installed. */
export async function withLocalBindings<T>(root: string, use: (bindings: LocalBindings) => Promise<T>): Promise<T> {
  await expectWrangler();
  Object.assign(process.env, QUIET_ENVIRONMENT);
  // Loaded late: wrangler is large, and most mistakes are found before.
  const { getPlatformProxy } = await import('wrangler');
  const proxy = await getPlatformProxy<Record<keyof LocalBindings, unknown>>({
    configPath: join(root, 'wrangler.toml'),
    persist: { path: join(root, LOCAL_STATE, 'v3') },
    // Needs no secrets: without this option, wrangler reads .dev.vars and logs it.
    envFiles: [join(root, LOCAL_STATE, 'no-secrets')],
  });
  try {
    return await use(proxy.env as LocalBindings);
  } finally {
    await proxy.dispose();
  }
}

export async function migrateLocally(database: Database): Promise<void> {
  const { unstable_splitSqlQuery: splitSql } = await import('wrangler');
  const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort();
  const migrations = names.map(async (name) => ({ name, statements: splitSql(await readFile(join(MIGRATIONS, name), 'utf8')) }));
  await applyMigrations(database, await Promise.all(migrations));
}

interface KvBinding {
  readonly list: (options: { prefix: string; cursor?: string }) => Promise<{
    keys: { name: string; metadata?: unknown }[];
    list_complete: boolean;
    cursor?: string;
  }>;
  readonly get: (key: string, type: 'arrayBuffer') => Promise<ArrayBuffer | null>;
  readonly put: (key: string, value: Uint8Array, options: { metadata: unknown }) => Promise<void>;
  readonly delete: (key: string) => Promise<void>;
}

/** Opens the local KV namespace, and closes it after `use`. */
export function withLocalNamespace<T>(root: string, use: (namespace: BlockNamespace) => Promise<T>): Promise<T> {
  return withLocalBindings(root, ({ CAPSULES }) => use(bindingNamespace(CAPSULES)));
}

export function bindingNamespace(binding: KvBinding): BlockNamespace {
  return {
    list: () => listAll(binding),
    read: async (digests) => {
      const blocks = new Map<string, Uint8Array>();
      for (const sha256 of digests) {
        const value = await binding.get(blockKey(sha256), 'arrayBuffer');
        if (value !== null) blocks.set(sha256, new Uint8Array(value));
      }
      return blocks;
    },
    write: async (blocks) => {
      for (const { sha256, value, note } of blocks) await binding.put(blockKey(sha256), value, { metadata: note });
    },
    remove: async (digests) => {
      for (const sha256 of digests) await binding.delete(blockKey(sha256));
    },
  };
}

async function listAll(binding: KvBinding): Promise<HeldBlock[]> {
  const held: HeldBlock[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await binding.list({ prefix: blockKey(''), ...(cursor === undefined ? {} : { cursor }) });
    for (const { name, metadata } of page.keys) held.push({ sha256: blockDigest(name), note: readNote(metadata) });
    if (page.list_complete || page.cursor === undefined) return held;
    cursor = page.cursor;
  }
}
