/** For each subset of four numbers, the positions of the bytes of its members. */
const PACKED: usize = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0,
  8, 9, 10, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 1, 2, 3, 8, 9, 10, 11, 0, 0, 0, 0, 0, 0, 0, 0,
  4, 5, 6, 7, 8, 9, 10, 11, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 0, 0, 0,
  12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 1, 2, 3, 12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0,
  4, 5, 6, 7, 12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 0, 0, 0, 0,
  8, 9, 10, 11, 12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 0, 0, 0, 0,
  4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 0, 0, 0,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
], 16);

/**
 * Writes all documents with a score to `list`, ascending. @returns Their number.
 *
 * @param list Memory for all documents and three more.
 */
export function findMatching(scores: usize, documents: u32, list: usize): u32 {
  const start = list;
  const none = i32x4.splat(0);
  let numbers = i32x4(0, 1, 2, 3);
  const four = i32x4.splat(4);
  let document: u32 = 0;
  for (; document + 4 <= documents; document += 4) {
    const found = i32x4.bitmask(i32x4.gt_s(v128.load(scores + ((<usize>document) << 2)), none));
    v128.store(list, i8x16.swizzle(numbers, v128.load(PACKED + (found << 4))));
    list += <usize>popcnt(found) << 2;
    numbers = i32x4.add(numbers, four);
  }
  for (; document < documents; document++) {
    store<u32>(list, document);
    list += usize(load<i32>(scores + ((<usize>document) << 2)) > 0) << 2;
  }
  return <u32>((list - start) >> 2);
}

/**
 * Writes the first `limit` of a list to `heap`: by ascending tier, then descending score, then ascending number.
 *
 * @param list `count` documents, ascending.
 * @param documents The number of all documents if the list has all with a score, else 0.
 * @param tiers A byte for each document, or 0 if all have one tier.
 * @param heap Memory for `limit` documents.
 * @returns Their number.
 */
export function findStrongest(
  list: usize,
  count: u32,
  documents: u32,
  scores: usize,
  tiers: usize,
  limit: u32,
  heap: usize,
): u32 {
  const size = min(limit, count);
  if (size === 0) return 0;
  for (let place: u32 = 0; place < size; place++) {
    store<u32>(heap + ((<usize>place) << 2), load<u32>(list + ((<usize>place) << 2)));
  }
  for (let place = size >> 1; place > 0; place--) sink(heap, place - 1, size, scores, tiers);
  if (tiers === 0 && documents !== 0) {
    replaceWeaker(heap, size, scores, load<u32>(list + ((<usize>size) << 2) - 4) + 1, documents);
  } else {
    let least = keyOf(load<u32>(heap), scores, tiers);
    for (let place = size; place < count; place++) {
      const document = load<u32>(list + ((<usize>place) << 2));
      // Of equal keys the earlier document, which is in the heap, is first.
      if (keyOf(document, scores, tiers) <= least) continue;
      store<u32>(heap, document);
      sink(heap, 0, size, scores, tiers);
      least = keyOf(load<u32>(heap), scores, tiers);
    }
  }
  for (let last = size - 1; last > 0; last--) {
    const strong = load<u32>(heap + ((<usize>last) << 2));
    store<u32>(heap + ((<usize>last) << 2), load<u32>(heap));
    store<u32>(heap, strong);
    sink(heap, 0, last, scores, tiers);
  }
  return size;
}

/** Replaces the least of the heap by each document from `document` on with a higher score. */
function replaceWeaker(heap: usize, size: u32, scores: usize, document: u32, documents: u32): void {
  let least = load<i32>(scores + ((<usize>load<u32>(heap)) << 2));
  while (document < documents) {
    const here = scores + ((<usize>document) << 2);
    if (document + 8 <= documents) {
      const bound = i32x4.splat(least);
      if (!v128.any_true(v128.or(i32x4.gt_s(v128.load(here), bound), i32x4.gt_s(v128.load(here, 16), bound)))) {
        document += 8;
        continue;
      }
    }
    const stop = min(document + 8, documents);
    for (; document < stop; document++) {
      if (load<i32>(scores + ((<usize>document) << 2)) <= least) continue;
      store<u32>(heap, document);
      sink(heap, 0, size, scores, 0);
      least = load<i32>(scores + ((<usize>load<u32>(heap)) << 2));
    }
  }
}

/** The sort key without the document number; greater keys come first. */
// @ts-ignore: decorator
@inline
function keyOf(document: u32, scores: usize, tiers: usize): i64 {
  const tier: i64 = tiers === 0 ? 0 : <i64>(255 - <i32>load<u8>(tiers + document));
  return (tier << 32) + <i64>load<i32>(scores + ((<usize>document) << 2));
}

/** Sifts the document at `place` down; the root of the heap is the last of all. */
function sink(heap: usize, place: u32, size: u32, scores: usize, tiers: usize): void {
  const document = load<u32>(heap + ((<usize>place) << 2));
  const key = keyOf(document, scores, tiers);
  for (;;) {
    let child = place * 2 + 1;
    if (child >= size) break;
    let below = load<u32>(heap + ((<usize>child) << 2));
    let belowKey = keyOf(below, scores, tiers);
    if (child + 1 < size) {
      const other = load<u32>(heap + ((<usize>child) << 2), 4);
      const otherKey = keyOf(other, scores, tiers);
      if (otherKey < belowKey || (otherKey === belowKey && other > below)) {
        below = other;
        belowKey = otherKey;
        child++;
      }
    }
    if (key < belowKey || (key === belowKey && document > below)) break;
    store<u32>(heap + ((<usize>place) << 2), below);
    place = child;
  }
  store<u32>(heap + ((<usize>place) << 2), document);
}
