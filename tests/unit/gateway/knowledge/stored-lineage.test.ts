import { expect, test } from 'vitest';
import type { CapsuleMetadata } from '../../../../src/schemas/capsule.ts';
import { lineageText, type StoredLineage, storedLineage } from '../../../../src/gateway/knowledge/stored-lineage.ts';
import { realCapsules } from '../real-generation.ts';

test('a lineage that was stored and joined again has the bytes that it had, and says nothing of other texts in between', async () => {
  const capsules = await realCapsules();
  const metadata = new Map(capsules.map((capsule) => [capsule.id, capsule.metadata]));
  for (const { id, lineage } of capsules) {
    const stored = JSON.stringify(storedLineage(lineage));
    const read = JSON.parse(stored) as StoredLineage;
    const around = read.graph.nodes.map(([capsule]) => metadata.get(capsule) as CapsuleMetadata);
    expect(lineageText(read, around)).toBe(JSON.stringify(lineage));
    for (const { capsule_id, content_sha256 } of around) if (capsule_id !== id) expect(stored).not.toContain(content_sha256);
  }
});
