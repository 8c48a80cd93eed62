/** Where a text stops being JSON. */
export interface JsonFault {
  /** What is wrong there and how to fix it, as a clause: `a comma stands before "}"; remove it`. */
  readonly message: string;
  /** Line and column, counted from 1; columns in characters. */
  readonly line: number;
  readonly column: number;
}

/** Ends the search at the first fault. */
class FaultFound extends Error {
  override readonly name = 'FaultFound';
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

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
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const WORD = /[A-Za-z]{1,24}/y;

/**
 * The first fault of a text that is not JSON (RFC 8259); `undefined` if it is. `JSON.parse` words its errors differently in each engine, and
 * mostly without a line. Recursive, so the depth of the text must be limited before. Repeats at most one character or plain word of it.
 */
export function findJsonFault(text: string): JsonFault | undefined {
  try {
    new JsonReader(text).read();
    return undefined;
  } catch (error) {
    if (!(error instanceof FaultFound)) throw error;
    const before = text.slice(0, error.at).split(/\r\n|\n|\r/);
    return { message: error.message, line: before.length, column: [...(before.at(-1) ?? '')].length + 1 };
  }
}

class JsonReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): void {
    this.#space();
    this.#value();
    this.#space();
    if (this.#at < this.#text.length) this.#fail(`${this.#here()} follows the end of the JSON value; send one value only`);
  }

  #value(): void {
    const first = this.#text[this.#at];
    if (first === '{') this.#list('}', () => this.#member());
    else if (first === '[') this.#list(']', () => this.#value());
    else if (first === '"') this.#string();
    else if (this.#take(NUMBER) !== '') this.#endOfNumber();
    else this.#literal();
  }

  #literal(): void {
    const start = this.#at;
    const word = this.#take(WORD);
    if (['true', 'false', 'null'].includes(word)) return;
    this.#at = start;
    const instead = Object.hasOwn(FOREIGN_WORDS, word) ? FOREIGN_WORDS[word] : undefined;
    const remedy = instead === undefined ? `stands where a value is expected${this.#hint()}` : `is not JSON; write ${instead}`;
    this.#fail(`${this.#here()} ${remedy}`);
  }

  /** Items or members to their end, with commas between them. */
  #list(end: '}' | ']', item: () => void): void {
    this.#at += 1;
    this.#space();
    if (this.#text[this.#at] === end) {
      this.#at += 1;
      return;
    }
    for (;;) {
      item();
      this.#space();
      const next = this.#text[this.#at];
      if (next === end) {
        this.#at += 1;
        return;
      }
      if (next !== ',') this.#fail(`${this.#here()} stands where a comma or "${end}" is expected${this.#hint()}`);
      const comma = this.#at;
      this.#at += 1;
      this.#space();
      if (this.#text[this.#at] === end) this.#fail(`a comma stands before "${end}"; remove it`, comma);
    }
  }

  #member(): void {
    if (this.#text[this.#at] !== '"') {
      const hint = this.#hint();
      this.#fail(`${this.#here()} stands where the name of a member is expected${hint === '' ? '; names are in double quotes' : hint}`);
    }
    this.#string();
    this.#space();
    if (this.#text[this.#at] !== ':') this.#fail(`${this.#here()} stands where a colon is expected, after the name of a member`);
    this.#at += 1;
    this.#space();
    this.#value();
  }

  #string(): void {
    const start = this.#at;
    for (this.#at += 1; ; this.#at += 1) {
      const character = this.#text[this.#at];
      if (character === undefined) this.#fail('a string begins that does not end; close it with a double quote', start);
      if (character === '"') break;
      if (character === '\n' || character === '\r') this.#fail('a line ends inside a string; write \\n for a line break');
      if (character < ' ') this.#fail(`${this.#here()} stands inside a string; write it as an escape`);
      if (character === '\\') this.#escape();
    }
    this.#at += 1;
  }

  #escape(): void {
    if (this.#take(ESCAPE) === '') this.#fail('a backslash begins no escape of JSON; write \\\\ for a backslash');
    this.#at -= 1;
  }

  #endOfNumber(): void {
    if (/[\w.+-]/.test(this.#text[this.#at] ?? '')) this.#fail(`${this.#here()} does not belong to a number of JSON, such as 5 or -0.5`);
  }

  #space(): void {
    this.#take(SPACE);
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
    throw new FaultFound(message, at);
  }
}
