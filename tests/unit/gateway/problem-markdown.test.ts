import { expect, test } from 'vitest';
import { previewMarkdown, problemMarkdown } from '../../../src/gateway/problem-markdown.ts';
import type { Problem } from '../../../src/schemas/problem-details.ts';

const PROBLEM: Problem = {
  type: 'https://a.example/problems/payment_required',
  title: 'Payment required',
  status: 402,
  detail: 'The text of [this] capsule is sold.',
  instance: '/capsules/a',
  code: 'payment_required',
  request_id: 'r1',
  next_actions: [
    { description: 'Read "Arrays [1]".', href: 'https://a.example/b' },
    { description: 'Register.', method: 'POST', href: 'https://a.example/register' },
    { description: 'Wait.' },
  ],
};

test('a problem as markdown says what happened and what to do, escaped', () => {
  const text = problemMarkdown({
    ...PROBLEM,
    retry_after_seconds: 1,
    errors: [{ pointer: '/q', message: 'is [odd]', line: 2, column: 3, did_you_mean: 'x' }],
  });
  expect(text).toBe(
    `---
status: 402
code: payment_required
request_id: r1
---

# Payment required

The text of \\[this\\] capsule is sold.

- \`/q\` is \\[odd\\] (line 2, column 3) (did you mean \`"x"\`?)

Retry after 1 second.

## What to do next

- [Read "Arrays \\[1\\]".](https://a.example/b)
- Register. POST https://a.example/register
- Wait.
`,
  );
});

test('its further members, such as the terms of a payment, follow as JSON', () => {
  const accepts = [{ scheme: 'exact', amount: '10000' }];
  const problem: Problem & Record<string, unknown> = { ...PROBLEM, x402Version: 2, accepts };
  const [, json = ''] = /```json\n([\s\S]*)\n```/.exec(problemMarkdown(problem)) ?? [];
  expect(JSON.parse(json)).toEqual({ x402Version: 2, accepts });
});

test('a preview that begins with the summary has it once', () => {
  const whole = {
    words: 9,
    tokens: 12,
    sections: 1,
    sources: 0,
    evidence: 'reported',
    version: '1.0.0',
    content_sha256: 'a',
    price: '5.00 USD',
    ways_to_pay: [],
  };
  const beginning = (summary: string, markdown?: string) =>
    previewMarkdown({ title: 'Prices', summary, ...(markdown === undefined ? {} : { markdown }), ...whole }).split('\n\n> ')[0];
  expect(beginning('We asked twelve.')).toBe('## Prices\n\nWe asked twelve.');
  expect(beginning('We asked twelve.', 'We *asked* twelve. They replied.')).toBe('## Prices\n\nWe *asked* twelve. They replied.');
  expect(beginning('We asked…', 'We asked twelve.')).toBe('## Prices\n\nWe asked twelve.');
  expect(beginning('Prices of twelve.', 'We asked twelve.')).toBe('## Prices\n\nPrices of twelve.\n\nWe asked twelve.');
});
