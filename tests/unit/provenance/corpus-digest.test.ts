import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../../src/provenance/bytes.ts';
import { corpusDigest, type DigestedLineage } from '../../../src/provenance/lineage-records.ts';

type State = DigestedLineage['head']['statement'];

const lineage = (records: readonly string[], statement: State): DigestedLineage => ({
  versions: records.map((recordDigest) => ({ recordDigest })),
  head: { statement },
});
const current: State = { id: 'b', status: 'current' };
const superseded: State = { id: 'a', status: 'superseded', statusReason: 'Newer.', supersededBy: 'b' };

describe('corpusDigest()', () => {
  test('names the list that docs/proof-format.md describes', async () => {
    const list =
      '[{"id":"a","status":"superseded","statusReason":"Newer.","supersededBy":"b","versions":["sha256:1","sha256:2"]},{"id":"b","status":"current","versions":["sha256:3"]}]';
    expect(await corpusDigest([lineage(['sha256:1', 'sha256:2'], superseded), lineage(['sha256:3'], current)])).toBe(
      `sha256:${await sha256Hex(list)}`,
    );
    expect(await corpusDigest([])).toBe(`sha256:${await sha256Hex('[]')}`);
  });

  test('is another one after any change of a record or a state, and after any loss', async () => {
    const corpora: DigestedLineage[][] = [
      [lineage(['sha256:1', 'sha256:2'], superseded)],
      [lineage(['sha256:2', 'sha256:1'], superseded)],
      [lineage(['sha256:1'], superseded)],
      [lineage(['sha256:1', 'sha256:3'], superseded)],
      [lineage(['sha256:1', 'sha256:2'], { ...superseded, id: 'c' })],
      [lineage(['sha256:1', 'sha256:2'], { ...superseded, status: 'retracted' })],
      [lineage(['sha256:1', 'sha256:2'], { ...superseded, statusReason: 'Wrong.' })],
      [lineage(['sha256:1', 'sha256:2'], { ...superseded, statusReason: undefined })],
      [lineage(['sha256:1', 'sha256:2'], { ...superseded, supersededBy: 'd' })],
      [lineage(['sha256:1', 'sha256:2'], { ...superseded, supersededBy: undefined })],
      [lineage(['sha256:1', 'sha256:2'], superseded), lineage(['sha256:3'], current)],
      [],
    ];
    expect(new Set(await Promise.all(corpora.map(corpusDigest))).size).toBe(corpora.length);
  });

  test('does not see what is no content: who says it, when, and members that are not there', async () => {
    const head = { ...current, issued: '2026-11-01T00:00:00Z', issuer: { id: 'did:web:a.example', name: 'A' }, statusReason: undefined };
    expect(await corpusDigest([lineage(['sha256:1'], head)])).toBe(await corpusDigest([lineage(['sha256:1'], current)]));
  });
});
