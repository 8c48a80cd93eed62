import { describe, expect, test } from 'vitest';
import { jsonBody } from '../../../src/http/read-body.ts';

const OBJECT = '{"a":"é"}';
const bodyOf = (headers: Record<string, string>, body: string | Uint8Array = OBJECT, maxStringLength?: number) =>
  jsonBody(new Headers(headers), typeof body === 'string' ? new TextEncoder().encode(body) : body, maxStringLength);
const JSON_TYPE = { 'Content-Type': 'application/json' };

describe('jsonBody() takes', () => {
  test.each<[string, Record<string, string>]>([
    ['JSON', JSON_TYPE],
    ['a type in capitals', { 'Content-Type': 'Application/JSON' }],
    ['a charset', { 'Content-Type': 'application/json; charset=utf-8' }],
    ['a charset in quotes and capitals', { 'Content-Type': 'application/json;CHARSET="UTF-8"' }],
    ['a charset without its hyphen', { 'Content-Type': 'application/json; charset=utf8' }],
    ['another parameter', { 'Content-Type': 'application/json; profile=x; charset=utf-8' }],
    ['no coding at all', { ...JSON_TYPE, 'Content-Encoding': 'Identity' }],
  ])('%s', (_name, headers) => {
    expect(bodyOf(headers)).toEqual({ ok: true, value: { a: 'é' } });
  });

  test('a byte order mark before it', () => {
    expect(bodyOf(JSON_TYPE, `\ufeff${OBJECT}`)).toEqual({ ok: true, value: { a: 'é' } });
  });
});

describe('jsonBody() refuses', () => {
  test.each<[string, Record<string, string>, string]>([
    ['no type', {}, 'The request has no Content-Type.'],
    ['an empty type', { 'Content-Type': ' ' }, 'The request has no Content-Type.'],
    ['another type', { 'Content-Type': 'text/plain' }, 'The Content-Type is not application/json.'],
    ['a type that begins alike', { 'Content-Type': 'application/json-patch+json' }, 'The Content-Type is not application/json.'],
    ['another charset', { 'Content-Type': 'application/json; charset=latin1' }, 'The charset of the body is not UTF-8.'],
    ['an empty charset', { 'Content-Type': 'application/json; charset=' }, 'The charset of the body is not UTF-8.'],
    ['a coding', { ...JSON_TYPE, 'Content-Encoding': 'gzip' }, 'The body has a content coding; send it without one.'],
    ['a coding without a name', { ...JSON_TYPE, 'Content-Encoding': '' }, 'The body has a content coding; send it without one.'],
  ])('%s', (_name, headers, detail) => {
    expect(bodyOf(headers)).toMatchObject({ ok: false, refusal: { code: 'unsupported_media_type', detail } });
  });

  test.each<[string, string | Uint8Array, string]>([
    ['bytes that are no UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d), 'The body is not UTF-8.'],
    ['what is no JSON', '{', 'The body is not valid JSON.'],
    ['what is no object', '[]', 'The body must be a JSON object.'],
  ])('%s', (_name, body, detail) => {
    expect(bodyOf(JSON_TYPE, body)).toMatchObject({ ok: false, refusal: { code: 'invalid_json', detail } });
  });

  test('a text that is longer than the bound it is given, or than that of all bodies', () => {
    const detail = (length: number): string =>
      `The body has a text of more than ${length} characters, escapes counted as they are written.`;
    expect(bodyOf(JSON_TYPE, '{"a":"abcd"}', 4)).toMatchObject({ ok: true });
    expect(bodyOf(JSON_TYPE, '{"a":"abcde"}', 4)).toMatchObject({ ok: false, refusal: { detail: detail(4) } });
    expect(bodyOf(JSON_TYPE, `{"a":"${'b'.repeat(8_193)}"}`)).toMatchObject({ ok: false, refusal: { detail: detail(8_192) } });
  });
});
