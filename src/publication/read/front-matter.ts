import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, stringify, visit, type YAMLError } from 'yaml';
import * as z from 'zod';
import type { RuleLevel } from '../../schemas/editorial-rules.ts';
import { describeIssue, memberNames, schemaAt } from '../../schemas/zod-issue-messages.ts';
import { suggestName } from '../../search/did-you-mean.ts';
import { findHiddenCharacters } from '../../text/check/hidden-characters.ts';
import { bodyText } from '../../text/markdown/markdown-tree.ts';
import { type ContentProblem, type FieldFinding, fieldProblem } from '../content-problem.ts';

export interface ParsedFile<T> {
  readonly data: T;
  /** Text below the front matter, with LF, without blank lines at both ends, with one final newline. */
  readonly body: string;
  readonly bodyLine: number;
  /** Line of a field, or of its nearest existing parent, from 1. */
  readonly lineOf: (path: readonly PropertyKey[]) => number;
}

/** A parsed file, or its mistakes, with what could be read: the text, and the unchecked front matter (`undefined` if it is not valid YAML). */
type ParseOutcome<T> =
  | { readonly file: ParsedFile<T>; readonly warnings: readonly ContentProblem[] }
  | { readonly problems: ContentProblem[]; readonly unchecked?: ParsedFile<unknown> };

interface ParseOptions {
  /** How serious unknown fields are that resemble no known one; errors by default. */
  readonly unknownFields?: RuleLevel;
  /** How serious hidden characters are; errors by default. */
  readonly hiddenCharacters?: RuleLevel;
  /** Whether messages may quote lines of the file; true by default. */
  readonly mayQuote?: boolean;
}

const FENCE = /^---[ \t]*$/;

const TOML_FENCE = /^\+\+\+[ \t]*$/;

/** Most lines of front matter: the time to find duplicate fields grows with the square of them. */
const MAX_FRONT_MATTER_LINES = 1_000;

/** YAML between two `---` lines, then text. A text without front matter has no fields. A `.yaml` file is only front matter. */
export function parseContentFile<T>(path: string, raw: string, schema: z.ZodType<T>, options: ParseOptions = {}): ParseOutcome<T> {
  const parts = partsOf(path, raw);
  if ('message' in parts) return { problems: [{ file: path, line: 1, field: '', message: parts.message }] };
  const { lines, yaml, bodyStart } = parts;
  const { document, lineAt, lineOf } = parseYaml(parts);
  const quote = (line: number): string | undefined => (options.mayQuote === false ? undefined : lines[line - 1]);
  const text = lines.slice(bodyStart);
  const body = bodyText(text.join('\n'));
  const firstLine = text.findIndex((line) => line.trim() !== '');
  const bodyLine = bodyStart + 1 + Math.max(0, firstLine);
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
  const { unknownFields = 'error' } = options;
  const shape = shapeOf(schema) ?? {};
  // A required field under another name is reported once, at that name.
  const intended = unknownFields === 'error' ? unknown.map(([name]) => suggestName(name, Object.keys(shape))) : [];
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
  const problems = findings.map((finding) => fieldProblem(path, lineOf, finding));
  const isRefused = !parsed.success || findings.some(({ level }) => level !== 'warning');
  if (isRefused) return { problems, unchecked: { data: value, body, bodyLine, lineOf } };
  return { file: { data: parsed.data, body, bodyLine, lineOf }, warnings: problems };
}

/** What a text in JSON stands for; `undefined` if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Lines of the fields of a file that was parsed before. Its front matter is parsed again for the first of them. */
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

interface FileParts {
  readonly lines: readonly string[];
  readonly yaml: string;
  readonly yamlLine: number;
  readonly bodyStart: number;
}

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

