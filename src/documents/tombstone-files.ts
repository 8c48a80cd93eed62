import { jsonDocument } from '../protocols/protocol-module.ts';
import type { DocumentFile, Publication } from '../publication/publication.ts';
import { lineageFilePath, PATHS } from '../schemas/paths.ts';
import { lineageSchema } from './lineage-schemas.ts';

/** Lineages of capsules that were taken down, and the schema of their statement; nothing if none was. */
export function tombstoneFiles(publication: Publication): DocumentFile[] {
  const { tombstones } = publication;
  if (tombstones.length === 0) return [];
  return [
    { path: PATHS.tombstoneSchema, ...lineageSchema('tombstone')(publication) },
    ...tombstones.map((tombstone) => ({ path: lineageFilePath(tombstone.id), ...jsonDocument(tombstone) })),
  ];
}
