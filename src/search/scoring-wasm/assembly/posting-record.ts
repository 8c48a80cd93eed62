/** Result for bytes that are not a record. */
const REJECTED: i32 = -1;

const ABSENT: u32 = 0;
const SHORT: u32 = 1;
const SEGMENTS: u32 = 2;
const HAS_FOLLOWERS: u32 = 16;
const FOLLOWER_CONTINUES: u8 = 0x80;

/** Length of a list without a stored length. */
const UNCOUNTED: u32 = 0xffffffff;

/** The highest bit of each of eight bytes: if none is set, each byte is one number. */
const CONTINUATIONS: u64 = 0x8080808080808080;

// Position of the reader, and its last values.
let at: usize = 0;
let end: usize = 0;
let number: u32 = 0;
let followersAt: usize = 0;
let documentFrequency: u32 = 0;

/**
 * Adds a record to the scores: `weight` times the impact for each document with the term, own or by expansion.
 *
 * @param marks Whether own documents get `bit` in their mask and are written to `own`.
 * @returns The number of own documents, or `REJECTED`.
 */
export function addRecord(
  record: usize,
  recordEnd: usize,
  scores: usize,
  masks: usize,
  own: usize,
  documents: u32,
  weight: i32,
  bit: u32,
  marks: bool,
): i32 {
  at = record;
  end = recordEnd;
  if (at >= end) return REJECTED;
  const modes: u32 = load<u8>(at++);
  if (!readNumber()) return REJECTED;
  documentFrequency = number;
  if (documentFrequency > documents) return REJECTED;
  const whole = marks
    ? addList<bool>(modes & 3, documentFrequency, scores, masks, own, documents, weight, bit)
    : addList<u8>(modes & 3, documentFrequency, scores, masks, own, documents, weight, bit);
  if (!whole) return REJECTED;
  const expansion = (modes >> 2) & 3;
  if (expansion !== ABSENT) {
    let count = UNCOUNTED;
    if (expansion === SHORT) {
      if (!readNumber()) return REJECTED;
      count = number;
    }
    if (!addList<u8>(expansion, count, scores, masks, own, documents, weight, bit)) return REJECTED;
  }
  followersAt = (modes & HAS_FOLLOWERS) !== 0 ? at : 0;
  return <i32>documentFrequency;
}

/**
 * Writes to `found` the documents of the last record in which a term with the fingerprint follows.
 *
 * @param own Address of the documents that `addRecord` wrote.
 * @param foundEnd End of the memory for them.
 * @returns Their number, or `REJECTED`.
 */
export function findFollowers(fingerprint: u32, own: usize, found: usize, foundEnd: usize): i32 {
  if (followersAt === 0) return 0;
  const last = i8x16.splat(<i8>fingerprint);
  const lowBits = i8x16.splat(0x7f);
  const start = found;
  let here = followersAt;
  let posting: u32 = 0;
  while (posting < documentFrequency) {
    if (here >= end) return REJECTED;
    const bytes = v128.load(here);
    const lasts = 16 - <u32>popcnt(i8x16.bitmask(bytes));
    const hits = i8x16.bitmask(i8x16.eq(v128.and(bytes, lowBits), last));
    if (hits === 0 && posting + lasts < documentFrequency && here + 16 <= end) {
      posting += lasts;
      here += 16;
      continue;
    }
    for (let step = 0; step < 16 && posting < documentFrequency; step++) {
      if (here >= end) return REJECTED;
      const byte = load<u8>(here++);
      if (<u32>(byte & 0x7f) === fingerprint) {
        if (found >= foundEnd) return REJECTED;
        store<u32>(found, load<u32>(own + ((<usize>posting) << 2)));
        found += 4;
      }
      if (byte < FOLLOWER_CONTINUES) posting++;
    }
  }
  return <i32>((found - start) >> 2);
}

/** Keeps those of `count` documents whose mask has `bit`, in order. @returns Their number. */
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

/** @typeParam Marked `bool` if documents are marked, else `u8`: two loops are compiled. */
function addList<Marked>(mode: u32, count: u32, scores: usize, masks: usize, own: usize, documents: u32, weight: i32, bit: u32): bool {
  if (mode === SHORT) return addShort<Marked>(count, scores, masks, own, documents, weight, bit);
  if (mode !== SEGMENTS) return false;
  let left = count;
  while (at < end) {
    const impact: u32 = load<u8>(at++);
    if (impact === 0) return left === 0 || count === UNCOUNTED;
    if (!readNumber() || number > min(left, documents)) return false;
    const size = number;
    if (!addSegment<Marked>(size, scores, masks, own, documents, weight * impact, bit)) return false;
    left -= size;
    own += (<usize>size) << 2;
  }
  return false;
}

function addShort<Marked>(count: u32, scores: usize, masks: usize, own: usize, documents: u32, weight: i32, bit: u32): bool {
  let document: u32 = <u32>-1;
  for (let posting: u32 = 0; posting < count; posting++) {
    if (!readNumber() || number >= documents) return false;
    document += number + 1;
    if (document >= documents || at >= end) return false;
    const impact: i32 = load<u8>(at++);
    add<Marked>(document, scores, masks, own + ((<usize>posting) << 2), weight * impact, bit);
  }
  return true;
}

