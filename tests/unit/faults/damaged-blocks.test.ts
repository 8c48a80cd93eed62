import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BlockKind } from '../../../src/build/kv/block-namespace.ts';
import { Corpus } from '../../../src/gateway/knowledge/corpus.ts';
import { BlockCache, BlockUnavailableError } from '../../../src/gateway/knowledge/load-block.ts';
import { blockKey, kvBlockStore } from '../../../src/platform/block-stores.ts';
import { capsuleApiPath, lineageApiPath, PATHS, relatedApiPath } from '../../../src/schemas/paths.ts';
import { Kernel } from '../../../src/search/scoring-wasm/kernel.ts';
import { below, type Random, seededRandom } from '../../eval/random.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { compiledKernel } from '../../support/compiled-kernel.ts';
import { SOLD_CAPSULE, soldContent } from '../../support/paid-site.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import { simulatedDatabase } from '../../support/simulated/database.ts';
import { useDirectCrypto } from '../../support/simulated/direct-crypto.ts';
import { simulatedGateway } from '../../support/simulated/gateway.ts';
import { buildInTurn, type InMemoryBuild } from '../../support/simulated/in-memory-build.ts';
import { simulatedKeyValue } from '../../support/simulated/key-value.ts';
import { SimulatedTime, simulatedRuntime } from '../../support/simulated/time.ts';
import { words } from '../../support/words.ts';

/** `DAMAGE_RUNS=2000 npx vitest run --project unit tests/unit/faults/damaged-blocks.test.ts` runs a larger campaign, of a new seed. */
const { DAMAGE_RUNS, DAMAGE_SEED } = process.env;
/** By default each kind of block is damaged once. */
const RUNS = Number(DAMAGE_RUNS ?? 10);
const SEED = Number(DAMAGE_SEED ?? (DAMAGE_RUNS === undefined ? 1 : Date.now() % 2 ** 31));

/** A second for each run, besides what any test may take. */
const CAMPAIGN_TIMEOUT_MS = 120_000 + RUNS * 1_000;

let campaign: DamageCampaign;
let restore: () => void;
beforeAll(async () => {
  restore = useDirectCrypto();
  campaign = await DamageCampaign.prepare();
});
afterAll(() => restore());

async function runAll(count: number, run: (number: number) => Promise<DamagedRun>): Promise<{ runs: DamagedRun[]; wrong: DamagedRun[] }> {
  const runs: DamagedRun[] = [];
  for (let number = 0; number < count; number++) runs.push(await run(number));
  return { runs, wrong: runs.filter((one) => one.wrong.length > 0) };
}

describe('a store in which a block is damaged and keeps its length', () => {
  it('is asked for every kind of block, and answers everything while all are whole', () => {
    expect(campaign.kinds).toEqual([...words`index documents history lineages changes texts site_index site_texts files manifest`]);
    expect(campaign.unanswered).toEqual([]);
  });

  it(
    'answers as if nothing was damaged, from the generation before and says so, or refuses, whatever was damaged',
    async () => {
      console.log(`${RUNS} damaged stores of seed ${SEED}`);
      const { runs, wrong } = await runAll(RUNS, (number) => campaign.run(SEED, number));
      expect(wrong).toEqual([]);
      const sum = (name: keyof DamagedRun['counts']): number => runs.reduce((total, { counts }) => total + counts[name], 0);
      console.log(
        `${sum('same')} answers as if nothing was damaged, ${sum('earlier')} of the generation before, ${sum('refused')} refused`,
      );
      expect(Math.min(sum('same'), sum('earlier'), sum('refused'))).toBeGreaterThan(RUNS);
    },
    CAMPAIGN_TIMEOUT_MS,
  );

  it('gives no other answer after twenty bytes of the index were changed', async () => {
    const { wrong } = await runAll(1, (number) => campaign.run(SEED, number, { kinds: ['index'], damages: ['20 bytes'] }));
    expect(wrong).toEqual([]);
  });
});

/** Bytes of a page of a disk or of memory: what is lost at once when one is. */
const PAGE_BYTES = 4096;

const SWAPPED_MAX_BYTES = 8192;
type Damage = (bytes: Uint8Array, random: Random) => Uint8Array;

