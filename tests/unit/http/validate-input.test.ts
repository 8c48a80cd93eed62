import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { suggestMember, suggestValue, validateInput } from '../../../src/http/validate-input.ts';
import { UCP_OPERATIONS } from '../../../src/protocols/ucp/operations.ts';
import { routeTable } from '../../../src/routes/route-table.ts';
import { RegistrationRequest } from '../../../src/schemas/agents.ts';
import { QueryFilters, QueryRequest } from '../../../src/schemas/knowledge/query.ts';
import { SearchParameters } from '../../../src/schemas/knowledge/search.ts';
import { Id, IsoDate, Version } from '../../../src/schemas/primitives.ts';
import { suggestName } from '../../../src/search/did-you-mean.ts';
import { TEST_PAYMENTS } from '../../support/payments.ts';

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

  test('and that none is taken where that is so', () =>
    expect(messageOf(z.strictObject({}), { page: '1' })).toBe('is unknown; none is taken here'));
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
    [{ query: ['two words'] }, [['/query', undefined]]],
    [{ query: 'a', fields: 'title, quote' }, [['/fields', ['title', 'quote']]]],
  ])('of %j is suggested', (value, faults) => expect(faultsOf(value)).toEqual(faults));

  test('is no text of whoever sent it, also where it came as a list', () => {
    const result = validateInput(RegistrationRequest, { agent_name: 'a', contact: ['a-name'] }, 'body');
    expect(result.ok).toBe(false);
    expect(JSON.stringify(result)).not.toContain('a-name');
  });

  test('is in the detail as a question, and a missing member names what is in its place', () => {
    const strict = validateInput(QueryRequest, { query: 'a', limit: 5 }, 'body');
    expect(strict).toMatchObject({ refusal: { detail: expect.stringMatching(/\. Did you mean "max_results"\?$/) as unknown } });
    expect(messageOf(z.object({ agent_name: z.string() }), { agentName: 'a' })).toBe(
      'is missing; it may be what "agentName" was meant to be',
    );
  });
});

test('no object is taken for a text, a number or a list of another name', () => {
  const refused = validateInput(RegistrationRequest, { agent: { name: 'rev' } }, 'body');
  expect(refused).toMatchObject({ refusal: { errors: [{ pointer: '/agent_name', message: 'is missing' }] } });
  const schema = z.object({
    query: z.string(),
    kind: z.enum(['a']),
    max_results: z.int(),
    tags: z.array(z.string()),
    filters: z.object({}),
  });
  for (const name of ['q', 'kinds', 'limit', 'tag']) {
    expect(suggestMember(name, schema, { [name]: { of: 'a' } })).toBeUndefined();
    expect(suggestMember(name, schema, { [name]: 'a' })).toBeDefined();
  }
  expect(suggestMember('filter', schema, { filter: { of: 'a' } })).toBe('filters');
});

