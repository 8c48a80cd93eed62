import type { Derivation, LineageHead, ProvRelation, VersionRecord } from './lineage-records.ts';

/** The signed part of a lineage. */
export interface ProvedLineage {
  /** Records of all versions, oldest first. */
  readonly versions: readonly { readonly record: VersionRecord; readonly recordDigest: string }[];
  readonly head: { readonly statement: LineageHead };
}

/** Absolute addresses that a lineage itself leaves out. */
export interface ProvAddresses {
  /** Origin that root-relative addresses are put after, without a slash at its end. */
  readonly baseUrl: string;
  /** Where the document made here is published; activities and agents without an address of their own are named under it. */
  readonly documentUrl: string;
  /** Page of the capsule that replaces this one. */
  readonly replacementUrl?: string | undefined;
}

/** A value with its language or its type; PROV-JSONLD knows texts only, also for numbers and dates. */
export interface ProvValue {
  readonly '@value': string;
  readonly '@language'?: string;
  readonly '@type'?: string;
}

/** One expression of PROV: a node (with an id) or a relation (without). */
export interface ProvExpression {
  readonly '@type': 'Entity' | 'Activity' | 'Agent' | 'Specialization' | 'Generation' | 'Association' | 'Attribution' | 'Derivation';
  readonly [attribute: string]: string | readonly (string | ProvValue)[];
}

/** A document of PROV-JSONLD: nothing of it is signed, all of it follows from records that are. */
export interface ProvDocument {
  readonly '@context': readonly [prefixes: Readonly<Record<string, string>>, context: string];
  readonly '@graph': readonly ProvExpression[];
}

/** Who brought a version about. */
type Agent = VersionRecord['activity']['agent'];

/** What the submission gives as the meaning of all names without a prefix. */
const CONTEXT = 'https://openprovenance.org/prov-jsonld/context.jsonld';

/** Vocabularies of the attributes. `schema` and `dcat` have the digest and the size of a text, `dcterms` the rest. */
const VOCABULARIES = {
  prov: 'http://www.w3.org/ns/prov#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
  dcterms: 'http://purl.org/dc/terms/',
  dcat: 'http://www.w3.org/ns/dcat#',
  schema: 'https://schema.org/',
} as const;

/** Subtypes of a derivation: they stand in `type`, the submission has no expressions of their own for them (section 6, IC4). */
const SUBTYPES: Readonly<Record<ProvRelation, string | undefined>> = {
  wasDerivedFrom: undefined,
  wasRevisionOf: 'prov:Revision',
  wasQuotedFrom: 'prov:Quotation',
  hadPrimarySource: 'prov:PrimarySource',
};

/**
 * The lineage of a capsule as PROV-JSONLD, for tools that know W3C PROV and nothing of ours. Each version is an entity at the
 * address of its exact text, and a specialization of the capsule, which is an entity at the address of its page. The same lineage and
 * addresses give the same document.
 *
 * No invalidation is stated: a head says that a capsule is superseded or retracted, but not since when, and the bytes of earlier
 * versions stay what they are. `@type` is left off the document as in the submission's example, because JSON-LD reads a graph beside
 * it as a named one.
 *
 * @see https://www.w3.org/submissions/2024/SUBM-prov-jsonld-20240825/
 */
