import { below, type Random } from '../eval/random.ts';

/** Bytes of a page of a disk or of memory: what is lost at once when one is. */
const PAGE_BYTES = 4096;

/** Longest range that changes its place. */
const SWAPPED_MAX_BYTES = 8192;

/** Changes some bytes of a block and keeps its length. */
type Damage = (bytes: Uint8Array, random: Random) => Uint8Array;

function changedBytes(count: number): Damage {
  return (bytes, random) => {
    const damaged = bytes.slice();
    for (let change = 0; change < count; change++) {
      const at = below(random, bytes.length);
      damaged[at] = (damaged[at] as number) ^ (1 + below(random, 255));
    }
    return damaged;
  };
}

/** Ways in which the bytes of one block are damaged while its length stays the same. */
export const DAMAGE_KINDS = {
  'one byte': changedBytes(1),
  'two bytes': changedBytes(2),
  '20 bytes': changedBytes(20),
  '1,000 bytes': changedBytes(1_000),
  'one bit': (bytes, random) => {
    const at = below(random, bytes.length);
    return bytes.with(at, (bytes[at] as number) ^ (1 << below(random, 8)));
  },
  'ranges that changed places': (bytes, random) => {
    const length = 1 + below(random, Math.min(SWAPPED_MAX_BYTES, bytes.length >>> 1));
    const first = below(random, bytes.length - 2 * length + 1);
    const second = first + length + below(random, bytes.length - first - 2 * length + 1);
    const damaged = bytes.slice();
    damaged.set(bytes.subarray(second, second + length), first);
    damaged.set(bytes.subarray(first, first + length), second);
    return damaged;
  },
  'a page of zeros': (bytes, random) => {
    const start = below(random, Math.ceil(bytes.length / PAGE_BYTES)) * PAGE_BYTES;
    return bytes.slice().fill(0, start, start + PAGE_BYTES);
  },
  'cut short and filled with zeros': (bytes, random) => bytes.slice().fill(0, below(random, bytes.length)),
} as const satisfies Record<string, Damage>;

/** A way in which a store is damaged: one block's bytes, or two blocks that are under each other's names. */
export type DamageKind = keyof typeof DAMAGE_KINDS | 'blocks that changed places';

/** All kinds of damage. */
export const ALL_DAMAGE: readonly DamageKind[] = [
  ...(Object.keys(DAMAGE_KINDS) as (keyof typeof DAMAGE_KINDS)[]),
  'blocks that changed places',
];

/**
 * Blocks of a store of which some are damaged.
 *
 * @param damaged Key of the block that is damaged.
 */
export function damageStore(
  blocks: ReadonlyMap<string, Uint8Array>,
  damaged: string,
  kind: DamageKind,
  random: Random,
): Map<string, Uint8Array> {
  const stored = new Map(blocks);
  const bytes = blocks.get(damaged);
  if (bytes === undefined) throw new RangeError(`the store has no block ${damaged}`);
  if (kind !== 'blocks that changed places') return stored.set(damaged, DAMAGE_KINDS[kind](bytes, random));
  const others = [...blocks.keys()].filter((key) => key !== damaged);
  const other = others[below(random, others.length)] as string;
  return stored.set(damaged, blocks.get(other) as Uint8Array).set(other, bytes);
}
