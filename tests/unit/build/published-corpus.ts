import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type BuiltGeneration, buildGeneration } from '../../../src/build/corpus-blocks/build-generation.ts';
import type { ListSizes } from '../../../src/build/corpus-blocks/divide-records-into-pages.ts';
import { GenerationStore } from '../../../src/build/corpus-blocks/generation-store.ts';
import type { BlockNamespace } from '../../../src/build/kv/block-namespace.ts';
import type { LiveVersion } from '../../../src/build/kv/plan-garbage-collection.ts';
import { type PublishOptions, type PublishOutcome, publishBlocks } from '../../../src/build/kv/publish-blocks.ts';
import { restoreFromNamespace } from '../../../src/build/kv/restore-generations.ts';
import { bindingNamespace } from '../../../src/build/local/local-stores.ts';
import { dayOf } from '../../../src/schemas/time.ts';
import type { PublishedCapsule } from '../../../src/text/publication-model.ts';
import { ownBlocks, saveGeneration } from '../../support/generations.ts';
import { type LocalKv, startLocalKv } from '../../support/local-kv.ts';
import { temporaryFolder } from '../publication/content-world.ts';

export function edition(capsules: readonly PublishedCapsule[], number: number): PublishedCapsule[] {
  const [first, ...rest] = capsules.slice(0, 3);
  if (first === undefined) throw new Error('no capsules');
  return [{ ...first, metadata: { ...first.metadata, summary: `Edition ${number}` } }, ...rest];
}

export class Machine {
  readonly store: GenerationStore;
  readonly lines: string[] = [];
  readonly #folder: string;
  readonly #namespace: BlockNamespace;

  private constructor(folder: string, namespace: BlockNamespace) {
    this.#folder = folder;
    this.#namespace = namespace;
    this.store = new GenerationStore(folder);
  }

  static async fresh(namespace: BlockNamespace): Promise<Machine> {
    return new Machine(await temporaryFolder(), namespace);
  }

  async build(capsules: readonly PublishedCapsule[], lists?: ListSizes): Promise<BuiltGeneration> {
    const options = { changes: await this.store.changes(), ...(lists ? { lists } : {}) };
    const built = await buildGeneration(capsules, await this.store.history(), options);
    await saveGeneration(this.#folder, built);
    return built;
  }

  publish(day: string, live: LiveVersion, options: Partial<PublishOptions> = {}): Promise<PublishOutcome> {
    return publishBlocks(this.#namespace, this.store, {
      findLive: async () => live,
      now: new Date(`${day}T12:00:00Z`),
      report: (line) => this.lines.push(line),
      ...options,
    });
  }

  restore(): Promise<number> {
    return restoreFromNamespace(this.#namespace, this.store);
  }
}

/** A simulated namespace for the tests of a file or a suite, which call it at their top: it is empty before each. */
export function useNamespace() {
  let kv: LocalKv;
  let namespace: BlockNamespace;
  beforeAll(async () => {
    kv = await startLocalKv();
  });
  afterAll(() => kv.stop());
  beforeEach(async () => {
    namespace = bindingNamespace(kv.binding<Parameters<typeof bindingNamespace>[0]>());
    await namespace.remove((await namespace.list()).map(({ sha256 }) => sha256));
  });
  return {
    binding: <T>(): T => kv.binding<T>(),
    namespace: (): BlockNamespace => namespace,
    freshMachine: (over = namespace): Promise<Machine> => Machine.fresh(over),
  };
}

export const day = (number: number): string => dayOf(Date.UTC(2026, 0, 1 + number));

/** Digests that a namespace lacks of some generations. */
export async function lost(namespace: BlockNamespace, generations: readonly BuiltGeneration[]): Promise<string[]> {
  const held = new Set((await namespace.list()).map(({ sha256 }) => sha256));
  return (await Promise.all(generations.map(ownBlocks))).flat().flatMap(({ sha256 }) => (held.has(sha256) ? [] : [sha256]));
}
