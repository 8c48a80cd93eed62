import type { Fault } from '../../support/simulated/faults.ts';
import type { OutsideWorld } from '../../support/simulated/gateway.ts';
import type { SimulatedTime } from '../../support/simulated/time.ts';
import { type FacilitatorFate, SimulatedFacilitator } from './facilitator.ts';
import { type ProcessorFate, SimulatedProcessor } from './processor.ts';
import { type ReceivedNotice, type ReceiverFate, SimulatedReceiver } from './receiver.ts';

/** Fates of requests while nothing is amiss, and while something is; the usual one first. */
const PROCESSOR_FATES: readonly ProcessorFate[] = [
  'pays',
  'pays',
  'pays_late',
  'pays_silent',
  'declines',
  'declines_silent',
  'settles_later',
  'settles_later',
  'busy',
  'faulty',
  'down',
];
const FACILITATOR_FATES: readonly FacilitatorFate[] = ['well', 'down', 'lost', 'late', 'pending', 'refuses', 'error'];
const RECEIVER_FATES: readonly ReceiverFate[] = ['takes', 'refuses', 'down', 'takes_silent', 'late', 'redirects'];

/** When a request without an answer is given up, in milliseconds, as the client of Stripe does. */
const GIVEN_UP_MS = 8_000;

/** Chance of a lifetime. */
interface Chance {
  readonly chance: (probability: number) => boolean;
  readonly pick: <T>(from: readonly T[]) => T;
}

/** Everybody whom the service speaks to: payment processor, facilitator, and agents that hear of their orders. */
export class Outside {
  readonly processor: SimulatedProcessor;
  readonly facilitator: SimulatedFacilitator;
  readonly receiver: SimulatedReceiver;
  /** Whether anything may go wrong there. */
  isFair = false;
  readonly #time: SimulatedTime;

  constructor(time: SimulatedTime, { chance, pick }: Chance, looks: (notice: ReceivedNotice) => void) {
    this.#time = time;
    const fate =
      <T>(usual: T, all: readonly T[]) =>
      (): T =>
        this.isFair || chance(0.5) ? usual : pick(all);
    this.processor = new SimulatedProcessor(time, fate('pays', PROCESSOR_FATES));
    this.facilitator = new SimulatedFacilitator(time, fate('well', FACILITATOR_FATES));
    this.receiver = new SimulatedReceiver(time, fate('takes', RECEIVER_FATES), looks);
  }

  /**
   * All of them as one isolate reaches them.
   *
   * @param fault What becomes of a request because of the isolate: one that has died hears no answer.
   */
  as(fault: () => Fault): OutsideWorld {
    const reach = async (answer: () => Promise<Response>): Promise<Response> => {
      const became = fault();
      const answered = became === 'hangs' ? undefined : await answer();
      if (became === 'none' && answered !== undefined) return answered;
      await this.#time.sleep(GIVEN_UP_MS);
      throw new TypeError('nobody waits any more');
    };
    const { processor, receiver, facilitator } = this;
    let client: ReturnType<SimulatedProcessor['client']> | undefined;
    return {
      stripe: () => {
        client ??= processor.client(reach);
        return client;
      },
      sendNotice: (url, init) => reach(() => receiver.answer(url, init)),
      askFacilitator: (url, init) => reach(() => facilitator.answer(url, init.body)),
    };
  }
}
