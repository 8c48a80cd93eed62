import { PATHS } from '../../src/schemas/paths.ts';
import { below } from '../eval/random.ts';
import { CONTACT_CANARY } from './canaries.ts';
import type { FuzzRun } from './fuzz-run.ts';
import type { PlainRequest } from './plain-request.ts';

/** An answer in a walk. */
export interface Step {
  readonly status: number;
  readonly code: string | undefined;
  /** A member of the body, as text. */
  readonly text: (name: string) => string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Sends the requests of one walk, and notes what is not as the walk expects. */
export class Walk {
  readonly #run: FuzzRun;
  readonly #sent: PlainRequest[] = [];
  readonly #address: string;

  constructor(run: FuzzRun) {
    this.#run = run;
    this.#address = `10.${below(run.random, 256)}.${below(run.random, 256)}.1`;
  }

  /** A new text of letters and digits. */
  word(length: number): string {
    return Array.from({ length }, () => '0123456789abcdefghijklmnopqrstuvwxyz'[below(this.#run.random, 36)]).join('');
  }

  /** Sends one request. Its body is written as JSON, unless it is a text. */
  async send(
    method: string,
    target: string,
    { key, body, headers = {} }: { key?: string; body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Step> {
    const request: PlainRequest = {
      method,
      target,
      headers: [
        ...Object.entries({ 'CF-Connecting-IP': this.#address, ...headers }),
        ...(key === undefined ? [] : [['Authorization', `Bearer ${key}`] as const]),
        ...(body === undefined ? [] : [['Content-Type', 'application/json'] as const]),
      ],
      ...(body === undefined ? {} : { body: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)) }),
    };
    this.#sent.push(request);
    const { reply, verdict } = await this.#run.send(request);
    const value = (typeof verdict.value === 'object' && verdict.value !== null ? verdict.value : {}) as Record<string, unknown>;
    return { status: reply.status, code: verdict.code, value, body: reply.body, text: (name) => String(value[name] ?? '') };
  }

  /** Whether a step ended as it should; a limit or a budget that is reached ends the walk without a fault. */
  ended(step: Step, what: string, ...wanted: readonly (number | string)[]): boolean {
    const is = wanted.some((each) => each === step.status || each === step.code);
    const isOutOfRoom = step.status === 429 || step.code === 'challenge_required';
    if (!is && !isOutOfRoom) this.wrong(`${what}: ${step.status} ${step.code ?? ''} instead of ${wanted.join(' or ')}`, step);
    return is;
  }

  wrong(fault: string, step?: Step): void {
    this.#run.note('sequence', fault, this.#sent, JSON.stringify(step?.value ?? '').slice(0, 600));
  }

  /** Registers an agent and gives its key. */
  async register(more: Record<string, unknown> = {}, headers: Record<string, string> = {}): Promise<Step> {
    return this.send('POST', `${PATHS.gateway}/register`, {
      body: { agent_name: 'walker', contact: `${CONTACT_CANARY}${this.word(8)}`, ...more },
      headers,
    });
  }
}
