import { below, type Random } from '../eval/random.ts';

/** Names of members whose values lead on to other requests, each with the names under which requests take them. */
const LEADS_TO: Readonly<Record<string, readonly string[]>> = {
  api_key: ['api_key'],
  agent_id: ['agent_id'],
  next_cursor: ['cursor'],
  receipt: ['receipt'],
  capsule_id: ['capsule_id', 'ids', 'id', 'exclude_id', 'to'],
  version: ['version'],
  corpus_version: ['corpus_version'],
  record_digest: ['record_digest'],
  token: ['token'],
  tags: ['tag', 'tags', 'tags_any'],
  language: ['language'],
  license: ['license'],
};

/** Values kept for each name; the oldest make room. */
const KEPT = 64;

/** Longest body that is kept, in bytes. */
const BODY_MAX_BYTES = 16_384;

export class RememberedValues {
  readonly #values = new Map<string, string[]>();

  learn(value: unknown): void {
    if (Array.isArray(value)) for (const item of value.slice(0, 5)) this.learn(item);
    else if (typeof value === 'object' && value !== null)
      for (const [name, member] of Object.entries(value)) {
        const uses = LEADS_TO[name];
        for (const text of uses === undefined ? [] : [member].flat().slice(0, 3))
          if (typeof text === 'string') for (const use of uses ?? []) this.keep(use, text);
        if (name === 'id' && typeof member === 'string' && member.startsWith('cs_')) this.keep('checkout_session_id', member);
        if (name === 'deliveries') for (const delivery of member as { name: string }[]) this.keep('delivery', delivery.name);
        if (typeof member === 'object') this.learn(member);
      }
  }

  learnBody(operation: string, body: Uint8Array): void {
    if (body.length < BODY_MAX_BYTES) this.keep(`body of ${operation}`, new TextDecoder().decode(body));
  }

  takeBody(operation: string, random: Random): unknown {
    const text = this.take(`body of ${operation}`, random);
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  }

  keep(use: string, value: string): void {
    const values = this.#values.get(use) ?? [];
    this.#values.set(use, values);
    if (values.at(-1) === value) return;
    values.push(value);
    if (values.length > KEPT) values.shift();
  }

  take(name: string, random: Random): string | undefined {
    const values = this.#values.get(name);
    if (values === undefined) return undefined;
    return random() < 0.3 ? values.at(-1) : values[below(random, values.length)];
  }
}
