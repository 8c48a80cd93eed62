import { words } from '../../../support/words.ts';

/** A JSON value that `JSON.stringify` cannot write: a token as it stands, such as `1e400`. */
class Token {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** An object whose members are written in order, those with the same name too. */
class Members {
  readonly entries: readonly (readonly [string, unknown])[];
  constructor(entries: readonly (readonly [string, unknown])[]) {
    this.entries = entries;
  }
}

export function writeTokens(value: unknown): string {
  if (value instanceof Token) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeTokens).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = (value instanceof Members ? value.entries : Object.entries(value)).filter(([, item]) => item !== undefined);
  return `{${entries.map(([name, item]) => `${JSON.stringify(name)}:${writeTokens(item)}`).join(',')}}`;
}

const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, 1, -1, 0.5, 2 ** 31, 2 ** 53 - 1, 2 ** 53, '', ' ', '0', '1', 'a', 'null', 'paid', 'constructor', '__proto__'],
  ...[[], {}, [null], [[]], [''], [{}], { length: 1 }, { id: '' }, new Members([['__proto__', {}]])],
  ...['-0', '1.0', '1e0', '10e-1', '1e400', '-1e400', '1e-400', '9007199254740993', '9'.repeat(400), '"\\ud800"', '"\\u0000"'].map(
    (text) => new Token(text),
  ),
  ...[
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '2026-02-30T00:00:00Z',
    '2028-02-29T00:00:00Z',
    '2026-11-19T24:00:00Z',
    '2016-12-31T23:59:60Z',
    '2026-11-19t00:00:00z',
    '2026-11-19 00:00:00Z',
    ...words`2026-11-19T00:00:00+00:00 2026-11-19T00:00:00.0Z 2026-11-19T00:00:00 2026-11-19 +02026-11-19T00:00Z 1.0.0 1.2.0 01.0.0`,
    `1.${'9'.repeat(40)}.0`,
    `1.${'9'.repeat(300)}.0`,
  ],
];

/** Characters that are put before, after or into a text. */
const LETTERS = [' ', '\n', '\r\n', '\0', '\ufeff', '\u200d', '\u0301', '\ud83d', ...words`= + / - A 0 ٠ . # %`, '\\', '"'];

const turned = <T>(list: readonly T[], by: number): T | undefined => list[by % list.length];

function mutateText(text: string, choice: number, place: number): string {
  const at = place % (text.length + 1);
  const letter = turned(LETTERS, place) ?? '';
  const ways = [
    () => text.toUpperCase(),
    () => text.toLowerCase(),
    () => text.slice(0, at),
    () => text.slice(at),
    () => text.slice(0, at) + letter + text.slice(at),
    () => text.slice(0, at) + letter + text.slice(at + 1),
    () => text + letter,
    () => letter + text,
    () => text.normalize('NFD'),
    () => text + text,
  ];
  return turned(ways, choice)?.() ?? text;
}

function mutateValue(value: unknown, choice: number, place: number): unknown {
  const ways: (() => unknown)[] = [
    () => turned(VALUES, place),
    () => turned(VALUES, place),
    () => [value],
    () => ({ value }),
    () => String(value),
  ];
  if (typeof value === 'string')
    ways.push(
      () => mutateText(value, place, choice),
      () => mutateText(value, choice >> 4, place),
      () => Number(value),
    );
  if (typeof value === 'number')
    ways.push(...[value + 1, value - 1, -value, value + 0.5, new Token(`${value}.0`), new Token(`${value}e0`)].map((one) => () => one));
  if (Array.isArray(value))
    ways.push(
      () => value.slice(1),
      () => value.toReversed(),
      () => [...value, turned(VALUES, place)],
      () => [...value, value.at(-1)],
      () => [turned(VALUES, place), ...value],
      () => ({ ...value, length: value.length }),
      () => value.join(','),
    );
  else if (typeof value === 'object' && value !== null) ways.push(...memberMutations(Object.entries(value), choice >> 4, place));
  return turned(ways, choice)?.();
}

function memberMutations(entries: readonly [string, unknown][], choice: number, place: number): (() => unknown)[] {
  const at = choice % Math.max(1, entries.length);
  const [name, value] = entries[at] ?? ['', null];
  const other = entries[place % Math.max(1, entries.length)]?.[1];
  const replaced = (...put: [string, unknown][]): Members => new Members([...entries.slice(0, at), ...put, ...entries.slice(at + 1)]);
  return [
    () => replaced(),
    () => replaced([name, value], [name, value]),
    () => replaced([name, turned(VALUES, place)], [name, value]),
    () => replaced([name, other]),
    () => replaced([name.toUpperCase(), value]),
    () => replaced(['__proto__', { [name]: value }]),
    () => replaced([name, value], ['__proto__', turned(VALUES, place)]),
    () => replaced([name, value], [turned(NAMES, place) ?? '', turned(VALUES, choice)]),
    () => new Members(entries.toReversed()),
  ];
}

/** Names of members that verifiers read, where they may not be expected. */
const NAMES = 'results statement capsule_id keys issuer expires exp revoked use key_ops alg validUntil previous id toString markdown'.split(
  ' ',
);

const sizeOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? Object.values(value).reduce((sum: number, item) => sum + sizeOf(item), 1) : 1;

/** The same value with one of the values in it changed: number `place`, counted from the outside in and from first to last. */
export function mutateJson(value: unknown, place: number, choice: number, seed: number): unknown {
  const left = place % sizeOf(value);
  if (left === 0 || typeof value !== 'object' || value === null) return mutateValue(value, choice, seed);
  let passed = 1;
  const inner = (item: unknown): unknown => {
    const size = sizeOf(item);
    const isHere = passed <= left && left < passed + size;
    const changed = isHere ? mutateJson(item, left - passed, choice, seed) : item;
    passed += size;
    return changed;
  };
  if (Array.isArray(value)) return value.map(inner);
  return new Members(Object.entries(value).map(([name, item]) => [name, inner(item)]));
}