function changedBytes(count: number): Damage {
  return (bytes, random) => {
    const damaged = bytes.slice();
    for (let change = 0; change < count; change++) {
      const at = below(random, bytes.length);
      damaged[at] = (damaged[at] as number) ^ (1 + below(random, 255));
    }
    return damaged;
  };
}

/** Ways in which the bytes of one block are damaged while its length stays the same. */
const DAMAGE_KINDS = {
  'one byte': changedBytes(1),
  'two bytes': changedBytes(2),
  '20 bytes': changedBytes(20),
  '1,000 bytes': changedBytes(1_000),
  'one bit': (bytes, random) => {
    const at = below(random, bytes.length);
    return bytes.with(at, (bytes[at] as number) ^ (1 << below(random, 8)));
  },
  'ranges that changed places': (bytes, random) => {
    const length = 1 + below(random, Math.min(SWAPPED_MAX_BYTES, bytes.length >>> 1));
    const first = below(random, bytes.length - 2 * length + 1);
    const second = first + length + below(random, bytes.length - first - 2 * length + 1);
    const damaged = bytes.slice();
    damaged.set(bytes.subarray(second, second + length), first);
    damaged.set(bytes.subarray(first, first + length), second);
    return damaged;
  },
  'a page of zeros': (bytes, random) => {
    const start = below(random, Math.ceil(bytes.length / PAGE_BYTES)) * PAGE_BYTES;
    return bytes.slice().fill(0, start, start + PAGE_BYTES);
  },
  'cut short and filled with zeros': (bytes, random) => bytes.slice().fill(0, below(random, bytes.length)),
} as const satisfies Record<string, Damage>;

/** A way in which a store is damaged: one block's bytes, or two blocks that are under each other's names. */
type DamageKind = keyof typeof DAMAGE_KINDS | 'blocks that changed places';

const ALL_DAMAGE: readonly DamageKind[] = [...(Object.keys(DAMAGE_KINDS) as (keyof typeof DAMAGE_KINDS)[]), 'blocks that changed places'];

/**
 * Blocks of a store of which some are damaged.
 *
 * @param damaged Key of the block that is damaged.
 */
function damageStore(blocks: ReadonlyMap<string, Uint8Array>, damaged: string, kind: DamageKind, random: Random): Map<string, Uint8Array> {
  const stored = new Map(blocks);
  const bytes = blocks.get(damaged);
  if (bytes === undefined) throw new RangeError(`the store has no block ${damaged}`);
  if (kind !== 'blocks that changed places') return stored.set(damaged, DAMAGE_KINDS[kind](bytes, random));
  const others = [...blocks.keys()].filter((key) => key !== damaged);
  const other = others[below(random, others.length)] as string;
  return stored.set(damaged, blocks.get(other) as Uint8Array).set(other, bytes);
}

const REVISED = 'stemming';
const NOW_MS = Date.now();
const LATER_MS = 61_000;

/** What is asked of a service: of every kind of block something, and of the index every part. */
const QUERIES: readonly object[] = [
  { query: 'how long may a cache reuse an answer without asking the server' },
  { query: 'stemming of words', explain: true },
  { query: 'idempotency key retry payment', filters: { tags_any: ['payments', 'http-caching'] }, facets: ['tags', 'type', 'evidence'] },
  { query: 'freshnes lifetme of cachd answers' },
  { query: 'zzzz qqqq', filters: { type: 'practice' } },
  { query: 'signature', exclude_ids: ['http-freshness'], max_results: 20 },
];

const ADDRESSES: readonly string[] = [
  `${PATHS.publicCapsules}/browse?tag=http&limit=20`,
  relatedApiPath(REVISED),
  relatedApiPath('http-freshness'),
  capsuleApiPath(REVISED),
  capsuleApiPath('http-freshness'),
  `${capsuleApiPath(REVISED)}?version=1.0.0`,
  lineageApiPath(REVISED),
  lineageApiPath('http-freshness'),
  `${PATHS.publicCapsules}/changes?limit=100`,
];

const FETCHED = { ids: [REVISED, 'http-freshness', 'bm25'] };

