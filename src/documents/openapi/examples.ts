import { PROTOCOLS } from '../../protocols/protocols.ts';
import type { OperationExample, Publication } from '../../publication/publication.ts';
import { capabilities } from '../capabilities.ts';
import { catalog, offersSchema } from '../catalog.ts';
import { documentAddresses } from '../document-registry.ts';
import { browseFile, changesFile, statusFile } from '../frontend-only-api.ts';
import { intake } from '../intake.ts';
import { jwks } from '../key-documents.ts';

/** Entries of a long list in an example. */
const SHORT_LIST = 2;

/**
 * Examples by operation id: of routes from the publication, of protocols from their modules, and of documents the documents themselves with
 * long lists cut.
 *
 * @param info Head of the OpenAPI document, as the example of its operations.
 */
export function operationExamples(publication: Publication, info: object): ReadonlyMap<string, OperationExample> {
  const { deployment } = publication;
  const offerCatalog = shortCatalog(publication);
  const addresses = documentAddresses(publication, ['commerce']);
  const { $schema, $id, title, type } = offersSchema(publication);
  const made: [string, OperationExample][] = [
    ['getCapabilities', { response: capabilities(publication) }],
    ['getIntake', { response: intake(publication) }],
    ...['getOpenApi', 'getOpenApiForAgents'].map((id): [string, OperationExample] => [id, { response: info }]),
    ...['getOffers', 'getBuyCatalog', 'getPricingCatalog'].map((id): [string, OperationExample] => [id, { response: offerCatalog }]),
    ['getOffersSchema', { response: { $schema, $id, title, type } }],
    ['getMirrorManifest', { response: publication.mirror.manifest }],
    ['getKeys', { response: jwks(publication) }],
  ];
  const ofProtocols = PROTOCOLS.flatMap(({ examples }) => examples(publication, addresses));
  return new Map([...made, ...ofProtocols, ...publication.examples, ...(deployment.mode === 'static' ? staticExamples(publication) : [])]);
}

/** Examples of operations whose file differs from the response of the service. */
function staticExamples(publication: Publication): [string, OperationExample][] {
  const list = browseFile(publication);
  const log = changesFile(publication);
  return [
    ['browseCapsules', { response: { ...list, items: list.items.slice(0, SHORT_LIST) } }],
    ['listChanges', { response: { ...log, changes: log.changes.slice(0, SHORT_LIST) } }],
    ['getStatus', { response: statusFile(publication) }],
  ];
}

/** The catalog with few offers, each once. */
function shortCatalog(publication: Publication): object {
  const {
    recommended_first_checkout: _first,
    recommended_quick_checkout: _quick,
    fast_paid_starts: _fast,
    ...document
  } = catalog(publication);
  return { ...document, offers: document.offers.slice(0, SHORT_LIST) };
}
