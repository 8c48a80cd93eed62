import * as z from 'zod';
import { catalogDocument } from '../../gateway/commerce/catalog/catalog-document.ts';
import { type CatalogDocument, catalogSchema } from '../../schemas/commerce/catalog.ts';
import { PATHS } from '../../schemas/paths.ts';
import type { JsonObject } from '../../schemas/json-schema.ts';
import type { DocumentFile, Publication } from '../../publication/publication.ts';

/** The catalog of a publication, checked against the schema that is published with it. */
export function catalog({ deployment, offers, publisher }: Publication): CatalogDocument {
  const document = catalogDocument(offers, publisher);
  catalogSchema(deployment).parse(document);
  return document;
}

/**
 * `/offers.schema.json`: the catalog as JSON Schema 2020-12, converted from the definition that the catalog is checked
 * with. The top level is closed, offers are open, and an offer may have either of two forms.
 */
export function offersSchema({ deployment }: Pick<Publication, 'deployment'>): JsonObject {
  const { $schema, ...schema } = z.toJSONSchema(catalogSchema(deployment));
  return {
    $schema,
    $id: `${deployment.baseUrl}${PATHS.offersSchema}`,
    title: 'Offer catalog',
    description: `Catalog at ${PATHS.offersJson}, ${PATHS.buyJson} and ${PATHS.pricingJson}. An offer has one of two forms, or both; prices are numbers of US dollars. Unknown members of an offer are allowed, those of the top level are not.`,
    ...schema,
  };
}

/** The three catalogs, which are the same bytes, and their schema. */
export function catalogFiles(publication: Publication): DocumentFile[] {
  const body = JSON.stringify(catalog(publication));
  const json = (path: string, text: string): DocumentFile => ({ path, contentType: 'application/json', body: text });
  return [
    ...[PATHS.offersJson, PATHS.buyJson, PATHS.pricingJson].map((path) => json(path, body)),
    json(PATHS.offersSchema, JSON.stringify(offersSchema(publication))),
  ];
}
