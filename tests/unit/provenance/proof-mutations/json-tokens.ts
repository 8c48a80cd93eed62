/** A JSON value that `JSON.stringify` cannot write: a token as it stands, such as `1e400`. */
export class Token {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** An object whose members are written in order, those with the same name too. */
export class Members {
  readonly entries: readonly (readonly [string, unknown])[];
  constructor(entries: readonly (readonly [string, unknown])[]) {
    this.entries = entries;
  }
}

export function writeTokens(value: unknown): string {
  if (value instanceof Token) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeTokens).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = (value instanceof Members ? value.entries : Object.entries(value)).filter(([, item]) => item !== undefined);
  return `{${entries.map(([name, item]) => `${JSON.stringify(name)}:${writeTokens(item)}`).join(',')}}`;
}
