import { lineage, terms } from 'virtual:strings';
import type { Lineage } from '../../schemas/knowledge/lineage.ts';
import { text } from '../format-strings.ts';
import { type MapNode, mapNode, RELATION_ORDER } from './lineage-map.ts';

/** A capsule with all its direct relations, in words. */
interface DirectRelation extends MapNode {
  readonly words: string;
}

/** A capsule at two or more steps, and the ids of the capsules between. */
interface DistantRelation extends MapNode {
  readonly through: readonly string[];
}

interface RelationLists {
  readonly direct: readonly DirectRelation[];
  /** What the capsule builds on, in several steps. */
  readonly foundations: readonly DistantRelation[];
  /** What builds on the capsule, in several steps. */
  readonly dependants: readonly DistantRelation[];
}

/** The relations of the capsule `id` as lists: all that its map shows, and what the map has no room for. */
export function describeRelations(graph: Lineage['graph'], id: string): RelationLists {
  const nodes = new Map(graph.nodes.map((node) => [node.capsule_id, node]));
  const edges = graph.edges.toSorted((a, b) => RELATION_ORDER.indexOf(a.relation) - RELATION_ORDER.indexOf(b.relation));
  const words = new Map<string, string[]>();
  const add = (other: string, word: string): void => void words.set(other, [...(words.get(other) ?? []), word]);
  for (const { from, to, relation } of edges) if (from === id) add(to, terms[relation]);
  for (const { from, to, relation } of edges) if (to === id) add(from, terms[`${relation}_reverse`]);
  const direct = [...words].flatMap(([other, list]): DirectRelation[] => {
    const node = nodes.get(other);
    return node === undefined
      ? []
      : [{ ...mapNode(node), words: list.reduce((first, second) => text(lineage.relationAnd, { first, second })) }];
  });
  const distant = (direction: -1 | 1): DistantRelation[] =>
    graph.nodes
      .filter(({ distance }) => distance * direction > 1)
      .map((node) => {
        const [near, far] = direction < 0 ? (['from', 'to'] as const) : (['to', 'from'] as const);
        const neighbours = graph.edges
          .filter((edge) => edge[far] === node.capsule_id && edge.relation !== 'cites')
          .map((edge) => edge[near]);
        const isBetween = (neighbour: string): boolean => nodes.get(neighbour)?.distance === node.distance - direction;
        return { ...mapNode(node), through: [...new Set(neighbours)].filter(isBetween) };
      });
  return { direct, foundations: distant(-1), dependants: distant(1) };
}
