/** Sets `bytes` bytes to zero; `bytes` is a multiple of four. */
export function clear(start: usize, bytes: usize): void {
  memory.fill(start, 0, bytes);
}

/** Adds points to the score at an address. */
// @ts-ignore: decorator
@inline
export function addTo(score: usize, points: i32): void {
  store<i32>(score, load<i32>(score) + points);
}

/** Keeps of `count` documents those whose mask has `bit`, in their order. @returns How many they are. */
export function keepMarked(list: usize, count: u32, masks: usize, bit: u32): u32 {
  let left = list;
  for (let place: u32 = 0; place < count; place++) {
    const document = load<u32>(list + ((<usize>place) << 2));
    store<u32>(left, document);
    if ((load<u32>(masks + ((<usize>document) << 2)) & bit) !== 0) left += 4;
  }
  return <u32>((left - list) >> 2);
}

/** Adds the same points to each of `count` documents. */
export function addPoints(list: usize, count: u32, scores: usize, points: i32): void {
  for (let place: u32 = 0; place < count; place++) {
    addTo(scores + ((<usize>load<u32>(list + ((<usize>place) << 2))) << 2), points);
  }
}
