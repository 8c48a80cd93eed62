import { below, chance, oneOf, type Random, weighted } from '../eval/random.ts';
import { HOSTILE_NUMBERS, HOSTILE_TEXTS, hostileText, longText } from './hostile-values.ts';

/** JSON before it is written, which can also hold what JavaScript values cannot: members named twice, any number, no JSON at all. */
export type JsonTree =
  | { readonly kind: 'raw'; text: string }
  | { readonly kind: 'array'; items: JsonTree[] }
  | { readonly kind: 'object'; members: [name: string, value: JsonTree][] };

export const raw = (text: string): JsonTree => ({ kind: 'raw', text });

export const textTree = (text: string): JsonTree => raw(JSON.stringify(text));

/** The tree of a value, however deep it is nested: bodies that the service took are mutated again, and hostile ones are deep. */
export function treeOf(value: unknown): JsonTree {
  const root = emptyTree(value);
  const unread: [source: unknown, tree: JsonTree][] = [[value, root]];
  // Breadth first: the list grows while it is walked, so that no depth needs a stack.
  for (const [source, tree] of unread) {
    if (tree.kind === 'raw') continue;
    for (const [name, member] of Object.entries(source as object) as [string, unknown][]) {
      const child = emptyTree(member);
      if (tree.kind === 'array') tree.items.push(child);
      else tree.members.push([name, child]);
      unread.push([member, child]);
    }
  }
  return root;
}

function emptyTree(value: unknown): JsonTree {
  if (Array.isArray(value)) return { kind: 'array', items: [] };
  return typeof value === 'object' && value !== null ? { kind: 'object', members: [] } : raw(JSON.stringify(value));
}

/** Longest text of a tree, in UTF-16 code units: several times what the service reads of any body. */
const WRITTEN_MAX = 1_000_000;

/** The tree as text; one that repeats itself beyond {@link WRITTEN_MAX} is cut off there. */
export function writeJson(tree: JsonTree): string {
  let text = '';
  const unwritten: (JsonTree | string)[] = [tree];
  for (let next = unwritten.pop(); next !== undefined && text.length < WRITTEN_MAX; next = unwritten.pop()) {
    if (typeof next === 'string') text += next;
    else if (next.kind === 'raw') text += next.text;
    else if (next.kind === 'array') {
      text += '[';
      unwritten.push(']');
      for (let at = next.items.length - 1; at >= 0; at -= 1) unwritten.push(next.items[at] ?? '', ...(at > 0 ? [','] : []));
    } else {
      text += '{';
      unwritten.push('}');
      for (let at = next.members.length - 1; at >= 0; at -= 1) {
        const [name, value] = next.members[at] ?? ['', ''];
        unwritten.push(value, `${at > 0 ? ',' : ''}${JSON.stringify(name)}:`);
      }
    }
  }
  return text;
}

const PLACES_MAX = 10_000;

/** Changes one place of a tree, at any depth, in a way that a schema forbids or its bounds just allow. */
export function mutateTree(tree: JsonTree, random: Random): JsonTree {
  const place = oneOf(random, placesIn(tree));
  const changed = mutateValue(place.value, random);
  if (place.container === undefined) return changed;
  const { container, index } = place;
  if (container.kind === 'array') container.items[index] = changed;
  else container.members[index] = [container.members[index]?.[0] ?? '', changed];
  return tree;
}

interface Place {
  readonly value: JsonTree;
  readonly container?: Exclude<JsonTree, { kind: 'raw' }>;
  readonly index: number;
}

/** The values of a tree, breadth first. */
function placesIn(root: JsonTree): Place[] {
  const places: Place[] = [{ value: root, index: 0 }];
  for (const { value: container } of places) {
    if (container.kind === 'raw') continue;
    const children = container.kind === 'array' ? container.items : container.members.map(([, value]) => value);
    for (const [index, value] of children.entries()) if (places.length < PLACES_MAX) places.push({ value, container, index });
  }
  return places;
}

function mutateValue(tree: JsonTree, random: Random): JsonTree {
  return weighted<JsonTree>(random, [
    [4, () => raw(oneOf(random, HOSTILE_NUMBERS))],
    [4, () => textTree(hostileText(random))],
    [
      1,
      () => raw(oneOf(random, ['null', 'true', 'false', '[]', '{}', '""', '[null]', '[[]]', '{"":null}', '', '"\\ud800"', '"\\q"', "'a'"])),
    ],
    [1, () => raw(nested(random))],
    [2, () => mutateText(tree, random)],
    [4, () => mutateMembers(tree, random)],
  ]);
}

/** Nesting around the bound, and far beyond it. */
function nested(random: Random): string {
  const depth = oneOf(random, [30, 31, 32, 33, 100, 5_000, 100_000]);
  return chance(random, 0.5) ? '['.repeat(depth) + ']'.repeat(depth) : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
}

function mutateText(tree: JsonTree, random: Random): JsonTree {
  if (tree.kind !== 'raw' || !tree.text.startsWith('"')) return textTree(longText(random));
  const inner = tree.text.slice(1, -1);
  const position = below(random, inner.length + 1);
  const added = JSON.stringify(oneOf(random, HOSTILE_TEXTS)).slice(1, -1);
  return raw(`"${inner.slice(0, position)}${added}${inner.slice(position)}"`);
}

function mutateMembers(tree: JsonTree, random: Random): JsonTree {
  if (tree.kind === 'array') return mutateItems(tree.items, random);
  if (tree.kind === 'raw') return { kind: 'array', items: [tree] };
  const { members } = tree;
  const index = below(random, members.length);
  return weighted<JsonTree>(random, [
    [2, () => ({ ...tree, members: members.filter((_, at) => at !== index) })],
    [
      2,
      () => ({
        ...tree,
        members: [...members, [oneOf(random, ['unknown', 'trust', 'scopes', 'status', 'admin', 'id', '', 'Query']), raw('1')]],
      }),
    ],
    [1, () => ({ ...tree, members: [...members, ...members.slice(index, index + 1)] })],
    [1, () => ({ ...tree, members: [...members, ['__proto__', raw('{"admin":true}')]] })],
    [1, () => ({ ...tree, members: [...members, [oneOf(random, HOSTILE_TEXTS), raw('null')]] })],
    [1, () => ({ ...tree, members: [...members, ...manyMembers(oneOf(random, [10, 998, 1_000, 1_100]))] })],
  ]);
}

function mutateItems(items: JsonTree[], random: Random): JsonTree {
  const [first = raw('1')] = items;
  return weighted<JsonTree>(random, [
    [1, () => ({ kind: 'array', items: [] })],
    [1, () => ({ kind: 'array', items: [...items, ...items] })],
    [1, () => ({ kind: 'array', items: Array.from({ length: oneOf(random, [10, 11, 20, 21, 200, 201, 999, 1_001]) }, () => first) })],
    [1, () => ({ kind: 'object', members: items.map((item, index) => [String(index), item]) })],
    [1, () => first],
  ]);
}

function manyMembers(count: number): [string, JsonTree][] {
  return Array.from({ length: count }, (_, index) => [`m${index}`, raw('0')]);
}
