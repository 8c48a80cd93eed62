import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { validateInput } from '../../../src/http/validate-input.ts';
import { QueryRequest } from '../../../src/schemas/knowledge/query.ts';
import { Id } from '../../../src/schemas/primitives.ts';

const messageOf = (schema: z.ZodType, value: unknown): string | undefined => {
  const result = validateInput(schema, value, 'query');
  return result.ok ? undefined : result.refusal.errors?.[0]?.message;
};

describe('a member that is not known', () => {
  test('is refused with the names that are known', () => {
    expect(messageOf(z.strictObject({ tag: z.string().optional(), limit: z.string().optional() }), { page: '1' })).toBe(
      'is unknown; known names: tag, limit',
    );
  });

  test('and without a list where none is', () => {
    expect(messageOf(z.strictObject({}), { page: '1' })).toBe('is unknown');
  });
});

describe('what was probably meant', () => {
  const faultsOf = (value: unknown) => {
    const result = validateInput(QueryRequest, value, 'body');
    return result.ok ? [] : (result.refusal.errors ?? []).map(({ pointer, didYouMean }) => [pointer, didYouMean]);
  };

  test.each<[object, [string, unknown][]]>([
    [{ query: 'a', limit: 5 }, [['/limit', 'max_results']]],
    [{ query: 'a', tags: ['x'] }, [['/tags', 'filters.tags']]],
    [{ query: 'a', filters: { type: 'Reference' } }, [['/filters/type', 'reference']]],
    [{ query: 'a', filters: { tag: 'x' } }, [['/filters/tag', 'tags']]],
    [{ query: 'a', facets: ['types'] }, [['/facets/0', 'type']]],
    [{ query: 'a', max_results: 5, limit: 5 }, [['/limit', undefined]]],
    [{ query: 'a', xyzzy: 5 }, [['/xyzzy', undefined]]],
  ])('of %j is suggested', (value, faults) => {
    expect(faultsOf(value)).toEqual(faults);
  });

  test('is in the detail as a question, and a missing member names what is in its place', () => {
    const strict = validateInput(QueryRequest, { query: 'a', limit: 5 }, 'body');
    expect(strict).toMatchObject({ refusal: { detail: expect.stringMatching(/\. Did you mean "max_results"\?$/) as unknown } });
    expect(messageOf(z.object({ agent_name: z.string() }), { agentName: 'a' })).toBe(
      'is missing; it may be what "agentName" was meant to be',
    );
  });
});

describe('several faults', () => {
  const refusalOf = (schema: z.ZodType, value: unknown) => {
    const result = validateInput(schema, value, 'body');
    if (result.ok) throw new Error('the input was taken');
    return result.refusal;
  };
  const many = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, n) => [`unknown${n}`, 1]));

  test('of one value are one, with everything that is wrong there', () => {
    expect(refusalOf(z.object({ id: Id }), { id: `No ${'x'.repeat(70)}` })).toEqual({
      code: 'invalid_request',
      detail: expect.stringMatching(/^The body is invalid: \/id must have at most 64 characters; must be lower-case .*\.$/) as unknown,
      errors: [{ pointer: '/id', message: expect.stringMatching(/at most 64 characters; must be lower-case/) as unknown }],
    });
  });

  test.each(['', ' \n'])('an empty question %j has one', (query) => {
    expect(refusalOf(QueryRequest, { query }).errors).toEqual([
      {
        pointer: '/query',
        message: query === '' ? 'must have at least 1 character' : 'must contain at least one character that is not white space',
      },
    ]);
  });

  test('are counted in all, also those that are not listed', () => {
    expect(refusalOf(QueryRequest, { filters: { tag: 'a' }, query: 1 }).detail).toBe(
      'The body has 2 errors. The first: /query must be a string.',
    );
    const { detail, errors } = refusalOf(QueryRequest, { query: 'a', ...many(400) });
    expect(detail).toMatch(/^The body has 400 errors, 20 of them listed\. The first: \/unknown0 is unknown; known names: query, /);
    expect(errors).toHaveLength(20);
    expect(refusalOf(QueryRequest, { query: 'a', ...many(20) }).detail).toMatch(/^The body has 20 errors\. The first: /);
  });
});
