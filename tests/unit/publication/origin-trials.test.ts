import { expect, test } from 'vitest';
import { Publisher } from '../../../src/schemas/publisher.ts';

const Tokens = Publisher.shape.origin_trial_tokens;
const TOKEN = `${Buffer.from('x'.repeat(180)).toString('base64')}`;

test('origin_trial_tokens takes tokens as Chrome issues them, and is empty by default', () => {
  expect(Tokens.parse(undefined)).toEqual([]);
  expect(Tokens.parse([TOKEN, `${TOKEN.slice(0, -2)}==`])).toHaveLength(2);
});

test.each([['a short one'], ['"><script>alert(1)</script>'.padEnd(80, 'A')], [`${TOKEN} `], [`${TOKEN.slice(0, 70)}\n${TOKEN}`]])(
  'refuses %j',
  (token) => {
    expect(Tokens.safeParse([token]).success).toBe(false);
  },
);
