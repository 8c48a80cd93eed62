import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../../src/provenance/bytes-and-sha256.ts';
import { corpusDigest } from '../../../src/provenance/lineage-records.ts';
import { CorpusManifest } from '../../../src/schemas/knowledge/corpus-responses.ts';
import type { LineageProof } from '../../../src/schemas/knowledge/lineage.ts';
import { useSharedGateway } from '../../support/edge-gateway.ts';

const gateway = useSharedGateway({ files: 'built' });

describe('getMirrorManifest 200 application/json', () => {
  test('the bundle that it names is all of the corpus', async () => {
    const response = await gateway.fetch('/mirror/manifest.json');
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    const { statement, signatures } = CorpusManifest.parse(await response.json());
    expect(signatures).toEqual([]);
    const lineages: LineageProof[] = [];
    for (const { uri, size, lines, digest } of statement.bundle.parts) {
      const part = await gateway.fetch(uri);
      const bytes = new Uint8Array(await part.arrayBuffer());
      expect([bytes.length, await sha256Hex(bytes)]).toEqual([size, digest['sha-256']]);
      expect(part.headers.get('content-type')).toBe(statement.bundle.mediaType);
      expect(part.headers.get('cache-control')).toContain('immutable');
      const texts = new TextDecoder().decode(bytes).trimEnd().split('\n');
      expect(texts).toHaveLength(lines);
      lineages.push(...texts.map((line) => (JSON.parse(line) as { lineage: LineageProof }).lineage));
    }
    expect([lineages.length, lineages.reduce((sum, { versions }) => sum + versions.length, 0)]).toEqual([
      statement.capsules,
      statement.versions,
    ]);
    expect(await corpusDigest(lineages)).toBe(statement.corpusDigest);
  });

  test('the live feed states the same', async () => {
    const { corpus_digest, total, manifest } = (await (await gateway.fetch('/api/v1/capsules/public/changes')).json()) as {
      corpus_digest: string;
      total: number;
      manifest: unknown;
    };
    const file = CorpusManifest.parse(await (await gateway.fetch('/mirror/manifest.json')).json());
    expect(manifest).toEqual(file);
    expect([`sha256:${corpus_digest}`, total]).toEqual([file.statement.corpusDigest, file.statement.changes.count]);
  });
});

test('getKeys 200 application/jwk-set+json: it is a JWK Set, empty while nothing is signed', async () => {
  const response = await gateway.fetch('/.well-known/jwks.json');
  expect(response.headers.get('content-type')).toBe('application/jwk-set+json');
  expect(await response.json()).toMatchObject({ keys: [] });
});
