import * as z from 'zod';

/** Whether a text is free of control and formatting characters, which hide or turn what a reader sees. U+200C and U+200D join letters. */
export function isPlain(text: string): boolean {
  return !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u.test(text);
}

/** What is said of a text that is not plain. */
export const PLAIN = 'must hold no control characters and no invisible ones';

/** One line of text of a stranger, taken as it is sent. */
export function plainLine(maxLength: number): z.ZodString {
  return z.string().max(maxLength).refine(isPlain, PLAIN);
}
