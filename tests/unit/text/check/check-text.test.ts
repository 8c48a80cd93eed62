import { describe, expect, test } from 'vitest';
import { SUBMITTED_TEXT_BOUNDS } from '../../../../src/schemas/limits.ts';
import { checkAuthored } from '../../../../src/text/check/check-text.ts';
import { bodyText } from '../../../../src/text/markdown/markdown-tree.ts';
import { refuseMarkup } from '../../../../src/text/markdown/markup-bounds.ts';

describe('refuseMarkup()', () => {
  test.each([
    ['very many brackets', '['.repeat(1_001), 1],
    ['very many lines', 'a\n'.repeat(801), 1],
    ['deep quotes', `a\n\n${'>'.repeat(9)} b`, 3],
    ['deep lists on one line', `${'- '.repeat(9)}b`, 1],
    ['a list far to the right', `${' '.repeat(41)}- b`, 1],
    ['numbers in each other', `${'1. '.repeat(9)}b`, 1],
  ])('refuses %s, with the line', (_name, text, line) => {
    expect(refuseMarkup(text, SUBMITTED_TEXT_BOUNDS)?.line).toBe(line);
  });

  test.each(['- - - - -', `${' '.repeat(60)}drawn in code`, '* * *', '---', '1. a\n   - b\n     - c', '['.repeat(1_000)])(
    'takes %j',
    (text) => {
      expect(refuseMarkup(text, SUBMITTED_TEXT_BOUNDS)).toBeUndefined();
    },
  );

  test('a text that is refused is not parsed', () => {
    const parse = (): never => {
      throw new Error('it was parsed');
    };
    const rules = { linkExists: () => true, today: '2026-11-21', parse };
    expect(checkAuthored({ sources: [], markdown: '>'.repeat(50_000) }, rules)).toHaveLength(1);
    expect(() => checkAuthored({ sources: [], markdown: 'plain' }, rules)).toThrow('it was parsed');
  });
});

test('bodyText() gives LF, no blank edges and one final newline', () => {
  expect(bodyText('\r\n \n  a\r\nb\rc \n\n')).toBe('  a\nb\nc\n');
  expect(bodyText(' \n\t\n')).toBe('');
});