function addSegment<Marked>(count: u32, scores: usize, masks: usize, own: usize, documents: u32, points: i32, bit: u32): bool {
  let here = at;
  let document: u32 = <u32>-1;
  const ownEnd = own + ((<usize>count) << 2);
  while (own < ownEnd) {
    if (here + 8 > end) break;
    let bytes = load<u64>(here);
    const continued = bytes & CONTINUATIONS;
    if (continued === 0 && own + 32 <= ownEnd) {
      const a = document + 1 + <u32>(bytes & 0x7f);
      const b = a + 1 + <u32>((bytes >> 8) & 0x7f);
      const c = b + 1 + <u32>((bytes >> 16) & 0x7f);
      const d = c + 1 + <u32>((bytes >> 24) & 0x7f);
      const e = d + 1 + <u32>((bytes >> 32) & 0x7f);
      const f = e + 1 + <u32>((bytes >> 40) & 0x7f);
      const g = f + 1 + <u32>((bytes >> 48) & 0x7f);
      document = g + 1 + <u32>(bytes >> 56);
      if (document >= documents) return false;
      add<Marked>(a, scores, masks, own, points, bit);
      add<Marked>(b, scores, masks, own + 4, points, bit);
      add<Marked>(c, scores, masks, own + 8, points, bit);
      add<Marked>(d, scores, masks, own + 12, points, bit);
      add<Marked>(e, scores, masks, own + 16, points, bit);
      add<Marked>(f, scores, masks, own + 20, points, bit);
      add<Marked>(g, scores, masks, own + 24, points, bit);
      add<Marked>(document, scores, masks, own + 28, points, bit);
      here += 8;
      own += 32;
    } else if ((continued & (continued << 8)) === 0 && own + 16 <= ownEnd) {
      // Four numbers of one or two bytes each, without unpredictable branches.
      let long = (bytes >> 7) & 1;
      let used = long;
      const a = document + 1 + shortNumber(bytes, long);
      bytes >>= 8 << long;
      long = (bytes >> 7) & 1;
      used += long;
      const b = a + 1 + shortNumber(bytes, long);
      bytes >>= 8 << long;
      long = (bytes >> 7) & 1;
      used += long;
      const c = b + 1 + shortNumber(bytes, long);
      bytes >>= 8 << long;
      long = (bytes >> 7) & 1;
      used += long;
      document = c + 1 + shortNumber(bytes, long);
      if (document >= documents) return false;
      add<Marked>(a, scores, masks, own, points, bit);
      add<Marked>(b, scores, masks, own + 4, points, bit);
      add<Marked>(c, scores, masks, own + 8, points, bit);
      add<Marked>(document, scores, masks, own + 12, points, bit);
      here += <usize>used + 4;
      own += 16;
    } else if ((continued & 0x8080) !== 0x8080) {
      const long = (bytes >> 7) & 1;
      document += 1 + shortNumber(bytes, long);
      if (document >= documents) return false;
      add<Marked>(document, scores, masks, own, points, bit);
      here += <usize>long + 1;
      own += 4;
    } else {
      at = here;
      if (!readNumber() || number >= documents) return false;
      here = at;
      document += number + 1;
      if (document >= documents) return false;
      add<Marked>(document, scores, masks, own, points, bit);
      own += 4;
    }
  }
  at = here;
  for (; own < ownEnd; own += 4) {
    if (!readNumber() || number >= documents) return false;
    document += number + 1;
    if (document >= documents) return false;
    add<Marked>(document, scores, masks, own, points, bit);
  }
  return true;
}

/** The number at the start of `bytes`: of two bytes if `long` is 1, else of one. */
// @ts-ignore: decorator
@inline
function shortNumber(bytes: u64, long: u64): u32 {
  return <u32>((bytes & 0x7f) | ((bytes >> 1) & (0x3f80 * long)));
}

// @ts-ignore: decorator
@inline
function add<Marked>(document: u32, scores: usize, masks: usize, own: usize, points: i32, bit: u32): void {
  const offset = (<usize>document) << 2;
  addTo(scores + offset, points);
  if (!isBoolean<Marked>()) return;
  store<u32>(masks + offset, load<u32>(masks + offset) | bit);
  store<u32>(own, document);
}

/** Adds points to the score at an address. */
// @ts-ignore: decorator
@inline
function addTo(score: usize, points: i32): void {
  store<i32>(score, load<i32>(score) + points);
}

/** Reads a number of up to five bytes into `number`. */
// @ts-ignore: decorator
@inline
function readNumber(): bool {
  if (at >= end) return false;
  number = load<u8>(at++);
  return number < 0x80 || readLongNumber();
}

function readLongNumber(): bool {
  number &= 0x7f;
  for (let shift: u32 = 7; shift < 35; shift += 7) {
    if (at >= end) return false;
    const byte: u32 = load<u8>(at++);
    number |= (byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}
