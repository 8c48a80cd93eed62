import { type ChildProcess, spawn } from 'node:child_process';
import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './paths.ts';
import { freePort } from './project-copy.ts';

export interface DevPublication {
  readonly folder: string;
  readonly write: (path: string, text: string) => Promise<void>;
  readonly remove: () => Promise<void>;
}

const PUBLISHER = `name: Bench and wheel
tagline: How we repair bicycles in our workshop
description: What a bicycle workshop learned about brakes, gears and wheels, written down for riders and for agents.
base_url: https://bench-and-wheel.net
issuer: did:web:bench-and-wheel.net
contact_email: desk@bench-and-wheel.net
license: CC-BY-4.0
updated: 2026-11-01
`;

export async function makeDevPublication(name: string): Promise<DevPublication> {
  const folder = join(ROOT, '.akg', name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'content/capsules'), { recursive: true });
  await cp(join(ROOT, 'wrangler.toml'), join(folder, 'wrangler.toml'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const write = (path: string, text: string): Promise<void> => writeFile(join(folder, 'content', path), text);
  await write('publisher.yaml', PUBLISHER);
  return { folder, write, remove: () => rm(folder, { recursive: true, force: true }) };
}

export interface DevService {
  readonly address: string;
  readonly output: () => string;
  /** Resolves once the output has a text that it did not have when this was called. */
  readonly says: (text: string) => Promise<void>;
  /** Ends it as Ctrl-C does, and gives the exit code. */
  readonly interrupt: () => Promise<number | null>;
}

/** Runs `npm run dev` in a publication until it serves; `astro dev` instead if it is wanted alone. */
export async function startDev(folder: string, alone = false): Promise<DevService> {
  const port = await freePort();
  const command = alone
    ? [join(ROOT, 'node_modules/astro/bin/astro.mjs'), 'dev', '--port', `${port}`, '--host', '127.0.0.1']
    : [join(ROOT, 'src/cli/akg.mjs'), 'dev'];
  const child: ChildProcess = spawn(process.execPath, command, {
    cwd: folder,
    // Vitest sets BASE_URL and VITEST, which would change what is served. Its NODE_ENV stays: what a shell has set there must not matter.
    env: { ...process.env, PORT: String(port), BASE_URL: '', VITEST: '', ASTRO_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
      for (const listener of listeners) listener();
    });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const says = (text: string): Promise<void> => {
    const from = output.length;
    return new Promise((resolve, reject) => {
      const listener = (): void => {
        if (!output.slice(from).includes(text)) return;
        listeners.delete(listener);
        resolve();
      };
      listeners.add(listener);
      void exited.then((code) => reject(new Error(`npm run dev ended with ${code}:\n${output}`)));
    });
  };
  await says(alone ? 'watching for file changes' : 'Stop with Ctrl-C');
  return {
    address: `http://127.0.0.1:${port}`,
    output: () => output,
    says,
    interrupt: () => {
      child.kill('SIGINT');
      return exited;
    },
  };
}
