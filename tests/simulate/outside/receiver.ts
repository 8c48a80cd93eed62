import type { SimulatedTime } from '../../support/simulated/time.ts';

/** What becomes of a notice: taken, refused, taken although the answer is lost, or taken when nobody waits any more. */
export type ReceiverFate = 'takes' | 'refuses' | 'down' | 'takes_silent' | 'late' | 'redirects';

/** A notice as it arrived. */
export interface ReceivedNotice {
  readonly url: string;
  readonly body: string;
  readonly signature: string;
  readonly order: { readonly id: string; readonly totals: readonly { readonly type: string; readonly amount: number }[] };
  readonly kind: string;
}

/** The agents' side of notices. */
export class SimulatedReceiver {
  readonly received: ReceivedNotice[] = [];
  readonly #time: SimulatedTime;
  readonly #fate: () => ReceiverFate;
  readonly #looks: (notice: ReceivedNotice) => void;

  /** @param looks Looks at each notice when it arrives. */
  constructor(time: SimulatedTime, fate: () => ReceiverFate, looks: (notice: ReceivedNotice) => void) {
    this.#time = time;
    this.#fate = fate;
    this.#looks = looks;
  }

  async answer(url: string, { headers, body }: RequestInit): Promise<Response> {
    const fate = this.#fate();
    await this.#time.sleep(80);
    if (fate === 'down') throw new TypeError('fetch failed');
    if (fate === 'refuses') return new Response('', { status: 500 });
    if (fate === 'redirects') return new Response(null, { status: 307, headers: { Location: 'https://elsewhere.example/' } });
    if (fate === 'late') await this.#time.sleep(9_000);
    const text = String(body);
    const { type, data } = JSON.parse(text) as { type: string; data: ReceivedNotice['order'] };
    const notice = { url, body: text, signature: new Headers(headers).get('merchant-signature') ?? '', order: data, kind: type };
    this.received.push(notice);
    this.#looks(notice);
    if (fate === 'takes_silent') throw new TypeError('the connection broke');
    return new Response(null, { status: 204 });
  }
}