function parseYaml({ yaml, yamlLine }: FileParts) {
  const counter = new LineCounter();
  // Warnings would quote the file, which may contain a secret by mistake.
  const document = parseDocument(yaml, { lineCounter: counter, prettyErrors: false, uniqueKeys: true, logLevel: 'error' });
  const lineAt = (offset: number): number => counter.linePos(offset).line + yamlLine - 1;
  return { document, lineAt, lineOf: (field: readonly PropertyKey[]): number => lineAtPath(document, field, lineAt) };
}

/** Gives tags the spelling of the file: YAML reads `1.10` as the number 1.1, and `007` as 7. */
function spellTags(document: Document): void {
  const tags: unknown = isMap(document.contents) ? document.get('tags', true) : undefined;
  for (const item of isSeq(tags) ? tags.items : [tags])
    if (isScalar(item) && typeof item.value !== 'string' && item.source) item.value = item.source;
}

function atLevel(findings: readonly FieldFinding[], level: RuleLevel = 'error'): FieldFinding[] {
  return level === 'off' ? [] : findings.map((finding) => ({ ...finding, level: level === 'warn' ? 'warning' : 'error' }));
}

type Shape = Readonly<Record<string, z.core.$ZodType>>;

function shapeOf(schema: z.ZodType): Shape | undefined {
  return schema instanceof z.ZodObject ? (schema.shape as Shape) : undefined;
}

function splitFields(value: unknown, schema: z.ZodType): { readonly known: unknown; readonly unknown: readonly [string, unknown][] } {
  const shape = shapeOf(schema);
  if (shape === undefined || typeof value !== 'object' || value === null || Array.isArray(value)) return { known: value, unknown: [] };
  const isKnown = ([name]: [string, unknown]): boolean => Object.hasOwn(shape, name);
  const fields = Object.entries(value);
  return { known: Object.fromEntries(fields.filter(isKnown)), unknown: fields.filter((field) => !isKnown(field)) };
}

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

function escapedCharacters(value: unknown, raw: string, path: readonly PropertyKey[] = []): FieldFinding[] {
  if (typeof value === 'string') {
    const found = findHiddenCharacters(value).filter(({ character }) => !raw.includes(character));
    return found.map(({ codePoint }) => ({ path, message: `contains the hidden character ${codePoint}; delete it` }));
  }
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => escapedCharacters(item, raw, [...path, index]));
  return Object.entries(value).flatMap(([key, member]) => escapedCharacters(member, raw, [...path, key]));
}

export interface FrontMatterFinding extends FieldFinding {
  readonly consequence?: string;
}

const QUOTE_MAX_LENGTH = 120;

const YAML_REMEDIES: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  BLOCK_AS_IMPLICIT_KEY: 'put a value that contains ": " in quotes, and begin every field in the column of the field above it',
  BAD_SCALAR_START: 'put the value in quotes, because it begins with a character that has a meaning in YAML',
  TAB_AS_INDENT: 'indent with spaces, not with tabs',
};

function describeYamlErrors(
  errors: readonly YAMLError[],
  yaml: string,
  lineAt: (offset: number) => number,
  quote: (line: number) => string | undefined,
): { readonly line: number; readonly message: string }[] {
  const indented = indentedField(errors[0], yaml);
  if (indented !== undefined) {
    const line = lineAt(indented);
    const text = quote(line);
    const remedy = 'the field is indented too far; begin it in the column of the other fields';
    return [{ line, message: text === undefined ? remedy : `${remedy}. The line is \`${shortened(text)}\`` }];
  }
  const byLine = new Map(
    // Backwards, so that the first error of a line remains.
    usefulErrors(errors)
      .reverse()
      .map((error) => {
        const line = lineAt(error.pos[0]);
        return [line, describeYamlError(error, yaml, quote(line))];
      }),
  );
  return [...byLine].map(([line, message]) => ({ line, message }));
}

