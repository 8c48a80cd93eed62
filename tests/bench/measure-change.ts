import { type BuiltGeneration, buildGeneration } from '../../src/build/corpus-blocks/build-generation.ts';
import { BlockKind } from '../../src/build/kv/block-namespace.ts';
import { planWrites } from '../../src/build/kv/publish-blocks.ts';
import { signCapsules } from '../../src/build/sign-publication.ts';
import { signerOf } from '../../src/provenance/sign.ts';
import type { AuthoredCapsule } from '../../src/publication/authored-content.ts';
import { publishCapsules } from '../../src/publication/publish/published-capsules.ts';
import { seededRandom } from '../eval/random.ts';
import { logOf, ownBlocks } from '../support/generations.ts';
import { PRINTED_SECRETS } from '../support/signed-site.ts';
import { contentOf, syntheticCapsule, syntheticCapsules } from './capsule-corpus.ts';
import { syntheticDocuments } from './synthetic-corpus.ts';

export interface MeasuredChange {
  readonly name: string;
  readonly keys: number;
  readonly bytes: number;
  readonly byKind: Readonly<Partial<Record<BlockKind, number>>>;
}

export interface ChangeableCorpus {
  readonly blocks: Readonly<Record<BlockKind, number>>;
  /** Each change separately, from the same corpus: edits, one of the most referenced capsule, an addition, a removal. */
  readonly changes: () => AsyncGenerator<MeasuredChange>;
}

export async function makeChangeableCorpus(count: number, seed: number): Promise<ChangeableCorpus> {
  const capsules = syntheticCapsules(count, seed);
  const before = await build(capsules, []);
  const measure = async (name: string, changed: readonly AuthoredCapsule[]): Promise<MeasuredChange> =>
    writesOf(name, await build(changed, [before]), before);
  const blocks = Object.fromEntries(BlockKind.options.map((kind) => [kind, 0])) as Record<BlockKind, number>;
  for (const { kind } of await ownBlocks(before)) blocks[kind] += 1;
  return {
    blocks,
    changes: async function* () {
      const middle = Math.floor(count / 2);
      const hub = capsules.indexOf(mostReferred(capsules));
      yield measure('edit of a text', edited(capsules, middle, false));
      yield measure('edit with a new version', edited(capsules, middle + 1, true));
      yield measure('edit of the most referenced', edited(capsules, hub, false));
      yield measure('addition with two relations', [...capsules, addition(capsules, count, seed)]);
      yield measure('removal of one with two', capsules.toSpliced(capsules.indexOf(leafWithTwo(capsules)), 1));
      yield measureRenewal(capsules);
    },
  };
}

async function writesOf(name: string, after: BuiltGeneration, before: BuiltGeneration): Promise<MeasuredChange> {
  const held = [...before.blocks.keys()].map((sha256) => ({ sha256, note: undefined }));
  const { missing } = planWrites([await ownBlocks(after), await ownBlocks(before)], held);
  const byKind: Partial<Record<BlockKind, number>> = {};
  for (const { kind } of missing) byKind[kind] = (byKind[kind] ?? 0) + 1;
  return { name, keys: missing.length, bytes: missing.reduce((sum, { bytes }) => sum + bytes, 0), byKind };
}

/** The writes of a build in the next month after one that signed the same capsules with the default of `proof_days`. */
async function measureRenewal(capsules: readonly AuthoredCapsule[]): Promise<MeasuredChange> {
  const content = contentOf(capsules);
  const signer = await signerOf(PRINTED_SECRETS[0]);
  const published = await publishCapsules(content);
  const signed = async (today: string, previous: readonly BuiltGeneration[]): Promise<BuiltGeneration> => {
    const [newest] = previous;
    const capsulesOfMonth = await signCapsules(published, { signer, today, validDays: content.publisher.proof_days });
    return buildGeneration(capsulesOfMonth, previous, newest ? { changes: logOf(newest) } : {});
  };
  // Long after the capsules changed, when all heads have been renewed before.
  const before = await signed('2027-06-15', []);
  return writesOf('renewal of a month', await signed('2027-07-01', [before]), before);
}

async function build(capsules: readonly AuthoredCapsule[], previous: readonly BuiltGeneration[]): Promise<BuiltGeneration> {
  const [newest] = previous;
  return buildGeneration(await publishCapsules(contentOf(capsules)), previous, newest ? { changes: logOf(newest) } : {});
}

function edited(capsules: readonly AuthoredCapsule[], at: number, isRevision: boolean): AuthoredCapsule[] {
  return capsules.map((capsule, number) => {
    if (number !== at) return capsule;
    const markdown = `${capsule.markdown}\nA sentence that was not there before.\n`;
    if (!isRevision) return { ...capsule, markdown };
    const { frontMatter } = capsule;
    return {
      ...capsule,
      markdown,
      frontMatter: { ...frontMatter, version: '1.1.0' },
      frozen: [{ frontMatter, markdown: capsule.markdown }],
    };
  });
}

function addition(capsules: readonly AuthoredCapsule[], count: number, seed: number): AuthoredCapsule {
  const related = capsules.filter(({ frontMatter }) => frontMatter.derived_from.length > 0).slice(-2);
  const document = [...syntheticDocuments(count + 1, seed)].at(-1);
  if (document === undefined) throw new Error('there is no further document');
  return syntheticCapsule(
    document,
    seededRandom(seed),
    related.map(({ id }) => id),
  );
}

const relationsOf = ({ frontMatter }: AuthoredCapsule): string[] => [...frontMatter.derived_from, ...frontMatter.cites];

function mostReferred(capsules: readonly AuthoredCapsule[]): AuthoredCapsule {
  const counts = new Map<string, number>();
  for (const id of capsules.flatMap(relationsOf)) counts.set(id, (counts.get(id) ?? 0) + 1);
  return capsules.reduce((most, capsule) => ((counts.get(capsule.id) ?? 0) > (counts.get(most.id) ?? 0) ? capsule : most));
}

function leafWithTwo(capsules: readonly AuthoredCapsule[]): AuthoredCapsule {
  const referred = new Set(capsules.flatMap(relationsOf));
  const leaf = capsules.find((capsule) => relationsOf(capsule).length === 2 && !referred.has(capsule.id));
  if (leaf === undefined) throw new Error('no capsule has two relations');
  return leaf;
}
