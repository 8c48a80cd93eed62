import { type ErrorCode, errorEntry } from '../../gateway/errors.ts';
import type { Refusal } from '../../gateway/result.ts';
import { PATHS } from '../../schemas/paths.ts';
import { type UcpCapability, type UcpError, type UcpMessage, ucpMetadata } from './schemas/metadata.ts';

/** Codes that UCP names otherwise (checkout specification, "Standard Errors"); all others keep their names. */
const CODES: Partial<Record<ErrorCode, string>> = {
  offer_not_found: 'item_unavailable',
  cart_refused: 'quantity_exceeded',
  session_not_found: 'not_found',
};

/**
 * Refusals that UCP calls outcomes and not errors: the request was understood, and cannot be carried out. The response is 200 with the
 * reason (checkout REST binding, "Business Outcomes").
 */
const OUTCOMES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['offer_not_found', 'cart_refused', 'session_not_found']);

/** Whether a refusal is an outcome of an operation of UCP. */
export function isUcpOutcome({ code }: Refusal): boolean {
  return OUTCOMES.has(code);
}

/** A refusal as messages: one for each place, or one for all. */
export function ucpMessages(refusal: Refusal, severity: UcpMessage['severity']): UcpMessage[] {
  const named = refusal.members?.['ucp_code'];
  const code = typeof named === 'string' ? named : (CODES[refusal.code] ?? refusal.code);
  const errors = refusal.errors ?? [];
  const first = { type: 'error' as const, code, content: refusal.detail, ...(severity === undefined ? {} : { severity }) };
  if (errors.length === 0) return [first];
  return errors.map(({ pointer, message }, index) => {
    const path = jsonPath(pointer);
    return {
      ...first,
      content: index === 0 ? refusal.detail : `${pointer} ${message}`,
      ...(path === undefined ? {} : { path }),
    };
  });
}

/** Error of UCP for a refusal; it names the page on which a person can go on. */
export function ucpError(refusal: Refusal, baseUrl: string, ...capabilities: readonly UcpCapability[]): UcpError {
  const page = refusal.members?.['continue_url'];
  const severity = isUcpOutcome(refusal) || errorEntry(refusal.code).retry === 'never' ? 'unrecoverable' : 'recoverable';
  const { version, status, capabilities: active } = ucpMetadata('error', ...capabilities);
  return {
    ucp: { version, status, capabilities: active },
    messages: ucpMessages(refusal, severity),
    continue_url: typeof page === 'string' ? page : baseUrl + PATHS.buy,
  };
}

/** JSONPath (RFC 9535) of a JSON pointer of which every member has a plain name. */
function jsonPath(pointer: string): string | undefined {
  if (!/^(\/[A-Za-z0-9_]+)+$/.test(pointer)) return undefined;
  return `$${pointer
    .slice(1)
    .split('/')
    .map((name) => (/^\d+$/.test(name) ? `[${name}]` : `.${name}`))
    .join('')}`;
}
