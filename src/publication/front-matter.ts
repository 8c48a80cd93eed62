import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import * as z from 'zod';
import type { RuleLevel } from '../schemas/editorial.ts';
import type { ContentProblem } from './content-problem.ts';
import {
  describeUnknownField,
  describeYamlErrors,
  type FieldFinding,
  fieldName,
  findingsOf,
  intendedField,
} from './front-matter-messages.ts';
import { findHiddenCharacters } from './lint/hidden-characters.ts';
import { bodyText } from './lint/markdown.ts';

/** A parsed content file: typed front matter, the text below it, and line numbers. */
export interface ParsedFile<T> {
  readonly data: T;
  /** Text below the front matter, with LF, without blank lines at both ends, with one final newline. */
  readonly body: string;
  /** Line of the file where the body begins, from 1. */
  readonly bodyLine: number;
  /** Line of a field, or of its nearest existing parent, from 1. */
  readonly lineOf: (path: readonly PropertyKey[]) => number;
}

/** A parsed file, or its mistakes, with what could be read: the text, and the unchecked front matter (`undefined` if it is not valid YAML). */
type ParseOutcome<T> =
  | { readonly file: ParsedFile<T>; readonly warnings: readonly ContentProblem[] }
  | { readonly problems: ContentProblem[]; readonly unchecked?: ParsedFile<unknown> };

/** How a file is parsed. */
interface ParseOptions {
  /** How serious unknown fields are that resemble no known one; errors by default. */
  readonly unknownFields?: RuleLevel;
  /** How serious hidden characters are; errors by default. */
  readonly hiddenCharacters?: RuleLevel;
  /** Whether messages may quote lines of the file; true by default. */
  readonly mayQuote?: boolean;
}

const FENCE = /^---[ \t]*$/;

/** Fence of front matter in TOML, which other programs read. */
const TOML_FENCE = /^\+\+\+[ \t]*$/;

/** Most lines of front matter: the time to find duplicate fields grows with the square of them. */
const MAX_FRONT_MATTER_LINES = 1_000;

/**
 * Parses a content file: YAML front matter between two `---` lines, then text. A text without front matter has no fields. A `.yaml` file is
 * only front matter.
 *
 * @param path Path from the project's root, for messages.
 */
export function parseContentFile<T>(path: string, raw: string, schema: z.ZodType<T>, options: ParseOptions = {}): ParseOutcome<T> {
  const parts = partsOf(path, raw);
  if ('message' in parts) return { problems: [{ file: path, line: 1, field: '', message: parts.message }] };
  const { lines, yaml, bodyStart } = parts;
  const { document, lineAt, lineOf } = parseYaml(parts);
  const quote = (line: number): string | undefined => (options.mayQuote === false ? undefined : lines[line - 1]);
  const text = lines.slice(bodyStart);
  const body = bodyText(text.join('\n'));
  const bodyLine =
    bodyStart +
    1 +
    Math.max(
      0,
      text.findIndex((line) => line.trim() !== ''),
    );
  const invalid = (found: readonly { readonly line: number; readonly message: string }[]): ParseOutcome<T> => ({
    problems: found.map(({ line, message }) => ({ file: path, line, field: '', message: `is not valid YAML: ${message}` })),
    unchecked: { data: undefined, body, bodyLine, lineOf },
  });
  if (document.errors.length > 0) return invalid(describeYamlErrors(document.errors, yaml, lineAt, quote));
  const alias = firstAlias(document);
  if (alias) return invalid([{ line: lineAt(alias.offset), message: `the alias *${alias.name} is not allowed; write the value out` }]);
  spellTags(document);
  const value: unknown = document.toJS() ?? {};
  const { known, unknown } = splitFields(value, schema);
  const parsed = schema.safeParse(known);
  const located = ({ field, message, level }: FieldFinding): ContentProblem => ({
    file: path,
    line: lineOf(field),
    field: fieldName(field),
    message,
    ...(level === undefined ? {} : { level }),
  });
  const { unknownFields = 'error' } = options;
  const shape = shapeOf(schema) ?? {};
  // A required field under another name is reported once, at that name.
  const intended = unknownFields === 'error' ? unknown.map(([name]) => intendedField(name, Object.keys(shape))) : [];
  const isReported = ({ path: [field, ...below] }: z.core.$ZodIssue): boolean =>
    below.length === 0 && intended.some((name) => name === field) && !document.has(field);
  const findings = [
    ...atLevel(escapedCharacters(value, raw), options.hiddenCharacters),
    ...unknown.flatMap(([name, member]) => {
      const finding = describeUnknownField(name, member, shape, unknownFields);
      return finding === undefined ? [] : [finding];
    }),
    ...(parsed.success
      ? []
      : parsed.error.issues.filter((issue) => !isReported(issue)).flatMap((issue) => findingsOf(issue, schema, quote(lineOf(issue.path))))),
  ];
  const problems = findings.map(located);
  const isRefused = !parsed.success || findings.some(({ level }) => level !== 'warning');
  if (isRefused) return { problems, unchecked: { data: value, body, bodyLine, lineOf } };
  return { file: { data: parsed.data, body, bodyLine, lineOf }, warnings: problems };
}

/**
 * Lines of the fields of a file that was parsed before, as {@link ParsedFile} has them. Its front matter is parsed again when somebody asks
 * for the first one.
 */
