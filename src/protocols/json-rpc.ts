import * as z from 'zod';
import type { ErrorCode } from '../gateway/errors.ts';
import { ok, type Refusal } from '../gateway/result.ts';
import type { Protocol } from '../http/define-route.ts';
import { LIMITS } from '../schemas/limits.ts';

export const JsonRpcId = z.union([z.string().max(LIMITS.shortTextMaxLength), z.number()], 'must be a string or a number');
export type JsonRpcId = z.infer<typeof JsonRpcId>;

const RPC_CODES: Partial<Record<ErrorCode, number>> = {
  invalid_json: -32_700,
  invalid_request: -32_602,
  rpc_method_not_found: -32_601,
  internal: -32_603,
};
const INVALID_REQUEST = -32_600;
/** A refusal without a code of its own (JSON-RPC 2.0, section 5.1: -32000 to -32099 are free). */
const REFUSED = -32_000;

export function withRpc(refusal: Refusal, rpc: NonNullable<Refusal['rpc']>): Refusal {
  return { ...refusal, rpc: { ...refusal.rpc, ...rpc } };
}

/** A refusal before the request was handled, with the id if the body has a valid one (JSON-RPC 2.0, section 5). */
function withIdOf(refusal: Refusal, sentBody: unknown): Refusal {
  const { success, data } = z.looseObject({ id: JsonRpcId }).safeParse(sentBody);
  if (!success || refusal.rpc !== undefined) return refusal;
  return withRpc(refusal, { id: data.id, ...(refusal.code === 'invalid_request' ? { code: INVALID_REQUEST } : {}) });
}

interface RpcBinding
  extends Pick<Protocol, 'name' | 'prefix' | 'errorSchema'>,
    Partial<Pick<Protocol, 'metadataPath' | 'echoedHeaders' | 'statuses'>> {
  readonly codes: Partial<Record<ErrorCode, number>>;
  readonly errorOf: (refusal: Refusal, baseUrl: string) => { readonly message: string; readonly data: unknown };
}

export function rpcBinding({ codes, errorOf, ...binding }: RpcBinding): Protocol {
  return {
    echoedHeaders: [],
    withRequest: withIdOf,
    ...binding,
    errorBody: (refusal, baseUrl) => {
      const { code, rpc } = refusal;
      const isNoRequest = rpc === undefined && code === 'invalid_request';
      const rpcCode = rpc?.code ?? (isNoRequest ? INVALID_REQUEST : (codes[code] ?? RPC_CODES[code] ?? REFUSED));
      const { message, data } = errorOf(refusal, baseUrl);
      return { jsonrpc: '2.0', id: rpc?.id ?? null, error: { code: rpcCode, message, data } };
    },
    admit: () => ok(undefined),
    admissionErrors: [],
    nonObjectCode: 'invalid_request',
  };
}
