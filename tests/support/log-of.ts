import type { BuiltGeneration } from '../../src/build/generation/generation.ts';
import type { LoggedChange } from '../../src/provenance/change-log.ts';

/** Log of changes of a generation, oldest event first, from its own blocks. */
export function logOf({ manifest, blocks }: Pick<BuiltGeneration, 'manifest' | 'blocks'>): LoggedChange[] {
  return manifest.blocks.changes.flatMap(({ sha256 }) => JSON.parse(new TextDecoder().decode(blocks.get(sha256))) as LoggedChange[]);
}
