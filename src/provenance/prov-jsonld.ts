import type { Derivation, LineageHead, ProvRelation, VersionRecord } from './lineage-records.ts';

export interface SignedLineage {
  readonly versions: readonly { readonly record: VersionRecord; readonly recordDigest: string }[];
  readonly head: { readonly statement: LineageHead };
}

/** Absolute addresses, which a lineage does not contain. */
export interface ProvAddresses {
  /** Origin of root-relative addresses, without a slash at the end. */
  readonly baseUrl: string;
  /** Address of the PROV document; activities, and agents without an address, are fragments of it. */
  readonly documentUrl: string;
  readonly replacementUrl?: string | undefined;
}

/** A value with its language or type; PROV-JSONLD writes numbers and dates as strings too. */
export interface ProvValue {
  readonly '@value': string;
  readonly '@language'?: string;
  readonly '@type'?: string;
}

/** A PROV expression: a node, with an id, or a relation, without. */
export interface ProvExpression {
  readonly '@type': 'Entity' | 'Activity' | 'Agent' | 'Specialization' | 'Generation' | 'Association' | 'Attribution' | 'Derivation';
  readonly [attribute: string]: string | readonly (string | ProvValue)[];
}

/** A PROV-JSONLD document. It is not signed: all of it is derived from signed records. */
export interface ProvDocument {
  readonly '@context': readonly [prefixes: Readonly<Record<string, string>>, context: string];
  readonly '@graph': readonly ProvExpression[];
}

type Agent = VersionRecord['activity']['agent'];

/** Context of all names without a prefix, from the submission. */
const CONTEXT = 'https://openprovenance.org/prov-jsonld/context.jsonld';

/** Vocabularies of the attributes: `schema` for digests and versions, `dcat` for sizes, `dcterms` for all others. */
const VOCABULARIES = {
  prov: 'http://www.w3.org/ns/prov#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
  dcterms: 'http://purl.org/dc/terms/',
  dcat: 'http://www.w3.org/ns/dcat#',
  schema: 'https://schema.org/',
} as const;

/** Subtypes of a derivation, written in `type`: the submission has no expressions for them (section 6, IC4). */
const SUBTYPES: Readonly<Record<ProvRelation, string | undefined>> = {
  wasDerivedFrom: undefined,
  wasRevisionOf: 'prov:Revision',
  wasQuotedFrom: 'prov:Quotation',
  hadPrimarySource: 'prov:PrimarySource',
};

/**
 * The lineage of a capsule as PROV-JSONLD, for W3C PROV tools. Each version is an entity at the address of its exact text, and a
 * specialization of the capsule, which is an entity at the address of its page. The same lineage and addresses give the same document.
 *
 * It states no invalidation: a head does not say since when a capsule is superseded or retracted. The document has no `@type`, as in the
 * submission's example, because JSON-LD would read its graph as a named graph.
 *
 * @see https://www.w3.org/submissions/2024/SUBM-prov-jsonld-20240825/
 */
export function provDocument({ versions, head: { statement } }: SignedLineage, addresses: ProvAddresses): ProvDocument {
  const names = new ProvNames(addresses.baseUrl);
  const records = versions.map(({ record }) => record);
  const agents = describeAgents(records, statement, names, addresses.documentUrl);
  const graph = [
    ...records.slice(-1).map((newest) => capsuleEntity(newest, statement, names, addresses.replacementUrl)),
    ...agents.expressions,
    ...sourceEntities(records, names),
    ...versions.flatMap((link, at) => describeVersion(link, records[at - 1], { names, addresses, agentOf: agents.idOf })),
  ];
  const [first] = records;
  const vocabularies = {
    ...VOCABULARIES,
    ...(first === undefined ? {} : { record: `${addresses.baseUrl}${first.$schema}#` }),
    head: `${addresses.baseUrl}${statement.$schema}#`,
  };
  return { '@context': [{ ...vocabularies, ...names.prefixes() }, CONTEXT], '@graph': graph };
}

function capsuleEntity(newest: VersionRecord, head: LineageHead, names: ProvNames, replacementUrl: string | undefined): ProvExpression {
  return {
    '@type': 'Entity',
    '@id': names.of(newest.uri),
    'dcterms:title': [{ '@value': newest.title, '@language': newest.language }],
    'head:status': [{ '@value': head.status }],
    ...literal('head:statusReason', head.statusReason),
    ...(replacementUrl === undefined ? {} : { 'dcterms:isReplacedBy': [uriValue(replacementUrl)] }),
  };
}

/** Issuers and authors. An author without an address gets an id within the document, so that namesakes stay distinct. */
function describeAgents(records: readonly VersionRecord[], { issuer }: LineageHead, names: ProvNames, documentUrl: string) {
  const issuers = new Set([...records.map((record) => record.issuer.id), issuer.id]);
  const keyOf = ({ type, name }: Agent): string => JSON.stringify([type, name]);
  const authors = new Map(records.map(({ activity: { agent } }) => [keyOf(agent), agent]));
  const ids = new Map(
    [...authors].map(([key, { name }], at) => [key, names.of(issuers.has(name) ? name : `${documentUrl}#agent-${at + 1}`)]),
  );
  const describe = (id: string, types: readonly string[], label: string | undefined): ProvExpression => ({
    '@type': 'Agent',
    '@id': id,
    ...(types.length === 0 ? {} : { type: types.map((type) => `prov:${type}`) }),
    ...literal('label', label),
  });
  const typesOf = (id: string): string[] => [...authors.values()].filter(({ name }) => name === id).map(({ type }) => type);
  const others = [...authors].filter(([, { name }]) => !issuers.has(name));
  return {
    idOf: (agent: Agent): string => ids.get(keyOf(agent)) ?? '',
    expressions: [
      ...[...issuers].map((id) => describe(names.of(id), typesOf(id), id === issuer.id ? issuer.name : undefined)),
      ...others.map(([key, { type, name }]) => describe(ids.get(key) ?? '', [type], name)),
    ],
  };
}

