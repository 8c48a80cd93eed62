/** What a text begins with that is stored compressed; no JSON begins so. */
const MARK = 'gzip:';

/** Texts that are shorter are stored as they are, in characters. */
const COMPRESSED_FROM = 512;

/**
 * A text in the form in which it is stored: gzip in base64 behind a mark, or the text itself where that is shorter.
 */
export async function compressedText(text: string): Promise<string> {
  if (text.length < COMPRESSED_FROM) return text;
  const bytes = await through(new CompressionStream('gzip'), Uint8Array.from(new TextEncoder().encode(text)));
  const stored = MARK + btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return stored.length < text.length ? stored : text;
}

/**
 * The text of what {@link compressedText} gave.
 *
 * @throws If it is damaged.
 */
export async function decompressedText(stored: string): Promise<string> {
  if (!stored.startsWith(MARK)) return stored;
  const bytes = Uint8Array.from(atob(stored.slice(MARK.length)), (character) => character.charCodeAt(0));
  return new TextDecoder().decode(await through(new DecompressionStream('gzip'), bytes));
}

async function through(
  { readable, writable }: CompressionStream | DecompressionStream,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const writer = writable.getWriter();
  const written = Promise.all([writer.write(bytes), writer.close()]);
  const [result] = await Promise.all([new Response(readable).arrayBuffer(), written]);
  return new Uint8Array(result);
}
