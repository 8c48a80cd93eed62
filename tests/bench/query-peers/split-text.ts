/** A value of KV holds 25 MiB (developers.cloudflare.com/kv/platform/limits); what is divided is ASCII. */
export const PART_MAX_LENGTH = 25 * 1024 * 1024;

/** A text in pieces of at most `length` characters, in order. */
export function splitText(text: string, length: number): string[] {
  return Array.from({ length: Math.max(1, Math.ceil(text.length / length)) }, (_, part) => text.slice(part * length, (part + 1) * length));
}
