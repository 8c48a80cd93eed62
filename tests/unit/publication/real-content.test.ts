import { beforeAll, describe, expect, test } from 'vitest';
import { sha256Hex } from '../../../src/provenance/bytes-and-sha256.ts';
import { canonicalDigest } from '../../../src/provenance/canonical-json.ts';
import type { AuthoredContent } from '../../../src/publication/authored-content.ts';
import { CapsuleMetadata } from '../../../src/schemas/knowledge/capsule.ts';
import { Lineage } from '../../../src/schemas/knowledge/lineage.ts';
import { estimateTokens } from '../../../src/schemas/knowledge/token-estimates.ts';
import type { PublishedCapsule } from '../../../src/text/publication-model.ts';
import { realCapsules, realContent } from '../gateway/real-generation.ts';

let content: AuthoredContent;
let capsules: PublishedCapsule[];
beforeAll(async () => {
  content = await realContent();
  capsules = await realCapsules();
});

test('the content of the project comes in ascending order of id, without drafts', () => {
  for (const list of [content.capsules, content.offers, content.pages])
    expect(list.map(({ id }) => id)).toEqual([...list.map(({ id }) => id)].sort());
  expect(content.capsules.some(({ frontMatter }) => frontMatter.draft)).toBe(false);
});

describe('every capsule that is published', () => {
  test('has metadata of the published form that fit its text', async () => {
    for (const { metadata, markdown, lineage } of capsules) {
      expect(CapsuleMetadata.parse(metadata)).toEqual(metadata);
      expect(metadata.content_sha256).toBe(await sha256Hex(markdown));
      expect(metadata.tokens).toBe(estimateTokens(markdown));
      expect(metadata.versions.at(-1)).toEqual({
        version: metadata.version,
        issued: metadata.updated,
        content_sha256: metadata.content_sha256,
        record_digest: lineage.head.statement.head,
      });
      expect(metadata.versions.map(({ record_digest }) => record_digest)).toEqual(lineage.versions.map(({ recordDigest }) => recordDigest));
    }
  });

  test('has a lineage of the published form whose chain and head verify', async () => {
    for (const { id, lineage } of capsules) {
      expect(Lineage.parse(lineage)).toEqual(lineage);
      expect(JSON.stringify(lineage)).not.toContain(content.publisher.base_url);
      let previous: string | undefined;
      for (const { record, recordDigest } of lineage.versions) {
        expect([record.id, await canonicalDigest(record), record.previous?.recordDigest]).toEqual([id, recordDigest, previous]);
        previous = recordDigest;
      }
      expect([lineage.head.statement.head, lineage.head.statement.count]).toEqual([previous, lineage.versions.length]);
      expect(lineage.head.statement.issuer).toEqual({ id: content.publisher.issuer, name: content.publisher.name });
      expect(JSON.stringify(lineage.versions)).not.toContain(JSON.stringify(content.publisher.name));
    }
  });

  test('says in its head what its metadata say of its state, and in each record what the version says of itself', () => {
    for (const { metadata, versions, lineage } of capsules) {
      const { status, statusReason, supersededBy, version } = lineage.head.statement;
      expect([status, statusReason, supersededBy, version]).toEqual([
        metadata.status,
        metadata.status_reason,
        metadata.superseded_by,
        metadata.version,
      ]);
      expect(
        lineage.versions.map(({ record }) => [record.title, record.summary, record.kind, record.tags, record.language, record.evidence]),
      ).toEqual(versions.map(({ metadata: of }) => [of.title, of.summary, of.type, of.tags, of.language, of.evidence]));
    }
  });

  test('that was superseded or retracted says why, and what stands says nothing of the kind', () => {
    const states = new Set(capsules.map(({ metadata }) => metadata.status));
    expect([...states].sort()).toEqual(['current', 'retracted', 'superseded']);
    for (const { metadata } of capsules) {
      expect(metadata.status === 'current').toBe(metadata.status_reason === undefined);
      if (metadata.status === 'superseded')
        expect(
          capsules.some(
            ({ id, metadata: other }) =>
              id === metadata.superseded_by && other.supersedes.some(({ capsule_id }) => capsule_id === metadata.capsule_id),
          ),
        ).toBe(true);
    }
  });
});
