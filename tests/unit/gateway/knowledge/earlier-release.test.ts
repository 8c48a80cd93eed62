import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { buildGeneration } from '../../../../src/build/corpus-blocks/build-generation.ts';
import { parseManifest } from '../../../../src/build/corpus-blocks/generation-store.ts';
import { browseCapsules } from '../../../../src/gateway/knowledge/browse-capsules.ts';
import type { DeployedGeneration } from '../../../../src/gateway/knowledge/corpus.ts';
import { queryKnowledge } from '../../../../src/gateway/knowledge/query-knowledge.ts';
import { readCapsule, similarCapsules } from '../../../../src/gateway/knowledge/read-capsule.ts';
import { readChanges } from '../../../../src/gateway/knowledge/read-changes.ts';
import { readLineage } from '../../../../src/gateway/knowledge/read-lineage.ts';
import { sha256Hex } from '../../../../src/provenance/bytes-and-sha256.ts';
import type { CorpusManifest } from '../../../../src/schemas/knowledge/corpus-responses.ts';
import { QueryRequest } from '../../../../src/schemas/knowledge/query.ts';
import { logOf } from '../../../support/generations.ts';
import { ROOT } from '../../../support/paths.ts';
import { BASE_URL, codeOf, expectValue, openCorpus, realCapsules, recordingStore } from '../real-generation.ts';

/**
 * What release 1.4.0 wrote into KV: two generations of four capsules of the sample, of which the older one lacks `bm25f`, as blocks by their
 * digests, compressed, in base64. A release must read them; one that ranks otherwise ends the pinned answers of
 * everybody who upgrades.
 */
const written = JSON.parse(readFileSync(join(ROOT, 'tests/data/generation-1.4.0.json'), 'utf8')) as {
  readonly versions: readonly [newer: string, older: string];
  readonly blocks: Readonly<Record<string, string>>;
};
const blocks = new Map(
  Object.entries(written.blocks).map(([sha256, text]) => [sha256, new Uint8Array(gunzipSync(Buffer.from(text, 'base64')))]),
);
const [newer, older] = written.versions.map((version) => {
  const manifest = parseManifest(blocks.get(version) ?? new Uint8Array());
  if (manifest === undefined) throw new Error(`the manifest ${version} is not read`);
  return { version, manifest, blocks };
}) as [DeployedGeneration & { blocks: typeof blocks }, DeployedGeneration & { blocks: typeof blocks }];
const IDS = ['bm25', 'bm25f', 'http-freshness', 'minor-units'];
const ask = (query: string, corpus_version?: string): QueryRequest => QueryRequest.parse({ query, corpus_version, max_results: 2 });

test('a generation of an earlier release answers everything that is asked of it', async () => {
  for (const [sha256, bytes] of blocks) expect(await sha256Hex(bytes)).toBe(sha256);
  const corpus = openCorpus(newer, recordingStore(newer));
  for (const id of IDS) {
    expect(expectValue(await readCapsule(id, undefined, corpus, BASE_URL))).toMatchObject({ capsule_id: id });
    expect(JSON.parse(expectValue(await readLineage({ id, cursor: undefined, hasCursors: true }, corpus)))).toMatchObject({ id });
    expect(codeOf(await similarCapsules(id, corpus, BASE_URL))).toBe('ok');
  }
  const { items } = expectValue(await browseCapsules({}, corpus, BASE_URL));
  expect(items.map(({ capsule_id }) => capsule_id).sort()).toEqual(IDS);
  const { results } = expectValue(await queryKnowledge(ask('fields of bm25f'), corpus, BASE_URL));
  expect(results[0]).toMatchObject({ capsule_id: 'bm25f' });
  expect(results[0]?.quote.text).not.toBe('');
  expect(expectValue(await readChanges({}, corpus, { manifest: {} as CorpusManifest, baseUrl: BASE_URL })).changes).toHaveLength(
    IDS.length,
  );
});

test('and is continued by what this release publishes after it, which ranks otherwise and so answers for neither of its versions', async () => {
  const capsules = (await realCapsules()).filter(({ id }) => [...IDS, 'ucp-profile'].includes(id));
  const built = await buildGeneration(capsules, [newer, older], { changes: logOf(newer) });
  expect(built.manifest.previous).toEqual([]);
  expect(logOf(built).slice(0, IDS.length)).toEqual(logOf(newer));
  const corpus = openCorpus(built, recordingStore(built, newer));
  expect(expectValue(await queryKnowledge(ask('bm25f'), corpus, BASE_URL)).results[0]?.capsule_id).toBe('bm25f');
  expect(codeOf(await queryKnowledge(ask('bm25f', newer.version), corpus, BASE_URL))).toBe('corpus_superseded');
});