interface Answer {
  readonly status: number;
  readonly isDegraded: boolean;
  readonly text: string;
}

type Service = (name: string) => Promise<Answer>;

interface DamagedRun {
  readonly run: number;
  readonly kind: BlockKind;
  readonly damage: DamageKind;
  /** Answers as if nothing was damaged, of the generation before with a note that says so, and refusals. */
  readonly counts: Readonly<Record<'same' | 'earlier' | 'refused', number>>;
  /** Names of what was answered otherwise; there must be none. */
  readonly wrong: readonly string[];
}

interface CampaignOptions {
  readonly kinds?: readonly BlockKind[];
  readonly damages?: readonly DamageKind[];
}

/**
 * Damages a block of the newest of two generations in KV again and again, each time for a fresh isolate of the real gateway, and holds every
 * answer against those of the undamaged store: they are the same bytes, or the bytes of the generation before with `Gateway-Degraded`, or 503.
 */
class DamageCampaign {
  readonly #builds: readonly InMemoryBuild[];
  readonly #key: string;
  readonly #ranking: Kernel;
  readonly #blocks: ReadonlyMap<string, Uint8Array>;
  readonly #byKind: ReadonlyMap<BlockKind, readonly string[]>;
  readonly #expected = new Map<string, { readonly newest: Answer; readonly earlier: Answer }>();

  private constructor(builds: readonly InMemoryBuild[], key: string) {
    this.#builds = builds;
    this.#key = key;
    const [earlier, newest] = builds as [InMemoryBuild, InMemoryBuild];
    this.#ranking = new Kernel(compiledKernel());
    this.#blocks = new Map([...earlier.blocks, ...newest.blocks]);
    const byKind = new Map<BlockKind, string[]>();
    const { blocks } = newest.generated.generation.manifest;
    for (const [kind, references = []] of Object.entries(blocks))
      if (references.length > 0)
        byKind.set(
          kind as keyof typeof blocks,
          references.map(({ sha256 }) => blockKey(sha256)),
        );
    // The newest manifest travels with the deploy; of those in the store, the one before is read.
    byKind.set('manifest', [blockKey(earlier.generated.generation.version)]);
    this.#byKind = byKind;
  }

