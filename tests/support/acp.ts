import { expect } from 'vitest';
import { minuteOf } from '../../src/gateway/agents/api-key.ts';
import { ACP_VERSION, AcpCheckoutSession, AcpError } from '../../src/protocols/acp/acp-schemas.ts';
import type { Scope } from '../../src/schemas/api-keys.ts';
import { PATHS } from '../../src/schemas/paths.ts';
import { bearer, makeKey } from './agent-keys.ts';
import { NOW_HEADER, type Requests } from './edge-gateway.ts';
import { type OfficialCheck, officialAcp } from './official-schemas.ts';

/** Where sessions of the Agentic Commerce Protocol are opened. */
export const ACP_SESSIONS = `${PATHS.acp}/checkout_sessions`;

export const ACP_MARKET = { currency: 'usd', capabilities: {} } as const;
export const acpCart = (id: string) => ({ line_items: [{ id }], ...ACP_MARKET });

export const tokenPayment = (token: string) => ({
  payment_data: { handler_id: 'card_tokenized', instrument: { type: 'card', credential: { type: 'spt', token } } },
});

export const acpSessionPath = (id: string, action = ''): string => `${ACP_SESSIONS}/${id}${action === '' ? '' : `/${action}`}`;

export interface AcpSender {
  readonly agent?: string;
  readonly idempotencyKey?: string;
  readonly scopes?: readonly Scope[];
  readonly nowMs?: number;
}

export async function acpHeaders(sender: AcpSender = {}): Promise<Record<string, string>> {
  const { agent = '00000000000000ac', idempotencyKey = crypto.randomUUID(), scopes = ['read', 'buy'], nowMs } = sender;
  return {
    ...bearer(await makeKey({ agent, scopes: [...scopes], ...(nowMs === undefined ? {} : { issuedMinute: minuteOf(nowMs) }) })),
    'API-Version': ACP_VERSION,
    'Idempotency-Key': idempotencyKey,
    'Request-Id': `req-${idempotencyKey.slice(0, 40)}`,
    ...(nowMs === undefined ? {} : { [NOW_HEADER]: String(nowMs) }),
  };
}

let official: OfficialCheck | undefined;

export async function acpErrorOf(response: Response): Promise<AcpError & { readonly status: number }> {
  const error = AcpError.parse(await response.json());
  official ??= officialAcp();
  expect(official('Error', error)).toEqual([]);
  return { ...error, status: response.status };
}

export async function openAcpSession({ post }: Requests, sender: AcpSender = {}, offer = 'evidence-review'): Promise<string> {
  const response = await post(ACP_SESSIONS, acpCart(offer), await acpHeaders(sender));
  return AcpCheckoutSession.parse(await response.json()).id;
}
