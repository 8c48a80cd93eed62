import type { Route } from '../../http/define-route.ts';

/** What the operations of each group are for, in the order of the document. */
export const TAGS: Readonly<Record<Route['capability'], string>> = {
  agents: 'What this service offers to agents.',
  knowledge: 'Questions to the capsule index. Ranking is deterministic: the same question on the same corpus has the same answer.',
  capsules: 'Capsules and their lineage: metadata, text, sources, versions and digests.',
  commerce:
    'Offers, their catalog and its schema, discovery documents of commerce protocols, and checkout where they are switched on. Prices are in US dollars.',
  documents: 'Descriptions of this interface.',
};
