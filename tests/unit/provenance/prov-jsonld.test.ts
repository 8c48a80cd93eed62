import { describe, expect, test } from 'vitest';
import { provLineage } from '../../../src/gateway/knowledge/read-lineage.ts';
import { chainVersions, headOf, type LineageState, type VersionInput } from '../../../src/provenance/lineage-records.ts';
import {
  type ProvAddresses,
  type ProvDocument,
  type ProvExpression,
  ProvNames,
  provDocument,
} from '../../../src/provenance/prov-jsonld.ts';
import { publishCapsules } from '../../../src/publication/publish/published-capsules.ts';
import { ProvLineage } from '../../../src/schemas/knowledge/lineage.ts';
import { lineageApiPath } from '../../../src/schemas/paths.ts';
import { readSample } from '../../support/sample-content.ts';

const BASE = 'https://lantern.example';
const ADDRESSES = { baseUrl: BASE, documentUrl: `${BASE}/capsules/a/lineage.prov.jsonld` };
const corpus = await publishCapsules(await readSample());
const ISSUER = { id: 'did:web:lantern.example', name: 'Lantern' };

const version = (more: Partial<VersionInput> = {}): VersionInput => ({
  $schema: '/schemas/capsule-version/1.json',
  id: 'a',
  version: '1.0.0',
  uri: '/capsules/a',
  canonical: '/capsules/a/1.0.0.md',
  title: 'A title',
  summary: 'A claim.',
  kind: 'concept',
  tags: ['tag'],
  language: 'en',
  evidence: 'specified',
  issued: '2026-11-01T00:00:00Z',
  issuer: { id: ISSUER.id },
  license: 'https://spdx.org/licenses/MIT',
  derivedFrom: [],
  cites: [],
  activity: { type: 'editorial', agent: { type: 'Organization', name: ISSUER.id } },
  markdown: 'A text.\n',
  ...more,
});

async function documentOf(versions: readonly VersionInput[], state: Partial<LineageState> = {}, addresses: ProvAddresses = ADDRESSES) {
  const chain = await chainVersions(versions);
  const statement = headOf(chain, { $schema: '/schemas/lineage-head/1.json', issuer: ISSUER, status: 'current', ...state });
  return provDocument({ versions: chain, head: { statement } }, addresses);
}

const ofType = (document: ProvDocument, type: ProvExpression['@type']): ProvExpression[] =>
  document['@graph'].filter((expression) => expression['@type'] === type);

/** The whole IRI of a name, as JSON-LD 1.1 puts it together (API, section 5.2): an IRI with an authority is no name with a prefix. */
function iri(name: unknown, document: ProvDocument): string {
  const [, prefix = '', rest = ''] = /^([^:]*):(.*)$/.exec(String(name)) ?? [];
  if (rest.startsWith('//')) return String(name);
  expect(Object.keys(document['@context'][0])).toContain(prefix);
  return `${document['@context'][0][prefix]}${rest}`;
}

/** Members that the submission's schema gives to each expression (section 4); all others must have a prefix. */
const MEMBERS: Readonly<Record<ProvExpression['@type'], readonly string[]>> = {
  Entity: ['@id', 'type', 'value', 'location', 'label'],
  Activity: ['@id', 'startTime', 'endTime', 'type', 'location', 'label'],
  Agent: ['@id', 'type', 'location', 'label'],
  Specialization: ['@id', 'generalEntity', 'specificEntity', 'type', 'label'],
  Generation: ['@id', 'entity', 'activity', 'time', 'type', 'role', 'location', 'label'],
  Association: ['@id', 'activity', 'agent', 'plan', 'type', 'role', 'label'],
  Attribution: ['@id', 'entity', 'agent', 'type', 'label'],
  Derivation: ['@id', 'activity', 'generation', 'usage', 'generatedEntity', 'usedEntity', 'type', 'label'],
};
/** Members that refer to a node, and the type that it has. */
const REFERENCES = {
  generalEntity: 'Entity',
  specificEntity: 'Entity',
  entity: 'Entity',
  generatedEntity: 'Entity',
  usedEntity: 'Entity',
  activity: 'Activity',
  agent: 'Agent',
} as const;

