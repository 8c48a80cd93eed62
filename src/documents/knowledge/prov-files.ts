import { provLineage } from '../../gateway/knowledge/read-lineage.ts';
import { provFilePath } from '../../schemas/paths.ts';
import type { DocumentCapsule, DocumentFile, Publication } from '../../publication/publication.ts';

/** `/capsules/<id>/lineage.prov.jsonld`: the lineage for tools that know W3C PROV, as the API gives it to who asks for that type. */
export function provFile({ id, lineage }: DocumentCapsule, { deployment }: Pick<Publication, 'deployment'>): DocumentFile {
  return { path: provFilePath(id), contentType: 'application/ld+json', body: provLineage(lineage, deployment.baseUrl) };
}
