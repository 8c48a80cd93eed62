import type { Gateway } from '../../src/http/gateway-app.ts';
import { Kernel } from '../../src/search/scoring-wasm/kernel.ts';
import { makeKey } from '../support/agent-keys.ts';
import { compiledKernel } from '../support/compiled-kernel.ts';
import { simulatedDatabase } from '../support/simulated/database.ts';
import { simulatedGateway } from '../support/simulated/gateway.ts';
import type { InMemoryBuild } from '../support/simulated/in-memory-build.ts';
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
