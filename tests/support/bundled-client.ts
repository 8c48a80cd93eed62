import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleClient } from '../../src/package/bundle-client.ts';

/** The client as it is packed. */
export type ClientModule = typeof import('../../src/client/gateway.ts');

/** Imports the bundle that the package exports. */
export async function importClient(): Promise<ClientModule> {
  const folder = await mkdtemp(join(tmpdir(), 'client-'));
  try {
    const file = join(folder, 'gateway.mjs');
    await writeFile(file, await bundleClient());
    return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as ClientModule;
  } finally {
    await rm(folder, { recursive: true });
  }
}
