import { expect, it } from 'vitest';
import { type MeasuredChange, makeChangeableCorpus } from '../../../bench/measure-change.ts';

/** Keys that a change of one capsule may write, whatever the corpus. */
const KEYS_MAX = 12;

it('writes at most 12 keys for one changed, added or removed capsule, and of most kinds only those that name it', async () => {
  // So few that each text is parsed once; documents and lineages still fill several blocks.
  const corpus = await makeChangeableCorpus(125, 7);
  expect(corpus.blocks.documents).toBeGreaterThan(5);
  expect(corpus.blocks.lineages).toBeGreaterThan(2);
  const changes = new Map<string, MeasuredChange>();
  for await (const change of corpus.changes()) changes.set(change.name, change);
  const renewal = changes.get('renewal of a month');
  expect([renewal?.byKind.manifest, renewal?.byKind.changes, renewal?.byKind.documents]).toEqual([1, undefined, undefined]);
  changes.delete('renewal of a month');
  for (const { name, keys, byKind } of changes.values()) {
    expect(keys, name).toBeLessThanOrEqual(KEYS_MAX);
    expect([byKind.changes, byKind.manifest], name).toEqual([1, 1]);
    expect(byKind.documents, name).toBeLessThanOrEqual(2);
  }
  for (const name of ['edit of a text', 'edit of the most referenced']) {
    expect(changes.get(name)?.byKind.lineages, 'a change of a text rewrites no lineage of another capsule').toBe(1);
    expect(changes.get(name)?.byKind.relatives, 'nor what is around it').toBeUndefined();
  }
  expect(changes.size).toBe(5);
});
