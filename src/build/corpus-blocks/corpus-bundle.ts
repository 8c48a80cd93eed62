import { createHash } from 'node:crypto';
import type { LoggedChange } from '../../provenance/change-log.ts';
import { freePart } from '../../publication/publish/published-capsules.ts';
import type { CorpusManifestStatement } from '../../schemas/knowledge/corpus-responses.ts';
import type { GenerationManifest } from '../../schemas/knowledge/generation-manifest.ts';
import { bundlePartPath, PATHS } from '../../schemas/paths.ts';
import type { Publisher } from '../../schemas/publisher.ts';
import type { PublishedCapsule } from '../../text/publication-model.ts';
import { endsPage } from './divide-records-into-pages.ts';

/** Largest part of the bundle, in bytes of UTF-8: below the 25 MiB that Pages allows for a file. */
const PART_MAX_BYTES = 20 * 1024 * 1024;

/** How many parts of average size fit into the largest one: about one part in fifty reaches the maximum (e^-4). */
const PARTS_PER_MAX = 4;

/** Newline-delimited JSON (no media type is registered; this one is in common use). */
const BUNDLE_MEDIA_TYPE = 'application/x-ndjson';

/** One part of the bundle, at the address made from its digest. Its text is made each time that it is read: all parts are larger than memory. */
interface BundlePart {
  readonly path: string;
  readonly body: string;
}

export interface CorpusBundle {
  readonly parts: readonly BundlePart[];
  readonly described: CorpusManifestStatement['bundle'];
}

/**
 * Makes the bundle, and its description in the manifest: all capsules with all versions, proofs and free texts, a line for each capsule, in
 * ascending order of id, in parts that fit into files of a host. Parts end where {@link endsPage} says, or earlier if they would be too
 * large, so that a changed capsule changes its own part, which alone mirrors fetch.
 */
export function makeBundle(capsules: readonly PublishedCapsule[], partMaxBytes = PART_MAX_BYTES): CorpusBundle {
  const parts: BundlePart[] = [];
  const described: CorpusManifestStatement['bundle']['parts'] = [];
  for (const { members, size, sha256 } of inParts(capsules, partMaxBytes)) {
    const path = bundlePartPath(sha256);
    parts.push({
      path,
      get body() {
        return members.map(bundleLine).join('');
      },
    });
    described.push({ uri: path, size, lines: members.length, digest: { 'sha-256': sha256 } });
  }
  return { parts, described: { mediaType: BUNDLE_MEDIA_TYPE, parts: described } };
}

function bundleLine(capsule: PublishedCapsule): string {
  const { lineage, versions: texts } = freePart(capsule);
  const { id, versions, head } = lineage;
  return `${JSON.stringify({
    lineage: { id, versions, head },
    texts: texts.map(({ metadata, markdown }) => ({ version: metadata.version, markdown: markdown ?? null })),
  })}\n`;
}

function* inParts(capsules: readonly PublishedCapsule[], partMaxBytes: number) {
  let start = 0;
  let size = 0;
  let digest = createHash('sha256');
  const endBefore = (at: number) => {
    const part = { members: capsules.slice(start, at), size, sha256: digest.digest('hex') };
    [start, size, digest] = [at, 0, createHash('sha256')];
    return part;
  };
  for (const [at, capsule] of capsules.entries()) {
    const line = bundleLine(capsule);
    const bytes = Buffer.byteLength(line);
    if (at > start && size + bytes > partMaxBytes) yield endBefore(at);
    size += bytes;
    digest.update(line);
    if (at + 1 === capsules.length || endsPage(capsule.id, bytes, partMaxBytes / PARTS_PER_MAX)) yield endBefore(at + 1);
  }
}

/** The statement about the whole corpus, of the capsules in the bundle. It depends only on content, not on the index. */
export function describeManifest(
  { issuer, name }: Publisher,
  { corpus_digest, changes, updated }: GenerationManifest,
  capsules: readonly PublishedCapsule[],
  bundle: CorpusManifestStatement['bundle'],
  log: readonly LoggedChange[],
): CorpusManifestStatement {
  return {
    $schema: PATHS.corpusManifestSchema,
    type: 'CorpusManifest',
    issuer: { id: issuer, name },
    corpusDigest: `sha256:${corpus_digest}`,
    capsules: capsules.length,
    versions: capsules.reduce((sum, { versions }) => sum + versions.length, 0),
    bundle,
    changes,
    issued: log.map(({ date }) => `${date}T00:00:00Z`).reduce((later, day) => (day > later ? day : later), updated),
  };
}
