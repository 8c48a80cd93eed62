import { below, type Random } from '../eval/random.ts';
import { chance, oneOf, weighted } from './choose.ts';
import { HOSTILE_NUMBERS, HOSTILE_TEXTS, hostileText, longText } from './hostile-values.ts';

/** JSON before it is written, which can also hold what JavaScript values cannot: members named twice, any number, no JSON at all. */
export type JsonTree =
  | { readonly kind: 'raw'; text: string }
  | { readonly kind: 'array'; items: JsonTree[] }
  | { readonly kind: 'object'; members: [name: string, value: JsonTree][] };

/** A tree that is written as it stands. */
export function raw(text: string): JsonTree {
  return { kind: 'raw', text };
}

/** A tree of a text. */
export function textTree(text: string): JsonTree {
  return raw(JSON.stringify(text));
}

/** The tree of a value. */
export function treeOf(value: unknown): JsonTree {
  if (Array.isArray(value)) return { kind: 'array', items: value.map(treeOf) };
  if (typeof value === 'object' && value !== null)
    return { kind: 'object', members: Object.entries(value).map(([name, member]) => [name, treeOf(member)]) };
  return raw(JSON.stringify(value));
}

/** The tree as text. */
export function writeJson(tree: JsonTree): string {
  if (tree.kind === 'raw') return tree.text;
  if (tree.kind === 'array') return `[${tree.items.map(writeJson).join(',')}]`;
  return `{${tree.members.map(([name, value]) => `${JSON.stringify(name)}:${writeJson(value)}`).join(',')}}`;
}

/** Changes one place of a tree, at any depth, in a way that a schema forbids or its bounds just allow. */
export function mutateTree(tree: JsonTree, random: Random): JsonTree {
  const places = placesIn(tree);
  const place = oneOf(random, places);
  return place(random);
}

type Place = (random: Random) => JsonTree;

/** One function for every value in the tree, which gives the whole tree with that value changed. */
function placesIn(root: JsonTree): Place[] {
  const places: Place[] = [(random) => mutateValue(root, random)];
  const visit = (tree: JsonTree): void => {
    if (tree.kind === 'raw') return;
    const count = tree.kind === 'array' ? tree.items.length : tree.members.length;
    for (let index = 0; index < count; index += 1) {
      const child = tree.kind === 'array' ? tree.items[index] : tree.members[index]?.[1];
      if (child === undefined) continue;
      places.push((random) => {
        const changed = mutateValue(child, random);
        if (tree.kind === 'array') tree.items[index] = changed;
        else tree.members[index] = [tree.members[index]?.[0] ?? '', changed];
        return root;
      });
      visit(child);
    }
  };
  visit(root);
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
  const depth = oneOf(random, [30, 31, 32, 33, 100, 5_000]);
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