  /** Builds both generations, and asks each everything once while all blocks are whole. */
  static async prepare(): Promise<DamageCampaign> {
    const content = await soldContent();
    const revised = content.capsules.map((capsule) => {
      if (capsule.id !== REVISED) return capsule;
      const { frontMatter, markdown } = capsule;
      return {
        ...capsule,
        frontMatter: { ...frontMatter, version: '9.0.0' },
        markdown: markdown.replace(/\n$/, '\n\nA sentence that a revision added about stems.\n'),
        frozen: [...capsule.frozen, { frontMatter, markdown }],
      };
    });
    const campaign = new DamageCampaign(await buildInTurn([content, { ...content, capsules: revised }]), await makeKey());
    const [earlier, newest] = await Promise.all(campaign.#builds.map((build) => campaign.#service(build, campaign.#blocks)));
    if (earlier === undefined || newest === undefined) throw new Error('two generations are needed');
    for (const name of campaign.asked) campaign.#expected.set(name, { newest: await newest(name), earlier: await earlier(name) });
    return campaign;
  }

  /** Kinds of blocks that the newest generation has, and the manifest of the one before. */
  get kinds(): BlockKind[] {
    return [...this.#byKind.keys()];
  }

  /** Names of what is not answered although every block is whole; there must be none. */
  get unanswered(): string[] {
    return [...this.#expected].flatMap(([name, { newest, earlier }]) =>
      [newest, earlier].every(({ status, isDegraded, text }) => status === 200 && !isDegraded && text !== '') ? [] : [name],
    );
  }

  get asked(): string[] {
    const pinned = [...QUERIES.keys()].slice(0, 2).map((at) => `pinned ${at}`);
    return [...[...QUERIES.keys()].map((at) => `query ${at}`), ...pinned, ...ADDRESSES, 'fetch', 'paid text', 'delivered file'];
  }

  /** One damaged store, and a fresh isolate that is asked everything twice, in any order, then once more a minute later. */
  async run(seed: number, run: number, { kinds = this.kinds, damages = ALL_DAMAGE }: CampaignOptions = {}): Promise<DamagedRun> {
    const random = seededRandom(Math.imul(seed, 0x9e3779b1) ^ run);
    const kind = kinds[run % kinds.length] as BlockKind;
    const names = this.#byKind.get(kind) ?? [];
    const damage = damages[below(random, damages.length)] as DamageKind;
    const stored = damageStore(this.#blocks, names[below(random, names.length)] as string, damage, random);
    const time = new SimulatedTime(NOW_MS);
    const service = await this.#service(this.#builds[1] as InMemoryBuild, stored, time);
    const counts = { same: 0, earlier: 0, refused: 0 };
    const wrong: string[] = [];
    const ask = async (name: string): Promise<void> => {
      const verdict = this.#judge(name, await service(name));
      if (verdict === 'wrong') wrong.push(name);
      else counts[verdict] += 1;
    };
    for (const name of shuffled([...this.asked, ...this.asked], random)) await ask(name);
    await time.advance(LATER_MS);
    for (const name of shuffled(this.asked, random)) await ask(name);
    return { run, kind, damage, counts, wrong };
  }

  #judge(name: string, { status, isDegraded, text }: Answer): keyof DamagedRun['counts'] | 'wrong' {
    const { newest, earlier } = this.#expected.get(name) as { newest: Answer; earlier: Answer };
    if (status === 503) return 'refused';
    const expected = isDegraded ? earlier : newest;
    if (status !== expected.status || text !== expected.text) return 'wrong';
    return isDegraded ? 'earlier' : 'same';
  }

  async #service(
    { generated }: InMemoryBuild,
    stored: ReadonlyMap<string, Uint8Array>,
    time = new SimulatedTime(NOW_MS),
  ): Promise<Service> {
    const namespace = simulatedKeyValue(time);
    namespace.fill(stored);
    const keyValue = namespace.binding('here');
    const database = simulatedDatabase(time).binding();
    const gateway = await simulatedGateway({ generated, world: simulatedRuntime(time), keyValue, database, ranking: this.#ranking });
    const corpus = new Corpus(generated.generation, kvBlockStore(keyValue), new BlockCache(2 ** 26), this.#ranking);
    const version = generated.generation.version;
    return async (name) => {
      if (name === 'paid text') return direct(async () => (await corpus.newest.paidText(SOLD_CAPSULE.id, '1.0.0'))?.markdown);
      if (name === 'delivered file')
        return direct(async () => {
          const [file] = generated.generation.manifest.blocks.files ?? [];
          const bytes = file && (await corpus.newest.deliveredFile(file.sha256));
          return bytes && Buffer.from(bytes).toString('base64');
        });
      const response = await time.run(gateway(this.#request(name, version)));
      return { status: response.status, isDegraded: response.headers.get('gateway-degraded') === 'index', text: await response.text() };
    };
  }

  #request(name: string, corpusVersion: string): Request {
    const [what, number] = name.split(' ');
    const post = (path: string, body: object): Request =>
      new Request(`${TEST_BASE_URL}${path}`, {
        method: 'POST',
        headers: { ...bearer(this.#key), 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    if (what === 'query') return post(`${PATHS.gateway}/query`, QUERIES[Number(number)] ?? {});
    if (what === 'pinned') return post(`${PATHS.gateway}/query`, { ...QUERIES[Number(number)], corpus_version: corpusVersion });
    if (what === 'fetch') return post(`${PATHS.capsulesApi}/fetch`, FETCHED);
    return new Request(`${TEST_BASE_URL}${name}`);
  }
}

/** What is read of a corpus without the gateway: nothing but what is bought, which takes an order. */
async function direct(read: () => Promise<string | undefined>): Promise<Answer> {
  try {
    return { status: 200, isDegraded: false, text: (await read()) ?? '' };
  } catch (error) {
    if (error instanceof BlockUnavailableError) return { status: 503, isDegraded: false, text: '' };
    throw error;
  }
}

function shuffled<T>(values: readonly T[], random: Random): T[] {
  const left = [...values];
  return Array.from(values, () => left.splice(below(random, left.length), 1)[0] as T);
}
