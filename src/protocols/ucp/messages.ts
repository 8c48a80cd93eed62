import { type ErrorCode, errorEntry } from '../../gateway/errors.ts';
import { faultSentences, type Refusal } from '../../gateway/result.ts';
import { PATHS } from '../../schemas/paths.ts';
import { jsonPath } from '../json-path.ts';
import { type UcpCapability, type UcpError, type UcpMessage, ucpMetadata } from './schemas/metadata.ts';

/** Refusals that have another name in UCP (checkout specification, "Standard Errors"). */
const CODES: Partial<Record<ErrorCode, string>> = {
  offer_not_found: 'item_unavailable',
  cart_refused: 'quantity_exceeded',
  session_not_found: 'not_found',
};

/** Refusals that UCP calls outcomes: the response is 200 with the reason (checkout REST binding, "Business Outcomes"). */
const OUTCOMES: readonly ErrorCode[] = ['offer_not_found', 'cart_refused', 'session_not_found'];

/** Whether UCP calls a refusal an outcome and not an error. */
export function isUcpOutcome({ code }: Refusal): boolean {
  return OUTCOMES.includes(code);
}

/** The messages of a refusal: one for each fault, or one in all. */
export function ucpMessages({ code, detail, errors = [], protocolCode }: Refusal, severity: UcpMessage['severity']): UcpMessage[] {
  const first: UcpMessage = {
    type: 'error',
    code: protocolCode ?? CODES[code] ?? code,
    content: detail,
    ...(severity === undefined ? {} : { severity }),
  };
  if (errors.length === 0) return [first];
  return errors.map((fault, index) => {
    const { pointer } = fault;
    const path = jsonPath(pointer);
    // A person reads the content, and finds a path there instead of a JSON Pointer.
    const place = path?.replace(/^\$\.?/, '') || pointer;
    const content =
      index > 0 ? faultSentences([{ ...fault, pointer: place }]) : pointer === '' ? detail : detail.replaceAll(pointer, place);
    return { ...first, content, ...(path === undefined ? {} : { path }) };
  });
}

/** The error of UCP for a refusal, with a page on which a person can continue. */
export function ucpError(refusal: Refusal, baseUrl: string, ...capabilities: readonly UcpCapability[]): UcpError {
  const severity = isUcpOutcome(refusal) || errorEntry(refusal.code).retry === 'never' ? 'unrecoverable' : 'recoverable';
  const { payment_handlers: _, ...ucp } = ucpMetadata('error', ...capabilities);
  return { ucp, messages: ucpMessages(refusal, severity), continue_url: refusal.continueUrl ?? baseUrl + PATHS.buy };
}
