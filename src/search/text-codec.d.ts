/**
 * The two classes of the Encoding Standard that this folder uses, so that it compiles without the DOM or Node types.
 *
 * @see {@link https://encoding.spec.whatwg.org/#api Encoding Standard, API}
 */
declare class TextEncoder {
  encode(input?: string): Uint8Array;
}

declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(input?: Uint8Array): string;
}
