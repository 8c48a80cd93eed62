import { type BuiltGeneration, buildGeneration } from '../../src/build/corpus-blocks/build-generation.ts';
import { blocksOf, GenerationStore } from '../../src/build/corpus-blocks/generation-store.ts';
import type { NeededBlock } from '../../src/build/kv/block-namespace.ts';
import type { DeployedGeneration } from '../../src/gateway/knowledge/corpus.ts';
import { sha256Hex } from '../../src/provenance/bytes-and-sha256.ts';
import { canonicalJson } from '../../src/provenance/canonical-json.ts';
import type { LoggedChange } from '../../src/provenance/change-log.ts';
import type { AuthoredContent } from '../../src/publication/authored-content.ts';
import { payableContent, publishCapsules } from '../../src/publication/publish/published-capsules.ts';
import type { GenerationManifest } from '../../src/schemas/knowledge/generation-manifest.ts';
import { builtBlocks, builtGenerated, type EdgeOptions } from './edge-gateway.ts';
import { TEST_BASE_URL } from './paths.ts';
import { readSample } from './sample-content.ts';

export interface TwoGenerations {
  readonly older: BuiltGeneration;
  readonly newer: BuiltGeneration;
  readonly blocks: ReadonlyMap<string, Uint8Array>;
}

export const ADDED = ['bm25', 'bm25f'];

export async function sampleContent(): Promise<AuthoredContent> {
  return payableContent(await readSample({ baseUrl: TEST_BASE_URL }), 'edge');
}

/** Lets a generation take effect in a folder, as a build does at its end. */
export async function saveGeneration(root: string, generation: BuiltGeneration): Promise<void> {
  const store = new GenerationStore(root);
  await store.prepare(generation, root);
  await store.collectGarbage();
}

/** Publishes contents one after another: each generation lists those before it and goes on with their log. Oldest first. */
export async function publishInTurn(
  contents: readonly AuthoredContent[],
  before: readonly BuiltGeneration[] = [],
): Promise<BuiltGeneration[]> {
  const published = [...before];
  for (const content of contents) {
    const newest = published.at(-1);
    published.push(await buildGeneration(await publishCapsules(content), published.toReversed(), newest ? { changes: logOf(newest) } : {}));
  }
  return published;
}

export async function makeTwoGenerations(): Promise<TwoGenerations> {
  const capsules = await publishCapsules(await sampleContent());
  const older = await buildGeneration(
    capsules.filter(({ id }) => !ADDED.includes(id)),
    [],
  );
  const newer = await buildGeneration(capsules, [older], { changes: logOf(older) });
  return { older, newer, blocks: new Map([...older.blocks, ...newer.blocks]) };
}

/** The built service over a generation whose named blocks are whole but hold no such thing. */
export async function withForeignBlocks(names: readonly string[]): Promise<EdgeOptions> {
  const { generation } = await builtGenerated();
  const bytes = new TextEncoder().encode('neither JSON nor an index');
  const foreign = { sha256: await sha256Hex(bytes), bytes: bytes.length };
  const blocks = { ...generation.manifest.blocks } as Record<string, object[]>;
  for (const name of names) blocks[name] = (blocks[name] ?? []).map((reference) => ({ ...reference, ...foreign }));
  const foreignManifest = { ...generation.manifest, blocks } as GenerationManifest;
  // A publication that was built before may list generations that still answer.
  const manifest = { ...foreignManifest, previous: [] };
  return { generated: { generation: { ...generation, manifest } }, blocks: new Map([...(await builtBlocks()), [foreign.sha256, bytes]]) };
}

/** The built service with a mistake of ours: the manifest that the build made names no blocks. */
export async function withoutBlocks(): Promise<EdgeOptions> {
  const { generation } = await builtGenerated();
  return { generated: { generation: { ...generation, manifest: { ...generation.manifest, blocks: null as never } } } };
}

/** The built service over a generation that lists an earlier one, whose manifest is of a layout that is not read. */
export async function withForeignHistory(): Promise<EdgeOptions & { readonly earlier: string }> {
  const { generation } = await builtGenerated();
  const bytes = new TextEncoder().encode(canonicalJson({ ...generation.manifest, format: 999 }));
  const earlier = await sha256Hex(bytes);
  const listed: DeployedGeneration = { ...generation, manifest: { ...generation.manifest, previous: [earlier] } };
  return { generated: { generation: listed }, blocks: new Map([...(await builtBlocks()), [earlier, bytes]]), earlier };
}

export function ownBlocks(generation: BuiltGeneration): Promise<NeededBlock[]> {
  return blocksOf(generation, async (sha256) => generation.blocks.get(sha256));
}

export function logOf({ manifest, blocks }: Pick<BuiltGeneration, 'manifest' | 'blocks'>): LoggedChange[] {
  return manifest.blocks.changes.flatMap(({ sha256 }) => JSON.parse(new TextDecoder().decode(blocks.get(sha256))) as LoggedChange[]);
}
