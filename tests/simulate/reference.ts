import type { Gateway } from '../../src/http/gateway-app.ts';
import type { AuthoredCapsule, AuthoredContent } from '../../src/publication/authored-content.ts';
import { Kernel } from '../../src/search/scoring-wasm/kernel.ts';
import { makeKey } from '../support/agent-keys.ts';
import { compiledKernel } from '../support/compiled-kernel.ts';
import { SOLD_CAPSULE, soldContent } from '../support/paid-site.ts';
import { simulatedDatabase } from '../support/simulated/database.ts';
import { simulatedGateway } from '../support/simulated/gateway.ts';
import { buildInTurn, type InMemoryBuild } from '../support/simulated/in-memory-build.ts';
import { simulatedKeyValue } from '../support/simulated/key-value.ts';
import { SimulatedTime, simulatedRuntime } from '../support/simulated/time.ts';
import { answerOf, type Question, requestOf } from './question.ts';

export interface ReferenceAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * Answers of deploys on whole and quick stores, with the compiled kernel: what simulated isolates, which rank without it, are compared
 * with. Answers are kept, because lifetimes ask the same questions again and again.
 */
export class Reference {
  readonly #builds: readonly InMemoryBuild[];
  readonly #gateways = new Map<number, Promise<Gateway>>();
  readonly #answers = new Map<string, ReferenceAnswer>();
  readonly #time = new SimulatedTime(Date.UTC(2026, 0, 1));
  #key: Promise<string> | undefined;

  constructor(builds: readonly InMemoryBuild[]) {
    this.#builds = builds;
  }

  buildOf(version: string): number | undefined {
    const at = this.#builds.findIndex(({ generated }) => generated.generation.version === version);
    return at === -1 ? undefined : at;
  }

  async answer(build: number, question: Question): Promise<ReferenceAnswer> {
    const name = JSON.stringify([build, question.method, question.path, question.body]);
    const known = this.#answers.get(name);
    if (known !== undefined) return known;
    const gateway = await this.#gateway(build);
    this.#key ??= makeKey({ issuedMinute: Math.floor(this.#time.nowMs / 60_000), ttlDays: 10_000 });
    const key = question.key === undefined ? undefined : await this.#key;
    const baseUrl = this.#builds[build]?.generated.deployment.baseUrl ?? '';
    // Time for the rate limits.
    await this.#time.advance(60_000);
    const response = await this.#time.run(gateway(requestOf({ ...question, key }, baseUrl)));
    const { status, body } = await answerOf(response);
    const answer = { status, body };
    this.#answers.set(name, answer);
    return answer;
  }

  #gateway(at: number): Promise<Gateway> {
    const build = this.#builds[at];
    if (build === undefined) throw new RangeError('there is no such deploy');
    let gateway = this.#gateways.get(at);
    if (gateway === undefined) {
      const keyValue = simulatedKeyValue(this.#time);
      for (const { blocks } of this.#builds) keyValue.fill(blocks);
      gateway = simulatedGateway({
        generated: build.generated,
        world: simulatedRuntime(this.#time),
        database: simulatedDatabase(this.#time).binding(),
        keyValue: keyValue.binding('reference'),
        ranking: new Kernel(compiledKernel()),
      });
      this.#gateways.set(at, gateway);
    }
    return gateway;
  }
}

/** Capsules of the first deploy; every one that they refer to is among them. */
const FIRST = [SOLD_CAPSULE.id, 'http-freshness', 'http-cache-validators', 'stemming', 'ndcg', 'minor-units', 'robots-exclusion-protocol'];

const ADDED = ['bm25', 'bm25f'];

/** Builds deploys of a small publication, oldest first: a beginning, two capsules more, and a revision. */
export async function buildDeploys(): Promise<readonly InMemoryBuild[]> {
  const sample = await soldContent();
  const of = (wanted: readonly string[]): AuthoredContent => {
    const capsules = sample.capsules.filter(({ id }) => wanted.includes(id));
    return {
      ...sample,
      publisher: { ...sample.publisher, intake: 'open' },
      capsules: capsules.map((capsule) => withoutStrangers(capsule, wanted)),
    };
  };
  const second = of([...FIRST, ...ADDED]);
  const third = { ...second, capsules: second.capsules.map((capsule) => (capsule.id === 'stemming' ? revised(capsule) : capsule)) };
  return buildInTurn([of(FIRST), second, third]);
}

/** A capsule that refers to nothing outside of a small publication. */
function withoutStrangers(capsule: AuthoredCapsule, present: readonly string[]): AuthoredCapsule {
  const known = (ids: readonly string[]): string[] => ids.filter((id) => present.includes(id));
  const { derived_from, cites, supersedes, ...rest } = capsule.frontMatter;
  const frontMatter = {
    ...rest,
    derived_from: known(derived_from),
    cites: known(cites),
    supersedes: supersedes.filter(({ capsule: id }) => present.includes(id)),
  };
  return { ...capsule, frontMatter, frozen: [] };
}

function revised(capsule: AuthoredCapsule): AuthoredCapsule {
  const { frontMatter, markdown } = capsule;
  return {
    ...capsule,
    frontMatter: { ...frontMatter, version: '9.0.0', updated: '2026-11-20' },
    markdown: markdown.replace(/\n$/, '\n\nA sentence that a revision added about stems.\n'),
    frozen: [{ frontMatter, markdown }],
  };
}
