import * as fc from 'fast-check';
import { buildGeneration } from '../../../src/build/corpus-blocks/build-generation.ts';
import type { Corpus } from '../../../src/gateway/knowledge/corpus.ts';
import { sha256Hex } from '../../../src/provenance/bytes-and-sha256.ts';
import type { CapsuleMetadata } from '../../../src/schemas/knowledge/capsule.ts';
import { EVIDENCE_LEVELS } from '../../../src/schemas/knowledge/kinds-and-levels.ts';
import type { QueryFilters } from '../../../src/schemas/knowledge/query.ts';
import type { PublishedCapsule } from '../../../src/text/publication-model.ts';
import { words } from '../../support/words.ts';
import { openCorpus, recordingStore } from './real-generation.ts';

/** Words of random corpora and queries: few, so that they meet, and some of them stop words, names or misspelt. */
const WORDS = [...words`cache caching fresh fetchUser user agent payment paymnet signature the os.path 東京都 Kapsel`];

const TAGS = ['http', 'caching', 'x402', 'agents'];

export const randomText = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 12 }).map((words) => words.join(' '));

/** What differs between the capsules of a random corpus. */
export interface DescribedCapsule
  extends Pick<CapsuleMetadata, 'title' | 'summary' | 'type' | 'language' | 'license' | 'evidence' | 'status' | 'translation_of'> {
  readonly tags: string[];
  readonly sections: readonly (readonly [heading: string, text: string])[];
  /** Day of January 2026 of the newest change. */
  readonly day: number;
}

const randomCapsule: fc.Arbitrary<DescribedCapsule> = fc.record({
  title: randomText,
  summary: randomText,
  sections: fc.array(fc.tuple(randomText, randomText), { maxLength: 2 }),
  tags: fc.subarray(TAGS),
  type: fc.constantFrom('protocol', 'concept'),
  language: fc.constantFrom('en', 'en', 'en-GB', 'de'),
  license: fc.constantFrom('CC-BY-4.0', 'CC0-1.0'),
  evidence: fc.constantFrom(...EVIDENCE_LEVELS),
  status: fc.constantFrom('current', 'current', 'superseded', 'retracted'),
  day: fc.integer({ min: 1, max: 4 }),
} as const);

/** Descriptions of a random corpus; many are the same twice, so that scores tie. */
export const randomCapsules = fc
  .array(randomCapsule, { minLength: 1, maxLength: 12 })
  .chain((some) => fc.array(fc.constantFrom(...some), { minLength: some.length, maxLength: 30 }));

const randomConditions = fc.record({
  type: fc.constantFrom('protocol', 'concept'),
  tags: fc.uniqueArray(fc.constantFrom(...TAGS), { minLength: 1, maxLength: 2 }),
  tags_any: fc.uniqueArray(fc.constantFrom(...TAGS), { minLength: 1, maxLength: 3 }),
  language: fc.constantFrom('en', 'en-GB', 'en-gb', 'de', 'fr'),
  license: fc.constantFrom('CC-BY-4.0', 'CC0-1.0'),
  min_evidence: fc.constantFrom(...EVIDENCE_LEVELS),
  updated_after: fc.constantFrom('2026-01-01', '2026-01-02'),
  updated_before: fc.constantFrom('2026-01-03', '2026-01-04'),
  status: fc.constantFrom('current', 'superseded', 'retracted'),
} as const) satisfies fc.Arbitrary<QueryFilters>;

/** At most two conditions, so that some capsules of a random corpus meet them. */
export const randomFilters: fc.Arbitrary<QueryFilters> = fc
  .tuple(randomConditions, fc.integer({ min: 0, max: 1_000 }), fc.integer({ min: 0, max: 2 }))
  .map(([conditions, from, count]) => {
    const all = Object.entries(conditions);
    return Object.fromEntries(Array.from({ length: count }, (_, at) => all[(from + at * 4) % all.length] ?? ['type', 'protocol']));
  });

export const randomId = (place: number): string => `capsule-${place}`;

export async function randomCorpus(described: readonly DescribedCapsule[]): Promise<Corpus> {
  const generation = await buildGeneration(await Promise.all(described.map(publishedCapsule)), []);
  return openCorpus(generation, recordingStore(generation));
}

async function publishedCapsule(described: DescribedCapsule, place: number): Promise<PublishedCapsule> {
  const { title, summary, sections, day, ...facts } = described;
  const id = randomId(place);
  const markdown = [`${summary}.`, ...sections.map(([heading, text]) => `## ${heading}\n\n${text}.`)].join('\n\n').concat('\n');
  const content_sha256 = await sha256Hex(markdown);
  const record_digest = `sha256:${content_sha256}`;
  const updated = `2026-01-0${day}`;
  const metadata: CapsuleMetadata = {
    capsule_id: id,
    version: '1.0.0',
    title,
    summary,
    ...facts,
    access: 'public',
    created: '2026-01-01',
    updated,
    words: 1,
    tokens: 1,
    content_sha256,
    sources: [],
    derived_from: [],
    cites: [],
    supersedes: [],
    versions: [{ version: '1.0.0', issued: updated, content_sha256, record_digest }],
  };
  const lineage = {
    id,
    versions: [{ record: { id, version: '1.0.0', digest: { 'sha-256': content_sha256 }, issued: updated }, recordDigest: record_digest }],
    head: { statement: { id, status: facts.status } },
  } as never;
  const relatives = { nodes: [{ id, distance: 0 }], edges: [], truncated: false };
  return { id, metadata, markdown, versions: [{ metadata, markdown }], lineage, relatives, degree: 0 };
}
