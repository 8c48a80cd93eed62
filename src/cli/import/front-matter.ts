import { parseDocument, visit } from 'yaml';
import { parseJson } from '../../publication/read/front-matter.ts';

export interface PartedText {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** Whether the front matter could be read only line by line. */
  readonly isBroken: boolean;
}

/**
 * Parts front matter (YAML from `---` to `---` or `...`, the TOML of Hugo between `+++`, or JSON) from text. Invalid YAML, such as a title with a colon
 * and no quotes, is read line by line. A text that begins with a rule has no front matter. Numbers as written: the tag `1.10` is not `1.1`.
 */
export function partText(raw: string, { numbersAsWritten = false } = {}): PartedText {
  const text = raw.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const whole: PartedText = { fields: {}, body: text, isBroken: false };
  if (text.startsWith('{\n')) {
    // An object, as Hugo allows, that ends at a line with its brace alone.
    const end = text.indexOf('\n}\n') + 3;
    const fields = parseJson(text.slice(0, end));
    return isRecord(fields) ? { fields, body: text.slice(end), isBroken: false } : whole;
  }
  if (!/^(?:---|\+\+\+)[ \t]*\n/.test(text)) return whole;
  const lines = text.split('\n');
  const isToml = text.startsWith('+++');
  const end = lines.findIndex((line, index) => index > 0 && (isToml ? /^\+\+\+[ \t]*$/ : /^(?:---|\.\.\.)[ \t]*$/).test(line));
  if (end === -1) return whole;
  const source = lines.slice(1, end).join('\n');
  const body = lines.slice(end + 1).join('\n');
  if (isToml || source.trim() === '') return { fields: linesOf(source, '='), body, isBroken: false };
  const document = parseDocument(source, { prettyErrors: false, uniqueKeys: false, logLevel: 'silent' });
  if (numbersAsWritten)
    visit(document, {
      Scalar: (_key, node) => {
        if (typeof node.value === 'number') node.value = node.source ?? String(node.value);
      },
    });
  const value = document.errors.length === 0 ? safely(() => document.toJS({ maxAliasCount: 100 })) : undefined;
  if (isRecord(value)) return { fields: value, body, isBroken: false };
  const fields = linesOf(source, ':');
  // What has no line like a field is a text between two rules.
  return Object.keys(fields).length === 0 ? whole : { fields, body, isBroken: true };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function safely(read: () => unknown): unknown {
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
