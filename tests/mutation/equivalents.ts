/** A change of the code that no test can notice, looked at by a person. */
export interface Equivalent {
  readonly file: string;
  /** The line on which the change begins, without the white space around it. */
  readonly line: string;
  /** The text that is changed, and what it is changed to, each with its white space as single spaces. */
  readonly original: string;
  readonly replacement: string;
  readonly reason: string;
}

/** Changes that make no difference to any answer. */
export const EQUIVALENTS: readonly Equivalent[] = [
  {
    file: 'src/gateway/limits/token-bucket.ts',
    line: 'if (!oldest.done) this.#buckets.delete(oldest.value);',
    original: '!oldest.done',
    replacement: 'true',
    reason: 'There are more buckets than fit, so there is an oldest one.',
  },
  {
    file: 'src/gateway/limits/token-bucket.ts',
    line: "const [, mapped] = /^0:0:0:0:0:ffff:(.*)$/.exec(groups.join(':')) ?? [];",
    original: '/^0:0:0:0:0:ffff:(.*)$/',
    replacement: '/^0:0:0:0:0:ffff:(.*)/',
    reason: 'The rest is taken as far as it goes, which is to the end: groups hold no line break.',
  },
  {
    file: 'src/gateway/limits/token-bucket.ts',
    line: "const [, mapped] = /^0:0:0:0:0:ffff:(.*)$/.exec(groups.join(':')) ?? [];",
    original: '[]',
    replacement: '["Stryker was here"]',
    reason: 'The first of the list is passed over.',
  },
  {
    file: 'src/gateway/limits/token-bucket.ts',
    line: "const [head = '', rest, ...more] = text.split('::');",
    original: "''",
    replacement: '"Stryker was here!"',
    reason: 'A text that is divided has a first part.',
  },
  {
    file: 'src/routes/http/parse-json.ts',
    line: 'while (position < text.length) {',
    original: 'position < text.length',
    replacement: 'position <= text.length',
    reason: 'Behind the end of a text is no character, which is none of those that are looked for.',
  },
  {
    file: 'src/routes/http/parse-json.ts',
    line: "while (position < text.length && ' \\t\\n\\r'.includes(text.charAt(position))) position += 1;",
    original: 'position < text.length',
    replacement: 'position <= text.length',
    reason: 'Behind the end of a text is no character, which is none of those that are looked for.',
  },
  {
    file: 'src/routes/http/parse-json.ts',
    line: 'for (let position = start + 1; position < text.length; position += 1) {',
    original: 'position < text.length',
    replacement: 'position <= text.length',
    reason: 'Behind the end of a text is no character, which is none of those that are looked for.',
  },
  {
    file: 'src/routes/http/read-body.ts',
    line: "const [type = '', ...parameters] = (headers.get('content-type') ?? '').split(';').map((part) => part.trim().toLowerCase());",
    original: "''",
    replacement: '"Stryker was here!"',
    reason: 'A text that is divided has a first part.',
  },
  {
    file: 'src/routes/http/read-body.ts',
    line: "if (error instanceof JsonRejectedError) return refuse('invalid_json', error.message);",
    original: 'error instanceof JsonRejectedError',
    replacement: 'true',
    reason: 'Nothing else is thrown there; what would be is a fault and is thrown on.',
  },
  {
    file: 'src/catalog/catalog-document.ts',
    line: 'return offers.reduce((newest, { updated }) => (updated > newest ? updated : newest), publisher.updated);',
    original: 'updated > newest',
    replacement: 'updated >= newest',
    reason: 'Of two equal days each is the newest.',
  },
  {
    file: 'src/catalog/checkout-link.ts',
    line: "url.username === '' &&",
    original: "url.username === ''",
    replacement: 'true',
    reason: 'An address with a user name does not begin with the host; the check is a second lock.',
  },
  {
    file: 'src/catalog/checkout-link.ts',
    line: "url.password === '' &&",
    original: "url.password === ''",
    replacement: 'true',
    reason: 'An address with a password does not begin with the host; the check is a second lock.',
  },
  {
    file: 'src/gateway/commerce/buy-target.ts',
    line: 'const [, name = segment, quantity] = /^([a-z0-9-]+):([1-9]\\d{0,3})$/.exec(segment) ?? [];',
    original: '[]',
    replacement: '["Stryker was here"]',
    reason: 'The first of the list is passed over.',
  },
  {
    file: 'src/gateway/commerce/buy-target.ts',
    line: 'if (values.length === 1 && values[0] !== undefined && pattern.test(values[0])) url.searchParams.set(name, values[0]);',
    original: 'values[0] !== undefined',
    replacement: 'true',
    reason: 'A list of one has a first.',
  },
];
