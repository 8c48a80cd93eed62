import { expect, test } from 'vitest';
import { storedLineage } from '../../../../src/gateway/knowledge/read-generation.ts';
import { readLineage } from '../../../../src/gateway/knowledge/read-lineage.ts';
import { expectValue, realCorpus } from '../real-generation.ts';

test('a lineage that was stored and joined again has the bytes that it had, and says nothing of other texts in between', async () => {
  const { corpus, capsules } = await realCorpus();
  const metadata = new Map(capsules.map((capsule) => [capsule.id, capsule.metadata]));
  for (const { id, lineage, relatives } of capsules) {
    expect(expectValue(await readLineage({ id, hasCursors: true }, corpus))).toBe(JSON.stringify(lineage));
    const stored = JSON.stringify(storedLineage(lineage, relatives));
    const around = lineage.graph.nodes.map(({ capsule_id }) => metadata.get(capsule_id));
    expect(around).toHaveLength(relatives.nodes.length);
    for (const other of around) if (other?.capsule_id !== id) expect(stored).not.toContain(other?.content_sha256);
  }
});
