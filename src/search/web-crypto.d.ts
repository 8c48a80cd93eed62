/**
 * The part of the Web Cryptography API that this folder uses, so that it compiles without the DOM or Node types.
 *
 * @see {@link https://www.w3.org/TR/webcrypto-2/#subtlecrypto-interface Web Cryptography Level 2, SubtleCrypto}
 */
declare const crypto: {
  readonly subtle: {
    digest(algorithm: 'SHA-256', data: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer>;
  };
};