function sourceEntities(records: readonly VersionRecord[], names: ProvNames): ProvExpression[] {
  const sources = new Map<string, Derivation>();
  for (const { derivedFrom } of records) for (const source of derivedFrom) sources.set(names.of(source.uri), source);
  return [...sources].map(([name, { title, publisher }]) => ({
    '@type': 'Entity',
    '@id': name,
    ...literal('dcterms:title', title),
    ...literal('dcterms:publisher', publisher),
  }));
}

interface VersionContext {
  readonly names: ProvNames;
  readonly addresses: ProvAddresses;
  readonly agentOf: (agent: Agent) => string;
}

function describeVersion(
  { record, recordDigest }: SignedLineage['versions'][number],
  before: VersionRecord | undefined,
  { names, addresses: { baseUrl, documentUrl }, agentOf }: VersionContext,
): ProvExpression[] {
  const entity = names.of(record.canonical);
  const activity = names.of(`${documentUrl}#activity-${record.version}`);
  return [
    {
      '@type': 'Entity',
      '@id': entity,
      'dcterms:title': [{ '@value': record.title, '@language': record.language }],
      'dcterms:abstract': [{ '@value': record.summary, '@language': record.language }],
      'dcterms:issued': [{ '@value': record.issued, '@type': 'xsd:dateTime' }],
      'dcterms:format': [{ '@value': record.mediaType }],
      'dcterms:license': [uriValue(record.license)],
      'dcat:byteSize': [{ '@value': String(record.size), '@type': 'xsd:nonNegativeInteger' }],
      'schema:sha256': [{ '@value': record.digest['sha-256'] }],
      'schema:version': [{ '@value': record.version }],
      // Identifies the record in the lineage, where it can be verified.
      'dcterms:identifier': [{ '@value': recordDigest }],
      ...(record.cites.length === 0 ? {} : { 'dcterms:references': record.cites.map((uri) => uriValue(absolute(uri, baseUrl))) }),
    },
    { '@type': 'Specialization', specificEntity: entity, generalEntity: names.of(record.uri) },
    { '@type': 'Activity', '@id': activity, 'dcterms:type': [{ '@value': record.activity.type }] },
    { '@type': 'Generation', entity, activity, time: record.issued },
    { '@type': 'Association', activity, agent: agentOf(record.activity.agent) },
    { '@type': 'Attribution', entity, agent: names.of(record.issuer.id) },
    ...(before === undefined ? [] : [derivation({ relation: 'wasRevisionOf', uri: before.canonical }, entity, activity, names)]),
    ...record.derivedFrom.map((source) => derivation(source, entity, activity, names)),
  ];
}

function derivation(from: Derivation, generatedEntity: string, activity: string, names: ProvNames): ProvExpression {
  const { relation, uri, key, retrieved, digest } = from;
  const subtype = SUBTYPES[relation];
  return {
    '@type': 'Derivation',
    generatedEntity,
    usedEntity: names.of(uri),
    activity,
    ...(subtype === undefined ? {} : { type: [subtype] }),
    ...literal('record:key', key),
    ...literal('record:retrieved', retrieved, 'xsd:date'),
    ...literal('schema:sha256', digest?.['sha-256']),
  };
}

function literal(attribute: string, value: string | undefined, type?: string): Record<string, ProvValue[]> {
  return value === undefined ? {} : { [attribute]: [{ '@value': value, ...(type === undefined ? {} : { '@type': type }) }] };
}

function absolute(uri: string, baseUrl: string): string {
  return uri.startsWith('/') ? baseUrl + uri : uri;
}

function uriValue(uri: string): ProvValue {
  return { '@value': uri, '@type': 'xsd:anyURI' };
}

/** An address or a DID as two parts; the first ends with a character that may end a JSON-LD prefix. */
const NAMESPACE_AND_NAME = /^(https?:\/\/[^/?#]+\/|did:[a-z0-9]+:)((?!\/\/).*)$/;

/** Qualified names (PROV-JSONLD, 4.1), required as ids: a declared prefix and the rest, which JSON-LD joins again. Tools refuse undeclared prefixes. */
export class ProvNames {
  readonly #baseUrl: string;
  readonly #prefixes = new Map<string, string>();
  #origins = 0;

  /** @param baseUrl Origin of the site, which gets the prefix `site`. */
  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
    this.#prefixes.set(`${baseUrl}/`, 'site');
  }

  /** Name of an address, or of a DID. An origin without a slash has no prefix and stays an address, which JSON-LD accepts too. */
  of(uri: string): string {
    const whole = absolute(uri, this.#baseUrl);
    const [, namespace, rest] = NAMESPACE_AND_NAME.exec(whole) ?? [];
    return namespace === undefined ? whole : `${this.#prefixOf(namespace)}:${rest}`;
  }

  prefixes(): Record<string, string> {
    return Object.fromEntries([...this.#prefixes].map(([namespace, prefix]) => [prefix, namespace]));
  }

  #prefixOf(namespace: string): string {
    const known = this.#prefixes.get(namespace);
    if (known !== undefined) return known;
    // A prefix "did" would be defined by itself, which JSON-LD refuses.
    const prefix = namespace.startsWith('did:') ? `did_${namespace.slice('did:'.length, -1)}` : `web${++this.#origins}`;
    this.#prefixes.set(namespace, prefix);
    return prefix;
  }
}
