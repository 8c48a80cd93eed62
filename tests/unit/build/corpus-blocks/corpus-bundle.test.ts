import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildGeneration } from '../../../../src/build/corpus-blocks/build-generation.ts';
import { type CorpusBundle, describeManifest, makeBundle } from '../../../../src/build/corpus-blocks/corpus-bundle.ts';
import { sha256Hex } from '../../../../src/provenance/bytes-and-sha256.ts';
import { canonicalDigest } from '../../../../src/provenance/canonical-json.ts';
import { publishCapsules } from '../../../../src/publication/publish/published-capsules.ts';
import { CorpusManifestStatement } from '../../../../src/schemas/knowledge/corpus-responses.ts';
import { LineageProof } from '../../../../src/schemas/knowledge/lineage.ts';
import type { PublishedCapsule } from '../../../../src/text/publication-model.ts';
import { contentOf, syntheticCapsules } from '../../../bench/capsule-corpus.ts';
import { logOf } from '../../../support/generations.ts';

/** Texts in which bytes, code units and characters are not the same, and what JSON and line readers stumble over. */
const TEXTS = [
  'Tëxt 東京都 \u{1f469}\u200d\u{1f469}\u200d\u{1f467} e\u0301 \u202eabc\u202c\n',
  'Line separator \u2028 paragraph separator \u2029 next line \u0085 form feed \f vertical tab \v end\n',
  'Quotes " \\ / \\n \\u0041 {"texts":[]}\n\n\n',
  '\ufeffA byte order mark within, \ufffe and \uffff\n',
  '\u{10ffff}\u{1d538}\u{20000}\n',
];

const content = contentOf(
  syntheticCapsules(12, 5).map((capsule, at) => {
    const { frontMatter } = capsule;
    const markdown = TEXTS[at % TEXTS.length] ?? '';
    if (at % 3 !== 0) return { ...capsule, markdown };
    const frozen = [{ frontMatter, markdown: `Before.\n${markdown}` }];
    return { ...capsule, markdown, frozen, frontMatter: { ...frontMatter, title: `\u{1f4e6} ${frontMatter.title}`, version: '1.1.0' } };
  }),
);

let capsules: PublishedCapsule[];
beforeAll(async () => {
  capsules = await publishCapsules(content);
});

interface Line {
  readonly lineage: LineageProof;
  readonly texts: readonly { readonly version: string; readonly markdown: string }[];
}

/** What someone reads who has the parts as bytes and the description alone. */
async function readBundle(bytes: ReadonlyMap<string, Uint8Array>, { parts }: CorpusBundle['described']): Promise<Line[]> {
  const lines: Line[] = [];
  for (const { uri, size, lines: count, digest } of parts) {
    const part = bytes.get(uri) ?? new Uint8Array();
    expect([part.length, await sha256Hex(part)]).toEqual([size, digest['sha-256']]);
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(part);
    expect(text.endsWith('\n')).toBe(true);
    const here = text.split('\n').slice(0, -1);
    expect(here).toHaveLength(count);
    lines.push(...here.map((line) => JSON.parse(line) as Line));
  }
  return lines;
}
const bytesOf = ({ parts }: CorpusBundle): Map<string, Uint8Array> =>
  new Map(parts.map(({ path, body }) => [path, new TextEncoder().encode(body)]));

