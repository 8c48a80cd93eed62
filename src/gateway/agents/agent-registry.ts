import type { Quotas } from '../ports.ts';
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
   * Takes one row of what a network has left, if it has any; `endsAtMs` is when it will have some again.
   *
   * @param quotas Where it is counted, for a request that tells what it took.
   * @throws If the database cannot be reached.
   */
  async takeRow(
    network: string,
    nowMs: number,
    quotas: Quotas | undefined = this.#quotas,
  ): Promise<{ readonly allowed: boolean; readonly endsAtMs: number }> {
    const known = this.#usedUp.get(network);
    if (known !== undefined && nowMs < known) return { allowed: false, endsAtMs: known };
    this.#usedUp.delete(network);
    if (quotas === undefined) return { allowed: true, endsAtMs: nowMs };
    const { allowed, endsAtMs } = await quotas.take('registry', network, nowMs);
    if (!allowed) this.#remember(network, endsAtMs);
    return { allowed, endsAtMs };
  }

  /**
   * Writes a record, if a database is bound and the network has a row left.
   *
   * @throws If the database cannot be reached; the record may have been written all the same.
   */
  async note(record: AgentRecord, network: string, nowMs: number): Promise<void> {
    if (this.#store === undefined) return;
    const { allowed } = await this.takeRow(network, nowMs);
    if (allowed) await this.#store.add(record);
  }

  #remember(network: string, endsAtMs: number): void {
    this.#usedUp.set(network, endsAtMs);
    const [oldest] = this.#usedUp.keys();
    if (this.#usedUp.size > MAX_NETWORKS && oldest !== undefined) this.#usedUp.delete(oldest);
  }
}
