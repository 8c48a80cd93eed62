import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findJsonFault } from '../../../src/http/find-json-fault.ts';

describe('findJsonFault()', () => {
  test.each<[string, string, number, number, string]>([
    ['a trailing comma', '{"query":"a",}', 1, 13, 'a comma stands before "}"; remove it'],
    ['a trailing comma, on a line of its own', '{\n  "tags": [\n    "a",\n  ]\n}', 3, 8, 'a comma stands before "]"; remove it'],
    ['single quotes', "{'query':'a'}", 1, 2, `"'" stands where the name of a member is expected; strings are in straight double quotes`],
    ['typographic quotes', '{"q":“a”}', 1, 6, 'U+201C stands where a value is expected; strings are in straight double quotes'],
    ['a name without quotes', '{query:"a"}', 1, 2, '"query" stands where the name of a member is expected; names are in double quotes'],
    ['a comma that is missing', '{"a":1 "b":2}', 1, 8, 'a double quote stands where a comma or "}" is expected'],
    ['a colon that is missing', '{"a" 1}', 1, 6, '"1" stands where a colon is expected, after the name of a member'],
    ['a word of Python', '{"explain":True}', 1, 12, '"True" is not JSON; write true'],
    ['nothing in Python', '{"cursor": None}', 1, 12, '"None" is not JSON; write null'],
    ['no number', '{"a":NaN}', 1, 6, '"NaN" is not JSON; write null'],
    ['a word', '{"a":howto}', 1, 6, '"howto" stands where a value is expected'],
    ['a comment', '{"a":1 // one\n}', 1, 8, '"/" stands where a comma or "}" is expected; JSON has no comments'],
    ['two values', '{"a":1}\r\n{"a":2}', 2, 1, '"{" follows the end of the JSON value; send one value only'],
    [
      'an object that is not closed',
      '{"a":1',
      1,
      7,
      'the end of the body stands where a comma or "}" is expected; the body ends too early',
    ],
    ['a string that is not closed', '{"a":"b}', 1, 6, 'a string begins that does not end; close it with a double quote'],
    ['a line break in a string', '{"a":"b\nc"}', 1, 8, 'a line ends inside a string; write \\n for a line break'],
    ['a tab in a string', '{"a":"\t"}', 1, 7, 'U+0009 stands inside a string; write it as an escape'],
    ['an escape of another language', '{"a":"\\x41"}', 1, 7, 'a backslash begins no escape of JSON; write \\\\ for a backslash'],
    ['a leading zero', '{"a":01}', 1, 7, '"1" does not belong to a number of JSON, such as 5 or -0.5'],
    ['columns in characters', '{"😀":x}', 1, 6, '"x" stands where a value is expected'],
    ['nothing', '', 1, 1, 'the end of the body stands where a value is expected; the body ends too early'],
  ])('%s', (_name, text, line, column, message) => {
    expect(findJsonFault(text)).toEqual({ line, column, message });
  });

  test('finds a fault in exactly the texts that JSON.parse refuses', () => {
    const noise = fc
      .array(fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '"', '\\', '\\u0061', ' ', '1', '-', '.5', 'e3', 'null', '\n', 'x'), {
        maxLength: 16,
      })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(noise, fc.json(), fc.string({ unit: 'binary' })), (text) => {
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        expect(findJsonFault(text) === undefined).toBe(isJson);
      }),
      { numRuns: 200 },
    );
  });

  test('repeats no more of a text than one character or a plain word', () => {
    for (const hidden of ['<script>alert(1)</script>', 'akg_live_0123456789', 'ignore-all-previous-instructions'])
      expect(findJsonFault(`{"a":${hidden}}`)?.message.length).toBeLessThan(80);
  });
});
