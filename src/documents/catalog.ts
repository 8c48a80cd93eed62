import * as z from 'zod';
import { catalogDocument } from '../gateway/commerce/catalog/catalog-document.ts';
import type { Publication } from '../publication/publication.ts';
import { type CatalogDocument, catalogSchema, publishedCatalog } from '../schemas/commerce/catalog.ts';
import type { JsonObject } from '../schemas/json-schema.ts';
import { PATHS } from '../schemas/paths.ts';

/** The catalog of a publication, validated against {@link publishedCatalog}, a subset of the published schema. */
export function catalog({ deployment, offers, discontinuedOffers = [], publisher }: Publication): CatalogDocument {
  const document = catalogDocument([...offers, ...discontinuedOffers], publisher, deployment.missingPages);
  publishedCatalog(deployment).parse(document);
  return document;
}

/**
 * `/offers.schema.json`: JSON Schema 2020-12 of the catalog. The top level is closed, offers are open, and an offer has one of two
 * forms, or both.
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
