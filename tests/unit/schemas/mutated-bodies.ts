import type * as z from 'zod';

/**
 * Changes each place of some bodies, and holds every change against an official schema.
 *
 * @param known What is taken although the official schema refuses it, by what it says of it, and why.
 * @returns How many it refuses, and those that our schema takes for no reason that is known.
 */
export function takenMutations(
  bodies: readonly object[],
  schema: z.ZodType,
  faultsOf: (body: unknown) => readonly string[],
  known: readonly (readonly [fault: RegExp, why: string])[],
): { readonly refused: number; readonly taken: string[] } {
  const refused = bodies.flatMap(changesOf).flatMap((one) => {
    const faults = faultsOf(one.value);
    return faults.length > 0 ? [{ ...one, faults }] : [];
  });
  const taken = refused.filter(
    ({ value, faults }) => schema.safeParse(value).success && !faults.every((fault) => known.some(([expected]) => expected.test(fault))),
  );
  return { refused: refused.length, taken: taken.map(({ pointer, change, faults }) => `${pointer} ${change}: ${faults.join(', ')}`) };
}

/** Values that stand in for others: each JSON type, bounds of numbers, texts that no enumeration and no format has, lists with repetitions. */
const STAND_INS: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 60,
  '',
  'no such value',
  'UPPER.case',
  'x'.repeat(6_000),
  [],
  [null],
  ['same', 'same'],
  {},
  { unknown: 1 },
];

interface Change {
  readonly pointer: string;
  readonly change: string;
  readonly value: unknown;
}

function changesOf(value: unknown): Change[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => [
      { pointer: `/${index}`, change: 'left out', value: value.toSpliced(index, 1) },
      ...standIns(item, index).map((change) => ({ ...change, value: value.with(index, change.value) })),
      ...changesOf(item).map((change) => ({ ...change, pointer: `/${index}${change.pointer}`, value: value.with(index, change.value) })),
    ]);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const { [name]: _left, ...rest } = value as Record<string, unknown>;
    return [
      { pointer: `/${name}`, change: 'left out', value: rest },
      ...standIns(member, name).map((change) => ({ ...change, value: { ...value, [name]: change.value } })),
      ...changesOf(member).map((change) => ({
        ...change,
        pointer: `/${name}${change.pointer}`,
        value: { ...value, [name]: change.value },
      })),
    ];
  });
}

function standIns(original: unknown, name: string | number): Change[] {
  return STAND_INS.filter((value) => JSON.stringify(value) !== JSON.stringify(original)).map((value) => ({
    pointer: `/${name}`,
    change: `is ${JSON.stringify(value).slice(0, 20)}`,
    value,
  }));
}
