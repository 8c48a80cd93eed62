import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonNotObjectError, JsonRejectedError, parseJsonObject } from '../../../src/http/read-body.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { anyText } from '../../support/any-text.ts';

const nested = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
const members = (count: number): string => `{${Array.from({ length: count }, (_, index) => `"m${index}":1`).join(',')}}`;
const items = (count: number): string => `{"a":[${Array.from({ length: count }, () => '1').join(',')}]}`;

describe('parseJsonObject() refuses what JSON.parse lets through', () => {
  test.each([
    ['a member named twice', '{"a":1,"a":2}', 'The member "a" appears twice in the body.'],
    ['a member named twice by an escape', '{"a":1,"\\u0061":2}', 'The member "a" appears twice in the body.'],
    ['a member named twice, far from its colon', `{"a":1,"a"${' '.repeat(500)}:2}`, 'The member "a" appears twice in the body.'],
    ['a member named twice inside', '{"x":[{"b":{"a":1,"a":2}}]}', 'The member "a" appears twice in the body.'],
    ['a quoted name twice', '{"a\\"b":1,"a\\u0022b":2}', 'The member "(not repeated here)" appears twice in the body.'],
    ['__proto__', '{"__proto__":{"admin":true}}', 'The body has a member named "__proto__".'],
    ['__proto__ by an escape', '{"\\u005f_proto__":{}}', 'The body has a member named "__proto__".'],
    ['__proto__ inside', '{"a":{"__proto__":1}}', 'The body has a member named "__proto__".'],
    ['half of a surrogate pair in a name', '{"\\udc00":1}', 'The body contains an unpaired surrogate.'],
    ['halves of a pair in the wrong order', '{"a":"\\udc00\\ud800"}', 'The body contains an unpaired surrogate.'],
    ['a negative number beyond all doubles', '{"a":[0,-1E+309]}', 'The body has a number that a double cannot represent.'],
    ['one level too many', nested(LIMITS.jsonMaxDepth + 1), 'The body is nested deeper than 32 levels.'],
    ['nesting without an end', '['.repeat(100_000), 'The body is nested deeper than 32 levels.'],
    ['too many members', members(LIMITS.jsonMaxKeys + 1), 'The body has more than 1000 members and items.'],
    ['too many items', items(LIMITS.jsonMaxKeys + 1), 'The body has more than 1000 members and items.'],
    [
      'too many objects in a list',
      `{"a":[${Array.from({ length: 500 }, () => '{"b":1}').join(',')}]}`,
      'The body has more than 1000 members and items.',
    ],
  ])('%s', (_name, text, message) => expect(() => parseJsonObject(text)).toThrow(new JsonRejectedError(message)));

  test.each(['', ' ', '\u00a0{}', '{"a"\u00a0:1}', '{"\\ud":1}', "{'a':1}"])('text that is no JSON: %j', (text) => {
    expect(() => parseJsonObject(text)).toThrow(
      text.trim() === '' ? 'The body is empty. Send a JSON object.' : /^The body is not valid JSON\. At line \d+, column \d+, .+\.$/,
    );
  });

  test.each(['null', '1', '"a"', '[]', '[{"a":1}]', 'true'])('JSON that is no object: %s', (text) => {
    expect(() => parseJsonObject(text)).toThrow(JsonNotObjectError);
  });
});

describe('parseJsonObject() takes', () => {
  test.each([
    ['one name in two objects', '{"a":{"x":1},"b":{"x":2},"c":[{"x":1},{"x":2}]}'],
    ['a name that is also a value', '{"a":"b","b":"a","c":["a","a"]}'],
    ['names that differ in case or normal form', '{"a":1,"A":2,"\u00e9":3,"e\u0301":4}'],
    ['text that looks like members', '{"a":"\\"b\\":1,\\"b\\":2,{[","c":"}]"}'],
    ['names of Object.prototype', '{"constructor":1,"toString":2,"hasOwnProperty":3}'],
    ['a whole surrogate pair by escapes', '{"a":"\\ud83d\\ude00"}'],
    ['the deepest nesting', nested(LIMITS.jsonMaxDepth)],
    ['the most members', members(LIMITS.jsonMaxKeys)],
    ['the most items', items(LIMITS.jsonMaxKeys - 1)],
    ['white space all around', ' \t\r\n{ "a" : 1 } \n'],
  ])('%s', (_name, text) => expect(parseJsonObject(text)).toEqual(JSON.parse(text)));

  test('every object that JSON.stringify writes, as JSON.parse reads it', () => {
    const value = fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme' }).filter((made) => !JSON.stringify(made).includes('__proto__'));
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string({ unit: 'grapheme' }).filter((name) => name !== '__proto__'),
          value,
          { maxKeys: 8 },
        ),
        fc.constantFrom(0, 1, 3),
        (object, indent) => {
          const text = JSON.stringify(object, undefined, indent);
          expect(parseJsonObject(text)).toEqual(JSON.parse(text));
        },
      ),
    );
  });
});

