import type { Result } from '../../result.ts';
import type { ProcessorMessage } from './handle-payment-event.ts';

/**
 * Checks the signature of a message of the processor and reads it.
 *
 * @param body The bytes as they came; the signature covers them.
 * @param signature Header with the signature.
 * @returns The message; or the refusal `signature_invalid`; or, for what is signed and cannot be read, `invalid_json`, or
 *   `invalid_request` with the members that are missing or wrong.
 */
export type GatewayMessageReader = (body: Uint8Array, signature: string, nowMs: number) => Promise<Result<ProcessorMessage>>;
