/**
 * The web APIs that this folder uses, so that it compiles without the types of the DOM or Node.
 *
 * @see {@link https://encoding.spec.whatwg.org/#api Encoding Standard}
 * @see {@link https://www.w3.org/TR/webcrypto-2/#subtlecrypto-interface Web Cryptography Level 2, SubtleCrypto}
 * @see {@link https://webassembly.github.io/spec/js-api/ WebAssembly JavaScript Interface}
 */
declare class TextEncoder {
  encode(input?: string): Uint8Array;
}

declare class TextDecoder {
  decode(input?: Uint8Array): string;
}

declare const crypto: {
  readonly subtle: {
    digest(algorithm: 'SHA-256', data: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer>;
  };
};

declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }

  class Instance {
    constructor(module: Module);
    readonly exports: object;
  }
}
