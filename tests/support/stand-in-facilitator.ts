import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { close, listen } from './listen.ts';

export interface StandInFacilitator {
  readonly url: string;
  readonly settled: ReadonlySet<string>;
  readonly behave: (how: StandInBehaviour) => void;
  readonly stop: () => Promise<void>;
}

/** How it answers: well, not at all, after settling not at all, or with a reason why not. */
export type StandInBehaviour = 'well' | 'down' | 'lost' | { readonly refuses: string } | { readonly holds: Promise<void> };

export async function startStandInFacilitator(): Promise<StandInFacilitator> {
  const settled = new Set<string>();
  let behaviour: StandInBehaviour = 'well';
  const server = createServer((request, response) => {
    void (async () => {
      if (behaviour === 'down') return request.socket.destroy();
      const body = JSON.parse(await text(request)) as { paymentPayload: { payload: { authorization: { nonce: string } } } };
      const { nonce } = body.paymentPayload.payload.authorization;
      const send = (value: unknown): unknown => response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
      const refuses = typeof behaviour === 'object' && 'refuses' in behaviour ? behaviour.refuses : undefined;
      if (request.url === '/verify') return send(refuses === undefined ? { isValid: true } : { isValid: false, invalidReason: refuses });
      const reason = refuses ?? (settled.has(nonce) ? 'invalid_exact_evm_nonce_already_used' : undefined);
      if (reason !== undefined) return send({ success: false, errorReason: reason, transaction: '' });
      settled.add(nonce);
      if (behaviour === 'lost') return request.socket.destroy();
      if (typeof behaviour === 'object' && 'holds' in behaviour) await behaviour.holds;
      return send({ success: true, transaction: `0x${'5e'.repeat(32)}`, network: 'eip155:84532' });
    })();
  });
  return {
    url: await listen(server),
    settled,
    behave: (how) => {
      behaviour = how;
    },
    stop: () => close(server),
  };
}
