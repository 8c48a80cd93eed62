import { parseDocument, visit } from 'yaml';

export interface PartedText {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** Line of the file where the body begins, from 1. */
  readonly bodyLine: number;
  /** Whether the front matter could be read only line by line. */
  readonly isBroken: boolean;
}

interface ReadOptions {
  /** Whether numbers are read as they are written: the tag `1.10` is not `1.1`. */
  readonly numbersAsWritten?: boolean;
}

/**
 * Parts front matter (YAML from `---` to `---` or `...`, the TOML of Hugo between `+++`, or JSON) from text. Invalid YAML, such as a title with a colon
 * and no quotes, is read line by line. A text that begins with a rule has no front matter.
 */
export function partText(raw: string, { numbersAsWritten = false }: ReadOptions = {}): PartedText {
  const text = raw.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const whole: PartedText = { fields: {}, body: text, bodyLine: 1, isBroken: false };
  const json = text.startsWith('{\n') ? jsonFields(text) : undefined;
  if (json !== undefined) return json;
  if (!/^(?:---|\+\+\+)[ \t]*\n/.test(text)) return whole;
  const lines = text.split('\n');
  const isToml = text.startsWith('+++');
  const end = lines.findIndex((line, index) => index > 0 && (isToml ? /^\+\+\+[ \t]*$/ : /^(?:---|\.\.\.)[ \t]*$/).test(line));
  if (end === -1) return whole;
  const source = lines.slice(1, end).join('\n');
  const parted = { body: lines.slice(end + 1).join('\n'), bodyLine: end + 2 };
  if (isToml) return { fields: linesOf(source, '='), ...parted, isBroken: false };
  if (source.trim() === '') return { fields: {}, ...parted, isBroken: false };
  const document = parseDocument(source, { prettyErrors: false, uniqueKeys: false, logLevel: 'silent' });
  if (numbersAsWritten)
    visit(document, {
      Scalar: (_key, node) => {
        if (typeof node.value === 'number') node.value = node.source ?? String(node.value);
      },
    });
  const value: unknown = document.errors.length === 0 ? safeValue(() => document.toJS({ maxAliasCount: 100 })) : undefined;
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return { fields: value as Record<string, unknown>, ...parted, isBroken: false };
  const fields = linesOf(source, ':');
  // What has no line like a field is a text between two rules.
  return Object.keys(fields).length === 0 ? whole : { fields, ...parted, isBroken: true };
}

/** Front matter in JSON, as Hugo allows: an object that ends at a line with its brace alone. */
function jsonFields(text: string): PartedText | undefined {
  const end = text.indexOf('\n}\n');
  if (end === -1) return undefined;
  const fields = safeValue(() => JSON.parse(text.slice(0, end + 2)) as unknown);
  if (typeof fields !== 'object' || fields === null) return undefined;
  const head = text.slice(0, end + 3);
  return { fields: fields as Record<string, unknown>, body: text.slice(head.length), bodyLine: head.split('\n').length, isBroken: false };
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
