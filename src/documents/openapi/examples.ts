import { documentAddresses } from '../machine-documents.ts';
import { capsuleResponse } from '../../gateway/knowledge/capsule-response.ts';
import { provLineage } from '../../gateway/knowledge/read-lineage.ts';
import { Lineage } from '../../schemas/knowledge/lineage.ts';
import { PROTOCOLS } from '../../protocols/protocols.ts';
import { capabilities } from '../agents/capabilities.ts';
import { catalog, offersSchema } from '../commerce/catalog-files.ts';
import { browseFile, statusFile } from '../knowledge/data-files.ts';
import { jwks } from '../knowledge/key-documents.ts';
import { intake } from '../intake/intake.ts';
import { changesFile } from '../knowledge/mirror-files.ts';
import type { OperationExample, Publication } from '../../publication/publication.ts';

/** Most entries of a long list in an example. */
const SHORT_LIST = 2;

/**
 * Requests and real answers, by operation. Those that only a running service can give come with the publication; the rest
 * is made from it, and long lists are cut.
 *
 * @param info Head of the OpenAPI document, for the operations that answer with it.
 */
export function operationExamples(publication: Publication, info: object): ReadonlyMap<string, OperationExample> {
  const { deployment } = publication;
  const first = publication.capsules.find(({ metadata }) => metadata.access === 'public');
  const offerCatalog = shortCatalog(publication);
  const addresses = documentAddresses(publication, ['commerce']);
  const { $schema, $id, title, type } = offersSchema(publication);
  const made: [string, OperationExample][] = [
    ['getCapabilities', { answer: capabilities(publication) }],
    ['getIntake', { answer: intake(publication) }],
    ...PROTOCOLS.flatMap(({ examples }) => examples(publication, addresses)).map(([id, example]): [string, OperationExample] => [
      id,
      example,
    ]),
    ...['getOpenApi', 'getOpenApiForAgents'].map((id): [string, OperationExample] => [id, { answer: info }]),
    ...['getOffers', 'getBuyCatalog', 'getPricingCatalog'].map((id): [string, OperationExample] => [id, { answer: offerCatalog }]),
    ['getOffersSchema', { answer: { $schema, $id, title, type } }],
    ['getMirrorManifest', { answer: publication.mirror.manifest }],
    ['getKeys', { answer: jwks(publication) }],
  ];
  if (first?.markdown !== undefined) {
    const { id, metadata, markdown } = first;
    const parameters = { capsule_id: id };
    made.push(
      ['getCapsule', { parameters, answer: capsuleResponse({ metadata, markdown }, deployment.baseUrl) }],
      ['getCapsuleLineage', { parameters, answer: JSON.parse(first.lineageText) as unknown }],
    );
  }
  const files: [string, OperationExample][] = deployment.mode === 'static' ? staticExamples(publication) : [];
  const examples = new Map([...made, ...publication.examples, ...files]);
  const lineage = examples.get('getCapsuleLineage');
  if (lineage) examples.set('getCapsuleLineage', withProv(lineage, deployment.baseUrl));
  return examples;
}

/** The example of a lineage, with the form that who asks for it gets. */
function withProv(example: OperationExample, baseUrl: string): OperationExample {
  const prov = JSON.parse(provLineage(Lineage.parse(example.answer), baseUrl)) as unknown;
  return { ...example, otherForms: { 'application/ld+json': prov } };
}

/** Examples of operations whose answer as a file differs from that of the service. */
function staticExamples(publication: Publication): [string, OperationExample][] {
  const list = browseFile(publication);
  const log = changesFile(publication);
  return [
    ['browseCapsules', { answer: { ...list, items: list.items.slice(0, SHORT_LIST) } }],
    ['listChanges', { answer: { ...log, changes: log.changes.slice(0, SHORT_LIST) } }],
    ['getStatus', { answer: statusFile(publication) }],
  ];
}

/** The catalog with few offers and without its repetitions of them. */
function shortCatalog(publication: Publication): object {
  const {
    recommended_first_checkout: _first,
    recommended_quick_checkout: _quick,
    fast_paid_starts: _fast,
    ...document
  } = catalog(publication);
  return { ...document, offers: document.offers.slice(0, SHORT_LIST) };
}
