export const TOKEN_RULE = 'UTF-8 bytes divided by 4, rounded up';

/** Name of the token estimate of all limits and counts, {@link TOKEN_RULE}, which callers can compute. Another estimate gets another name. */
export const TOKEN_ESTIMATOR = 'utf8-bytes/4';

export function estimateTokens(text: string): number {
  return tokensOfBytes(utf8Length(text));
}

export function tokensOfBytes(bytes: number): number {
  return Math.ceil(bytes / 4);
}

/** Bytes of a text in UTF-8, where half of a surrogate pair becomes U+FFFD. Encoding it would take several times as long. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = text.search(/[^\x00-\x7f]/); at >= 0 && at < text.length; at += 1) {
    const code = text.codePointAt(at) ?? 0;
    if (code >= 0x80) bytes += code < 0x800 ? 1 : 2;
    // A surrogate pair: two code units, four bytes.
    if (code > 0xffff) at += 1;
  }
  return bytes;
}
