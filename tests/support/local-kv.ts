import type { GenerationStore } from '../../src/build/corpus-blocks/generation-store.ts';
import { publishBlocks } from '../../src/build/kv/publish-blocks.ts';
import { bindingNamespace, migrateLocally, withLocalBindings } from '../../src/build/local/local-stores.ts';
import { startWorkerd } from './workerd.ts';

/** Wrangler's simulator of one KV namespace, as workers are given it. */
export interface LocalKv {
  /** The binding; what is looked at is a matter of whoever asks. */
  readonly binding: <T>() => T;
  readonly stop: () => Promise<void>;
}

export async function startLocalKv(): Promise<LocalKv> {
  const modules = { 'empty.js': { type: 'esm', contents: 'export default {}' } } as const;
  const miniflare = startWorkerd([{ name: 'store', modules, env: { CAPSULES: { type: 'kv', id: 'capsules' } } }]);
  const namespace: unknown = await miniflare.getKVNamespace('CAPSULES');
  return { binding: <T>() => namespace as T, stop: () => miniflare.dispose() };
}

/** Fills the local KV of a folder with the blocks of a build, and makes the tables of its local database. */
export async function fillLocalKv(folder: string, store: GenerationStore): Promise<void> {
  await withLocalBindings(folder, async ({ CAPSULES, STATE }) => {
    await migrateLocally(STATE);
    const options = { overBudget: true, dropEarlier: true, now: new Date(), report: () => undefined };
    await publishBlocks(bindingNamespace(CAPSULES), store, { ...options, findLive: async () => 'none' });
  });
}
