import type { Quotas, QuotaTaken, Standing } from '../ports.ts';
import type { AgentRecord, AgentStore } from './agent-ports.ts';

/** Networks whose quota is used up that one isolate remembers. */
const MAX_NETWORKS = 10_000;

/**
 * Writes who registered, at most as many rows for each network and hour as the quota `registry` allows. An isolate remembers which
 * networks have none left, so that a flood from one network does not ask the database again and again.
 */
export class AgentRegistry {
  readonly #store: Pick<AgentStore, 'add'> | undefined;
  readonly #quotas: Quotas | undefined;
  /** When the window of a network ends that has nothing left in it, the first remembered one first. */
  readonly #usedUp = new Map<string, number>();

  constructor(store: Pick<AgentStore, 'add'> | undefined, quotas: Quotas | undefined) {
    this.#store = store;
    this.#quotas = quotas;
  }

  /**
   * Takes one row of what a network has left, and of the budget of all, if there is any; `endsAtMs` is when there will be some again.
   *
   * @param quotas Where it is counted, for a request that tells what it took.
   * @throws If the database cannot be reached.
   */
  async takeRow(
    network: string,
    nowMs: number,
    quotas: Quotas | undefined = this.#quotas,
    standing?: Standing,
  ): Promise<Pick<QuotaTaken, 'allowed' | 'endsAtMs' | 'refusedBy'>> {
    const known = this.#usedUp.get(network);
    if (known !== undefined && nowMs < known) return { allowed: false, endsAtMs: known, refusedBy: 'quota' };
    this.#usedUp.delete(network);
    if (quotas === undefined) return { allowed: true, endsAtMs: nowMs };
    const taken = await quotas.take('registry', network, nowMs, standing);
    if (!taken.allowed && taken.refusedBy === 'quota') this.#remember(network, taken.endsAtMs);
    return taken;
  }

  /**
   * Writes a record, if a database is bound and there is a row left.
   *
   * @throws If the database cannot be reached; the record may have been written all the same.
   */
  async note(record: AgentRecord, network: string, nowMs: number, standing?: Standing): Promise<void> {
    if (this.#store === undefined) return;
    const { allowed } = await this.takeRow(network, nowMs, this.#quotas, standing);
    if (allowed) await this.#store.add(record);
  }

  #remember(network: string, endsAtMs: number): void {
    this.#usedUp.set(network, endsAtMs);
    const [oldest] = this.#usedUp.keys();
    if (this.#usedUp.size > MAX_NETWORKS && oldest !== undefined) this.#usedUp.delete(oldest);
  }
}
