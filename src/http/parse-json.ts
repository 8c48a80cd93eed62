import { LIMITS } from '../schemas/limits.ts';
import { plainName } from './validate-input.ts';

/** Where a text stops being JSON. */
interface SyntaxFault {
  /** What is wrong there and how to fix it, as a clause: `a comma stands before "}"; remove it`. */
  readonly message: string;
  /** Line and column, counted from 1; columns in characters. */
  readonly line: number;
  readonly column: number;
}

/** Why a text was rejected as JSON; the message is safe to send. */
export class JsonRejectedError extends Error {
  override readonly name: string = 'JsonRejectedError';
  /** Where the text stops being JSON, if that is the reason. */
  readonly fault: SyntaxFault | undefined;

  constructor(message: string, fault?: SyntaxFault) {
    super(message);
    this.fault = fault;
  }
}

/** Rejects a text that is JSON, but not an object. */
export class JsonNotObjectError extends JsonRejectedError {
  override readonly name = 'JsonNotObjectError';
}

/**
 * Parses a JSON object, or a list where one is accepted. Unlike `JSON.parse`, rejects duplicate members (RFC 8259 section 4: unpredictable),
 * `__proto__`, unpaired surrogates, numbers beyond a double, deep nesting, very many members and very long texts, and says where a text is not
 * JSON: engines word that differently, mostly without a line. Repeats at most one character or plain word of the text.
 *
 * @param maxStringLength Longest text, in UTF-16 code units as written, with its escapes.
 * @throws {JsonRejectedError}
 */
