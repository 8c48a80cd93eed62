import type { Equivalent } from './equivalent.ts';

/** Changes of the area `limits` that make no difference to any answer. */
export const LIMITS_EQUIVALENTS: readonly Equivalent[] = [
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
    file: 'src/http/parse-json.ts',
    line: 'while (position < text.length) {',
    original: 'position < text.length',
    replacement: 'position <= text.length',
    reason: 'Behind the end of a text is no character, which is none of those that are looked for.',
  },
  {
    file: 'src/http/parse-json.ts',
    line: "while (position < text.length && ' \\t\\n\\r'.includes(text.charAt(position))) position += 1;",
    original: 'position < text.length',
    replacement: 'position <= text.length',
    reason: 'Behind the end of a text is no character, which is none of those that are looked for.',
  },
  {
    file: 'src/http/parse-json.ts',
    line: 'for (let position = start + 1; position < text.length; position += 1) {',
    original: 'position < text.length',
    replacement: 'position <= text.length',
    reason: 'Behind the end of a text is no character, which is none of those that are looked for.',
  },
  {
    file: 'src/http/read-body.ts',
    line: "const [type = '', ...parameters] = (headers.get('content-type') ?? '').split(';').map((part) => part.trim().toLowerCase());",
    original: "''",
    replacement: '"Stryker was here!"',
    reason: 'A text that is divided has a first part.',
  },
  {
    file: 'src/http/read-body.ts',
    line: "if (error instanceof JsonRejectedError) return refuse('invalid_json', error.message);",
    original: 'error instanceof JsonRejectedError',
    replacement: 'true',
    reason: 'Nothing else is thrown there; what would be is a fault and is thrown on.',
  },
];
