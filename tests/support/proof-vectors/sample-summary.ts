import type { SampleLineage } from './sample.ts';
import { at } from './vector.ts';

/** Members of a document. */
export type Members = Record<string, unknown>;

/** Members that a capsule and a result have alike, about one version. */
export function summaryOf({ versions, head }: SampleLineage, sequence: number): Members {
  const { record } = at(versions, sequence);
  return {
    capsule_id: record.id,
    version: record.version,
    title: record.title,
    summary: record['summary'],
    type: record['kind'],
    tags: record.tags,
    language: record['language'],
    license: 'CC-BY-4.0',
    evidence: record['evidence'],
    status: head.statement.status,
    ...(head.statement['statusReason'] === undefined ? {} : { status_reason: head.statement['statusReason'] }),
    ...(head.statement['supersededBy'] === undefined ? {} : { superseded_by: head.statement['supersededBy'] }),
    access: 'public',
    created: '2026-11-19',
    updated: record.issued.slice(0, 10),
    words: 12,
    tokens: 34,
    content_sha256: record.digest['sha-256'],
  };
}
