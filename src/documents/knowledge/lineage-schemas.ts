import type * as z from 'zod';
import { CorpusManifestStatement } from '../../schemas/knowledge/changes.ts';
import { CapsuleVersionRecord, Lineage, LineageHeadStatement } from '../../schemas/knowledge/lineage.ts';
import { PATHS } from '../../schemas/paths.ts';
import { namedSchemas } from '../../schemas/json-schema.ts';
import type { DocumentFile, Publication } from '../../publication/publication.ts';

const SCHEMAS: ReadonlyMap<string, { readonly schema: z.ZodType; readonly title: string; readonly description: string }> = new Map([
  [
    PATHS.lineageSchema,
    {
      schema: Lineage,
      title: 'Lineage of a capsule',
      description:
        'Chain of versions, statement about the newest one, and the graph of related capsules. Root-relative addresses belong to the site that published the document.',
    },
  ],
  [
    PATHS.capsuleVersionSchema,
    {
      schema: CapsuleVersionRecord,
      title: 'Record of one version of a capsule',
      description: 'What is stated about one version. Its digest is the SHA-256 of its canonical JSON (RFC 8785).',
    },
  ],
  [
    PATHS.lineageHeadSchema,
    {
      schema: LineageHeadStatement,
      title: 'Statement about the newest version',
      description: 'Names the newest record and the number of versions, so that a version that was left out is noticed.',
    },
  ],
  [
    PATHS.corpusManifestSchema,
    {
      schema: CorpusManifestStatement,
      title: 'Statement about the whole corpus',
      description:
        'Counts and digests of everything that is published, and where it can be had, so that a part that was left out is noticed.',
    },
  ],
]);

/** JSON Schemas (2020-12) of lineage documents. They refer to each other by their addresses. */
export function lineageSchemaFiles({ deployment }: Pick<Publication, 'deployment'>): DocumentFile[] {
  const named = new Map([...SCHEMAS].map(([path, { schema }]) => [path, schema]));
  const address = (path: string): string => deployment.baseUrl + path;
  return [...namedSchemas(named, address, 'answer')].map(([path, schema]) => {
    const { title = '', description = '' } = SCHEMAS.get(path) ?? {};
    return {
      path,
      contentType: 'application/json',
      body: JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', $id: address(path), title, description, ...schema }),
    };
  });
}