export function fieldLines(path: string, raw: string): ParsedFile<unknown>['lineOf'] {
  let lineOf: ParsedFile<unknown>['lineOf'] | undefined;
  return (field) => {
    if (lineOf === undefined) {
      const parts = partsOf(path, raw);
      lineOf = 'message' in parts ? () => 1 : parseYaml(parts).lineOf;
    }
    return lineOf(field);
  };
}

/** A file, divided into front matter and text. */
interface FileParts {
  readonly lines: readonly string[];
  readonly yaml: string;
  /** Line of the file where the front matter begins, from 1. */
  readonly yamlLine: number;
  /** Index of the first line below the front matter. */
  readonly bodyStart: number;
}

/** The parts of a file, or why it has none. */
function partsOf(path: string, raw: string): FileParts | { readonly message: string } {
  const lines = raw.replace(/\r\n?/g, '\n').split('\n');
  if (path.endsWith('.yaml')) return { lines, yaml: lines.join('\n'), yamlLine: 1, bodyStart: lines.length };
  if (FENCE.test(lines[0] ?? '')) {
    const end = lines.findIndex((text, index) => index > 0 && FENCE.test(text));
    if (end === -1) return { message: 'has no line of three hyphens (---) below its front matter; add it' };
    if (end > MAX_FRONT_MATTER_LINES) return { message: `has more than ${MAX_FRONT_MATTER_LINES} lines of front matter; shorten it` };
    return { lines, yaml: lines.slice(1, end).join('\n'), yamlLine: 2, bodyStart: end + 1 };
  }
  if (TOML_FENCE.test(lines[0] ?? '') && lines.slice(1, MAX_FRONT_MATTER_LINES).some((text) => TOML_FENCE.test(text)))
    return {
      message:
        'has front matter in TOML (+++); write it in YAML between two lines of three hyphens (---), such as `title: A title`, or convert whole folders with "npm run import"',
    };
  return { lines, yaml: '', yamlLine: 1, bodyStart: 0 };
}

function parseYaml({ yaml, yamlLine }: FileParts): {
  readonly document: Document;
  readonly lineAt: (offset: number) => number;
  readonly lineOf: ParsedFile<unknown>['lineOf'];
} {
  const counter = new LineCounter();
  // Warnings would quote the file, which may contain a secret by mistake.
  const document = parseDocument(yaml, { lineCounter: counter, prettyErrors: false, uniqueKeys: true, logLevel: 'error' });
  const lineAt = (offset: number): number => counter.linePos(offset).line + yamlLine - 1;
  return { document, lineAt, lineOf: (field) => lineAtPath(document, field, lineAt) };
}

/** Gives tags the spelling of the file: YAML reads `1.10` as the number 1.1, and `007` as 7. */
function spellTags(document: Document): void {
  const tags: unknown = isMap(document.contents) ? document.get('tags', true) : undefined;
  for (const item of isSeq(tags) ? tags.items : [tags])
    if (isScalar(item) && typeof item.value !== 'string' && item.source) item.value = item.source;
}

function atLevel(findings: readonly FieldFinding[], level: RuleLevel = 'error'): FieldFinding[] {
  if (level === 'off') return [];
  return findings.map((finding) => ({ ...finding, level: level === 'warn' ? 'warning' : 'error' }));
}

type Shape = Readonly<Record<string, z.core.$ZodType>>;

function shapeOf(schema: z.ZodType): Shape | undefined {
  return schema instanceof z.ZodObject ? (schema.shape as Shape) : undefined;
}

/** The fields that a schema knows, and the others. */
function splitFields(value: unknown, schema: z.ZodType): { readonly known: unknown; readonly unknown: readonly [string, unknown][] } {
  const shape = shapeOf(schema);
  if (shape === undefined || typeof value !== 'object' || value === null || Array.isArray(value)) return { known: value, unknown: [] };
  const isKnown = ([name]: [string, unknown]): boolean => Object.hasOwn(shape, name);
  const fields = Object.entries(value);
  return { known: Object.fromEntries(fields.filter(isKnown)), unknown: fields.filter((field) => !isKnown(field)) };
}

/** Line of the name of a field, of an item, or of its nearest existing parent. */
function lineAtPath(document: Document, path: readonly PropertyKey[], lineAt: (offset: number) => number): number {
  for (let length = path.length; length > 0; length -= 1) {
    const parent: unknown = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const name = path[length - 1];
    if (isMap(parent)) {
      const key: unknown = parent.items.find((item) => isScalar(item.key) && String(item.key.value) === String(name))?.key;
      if (isNode(key) && key.range) return lineAt(key.range[0]);
    }
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lineAt(node.range[0]);
  }
  return 1;
}

/** The first alias of a document. Aliases are not allowed, because a few lines of them can expand to more than memory holds. */
function firstAlias(document: Document): { readonly name: string; readonly offset: number } | undefined {
  let found: { name: string; offset: number } | undefined;
  visit(document, {
    Alias: (_key, node) => {
      found = { name: node.source, offset: node.range?.[0] ?? 0 };
      return visit.BREAK;
    },
  });
  return found;
}

/** Hidden characters that are in the file only as an escape such as `\u200b`. */
function escapedCharacters(value: unknown, raw: string, field: readonly PropertyKey[] = []): FieldFinding[] {
  if (typeof value === 'string') {
    const found = findHiddenCharacters(value).filter(({ character }) => !raw.includes(character));
    return found.map(({ codePoint }) => ({ field, message: `contains the hidden character ${codePoint}; delete it` }));
  }
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => escapedCharacters(item, raw, [...field, index]));
  return Object.entries(value).flatMap(([key, member]) => escapedCharacters(member, raw, [...field, key]));
}
