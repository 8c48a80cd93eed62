import { type Document, isNode, LineCounter, parseDocument, visit, type YAMLError } from 'yaml';
import type * as z from 'zod';
import { describeIssue } from '../schemas/describe-issue.ts';
import type { ContentProblem } from './content-problem.ts';
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
type ParseOutcome<T> = { readonly file: ParsedFile<T> } | { readonly problems: ContentProblem[]; readonly unchecked?: ParsedFile<unknown> };

const FENCE = /^---[ \t]*$/;

/** Most lines of front matter: the time to find duplicate fields grows with the square of them. */
const MAX_FRONT_MATTER_LINES = 1_000;

/**
 * Parses a content file: YAML front matter between two `---` lines, then text. A `.yaml` file is only front matter.
 *
 * @param path Path from the project's root, for messages.
 */
export function parseContentFile<T>(path: string, raw: string, schema: z.ZodType<T>): ParseOutcome<T> {
  const problem = (line: number, field: string, message: string): ParseOutcome<T> => ({ problems: [{ file: path, line, field, message }] });
  const lines = raw.replace(/\r\n?/g, '\n').split('\n');
  const wholeFileIsYaml = path.endsWith('.yaml');
  let yaml = lines.join('\n');
  let yamlLine = 1;
  let bodyStart = lines.length;
  if (!wholeFileIsYaml) {
    if (!FENCE.test(lines[0] ?? '')) return problem(1, '', 'must begin with front matter between two lines of three hyphens (---)');
    const end = lines.findIndex((text, index) => index > 0 && FENCE.test(text));
    if (end === -1) return problem(1, '', 'has no line of three hyphens (---) below its front matter; add it');
    if (end > MAX_FRONT_MATTER_LINES) return problem(1, '', `has more than ${MAX_FRONT_MATTER_LINES} lines of front matter; shorten it`);
    yaml = lines.slice(1, end).join('\n');
    yamlLine = 2;
    bodyStart = end + 1;
  }
  const counter = new LineCounter();
  // Warnings would quote the file, which may contain a secret by mistake.
  const document = parseDocument(yaml, { lineCounter: counter, prettyErrors: false, uniqueKeys: true, logLevel: 'error' });
  const lineAt = (offset: number): number => counter.linePos(offset).line + yamlLine - 1;
  const text = lines.slice(bodyStart);
  const body = bodyText(text.join('\n'));
  const bodyLine =
    bodyStart +
    1 +
    Math.max(
      0,
      text.findIndex((line) => line.trim() !== ''),
    );
  const lineOf = (fieldPath: readonly PropertyKey[]): number => {
    for (let length = fieldPath.length; length > 0; length -= 1) {
      const node = document.getIn(fieldPath.slice(0, length), true);
      if (isNode(node) && node.range) return lineAt(node.range[0]);
    }
    return 1;
  };
  const invalid = (found: readonly { readonly line: number; readonly message: string }[]): ParseOutcome<T> => ({
    problems: found.map(({ line, message }) => ({ file: path, line, field: '', message: `is not valid YAML: ${message}` })),
    unchecked: { data: undefined, body, bodyLine, lineOf },
  });
  if (document.errors.length > 0) {
    const byLine = new Map(
      // Backwards, so that the first error of a line remains.
      usefulErrors(document.errors)
        .reverse()
        .map((error) => [lineAt(error.pos[0]), describeYamlError(error, yaml)]),
    );
    return invalid([...byLine].map(([line, message]) => ({ line, message })));
  }
  const alias = firstAlias(document);
  if (alias) return invalid([{ line: lineAt(alias.offset), message: `the alias *${alias.name} is not allowed; write the value out` }]);
  const value: unknown = document.toJS() ?? {};
  const parsed = schema.safeParse(value);
  const findings = [...escapedCharacters(value, raw), ...(parsed.success ? [] : parsed.error.issues.flatMap(findingsOf))];
  if (!parsed.success || findings.length > 0) {
    return {
      problems: findings.map(({ field, message }) => ({ file: path, line: lineOf(field), field: fieldName(field), message })),
      unchecked: { data: value, body, bodyLine, lineOf },
    };
  }
  return { file: { data: parsed.data, body, bodyLine, lineOf } };
}

/** How to mend some errors of the YAML parser. */
const YAML_REMEDIES: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  BLOCK_AS_IMPLICIT_KEY: 'put a value that contains ": " in quotes, and begin every field in the column of the field above it',
  BAD_SCALAR_START: 'put the value in quotes, because it begins with a character that has a meaning in YAML',
};

/** Errors without those of the text after the end of the document, which follow from the first. */
function usefulErrors(errors: readonly YAMLError[]): YAMLError[] {
  return errors.filter(({ message }, index) => index === 0 || !message.includes('in YAML stream'));
}

function describeYamlError({ code, pos }: YAMLError, yaml: string): string {
  if (code === 'DUPLICATE_KEY') return `has the field "${/^[\w-]{1,60}/.exec(yaml.slice(pos[0]))?.[0] ?? ''}" twice; delete one`;
  return YAML_REMEDIES[code] ?? 'write each field as "name: value", indent with spaces, and close every quote and bracket';
}

/** `sources[0].url` for the path `['sources', 0, 'url']`. */
function fieldName(path: readonly PropertyKey[]): string {
  return path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`)).join('');
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

interface FieldFinding {
  readonly field: readonly PropertyKey[];
  readonly message: string;
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

/** Findings of an issue; an unknown field is reported at its own line. */
function findingsOf(issue: z.core.$ZodIssue): FieldFinding[] {
  if (issue.code !== 'unrecognized_keys') return [{ field: issue.path, message: authorMessage(issue) }];
  return issue.keys.map((key) => ({ field: [...issue.path, key], message: 'is not a known field; check its spelling, or delete it' }));
}

/** Describes an issue to an author: YAML reads some values without quotes as numbers or as nothing. */
function authorMessage(issue: z.core.$ZodIssue): string {
  const received = issue.code === 'invalid_type' && issue.expected === 'string' ? /received (\w+)$/.exec(issue.message)?.[1] : undefined;
  if (received === 'null') return 'has no value; write one';
  if (received !== 'number' && received !== 'boolean') return describeIssue(issue);
  return issue.path.at(-1) === 'version' ? 'must be three numbers, such as 1.0.0' : 'must be text; put the value in quotes';
}
