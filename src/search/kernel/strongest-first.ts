/**
 * The first `wanted` of some documents: by ascending tier, then descending score, then ascending number. A heap of the best
 * so far, whose root is the last of them.
 *
 * @param documents Ascending.
 * @param tiers Of each document; absent if all are of one.
 */
export function strongestFirst(documents: Uint32Array, wanted: number, scores: Int32Array, tiers: Uint8Array | undefined): Uint32Array {
  const heap = documents.slice(0, wanted);
  const size = heap.length;
  if (size === 0) return heap;
  for (let place = (size >> 1) - 1; place >= 0; place--) sink(heap, place, size, scores, tiers);
  let least = keyOf(heap[0], scores, tiers);
  for (let place = size; place < documents.length; place++) {
    const document = documents[place];
    // Of two with the same key the one that came earlier is first, and it is in the heap.
    if (keyOf(document, scores, tiers) <= least) continue;
    heap[0] = document;
    sink(heap, 0, size, scores, tiers);
    least = keyOf(heap[0], scores, tiers);
  }
  for (let last = size - 1; last > 0; last--) {
    const strong = heap[last];
    heap[last] = heap[0];
    heap[0] = strong;
    sink(heap, 0, last, scores, tiers);
  }
  return heap;
}

/** Greater for what comes earlier, whatever the number. */
function keyOf(document: number, scores: Int32Array, tiers: Uint8Array | undefined): number {
  const score = scores[document];
  return tiers === undefined ? score : (255 - tiers[document]) * 2 ** 32 + score;
}

/** Moves the document at `place` down to where it belongs. */
function sink(heap: Uint32Array, from: number, size: number, scores: Int32Array, tiers: Uint8Array | undefined): void {
  const document = heap[from];
  const key = keyOf(document, scores, tiers);
  let place = from;
  for (let child = place * 2 + 1; child < size; child = place * 2 + 1) {
    let below = heap[child];
    let belowKey = keyOf(below, scores, tiers);
    if (child + 1 < size) {
      const other = heap[child + 1];
      const otherKey = keyOf(other, scores, tiers);
      if (otherKey < belowKey || (otherKey === belowKey && other > below)) {
        below = other;
        belowKey = otherKey;
        child++;
      }
    }
    if (key < belowKey || (key === belowKey && document > below)) break;
    heap[place] = below;
    place = child;
  }
  heap[place] = document;
}
