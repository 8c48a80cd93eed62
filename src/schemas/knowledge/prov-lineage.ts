import * as z from 'zod';
import { Uri } from '../primitives.ts';

/** A value of an attribute: a name, or a text with its type or language. */
const ProvValues = z.array(
  z.union([z.string(), z.object({ '@value': z.string(), '@type': z.string().optional(), '@language': z.string().optional() })]),
);

/** Lineage of a capsule in the words of W3C PROV, as the submission of PROV-JSONLD writes them. */
export const ProvLineage = z.object({
  '@context': z
    .array(z.union([z.record(z.string(), z.string()), Uri]))
    .describe('Prefixes of the names in this document, and the context that gives all other names their meaning.'),
  '@graph': z
    .array(
      z
        .object({
          '@type': z.enum(['Entity', 'Activity', 'Agent', 'Specialization', 'Generation', 'Association', 'Attribution', 'Derivation']),
        })
        .catchall(z.union([z.string(), ProvValues])),
    )
    .describe('Expressions of PROV: texts, activities and agents, and how they are related.'),
});
export type ProvLineage = z.infer<typeof ProvLineage>;
