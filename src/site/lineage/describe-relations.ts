import type { CapsuleStatus } from '../../schemas/knowledge/capsule.ts';
import type { Lineage } from '../../schemas/knowledge/lineage.ts';
import type { Relation } from './layers.ts';

type Graph = Lineage['graph'];

/** A capsule with all its direct relations, in words from the point of view of the one described. */
export interface DirectRelation {
  readonly words: string;
  readonly id: string;
  readonly title: string;
  readonly status: CapsuleStatus;
  readonly uri: string;
}

/** A capsule at two or more steps, and the capsules through which it is reached. */
export interface DistantRelation {
  readonly id: string;
  readonly title: string;
  readonly status: CapsuleStatus;
  readonly uri: string;
  readonly through: readonly string[];
}

/** The lineage graph as lists. */
export interface RelationLists {
  readonly direct: readonly DirectRelation[];
  /** What the capsule rests on, in several steps. */
  readonly foundations: readonly DistantRelation[];
  /** What rests on the capsule, in several steps. */
  readonly dependants: readonly DistantRelation[];
}

const OUTGOING_WORDS: Readonly<Record<Relation, string>> = { supersedes: 'replaces', derived_from: 'is derived from', cites: 'cites' };
const INCOMING_WORDS: Readonly<Record<Relation, string>> = {
  supersedes: 'is replaced by',
  derived_from: 'is the basis of',
  cites: 'is cited by',
};
const ORDER: readonly Relation[] = ['supersedes', 'derived_from', 'cites'];

/** Says in lists what the map of the capsule `id` shows, and what it has no room for. */
export function describeRelations(graph: Graph, id: string): RelationLists {
  const nodes = new Map(graph.nodes.map((node) => [node.capsule_id, node]));
  const edges = [...graph.edges].sort((a, b) => ORDER.indexOf(a.relation) - ORDER.indexOf(b.relation));
  const words = new Map<string, string[]>();
  const add = (other: string, word: string): void => void words.set(other, [...(words.get(other) ?? []), word]);
  for (const { from, to, relation } of edges) if (from === id) add(to, OUTGOING_WORDS[relation]);
  for (const { from, to, relation } of edges) if (to === id) add(from, INCOMING_WORDS[relation]);
  const direct = [...words].flatMap(([other, list]): DirectRelation[] => {
    const node = nodes.get(other);
    return node === undefined ? [] : [{ words: list.join(' and '), id: other, title: node.title, status: node.status, uri: node.uri }];
  });
  const distant = (direction: -1 | 1): DistantRelation[] =>
    graph.nodes
      .filter(({ distance }) => distance * direction > 1)
      .map((node) => {
        const inner = node.distance - direction;
        const [near, far] = direction < 0 ? (['from', 'to'] as const) : (['to', 'from'] as const);
        const neighbours = graph.edges
          .filter((edge) => edge[far] === node.capsule_id && edge.relation !== 'cites')
          .map((edge) => edge[near]);
        const through = [...new Set(neighbours)].filter((neighbour) => nodes.get(neighbour)?.distance === inner);
        return { id: node.capsule_id, title: node.title, status: node.status, uri: node.uri, through };
      });
  return { direct, foundations: distant(-1), dependants: distant(1) };
}