test('members in a wrapper are sent without it, and JSON in a string as JSON', () => {
  const errorsOf = (value: unknown) => {
    const result = validateInput(QueryRequest, value, 'body');
    return result.ok ? [] : (result.refusal.errors ?? []).map(({ pointer, message }) => `${pointer} ${message}`);
  };
  expect(errorsOf({ input: { max_results: 1, query: 'a' } })).toEqual([
    '/input is unknown; send its members, such as "max_results", without it',
    '/query is missing; send a question or keywords',
  ]);
  expect(errorsOf({ query: 'a', filters: '{"tags":["a"]}' })).toEqual([
    '/filters must be an object; it was encoded as a string, send it as JSON',
  ]);
  expect(errorsOf({ query: 'a', filters: '{tags' })).toEqual(['/filters must be an object']);
  // Nor would the JSON be accepted in these places.
  expect(errorsOf({ query: 'a', max_results: '{}' })).toEqual(['/max_results must be a number']);
  expect(errorsOf({ query: 'a', filters: '["a"]' })).toEqual(['/filters must be an object']);
  // A parameter of a URL is always a text.
  expect(messageOf(z.object({ tags: z.array(z.string()) }), { tags: '["a"]' })).toBe('must be a list');
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

  test('of a list that came as a text are about its type, not its length', () => {
    expect(refusalOf(QueryRequest, { query: 'a', facets: 'language' }).errors).toEqual([
      { pointer: '/facets', message: 'must be a list', didYouMean: ['language'] },
    ]);
  });

  test.each(['', ' \n'])('an empty question %j has one', (query) => {
    expect(refusalOf(QueryRequest, { query }).errors).toEqual([
      {
        pointer: '/query',
        message: query === '' ? 'must have at least 1 character' : 'must contain at least one character that is not white space',
      },
    ]);
  });

  test('beyond those that are listed cost no further validation of the whole value', () => {
    let validations = 0;
    const count = (value: unknown): unknown => {
      validations += 1;
      return value;
    };
    const schema = z.preprocess(count, z.strictObject({ items: z.array(z.strictObject({ name: z.string() })) }));
    expect(messageOf(schema, { items: Array.from({ length: 400 }, () => ({ name: [] })) })).toContain('must be a string');
    expect(validations).toBeLessThan(50);
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

describe('suggestMember()', () => {
  test.each([
    ['limit', 'max_results'],
    ['top_k', 'max_results'],
    ['maxResults', 'max_results'],
    ['max_result', 'max_results'],
    ['q', 'query'],
    ['question', 'query'],
    ['qeury', 'query'],
    ['tokenBudget', 'token_budget'],
    ['language', 'filters.language'],
    ['updatedAfter', 'filters.updated_after'],
    ['colour', undefined],
    ['constructor', undefined],
  ])('a member "%s" of a query may mean %s', (sent, meant) => expect(suggestMember(sent, QueryRequest)).toBe(meant));

  test.each([
    ['tag', 'tags'],
    ['lang', 'language'],
    ['licence', 'license'],
    ['evidence', 'min_evidence'],
    ['since', 'updated_after'],
  ])('a filter "%s" may mean %s', (sent, meant) => expect(suggestMember(sent, QueryFilters)).toBe(meant));

  test.each([
    ['name', 'agent_name'],
    ['agentName', 'agent_name'],
    ['email', 'contact'],
    ['scope', 'scopes'],
  ])('a member "%s" of a registration may mean %s', (sent, meant) => expect(suggestMember(sent, RegistrationRequest)).toBe(meant));
});

test('a known name is never suggested for a name that is unlike it', () => {
  for (const name of ['x', 'zz', 'foo', '__proto__', 'a'.repeat(10_000)])
    expect(suggestName(name, ['query', 'filters', 'q'])).toBeUndefined();
});

test.each([
  ['topics', 'tags'],
  ['lang', 'language'],
  ['excerpt', 'summary'],
  ['title', 'name'],
  ['Licence', 'license'],
])('a field "%s" of an author has the synonyms of members: %s', (sent, meant) => {
  expect(suggestName(sent, ['license', 'summary', 'language', 'tags', 'name'])).toBe(meant);
});

describe('suggestValue()', () => {
  const filter = (name: keyof typeof QueryFilters.shape) => QueryFilters.shape[name];
  test.each([
    ['a word that is near', filter('type'), 'referense', 'reference'],
    ['capitals', filter('min_evidence'), 'Measured', 'measured'],
    ['a tag for tags', filter('tags'), 'payments', ['payments']],
    ['a title for tags', filter('tags'), 'HTTP Caching', ['http-caching']],
    ['an underscore in a language', filter('language'), 'en_GB', 'en-GB'],
    ['a number as text', QueryRequest.shape.max_results, '5', 5],
    ['a boolean as text', QueryRequest.shape.explain, 'yes', true],
    ['a time for a day', IsoDate, '2026-11-21T10:00:00Z', '2026-11-21'],
    ['slashes in a day', IsoDate, '2026/11/21', '2026-11-21'],
    ['a version with v', Version, 'v1.2.0', '1.2.0'],
    ['a version of two numbers', Version, '1.2', '1.2.0'],
    ['a plural for a kind', QueryRequest.shape.kind, 'offers', 'offer'],
    ['a plural for kinds of a search', SearchParameters.shape.kind, 'capsules', 'capsule'],
    ['an id with a version', Id, 'bm25@1.0.0', 'bm25'],
    ['several ids as one', Id, 'http,agents', undefined],
    ['a list of one', filter('type'), ['concept'], 'concept'],
    ['nothing near', filter('type'), 'xyzzy', undefined],
    ['what is no text', filter('type'), null, undefined],
    ['a key', filter('language'), 'akg_live_0123456789', undefined],
  ])('%s', (_name, schema, sent, meant) => expect(suggestValue(sent, schema)).toEqual(meant));
});

describe('a value of the wrong form', () => {
  /** The schemas of all texts below a schema, with the places that lead to them. */
  function* textsOf(schema: z.core.$ZodType, place: string): Generator<readonly [place: string, schema: z.core.$ZodType]> {
    if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat) yield [place, schema];
    else if (schema instanceof z.ZodObject)
      for (const [name, member] of Object.entries<z.core.$ZodType>(schema.shape)) yield* textsOf(member, `${place}.${name}`);
    else if (schema instanceof z.ZodArray) yield* textsOf(schema.element, place);
    else if (schema instanceof z.ZodRecord) for (const part of [schema.keyType, schema.valueType]) yield* textsOf(part, place);
    else if (schema instanceof z.ZodUnion) for (const option of schema.options) yield* textsOf(option, place);
    else if (schema instanceof z.ZodPipe) yield* textsOf(schema.in, place);
    else if (
      schema instanceof z.ZodOptional ||
      schema instanceof z.ZodNullable ||
      schema instanceof z.ZodDefault ||
      schema instanceof z.ZodPrefault ||
      schema instanceof z.ZodReadonly
    )
      yield* textsOf(schema.unwrap(), place);
  }

  const table = routeTable({ baseUrl: 'https://signpost.example', commerce: { acp: true, ucp: true }, payments: TEST_PAYMENTS });
  const sent = [...table, ...UCP_OPERATIONS.map(({ tool }) => ({ id: tool.name, body: tool.args }))].flatMap((each) =>
    (['pathParameters', 'queryParameters', 'body'] as const).flatMap((part) => {
      const schema = (each as Partial<Record<typeof part, z.ZodType>>)[part];
      return schema === undefined ? [] : [...textsOf(schema, `${each.id} ${part}`)];
    }),
  );

  test('gets words that say which form is expected, whatever operation it is sent to', () => {
    expect(sent.length).toBeGreaterThan(100);
    const wrong = sent.flatMap(([place, schema]) =>
      ['\u0001 ~', '', 'x'.repeat(10_000)].flatMap((text) => {
        const message = messageOf(schema as z.ZodType, text);
        return message === undefined || (/^[a-z]/.test(message) && !/wrong form|\^|\[/.test(message)) ? [] : `${place}: ${message}`;
      }),
    );
    expect(wrong).toEqual([]);
  });

  test('never gets the pattern, where a schema has no words for it', () => {
    expect(messageOf(z.string().regex(/^a+$/), 'b')).toBe('has the wrong form');
    expect(messageOf(z.email(), 'b')).toBe('must be a valid email');
  });
});
