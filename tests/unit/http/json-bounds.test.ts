import { describe, expect, test } from 'vitest';
import { JsonRejectedError, parseJsonObject } from '../../../src/http/parse-json.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';

const list = (count: number, item: string): string => Array.from({ length: count }, () => item).join(',');

describe('parseJsonObject() counts', () => {
  test.each(['[]', '[ \n]', '{}'])('a list without items as one item of the list it is in: %s', (empty) => {
    const text = `{"a":[${list(LIMITS.jsonMaxKeys - 1, empty)}]}`;
    expect(parseJsonObject(text)).toEqual(JSON.parse(text));
    expect(() => parseJsonObject(`{"a":[${list(LIMITS.jsonMaxKeys, empty)}]}`)).toThrow(
      new JsonRejectedError(`The body has more than ${LIMITS.jsonMaxKeys} members and items.`),
    );
  });

  test.each(['[1]', '{"b":1}'])('what stands beside each other as no deeper: %s', (item) => {
    const text = `{"a":[${list(LIMITS.jsonMaxDepth * 3, item)}]}`;
    expect(parseJsonObject(text)).toEqual(JSON.parse(text));
  });

  test.each([
    ['letters', 'abcdef'],
    ['an escape as it is written', '\\u0061'],
  ])('the length of a text in %s', (_name, text) => {
    expect(parseJsonObject(`{"a":"${text}"}`, 6)).toEqual({ a: JSON.parse(`"${text}"`) });
    const refused = new JsonRejectedError('The body has a text of more than 5 characters, escapes counted as they are written.');
    expect(() => parseJsonObject(`{"a":"${text}"}`, 5)).toThrow(refused);
    expect(() => parseJsonObject(`{"${text}":"b"}`, 5)).toThrow(refused);
  });
});

test('two names that are no texts of JSON are not the same name', () => {
  expect(() => parseJsonObject('{"\\x":1,"\\y":2}')).toThrow(new JsonRejectedError('The body is not valid JSON.'));
});

test('a rejection has a name of its own', () => {
  expect(new JsonRejectedError('why').name).toBe('JsonRejectedError');
});
