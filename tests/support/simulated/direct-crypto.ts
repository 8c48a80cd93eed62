import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';

type Subtle = typeof globalThis.crypto.subtle;

/**
 * Computes SHA-256 and HMAC-SHA-256 of `crypto.subtle`, and gzip, in this thread, until the function that it gives back is called. The results are the
 * same. What differs is when they come: threads of the machine finish in whatever order they like, so that two requests at a time could not
 * be replayed, and changing threads takes longer than the digest of a short text.
 */
export function useDirectCrypto(): () => void {
  const { subtle } = globalThis.crypto;
  const own = { digest: subtle.digest, importKey: subtle.importKey, sign: subtle.sign, verify: subtle.verify };
  const secrets = new WeakMap<object, Uint8Array>();
  const direct = {
    digest: async (algorithm: AlgorithmIdentifier, data: BufferSource) =>
      nameOf(algorithm) === 'SHA-256'
        ? toBuffer(createHash('sha256').update(toView(data)).digest())
        : own.digest.call(subtle, algorithm, data),
    importKey: async (...given: Parameters<Subtle['importKey']>) => {
      const key = await own.importKey.apply(subtle, given);
      const [format, data, algorithm] = given as unknown as [string, BufferSource, { name?: string; hash?: AlgorithmIdentifier }];
      if (format === 'raw' && algorithm.name === 'HMAC' && nameOf(algorithm.hash ?? '') === 'SHA-256')
        secrets.set(key, toView(data).slice());
      return key;
    },
    sign: async (algorithm: AlgorithmIdentifier, key: CryptoKey, data: BufferSource) => {
      const secret = secrets.get(key);
      return secret && nameOf(algorithm) === 'HMAC'
        ? toBuffer(createHmac('sha256', secret).update(toView(data)).digest())
        : own.sign.call(subtle, algorithm, key, data);
    },
    verify: async (algorithm: AlgorithmIdentifier, key: CryptoKey, signature: BufferSource, data: BufferSource) => {
      const secret = secrets.get(key);
      if (!secret || nameOf(algorithm) !== 'HMAC') return own.verify.call(subtle, algorithm, key, signature, data);
      const expected = createHmac('sha256', secret).update(toView(data)).digest();
      const given = toView(signature);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
  Object.assign(subtle, direct);
  const streams = { CompressionStream: globalThis.CompressionStream, DecompressionStream: globalThis.DecompressionStream };
  Object.assign(globalThis, { CompressionStream: directStream(gzipSync), DecompressionStream: directStream(gunzipSync) });
  return () => {
    Object.assign(globalThis, streams);
    for (const name of ['digest', 'importKey', 'sign', 'verify'] as const) delete (subtle as Partial<Record<typeof name, unknown>>)[name];
  };
}

function directStream(work: (bytes: Buffer) => Buffer): new () => TransformStream<Uint8Array, Uint8Array> {
  return class extends TransformStream<Uint8Array, Uint8Array> {
    constructor() {
      const chunks: Uint8Array[] = [];
      super({
        transform: (chunk) => {
          chunks.push(chunk);
        },
        flush: (controller) => controller.enqueue(new Uint8Array(work(Buffer.concat(chunks)))),
      });
    }
  };
}

function nameOf(algorithm: AlgorithmIdentifier): string {
  return (typeof algorithm === 'string' ? algorithm : algorithm.name).toUpperCase();
}

function toView(data: BufferSource): Uint8Array {
  return data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

function toBuffer(bytes: Uint8Array): ArrayBuffer {
  return bytes.slice().buffer as ArrayBuffer;
}