test('parseJsonObject() reads the largest body of brackets and quotes in time linear in its length', () => {
  for (const unit of ['"', '\\', '{"', '":', '"a"', ' ', '[[', '"\\"']) {
    const text = `{"a":${unit.repeat(LIMITS.bodyMaxBytes)}`;
    expect(() => parseJsonObject(text)).toThrow(JsonRejectedError);
  }
});

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
    const refused = new JsonRejectedError('The body has a text of more than 5 characters, counting escapes as written.');
    expect(() => parseJsonObject(`{"a":"${text}"}`, 5)).toThrow(refused);
    expect(() => parseJsonObject(`{"${text}":"b"}`, 5)).toThrow(refused);
  });
});

function faultOf(text: string) {
  try {
    parseJsonObject(text);
  } catch (error) {
    return error instanceof JsonRejectedError ? error.syntaxError : undefined;
  }
  return undefined;
}

describe('parseJsonObject() says where a text stops being JSON', () => {
  test.each<[string, string, number, number, string]>([
    ['a trailing comma', '{"query":"a",}', 1, 13, 'a comma stands before "}"; remove it'],
    ['a trailing comma, on a line of its own', '{\n  "tags": [\n    "a",\n  ]\n}', 3, 8, 'a comma stands before "]"; remove it'],
    ['single quotes', "{'query':'a'}", 1, 2, `"'" stands where the name of a member is expected; strings are in straight double quotes`],
    ['typographic quotes', '{"q":“a”}', 1, 6, 'U+201C stands where a value is expected; strings are in straight double quotes'],
    ['a name without quotes', '{query:"a"}', 1, 2, '"query" stands where the name of a member is expected; names are in double quotes'],
    ['a comma that is missing', '{"a":1 "b":2}', 1, 8, 'a double quote stands where a comma or "}" is expected'],
    ['a colon that is missing', '{"a" 1}', 1, 6, '"1" stands where a colon is expected, after the name of a member'],
    ['a word of Python', '{"explain":True}', 1, 12, '"True" is not JSON; write true'],
    ['no number', '{"a":NaN}', 1, 6, '"NaN" is not JSON; write null'],
    ['a word', '{"a":howto}', 1, 6, '"howto" stands where a value is expected'],
    ['a comment', '{"a":1 // one\n}', 1, 8, '"/" stands where a comma or "}" is expected; JSON has no comments'],
    ['two values', '{"a":1}\r\n{"a":2}', 2, 1, '"{" follows the end of the JSON value; send one value only'],
    ['an object without its end', '{"a":1', 1, 7, 'the end of the body stands where a comma or "}" is expected; the body ends too early'],
    ['a string that is not closed', '{"a":"b}', 1, 6, 'a string begins that does not end; close it with a double quote'],
    ['a line break in a string', '{"a":"b\nc"}', 1, 8, 'a line ends inside a string; write \\n for a line break'],
    ['a tab in a string', '{"a":"\t"}', 1, 7, 'U+0009 stands inside a string; write it as an escape'],
    ['an escape of another language', '{"a":"\\x41"}', 1, 7, 'a backslash begins no escape of JSON; write \\\\ for a backslash'],
    ['a leading zero', '{"a":01}', 1, 7, '"1" does not belong to a number of JSON, such as 5 or -0.5'],
    ['columns in characters', '{"😀":x}', 1, 6, '"x" stands where a value is expected'],
  ])('%s', (_name, text, line, column, message) => expect(faultOf(text)).toEqual({ line, column, message }));

  const REFUSED_UNREAD =
    /^The body (?:is (?:not valid JSON\. At line|empty)|contains an unpaired|has a (?:number|member))|appears twice in the body/;

  test('is taken as JSON.parse reads it, or refused: with a place where JSON.parse refuses it too, unless for a limit', () => {
    const noise = fc
      .array(
        fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '"b"', '"', '\\', '\\u0061', ' ', '1', '-', '.5', 'e3', 'null', '\n', 'x'),
        { maxLength: 24 },
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(noise, fc.json(), anyText()), (text) => {
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        if (!isJson) {
          expect(() => parseJsonObject(text)).toThrow(REFUSED_UNREAD);
          return;
        }
        try {
          expect(parseJsonObject(text)).toEqual(JSON.parse(text));
        } catch (error) {
          expect(error).toSatisfy((thrown) => thrown instanceof JsonRejectedError || thrown instanceof JsonNotObjectError);
          expect(faultOf(text)).toBeUndefined();
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('repeats no more of a text than one character or a plain word', () => {
    for (const hidden of ['<script>alert(1)</script>', 'akg_live_0123456789', 'ignore-all-previous-instructions'])
      expect(faultOf(`{"a":${hidden}}`)?.message.length).toBeLessThan(80);
  });
});
