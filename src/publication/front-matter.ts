import { type Document, isNode, LineCounter, parseDocument, visit } from 'yaml';
import type * as z from 'zod';
import { describeIssue } from '../schemas/describe-issue.ts';
import type { ContentProblem } from './content-problem.ts';
import { findHiddenCharacters } from './lint/hidden-characters.ts';
import { bodyText } from './lint/markdown.ts';

/** A content file taken apart: typed front matter, the text below it, and where things stand. */
export interface ParsedFile<T> {
  readonly data: T;
  /** Text below the front matter, LF line ends, no blank edges, one final newline. */
  readonly body: string;
  /** Line of the file on which the body's first line stands, from 1. */
  readonly bodyLine: number;
  /** Line of a field of the front matter, from 1; the line of the nearest parent that exists. */
  readonly lineOf: (path: readonly PropertyKey[]) => number;
}

/** Result of {@link parseContentFile}: a file, or every problem found in it. */
export type ParseOutcome<T> = { readonly file: ParsedFile<T> } | { readonly problems: ContentProblem[] };

const FENCE = /^---[ \t]*$/;

/** Most lines of front matter: the parser compares every field with every other one to find those that stand twice. */
const MAX_FRONT_MATTER_LINES = 1_000;

/**
 * Reads one content file: YAML front matter between two `---` lines, then text. A `.yaml` file is front matter alone.
 *
 * @param path Path for messages, from the project's root.
 */
export function parseContentFile<T>(path: string, raw: string, schema: z.ZodType<T>): ParseOutcome<T> {
  const problem = (line: number, field: string, message: string): ParseOutcome<T> => ({ problems: [{ file: path, line, field, message }] });
  const lines = raw.replace(/\r\n?/g, '\n').split('\n');
  const wholeFileIsYaml = path.endsWith('.yaml');
  let yaml = lines.join('\n');
  let yamlLine = 1;
  let bodyStart = lines.length;
  if (!wholeFileIsYaml) {
    if (!FENCE.test(lines[0] ?? ''))
      return problem(1, '', 'must begin with a line of three hyphens, the front matter and another line of three hyphens');
    const end = lines.findIndex((text, index) => index > 0 && FENCE.test(text));
    if (end === -1) return problem(1, '', 'has front matter that is never closed: a line of three hyphens is missing below it');
    if (end > MAX_FRONT_MATTER_LINES) return problem(1, '', `has front matter of more than ${MAX_FRONT_MATTER_LINES} lines`);
    yaml = lines.slice(1, end).join('\n');
    yamlLine = 2;
    bodyStart = end + 1;
  }
  const counter = new LineCounter();
  // No warnings on standard error: they quote the file, in which a secret may stand by mistake.
  const document = parseDocument(yaml, { lineCounter: counter, prettyErrors: false, uniqueKeys: true, logLevel: 'error' });
  const lineAt = (offset: number): number => counter.linePos(offset).line + yamlLine - 1;
  if (document.errors.length > 0) {
    return {
      problems: document.errors.map((error) => ({
        file: path,
        line: lineAt(error.pos[0]),
        field: '',
        message: `is not valid YAML: ${error.message}`,
      })),
    };
  }
  const lineOf = (fieldPath: readonly PropertyKey[]): number => {
    for (let length = fieldPath.length; length > 0; length -= 1) {
      const node = document.getIn(fieldPath.slice(0, length), true);
      if (isNode(node) && node.range) return lineAt(node.range[0]);
    }
    return 1;
  };
  const alias = firstAlias(document);
  if (alias)
    return problem(lineAt(alias.offset), '', `is not valid YAML: aliases such as *${alias.name} are not taken; write the value out`);
  const value: unknown = document.toJS() ?? {};
  const parsed = schema.safeParse(value);
  const findings = [...escapedCharacters(value, raw), ...(parsed.success ? [] : parsed.error.issues.flatMap(findingsOf))];
  if (!parsed.success || findings.length > 0) {
    return { problems: findings.map(({ field, message }) => ({ file: path, line: lineOf(field), field: fieldName(field), message })) };
  }
  const rest = lines.slice(bodyStart);
  const leadingBlank = rest.findIndex((text) => text.trim() !== '');
  const body = bodyText(rest.join('\n'));
  return { file: { data: parsed.data, body, bodyLine: bodyStart + 1 + Math.max(leadingBlank, 0), lineOf } };
}

/** `sources[0].url` for the path `['sources', 0, 'url']`. */
function fieldName(path: readonly PropertyKey[]): string {
  return path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`)).join('');
}

/** The first alias of a document. None is taken: a few lines of them can stand for more values than memory holds. */
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

/** What is wrong with a field of the front matter. */
interface FieldFinding {
  readonly field: readonly PropertyKey[];
  readonly message: string;
}

/** Hidden characters that stand in the file only as an escape such as `\u200b`, which a search of its text does not see. */
function escapedCharacters(value: unknown, raw: string, field: readonly PropertyKey[] = []): FieldFinding[] {
  if (typeof value === 'string') {
    const found = findHiddenCharacters(value).filter(({ character }) => !raw.includes(character));
    return found.map(({ codePoint }) => ({ field, message: `holds the hidden character ${codePoint}; remove it` }));
  }
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => escapedCharacters(item, raw, [...field, index]));
  return Object.entries(value).flatMap(([key, member]) => escapedCharacters(member, raw, [...field, key]));
}

/** A finding for an issue; an unknown field is reported at its own place. */
function findingsOf(issue: z.core.$ZodIssue): FieldFinding[] {
  if (issue.code !== 'unrecognized_keys') return [{ field: issue.path, message: describeIssue(issue) }];
  return issue.keys.map((key) => ({ field: [...issue.path, key], message: 'is not a field of this kind of file' }));
}