describe('every capsule of the real corpus', () => {
  const documents = corpus.map(({ id, lineage: proof }) => {
    const document = JSON.parse(provLineage(proof, BASE)) as ProvDocument;
    return { id, proof, document };
  });

  test('is there, and fits the schema that the API publishes', () => {
    expect(documents.length).toBeGreaterThan(30);
    for (const { document } of documents) expect(ProvLineage.parse(document)).toEqual(document);
  });

  test('has the members and forms of the submission and no others', () => {
    for (const { document } of documents) {
      expect(Object.keys(document)).toEqual(['@context', '@graph']);
      expect(document['@context'][1]).toBe('https://openprovenance.org/prov-jsonld/context.jsonld');
      for (const [prefix, namespace] of Object.entries(document['@context'][0])) {
        expect(prefix).toMatch(/^[A-Za-z][A-Za-z0-9_]*$/);
        expect(namespace).toMatch(/^(https?:\/\/[^/]+\/.*|did:web:)$/);
        expect(namespace.at(-1), 'JSON-LD takes no other end of a prefix').toMatch(/[/#:]/);
      }
      for (const { '@type': type, ...members } of document['@graph']) {
        if (['Entity', 'Activity', 'Agent'].includes(type)) expect(members).toHaveProperty('@id');
        for (const [name, value] of Object.entries(members)) {
          const own = MEMBERS[type].includes(name);
          if (!own) expect(Object.keys(document['@context'][0])).toContain(name.split(':')[0]);
          if (name === 'time') expect(value).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
          expect(Array.isArray(value), `${type} ${name}`).toBe(!own || name === 'type' || name === 'label');
          for (const item of Array.isArray(value) ? value : []) {
            if (name === 'type') expect(item).toMatch(/^prov:(Revision|Quotation|PrimarySource|Person|Organization|SoftwareAgent)$/);
            else expect(item).toMatchObject({ '@value': expect.any(String) });
          }
        }
      }
    }
  });

  test('has ids that are whole addresses with a declared prefix, each described once, and refers to no others', () => {
    for (const { document } of documents) {
      const nodes = document['@graph'].filter((expression) => '@id' in expression);
      const types = new Map(nodes.map((node) => [node['@id'], node['@type']]));
      expect(types.size).toBe(nodes.length);
      for (const name of types.keys()) expect(iri(name, document)).toMatch(/^(https:\/\/[a-z0-9.-]+(\/\S*)?|did:web:\S+)$/);
      const referred = new Set<unknown>();
      for (const expression of document['@graph'])
        for (const [name, type] of Object.entries(REFERENCES)) {
          if (!(name in expression)) continue;
          expect(types.get(String(expression[name])), `${expression['@type']} ${name}`).toBe(type);
          referred.add(expression[name]);
        }
      expect([...types.keys()].filter((name) => !referred.has(name))).toEqual([]);
    }
  });

  test('has a derivation for every entry of derivedFrom of every record and for the step between versions, and no other', () => {
    const counts = documents.map(({ proof, document }) => {
      const stated = proof.versions
        .map(({ record }, at) => record.derivedFrom.length + Math.min(at, 1))
        .reduce((sum, count) => sum + count);
      expect(ofType(document, 'Derivation')).toHaveLength(stated);
      return stated;
    });
    expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThan(100);
  });

  test('has of each version what its record states, one activity with its agent, and the issuer', () => {
    for (const { id, proof, document } of documents) {
      const { length } = proof.versions;
      for (const type of ['Specialization', 'Activity', 'Generation', 'Association', 'Attribution'] as const)
        expect(ofType(document, type)).toHaveLength(length);
      for (const [at, { record, recordDigest }] of proof.versions.entries()) {
        const entity = ofType(document, 'Entity').find((node) => iri(node['@id'], document) === BASE + record.canonical);
        expect(entity).toMatchObject({
          'dcterms:title': [{ '@value': record.title, '@language': record.language }],
          'dcterms:abstract': [{ '@value': record.summary, '@language': record.language }],
          'dcterms:issued': [{ '@value': record.issued, '@type': 'xsd:dateTime' }],
          'dcterms:format': [{ '@value': record.mediaType }],
          'dcterms:license': [{ '@value': record.license, '@type': 'xsd:anyURI' }],
          'schema:version': [{ '@value': record.version }],
          'dcat:byteSize': [{ '@value': String(record.size), '@type': 'xsd:nonNegativeInteger' }],
          'schema:sha256': [{ '@value': record.digest['sha-256'] }],
          'dcterms:identifier': [{ '@value': recordDigest }],
        });
        const cited = record.cites.map((uri) => ({ '@value': BASE + uri, '@type': 'xsd:anyURI' }));
        expect(entity?.['dcterms:references']).toEqual(cited.length === 0 ? undefined : cited);
        expect(ofType(document, 'Activity')[at]?.['dcterms:type']).toEqual([{ '@value': record.activity.type }]);
        expect(ofType(document, 'Generation')[at]).toMatchObject({ entity: entity?.['@id'], time: record.issued });
        expect(iri(ofType(document, 'Specialization')[at]?.['generalEntity'], document)).toBe(`${BASE}/capsules/${id}`);
        expect(iri(ofType(document, 'Attribution')[at]?.['agent'], document)).toBe(record.issuer.id);
        expect(iri(ofType(document, 'Activity')[at]?.['@id'], document)).toBe(`${BASE}${lineageApiPath(id)}#activity-${record.version}`);
      }
    }
  });
});

describe('provDocument()', () => {
  test('types all four relations, and leaves what belongs to one use on that use', async () => {
    const digest = { 'sha-256': 'd'.repeat(64) };
    const source = { uri: 'https://x.example/p?a=b#c', key: 'p', title: 'P', publisher: 'X', retrieved: '2026-10-31' };
    const derivedFrom: VersionInput['derivedFrom'] = [
      { relation: 'wasDerivedFrom', uri: '/capsules/b' },
      { relation: 'wasRevisionOf', uri: '/capsules/c' },
      { relation: 'wasQuotedFrom', uri: 'https://x.example/q', key: 'q', digest },
      { relation: 'hadPrimarySource', ...source },
    ];
    const document = await documentOf([version({ derivedFrom })]);
    expect(ofType(document, 'Derivation').map(({ usedEntity, type }) => [usedEntity, type])).toEqual([
      ['site:capsules/b', undefined],
      ['site:capsules/c', ['prov:Revision']],
      ['web1:q', ['prov:Quotation']],
      ['web1:p?a=b#c', ['prov:PrimarySource']],
    ]);
    expect(ofType(document, 'Derivation')[2]).toMatchObject({ 'schema:sha256': [{ '@value': digest['sha-256'] }] });
    expect(ofType(document, 'Derivation')[3]).toMatchObject({ 'record:retrieved': [{ '@value': '2026-10-31', '@type': 'xsd:date' }] });
    expect(ofType(document, 'Entity').find((entity) => entity['@id'] === 'web1:p?a=b#c')).toEqual({
      '@type': 'Entity',
      '@id': 'web1:p?a=b#c',
      'dcterms:title': [{ '@value': 'P' }],
      'dcterms:publisher': [{ '@value': 'X' }],
    });
  });

  test('keeps two uses of one source apart, and describes the source once, as the newest record has it', async () => {
    const use = (key: string, title: string) => ({ relation: 'hadPrimarySource' as const, uri: 'https://x.example/', key, title });
    const document = await documentOf([
      version({ derivedFrom: [use('one', 'Old'), use('two', 'Old')] }),
      version({ version: '1.1.0', canonical: '/capsules/a/1.1.0.md', derivedFrom: [use('one', 'New')] }),
    ]);
    expect(ofType(document, 'Derivation')).toHaveLength(4);
    expect(ofType(document, 'Entity').filter((entity) => entity['@id'] === 'web1:')).toEqual([
      { '@type': 'Entity', '@id': 'web1:', 'dcterms:title': [{ '@value': 'New' }] },
    ]);
  });

  test('names authors inside the document, each once, and takes none for the issuer', async () => {
    const by = (type: 'Person' | 'SoftwareAgent', name: string, number: string): VersionInput =>
      version({ version: number, canonical: `/capsules/a/${number}.md`, activity: { type: 'editorial', agent: { type, name } } });
    const versions = [by('Person', 'Ada', '1.0.0'), by('SoftwareAgent', 'Ada', '1.1.0'), by('Person', 'Ada', '1.2.0')];
    const document = await documentOf(versions);
    expect(ofType(document, 'Agent')).toEqual([
      { '@type': 'Agent', '@id': 'did_web:lantern.example', label: [{ '@value': 'Lantern' }] },
      { '@type': 'Agent', '@id': 'site:capsules/a/lineage.prov.jsonld#agent-1', type: ['prov:Person'], label: [{ '@value': 'Ada' }] },
      {
        '@type': 'Agent',
        '@id': 'site:capsules/a/lineage.prov.jsonld#agent-2',
        type: ['prov:SoftwareAgent'],
        label: [{ '@value': 'Ada' }],
      },
    ]);
    expect(ofType(document, 'Association').map(({ agent }) => String(agent).slice(-1))).toEqual(['1', '2', '1']);
  });

  test('gives an issuer the types under which it wrote, and one that only issues none', async () => {
    const ofAuthor = async (type: 'Organization' | 'Person', name: string) =>
      ofType(await documentOf([version({ activity: { type: 'editorial', agent: { type, name } } })]), 'Agent')[0];
    expect(await ofAuthor('Organization', 'did:web:lantern.example')).toMatchObject({ type: ['prov:Organization'] });
    expect(await ofAuthor('Person', 'Ada')).not.toHaveProperty('type');
  });

  test('says what state the capsule is in, but not since when, which no head states', async () => {
    const state = { status: 'superseded', statusReason: 'Newer standard.', supersededBy: 'b' } as const;
    const document = await documentOf([version()], state, { ...ADDRESSES, replacementUrl: `${BASE}/capsules/b` });
    expect(document['@graph'][0]).toMatchObject({
      '@id': 'site:capsules/a',
      'dcterms:title': [{ '@value': 'A title', '@language': 'en' }],
      'head:status': [{ '@value': 'superseded' }],
      'head:statusReason': [{ '@value': 'Newer standard.' }],
      'dcterms:isReplacedBy': [{ '@value': `${BASE}/capsules/b`, '@type': 'xsd:anyURI' }],
    });
    expect(JSON.stringify(document)).not.toContain('Invalidation');
  });
});

describe('ProvNames', () => {
  test.each([
    ['/capsules/a', 'site:capsules/a'],
    [`${BASE}/capsules/a`, 'site:capsules/a'],
    ['did:web:lantern.example%3A8443', 'did_web:lantern.example%3A8443'],
    ['https://x.example/', 'web1:'],
    ['https://x.example/a:b//c?d=e:f#g', 'web1:a:b//c?d=e:f#g'],
    ['https://x.example:8443/a', 'web1:a'],
  ])('%s is %s, and JSON-LD makes the address of it again', (uri, name) => {
    const names = new ProvNames(BASE);
    expect(names.of(uri)).toBe(name);
    expect(names.of(uri)).toBe(name);
    const [prefix = '', ...rest] = name.split(':');
    expect(`${names.prefixes()[prefix]}${rest.join(':')}`).toBe(uri.startsWith('/') ? BASE + uri : uri);
  });

  test.each(['https://x.example', 'https://x.example?q', 'https://x.example///a', 'urn:isbn:1'])(
    '%s has no prefix and stays whole',
    (uri) => {
      const names = new ProvNames(BASE);
      expect(names.of(uri)).toBe(uri);
      expect(names.prefixes()).toEqual({ site: `${BASE}/` });
    },
  );

  test('each origin has a prefix of its own', () => {
    const names = new ProvNames(BASE);
    expect(['https://a.b/c', 'https://a-b/c', 'https://a.b/d', 'http://a.b/c'].map((uri) => names.of(uri))).toEqual([
      'web1:c',
      'web2:c',
      'web1:d',
      'web3:c',
    ]);
  });
});
