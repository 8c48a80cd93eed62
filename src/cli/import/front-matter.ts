import { parseDocument } from 'yaml';

/** A file of a source, parted. */
export interface PartedText {
  /** Fields of its front matter; empty without one. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** Line of the file where the body begins, from 1. */
  readonly bodyLine: number;
  /** Whether the front matter could be read only line by line. */
  readonly isBroken: boolean;
}

/**
 * Parts front matter (YAML between `---`, or the TOML of Hugo between `+++`) from text. Invalid YAML, such as a title with a colon and no
 * quotes, is read line by line.
 */
export function partText(raw: string): PartedText {
  const text = raw.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const match = /^(---|\+\+\+)[ \t]*\n([\s\S]*?)(?:^|\n)\1[ \t]*(?:\n|$)/.exec(text);
  const [whole = '', fence = '', source = ''] = match ?? [];
  if (match === null) return { fields: {}, body: text, bodyLine: 1, isBroken: false };
  const body = text.slice(whole.length);
  const bodyLine = whole.split('\n').length - (whole.endsWith('\n') ? 0 : 1);
  if (fence === '+++') return { fields: linesOf(source, '='), body, bodyLine, isBroken: false };
  const document = parseDocument(source, { prettyErrors: false, uniqueKeys: false, logLevel: 'silent' });
  const value: unknown = document.errors.length === 0 ? safeValue(() => document.toJS({ maxAliasCount: 100 })) : undefined;
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return { fields: value as Record<string, unknown>, body, bodyLine, isBroken: false };
  return { fields: linesOf(source, ':'), body, bodyLine, isBroken: source.trim() !== '' };
}

function safeValue(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Fields with a value on their own line: texts, numbers, booleans and lists in brackets. */
function linesOf(source: string, sign: ':' | '='): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const line of source.split('\n')) {
    const [, name, given, written = ''] = /^([A-Za-z][\w-]*)[ \t]*([:=])(.*)$/.exec(line) ?? [];
    if (given !== sign) continue;
    const value = written.trim();
    if (name === undefined || value === '') continue;
    const list = /^\[(.*)\]$/.exec(value)?.[1];
    fields[name] = list === undefined ? scalar(value) : list.split(',').map((item) => scalar(item.trim()));
  }
  return fields;
}

function scalar(text: string): unknown {
  const quoted = /^(["'])(.*)\1$/.exec(text)?.[2];
  if (quoted !== undefined) return quoted;
  return text === 'true' ? true : text === 'false' ? false : text;
}
