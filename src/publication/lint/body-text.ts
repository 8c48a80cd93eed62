/** A text as it is published and hashed: LF line ends, no blank edges, one final newline; empty if it holds white space alone. */
export function bodyText(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const leadingBlank = lines.findIndex((line) => line.trim() !== '');
  return leadingBlank === -1 ? '' : `${lines.slice(leadingBlank).join('\n').trimEnd()}\n`;
}