export function parseJsonObject(
  text: string,
  maxStringLength: number = LIMITS.jsonStringMaxLength,
  acceptsList = false,
): Record<string, unknown> | unknown[] {
  if (text.trim() === '') throw new JsonRejectedError('The body is empty. Send a JSON object.');
  const value = new JsonReader(text, maxStringLength).read();
  if (acceptsList && Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new JsonNotObjectError(notObject(value));
  return value as Record<string, unknown>;
}

/** What a body is instead of an object. */
function notObject(value: unknown): string {
  if (typeof value === 'string' && isObjectText(value))
    return 'The body is a string that contains a JSON object: it was encoded twice. Send the object itself.';
  const kind = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  return `The body must be a JSON object; it is ${kind}.`;
}

function isObjectText(text: string): boolean {
  if (!/^\s*\{/.test(text)) return false;
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

const LITERALS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Words of other languages, and what JSON has in their place. */
const FOREIGN_WORDS: Readonly<Record<string, string>> = {
  None: 'null',
  nil: 'null',
  undefined: 'null',
  NaN: 'null',
  Infinity: 'null',
  NULL: 'null',
  Null: 'null',
  True: 'true',
  TRUE: 'true',
  False: 'false',
  FALSE: 'false',
};

/** Quotation marks that are not those of JSON. */
const OTHER_QUOTES = "'`\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb";

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const UNESCAPED = /[^"\\\x00-\x1f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const WORD = /[A-Za-z]{1,24}/y;

/** Reads a text once, from its start (RFC 8259), and stops at the first error. */
class JsonReader {
  readonly #text: string;
  readonly #maxStringLength: number;
  #at = 0;
  #depth = 0;
  #count = 0;

  constructor(text: string, maxStringLength: number) {
    this.#text = text;
    this.#maxStringLength = maxStringLength;
  }

  read(): unknown {
    this.#take(SPACE);
    const value = this.#value();
    this.#take(SPACE);
    if (this.#at < this.#text.length) this.#fail(`${this.#here()} follows the end of the JSON value; send one value only`);
    return value;
  }

  #value(): unknown {
    const first = this.#text[this.#at];
    if (first === '{') {
      const members = new Map<string, unknown>();
      this.#list('}', () => this.#member(members));
      return Object.fromEntries(members);
    }
    if (first === '[') {
      const items: unknown[] = [];
      this.#list(']', () => items.push(this.#value()));
      return items;
    }
    if (first === '"') return this.#string();
    const number = this.#take(NUMBER);
    return number === '' ? this.#literal() : this.#number(number);
  }

  /** `JSON.parse` turns a number beyond a double into Infinity, which has no canonical form (RFC 7493 section 2.2). */
  #number(written: string): number {
    if (/[\w.+-]/.test(this.#text[this.#at] ?? '')) this.#fail(`${this.#here()} does not belong to a number of JSON, such as 5 or -0.5`);
    if (!Number.isFinite(Number(written))) throw new JsonRejectedError('The body has a number that a double cannot represent.');
    return Number(written);
  }

  #literal(): boolean | null {
    const start = this.#at;
    const word = this.#take(WORD);
    const value = LITERALS.get(word);
    if (value !== undefined) return value;
    this.#at = start;
    const instead = Object.hasOwn(FOREIGN_WORDS, word) ? FOREIGN_WORDS[word] : undefined;
    const remedy = instead === undefined ? `stands where a value is expected${this.#hint()}` : `is not JSON; write ${instead}`;
    return this.#fail(`${this.#here()} ${remedy}`);
  }

  /** Items or members to their end, with commas between them. */
  #list(end: '}' | ']', readItem: () => void): void {
    this.#depth += 1;
    if (this.#depth > LIMITS.jsonMaxDepth) throw new JsonRejectedError(`The body is nested deeper than ${LIMITS.jsonMaxDepth} levels.`);
    this.#at += 1;
    this.#take(SPACE);
    while (this.#text[this.#at] !== end) {
      this.#count += 1;
      if (this.#count > LIMITS.jsonMaxKeys) throw new JsonRejectedError(`The body has more than ${LIMITS.jsonMaxKeys} members and items.`);
      readItem();
      this.#take(SPACE);
      const next = this.#text[this.#at];
      if (next === end) break;
      if (next !== ',') this.#fail(`${this.#here()} stands where a comma or "${end}" is expected${this.#hint()}`);
      const comma = this.#at;
      this.#at += 1;
      this.#take(SPACE);
      if (this.#text[this.#at] === end) this.#fail(`a comma stands before "${end}"; remove it`, comma);
    }
    this.#at += 1;
    this.#depth -= 1;
  }

  #member(members: Map<string, unknown>): void {
    if (this.#text[this.#at] !== '"') {
      const hint = this.#hint();
      this.#fail(`${this.#here()} stands where the name of a member is expected${hint === '' ? '; names are in double quotes' : hint}`);
    }
    const name = this.#string();
    if (members.has(name)) throw new JsonRejectedError(`The member "${plainName(name)}" appears twice in the body.`);
    if (name === '__proto__') throw new JsonRejectedError('The body has a member named "__proto__".');
    this.#take(SPACE);
    if (this.#text[this.#at] !== ':') this.#fail(`${this.#here()} stands where a colon is expected, after the name of a member`);
    this.#at += 1;
    this.#take(SPACE);
    members.set(name, this.#value());
  }

  #string(): string {
    const start = this.#at;
    let hasEscapes = false;
    this.#at += 1;
    for (;;) {
      this.#take(UNESCAPED);
      const character = this.#text[this.#at];
      if (character === '"') break;
      if (character === undefined) this.#fail('a string begins that does not end; close it with a double quote', start);
      if (character === '\n' || character === '\r') this.#fail('a line ends inside a string; write \\n for a line break');
      if (character !== '\\') this.#fail(`${this.#here()} stands inside a string; write it as an escape`);
      if (this.#take(ESCAPE) === '') this.#fail('a backslash begins no escape of JSON; write \\\\ for a backslash');
      hasEscapes = true;
    }
    this.#at += 1;
    if (this.#at - start - 2 > this.#maxStringLength)
      throw new JsonRejectedError(`The body has a text of more than ${this.#maxStringLength} characters, counting escapes as written.`);
    if (!hasEscapes) return this.#text.slice(start + 1, this.#at - 1);
    const value = JSON.parse(this.#text.slice(start, this.#at)) as string;
    // An unpaired surrogate has no canonical form, so no digest (RFC 7493 section 2.1).
    if (/\p{Surrogate}/u.test(value)) throw new JsonRejectedError('The body contains an unpaired surrogate.');
    return value;
  }

  /** Moves over what a sticky pattern matches here. */
  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [taken = ''] = pattern.exec(this.#text) ?? [];
    this.#at += taken.length;
    return taken;
  }

  /** What stands here, safe to repeat. */
  #here(): string {
    const code = this.#text.codePointAt(this.#at);
    if (code === undefined) return 'the end of the body';
    WORD.lastIndex = this.#at;
    const [word] = WORD.exec(this.#text) ?? [];
    if (word !== undefined) return `"${word}"`;
    if (code === 0x22) return 'a double quote';
    return code > 0x20 && code < 0x7f ? `"${String.fromCodePoint(code)}"` : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  }

  #hint(): string {
    const character = this.#text[this.#at] ?? '';
    if (character === '') return '; the body ends too early';
    if (OTHER_QUOTES.includes(character)) return '; strings are in straight double quotes';
    if (character === '/' || character === '#') return '; JSON has no comments';
    return '';
  }

  #fail(message: string, at: number = this.#at): never {
    const before = this.#text.slice(0, at).split(/\r\n|\n|\r/);
    const fault = { message, line: before.length, column: [...(before.at(-1) ?? '')].length + 1 };
    throw new JsonRejectedError(`The body is not valid JSON. At line ${fault.line}, column ${fault.column}, ${message}.`, fault);
  }
}
