import type { BuiltGeneration } from '../../../src/build/corpus-blocks/build-generation.ts';
import { taggedDocuments } from '../../../src/documents/make-documents.ts';
import { blockKey } from '../../../src/platform/block-stores.ts';
import type { LoggedChange } from '../../../src/provenance/change-log.ts';
import type { AuthoredContent } from '../../../src/publication/authored-content.ts';
import type { Generated } from '../edge-gateway.ts';
import { makePublication } from '../sample-content.ts';

/** What a build gives to functions, and the blocks that it writes to KV, by their keys. */
export interface InMemoryBuild extends Pick<Awaited<ReturnType<typeof makePublication>>, 'publication' | 'generation'> {
  readonly generated: Generated;
  readonly blocks: ReadonlyMap<string, Uint8Array>;
}

/** Builds contents one after another, each a deploy that goes on from those before it, without the site and without any file. */
export async function buildInTurn(contents: readonly AuthoredContent[]): Promise<InMemoryBuild[]> {
  const builds: InMemoryBuild[] = [];
  const history: BuiltGeneration[] = [];
  let changes: readonly LoggedChange[] = [];
  for (const content of contents) {
    const made = await makePublication(content, { mode: 'edge', rateLimits: undefined }, { history, changes });
    const { version, manifest, blocks } = made.generation;
    history.unshift(made.generation);
    changes = made.log;
    const documents = await taggedDocuments(made.publication);
    builds.push({
      publication: made.publication,
      generation: made.generation,
      generated: { deployment: made.publication.deployment, generation: { version, manifest }, documents },
      blocks: new Map([...blocks].map(([sha256, bytes]) => [blockKey(sha256), bytes])),
    });
  }
  return builds;
}