export function provDocument({ versions, head: { statement } }: ProvedLineage, addresses: ProvAddresses): ProvDocument {
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

/** The capsule as such, of which every version is a specialization, in the state that the head gives it. */
function capsuleEntity(
  { uri, title, language }: VersionRecord,
  { status, statusReason }: LineageHead,
  names: ProvNames,
  replacementUrl: string | undefined,
): ProvExpression {
  return {
    '@type': 'Entity',
    '@id': names.of(uri),
    'dcterms:title': [{ '@value': title, '@language': language }],
    'head:status': [{ '@value': status }],
    ...(statusReason === undefined ? {} : { 'head:statusReason': [{ '@value': statusReason }] }),
    ...(replacementUrl === undefined ? {} : { 'dcterms:isReplacedBy': [uriValue(replacementUrl)] }),
  };
}

/** Issuers and authors. An author of whom only a name is known gets an id inside this document, so that no two are taken for one. */
function describeAgents(
  records: readonly VersionRecord[],
  { issuer }: LineageHead,
  names: ProvNames,
  documentUrl: string,
): { expressions: ProvExpression[]; idOf: (agent: Agent) => string } {
  const issuers = new Set([...records.map((record) => record.issuer.id), issuer.id]);
  const authors = new Map<string, Agent>();
  for (const { activity } of records) authors.set(JSON.stringify([activity.agent.type, activity.agent.name]), activity.agent);
  const ids = new Map<string, string>();
  for (const [key, { name }] of authors)
    ids.set(key, issuers.has(name) ? names.of(name) : names.of(`${documentUrl}#agent-${ids.size + 1}`));
  const typesOf = (id: string): string[] => [...authors.values()].filter(({ name }) => name === id).map(({ type }) => `prov:${type}`);
  return {
    idOf: ({ type, name }) => ids.get(JSON.stringify([type, name])) ?? '',
    expressions: [
      ...[...issuers].map((id): ProvExpression => {
        const types = typesOf(id);
        return {
          '@type': 'Agent',
          '@id': names.of(id),
          ...(types.length === 0 ? {} : { type: types }),
          ...(id === issuer.id ? { label: [{ '@value': issuer.name }] } : {}),
        };
      }),
      ...[...authors]
        .filter(([, { name }]) => !issuers.has(name))
        .map(
          ([key, { type, name }]): ProvExpression => ({
            '@type': 'Agent',
            '@id': ids.get(key) ?? '',
            type: [`prov:${type}`],
            label: [{ '@value': name }],
          }),
        ),
    ],
  };
}

/** Each text that a version rests on, once, as the newest record that names it describes it. */
function sourceEntities(records: readonly VersionRecord[], names: ProvNames): ProvExpression[] {
  const sources = new Map<string, Derivation>();
  for (const { derivedFrom } of records) for (const source of derivedFrom) sources.set(names.of(source.uri), source);
  return [...sources].map(([name, { title, publisher }]) => ({
    '@type': 'Entity',
    '@id': name,
    ...(title === undefined ? {} : { 'dcterms:title': [{ '@value': title }] }),
    ...(publisher === undefined ? {} : { 'dcterms:publisher': [{ '@value': publisher }] }),
  }));
}

interface VersionContext {
  readonly names: ProvNames;
  readonly addresses: ProvAddresses;
  readonly agentOf: (agent: Agent) => string;
}

/** A version: what it is, how it came about, by whom, and what it rests on. */
function describeVersion(
  { record, recordDigest }: ProvedLineage['versions'][number],
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
      // The name of the record that all of this is taken from, by which it is found and checked in the lineage.
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

/** That one text rests on another. What is true of the use alone, as the day and the digest, stands here and not on the source. */
function derivation(
  { relation, uri, key, retrieved, digest }: Derivation,
  generatedEntity: string,
  activity: string,
  names: ProvNames,
): ProvExpression {
  const subtype = SUBTYPES[relation];
  return {
    '@type': 'Derivation',
    generatedEntity,
    usedEntity: names.of(uri),
    activity,
    ...(subtype === undefined ? {} : { type: [subtype] }),
    ...(key === undefined ? {} : { 'record:key': [{ '@value': key }] }),
    ...(retrieved === undefined ? {} : { 'record:retrieved': [{ '@value': retrieved, '@type': 'xsd:date' }] }),
    ...(digest === undefined ? {} : { 'schema:sha256': [{ '@value': digest['sha-256'] }] }),
  };
}

function absolute(uri: string, baseUrl: string): string {
  return uri.startsWith('/') ? baseUrl + uri : uri;
}

function uriValue(uri: string): ProvValue {
  return { '@value': uri, '@type': 'xsd:anyURI' };
}

/** An address or a DID in two parts, the first of which ends with a character that JSON-LD lets a prefix end with. */
const SPLIT = /^(https?:\/\/[^/?#]+\/|did:[a-z0-9]+:)((?!\/\/).*)$/;

/**
 * Qualified names for addresses, as PROV-JSONLD wants ids to be: a prefix that the document declares, and the rest. Tools for PROV
 * refuse an id whose prefix is not declared, and would take that of a whole address for one; JSON-LD puts the two together again.
 *
 * @see PROV-JSONLD section 4.1 (QualifiedName), JSON-LD 1.1 section 4.1.5 (compact IRIs).
 */
export class ProvNames {
  readonly #baseUrl: string;
  readonly #prefixes = new Map<string, string>();
  #origins = 0;

  /** @param baseUrl Origin of the site, which gets the prefix `site`. */
  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
    this.#prefixes.set(`${baseUrl}/`, 'site');
  }

  /**
   * Name of a root-relative or absolute address, or of a DID. Where there is nothing to put a prefix to (an origin without a slash)
   * it is the address itself, which JSON-LD takes too.
   */
  of(uri: string): string {
    const whole = uri.startsWith('/') ? this.#baseUrl + uri : uri;
    const [, namespace, rest] = SPLIT.exec(whole) ?? [];
    return namespace === undefined ? whole : `${this.#prefixOf(namespace)}:${rest}`;
  }

  /** Prefixes of the names given so far, with what they stand for. */
  prefixes(): Record<string, string> {
    return Object.fromEntries([...this.#prefixes].map(([namespace, prefix]) => [prefix, namespace]));
  }

  #prefixOf(namespace: string): string {
    const known = this.#prefixes.get(namespace);
    if (known !== undefined) return known;
    const prefix = this.#newPrefix(namespace);
    this.#prefixes.set(namespace, prefix);
    return prefix;
  }

  /** A prefix called "did" would be defined by itself, which JSON-LD refuses; so DIDs get one with their method. */
  #newPrefix(namespace: string): string {
    if (namespace.startsWith('did:')) return `did_${namespace.slice('did:'.length, -1)}`;
    this.#origins += 1;
    return `web${this.#origins}`;
  }
}
