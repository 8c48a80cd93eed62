import { expect, test } from 'vitest';
import { parseText } from '../../../src/publication/markdown/parse-text.ts';

test('a definition list of many terms is one list that ends where its last description ends', () => {
  const [list, ...others] = parseText('a\n: b\n\n'.repeat(2_000)).children;
  expect(others).toEqual([]);
  expect(list).toMatchObject({ type: 'defList', position: { start: { offset: 0 }, end: { offset: 14_000 } } });
});