/** Offset of a field that is indented by mistake: the first, if a later one is not, or one below a value. The parser notices it a line off. */
function indentedField(error: YAMLError | undefined, yaml: string): number | undefined {
  if (error === undefined) return undefined;
  const first = /^(?:[ \t]*(?:#.*)?\n)*/.exec(yaml)?.[0].length ?? 0;
  const fields = yaml.slice(first);
  if (/^ +[\w-]+:(?:\s|$)/.test(fields) && /^[\w-]+:/m.test(fields)) return first;
  if (error.code !== 'BLOCK_AS_IMPLICIT_KEY') return undefined;
  const start = yaml.lastIndexOf('\n', error.pos[0] - 1) + 1;
  const [, above = '', indent = ''] = /^(( *)[\w-]+: +[^\s"'[{|>&*!#][^\n]*\n) +[\w-]+:(?:\s|$)/.exec(yaml.slice(start)) ?? [];
  const isDeeper = above !== '' && yaml.slice(start + above.length).startsWith(`${indent} `);
  return isDeeper && quotedValue(above.trimEnd()) === undefined ? start + above.length : undefined;
}

function usefulErrors(errors: readonly YAMLError[]): YAMLError[] {
  return errors.filter(({ message }, index) => index === 0 || !message.includes('in YAML stream'));
}

function describeYamlError({ code, pos }: YAMLError, yaml: string, line: string | undefined): string {
  if (code === 'DUPLICATE_KEY') return `has the field "${/^[\w-]{1,60}/.exec(yaml.slice(pos[0]))?.[0] ?? ''}" twice; delete one`;
  const quoted = code === 'BLOCK_AS_IMPLICIT_KEY' || code === 'BAD_SCALAR_START' ? quotedValue(line) : undefined;
  const reason = YAML_REMEDIES[code] ?? 'write each field as "name: value", indent with spaces, and close every quote and bracket';
  if (line === undefined || line.trim() === '') return reason;
  return quoted === undefined
    ? `${reason}. The line is \`${shortened(line)}\``
    : `${reason}. Instead of \`${shortened(line)}\` write \`${quoted}\``;
}

function quotedValue(line: string | undefined): string | undefined {
  const [, indent = '', name = '', value = ''] = /^(\s*(?:- )?)([\w-]+):\s+(\S.*?)\s*$/.exec(line ?? '') ?? [];
  if (name === '' || /^["'[{|>]/.test(value) || !/^[@`%&*!]|:(?:\s|$)/.test(value) || (line ?? '').length > QUOTE_MAX_LENGTH)
    return undefined;
  return `${indent.trimStart()}${name}: ${JSON.stringify(value)}`;
}

function shortened(line: string): string {
  const text = line.trim();
  return text.length > QUOTE_MAX_LENGTH ? `${text.slice(0, QUOTE_MAX_LENGTH)}…` : text;
}

/** Fields of other tools, with the values by which a text is not published. */
const UNPUBLISHED: readonly (readonly [field: string, value: string])[] = [
  ['published', 'false'],
  ['publish', 'false'],
  ['hidden', 'true'],
  ['private', 'true'],
  ['unlisted', 'true'],
  ['status', 'draft'],
];

/** A misspelling if its name is near to a known one whose values it could have. Otherwise other tools may have put it there, and `level` decides. */
function describeUnknownField(name: string, value: unknown, shape: Shape, level: RuleLevel): FieldFinding | undefined {
  if (level !== 'off' && UNPUBLISHED.some(([field, meaning]) => field === name.toLowerCase() && String(value).toLowerCase() === meaning)) {
    const remedy = Object.hasOwn(shape, 'draft') ? 'write `draft: true`' : 'begin the name of the file with an underscore';
    return { path: [name], message: `is not a known field, so that the text would be published; ${remedy} instead, or delete it` };
  }
  const near = suggestName(name, Object.keys(shape));
  const schema = near === undefined ? undefined : shape[near];
  // Names such as "updatedAt" are of other tools, not misspellings.
  const isMisspelling = schema !== undefined && Math.abs(name.length - (near?.length ?? 0)) <= 1 && z.safeParse(schema, value).success;
  const path = [name];
  if (near !== undefined && (isMisspelling || level === 'error'))
    return { path, message: `is not a known field. Did you mean "${near}"? Write \`${near}: ${inlineYaml(value)}\`` };
  if (level === 'error') return { path, message: 'is not a known field; check its spelling, or delete it' };
  if (level === 'off') return undefined;
  return {
    path,
    message: `is not a known field and is ignored${near === undefined ? '' : `; did you mean "${near}"?`}`,
    level: 'warning',
  };
}

function inlineYaml(value: unknown): string {
  const text = stringify(value, { lineWidth: 0, collectionStyle: 'flow', flowCollectionPadding: false }).trim();
  return text.includes('\n') || text.length > QUOTE_MAX_LENGTH ? '…' : text;
}

function findingsOf(issue: z.core.$ZodIssue, schema: z.ZodType, line: string | undefined): FieldFinding[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, message: authorMessage(issue, line) }];
  const known = memberNames(schemaAt(schema, issue.path));
  return issue.keys.map((key) => {
    const near = suggestName(key, known);
    const remedy = near === undefined ? '; check its spelling, or delete it' : `. Did you mean "${near}"?`;
    return { path: [...issue.path, key], message: `is not a known field${remedy}` };
  });
}

const FORMS: Readonly<Record<string, string>> = {
  supersedes: 'supersedes: [{ capsule: old-id, reason: "Why it is replaced." }]',
  retracted: 'retracted: { date: 2026-11-28, reason: "Why the claim turned out to be false." }',
  written_by: 'written_by: { type: Person, name: Ada Rim }',
  sources:
    'sources: [{ key: rfc9110, title: HTTP Semantics, url: "https://www.rfc-editor.org/rfc/rfc9110", publisher: IETF, kind: standard }]',
  derived_from: 'derived_from: [old-id]',
  cites: 'cites: [other-id]',
  formerly: 'formerly: [old-id]',
  questions: 'questions: ["How long may a browser keep a page?"]',
};

/** Describes an issue to an author: YAML reads some values without quotes as numbers or as nothing. */
function authorMessage(issue: z.core.$ZodIssue, line: string | undefined): string {
  const received = issue.code === 'invalid_type' && issue.expected === 'string' ? /received (\w+)$/.exec(issue.message)?.[1] : undefined;
  const field = issue.path.at(-1);
  if (received === 'null') return 'has no value; write one';
  if (issue.path.length === 0 && issue.code === 'invalid_type') return 'must be fields, such as "title: A title"';
  if (field === 'version' && (received === 'number' || issue.code === 'invalid_format')) return versionMessage(field, line);
  const form = issue.code === 'invalid_type' && issue.expected !== 'string' ? FORMS[String(field)] : undefined;
  if (form !== undefined) return `must have the form \`${form}\``;
  if (received !== 'number' && received !== 'boolean') return describeIssue(issue);
  return remedied('must be text; put the value in quotes', field, line, (value) => JSON.stringify(value));
}

function versionMessage(field: PropertyKey, line: string | undefined): string {
  return remedied('must be three numbers, such as 1.0.0', field, line, (value) => {
    const numbers = /^["']?v?(\d+)(?:\.(\d+))?(?:\.(\d+))?["']?$/.exec(value);
    return numbers ? [1, 2, 3].map((part) => Number(numbers[part] ?? 0)).join('.') : undefined;
  });
}

function remedied(message: string, field: PropertyKey | undefined, line: string | undefined, mend: (value: string) => string | undefined) {
  const [, name = '', value = ''] = /^\s*(?:- )?([\w-]+):\s+([^\s[{].*?)\s*(?:#.*)?$/.exec(line ?? '') ?? [];
  const mended = name === '' || name !== field || value.length > QUOTE_MAX_LENGTH ? undefined : mend(value);
  return mended === undefined ? message : `${message}. Instead of \`${name}: ${value}\` write \`${name}: ${mended}\``;
}