describe('makeBundle()', () => {
  test('keeps parts below the bound, each named by its digest, with every capsule once and in order, whatever the bound', async () => {
    const largest = Math.max(...(await makeBundle(capsules, 1)).described.parts.map(({ size }) => size));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: largest * 14 }), async (bound) => {
        const bundle = await makeBundle(capsules, bound);
        for (const { uri, size, lines, digest } of bundle.described.parts) {
          expect(uri).toBe(`/mirror/${digest['sha-256']}.ndjson`);
          expect(size <= bound || lines === 1).toBe(true);
        }
        expect(bundle.parts.map(({ path }) => path)).toEqual(bundle.described.parts.map(({ uri }) => uri));
        const read = await readBundle(bytesOf(bundle), bundle.described);
        expect(read.map(({ lineage }) => lineage.id)).toEqual(capsules.map(({ id }) => id));
      }),
      { numRuns: 20 },
    );
  });

  test('changes one part, or two where an end moves, when one capsule of many changes', async () => {
    const many = await publishCapsules(contentOf(syntheticCapsules(150, 11)));
    const bound = Math.max(...(await makeBundle(many, 1)).described.parts.map(({ size }) => size)) * 40;
    const before = await makeBundle(many, bound);
    const names = new Set(before.parts.map(({ path }) => path));
    expect(names.size).toBeGreaterThan(10);
    for (const at of [0, 17, 149]) {
      const added = (many[at] as PublishedCapsule).versions.map((version) => ({ ...version, markdown: `${version.markdown} More.\n` }));
      const after = await makeBundle(many.with(at, { ...(many[at] as PublishedCapsule), versions: added }), bound);
      const changed = after.parts.filter(({ path }) => !names.has(path)).length;
      expect([changed > 0, changed <= 2]).toEqual([true, true]);
      const without = await makeBundle(many.toSpliced(at, 1), bound);
      expect(without.parts.filter(({ path }) => !names.has(path)).length).toBeLessThanOrEqual(2);
    }
  });

  test('has the records, the head and the exact texts of all versions, and nothing else', async () => {
    const bundle = await makeBundle(capsules, 4_096);
    for (const [at, line] of (await readBundle(bytesOf(bundle), bundle.described)).entries()) {
      const { lineage, versions } = capsules[at] as PublishedCapsule;
      expect(line).toEqual({
        lineage: { id: lineage.id, versions: lineage.versions, head: lineage.head },
        texts: versions.map(({ metadata, markdown }) => ({ version: metadata.version, markdown })),
      });
      expect(LineageProof.parse(line.lineage)).toEqual(line.lineage);
      for (const [place, { version, markdown }] of line.texts.entries()) {
        const record = line.lineage.versions[place]?.record;
        expect([version, await sha256Hex(markdown), Buffer.byteLength(markdown)]).toEqual([
          record?.version,
          record?.digest['sha-256'],
          record?.size,
        ]);
      }
    }
  });

  test('lets a reader that has the parts work out the digest of the corpus, and notice that a capsule is missing', async () => {
    const generation = await buildGeneration(capsules, []);
    const bundle = await makeBundle(capsules, 4_096);
    const statement = describeManifest(content.publisher, generation.manifest, capsules, bundle.described, logOf(generation));
    expect(CorpusManifestStatement.parse(statement)).toEqual(statement);
    const lines = await readBundle(bytesOf(bundle), statement.bundle);
    const entries = lines.map(({ lineage: { id, versions, head } }) => {
      const { status, statusReason, supersededBy } = head.statement;
      const state = {
        status,
        ...(statusReason === undefined ? {} : { statusReason }),
        ...(supersededBy === undefined ? {} : { supersededBy }),
      };
      return { id, ...state, versions: versions.map(({ recordDigest }) => recordDigest) };
    });
    expect(await canonicalDigest(entries)).toBe(statement.corpusDigest);
    for (let at = 0; at < entries.length; at += 1) expect(await canonicalDigest(entries.toSpliced(at, 1))).not.toBe(statement.corpusDigest);
    expect([statement.capsules, statement.versions]).toEqual([lines.length, lines.reduce((sum, { texts }) => sum + texts.length, 0)]);
    expect(statement.changes).toEqual(generation.manifest.changes);
  });

  test('of no capsules has no parts', async () => {
    expect(await makeBundle([])).toEqual({ parts: [], described: { mediaType: 'application/x-ndjson', parts: [] } });
  });

  test('of a publication of this size is one part by default', async () => expect((await makeBundle(capsules)).parts).toHaveLength(1));
});
