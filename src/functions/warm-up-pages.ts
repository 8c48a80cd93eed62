import { LIST_PAGE_SIZE, type ListPage } from '../gateway/knowledge/capsule-lists/read-list.ts';
import type { CapsulePage } from '../gateway/knowledge/read-capsule-page.ts';
import type { RenderPage } from '../http/on-demand-page-props.ts';
import type { CapsuleMetadata } from '../schemas/knowledge/capsule.ts';
import { lineageNode } from '../schemas/knowledge/lineage.ts';
import { PATHS } from '../schemas/paths.ts';

/**
 * Renders pages while an isolate starts, so that the first visitor does not wait for modules to load. It awaits no I/O, so it ends before the
 * first request; an error recurs in the first request, which reports it.
 */
export function renderSamples(renderPage: RenderPage): void {
  renderPage('capsule', SAMPLE_PAGE).catch(() => undefined);
  renderPage('list', { list: SAMPLE_LIST }).catch(() => undefined);
}

const DAY = '2026-01-01';
const DIGEST = '0'.repeat(64);
const RECORD_DIGEST = `sha256:${DIGEST}`;
const ID = 'sample';

const METADATA: CapsuleMetadata = {
  capsule_id: ID,
  version: '1.0.0',
  title: 'Sample',
  summary: 'A page for warming up.',
  type: 'concept',
  tags: [ID],
  language: 'en',
  license: 'CC-BY-4.0',
  evidence: 'documented',
  status: 'superseded',
  status_reason: 'Sample',
  superseded_by: ID,
  access: 'public',
  created: DAY,
  updated: DAY,
  words: 1,
  tokens: 1,
  content_sha256: DIGEST,
  sources: [{ key: 's', title: 'Sample', url: 'https://example.com/', publisher: 'Sample', kind: 'article', retrieved: DAY }],
  derived_from: [],
  cites: [],
  supersedes: [],
  versions: [{ version: '1.0.0', issued: DAY, content_sha256: DIGEST, record_digest: RECORD_DIGEST }],
};

const OTHER: CapsuleMetadata = { ...METADATA, capsule_id: 'other' };

const SAMPLE_PAGE: CapsulePage = {
  capsule: {
    id: ID,
    metadata: METADATA,
    lineage: {
      $schema: PATHS.lineageSchema,
      id: ID,
      versions: [],
      head: {
        statement: {
          $schema: PATHS.lineageHeadSchema,
          type: 'LineageHead',
          id: ID,
          issuer: { id: 'did:web:example.com', name: 'Sample' },
          status: METADATA.status,
          head: RECORD_DIGEST,
          version: METADATA.version,
          count: 1,
          issued: `${DAY}T00:00:00Z`,
        },
        signatures: [],
      },
      graph: {
        nodes: [
          lineageNode(METADATA, 0, undefined),
          lineageNode(OTHER, 1, undefined),
          lineageNode({ ...OTHER, capsule_id: 'base' }, -1, undefined),
        ],
        edges: [
          { from: OTHER.capsule_id, to: ID, relation: 'derived_from' },
          { from: ID, to: 'base', relation: 'cites' },
        ],
        total: 3,
        truncated: false,
        next_cursor: null,
      },
    },
  },
  text: {
    html: '<p>Sample</p>',
    outline: [2, 2].map((depth, at) => ({ depth, id: `${at}`, text: 'Sample' })),
    sourceOrder: ['s'],
    beginsWithSummary: false,
  },
  related: [OTHER],
  successor: OTHER,
  languages: { base: 'de' },
};

/** A page of a list with every part that it can have, and as many capsules as most have, so that the code for each is compiled. */
const SAMPLE_LIST: ListPage = {
  request: { conditions: { type: 'concept', evidence: 'documented' }, sort: 'newest', page: 1 },
  capsules: Array.from({ length: LIST_PAGE_SIZE }, () => ({ id: ID, metadata: METADATA })),
  total: 31,
  pages: 2,
  isOverview: false,
  isFile: false,
  counts: { capsules: 31, sources: 1, superseded: 1, retracted: 1 },
  facets: {
    type: [['concept', 31]],
    evidence: [['documented', 31]],
    language: [['en', 31]],
    changed: [['2026-01', 31]],
  },
  subjects: { common: [[ID, 31]], total: 1 },
};
