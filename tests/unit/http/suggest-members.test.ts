import { describe, expect, test } from 'vitest';
import { suggestMember, suggestValue } from '../../../src/http/validate-input.ts';
import { RegistrationRequest } from '../../../src/schemas/agents.ts';
import { QueryFilters, QueryRequest } from '../../../src/schemas/knowledge/query.ts';
import { IsoDate, Version } from '../../../src/schemas/primitives.ts';
import { suggestName } from '../../../src/search/suggest-names.ts';

describe('suggestMember()', () => {
  test.each([
    ['limit', 'max_results'],
    ['top_k', 'max_results'],
    ['topK', 'max_results'],
    ['maxResults', 'max_results'],
    ['max-results', 'max_results'],
    ['max_result', 'max_results'],
    ['q', 'query'],
    ['text', 'query'],
    ['question', 'query'],
    ['qeury', 'query'],
    ['tokenBudget', 'token_budget'],
    ['max_tokens', 'token_budget'],
    ['language', 'filters.language'],
    ['tag', 'filters.tags'],
    ['updatedAfter', 'filters.updated_after'],
    ['colour', undefined],
    ['constructor', undefined],
  ])('a member "%s" of a query may mean %s', (sent, meant) => {
    expect(suggestMember(sent, QueryRequest)).toBe(meant);
  });

  test.each([
    ['tag', 'tags'],
    ['lang', 'language'],
    ['licence', 'license'],
    ['evidence', 'min_evidence'],
    ['since', 'updated_after'],
  ])('a filter "%s" may mean %s', (sent, meant) => {
    expect(suggestMember(sent, QueryFilters)).toBe(meant);
  });

  test.each([
    ['name', 'agent_name'],
    ['agentName', 'agent_name'],
    ['email', 'contact'],
    ['scope', 'scopes'],
  ])('a member "%s" of a registration may mean %s', (sent, meant) => {
    expect(suggestMember(sent, RegistrationRequest)).toBe(meant);
  });
});

test('a known name is never suggested for a name that is unlike it', () => {
  for (const name of ['x', 'zz', 'foo', '__proto__', 'a'.repeat(10_000)]) expect(suggestName(name, ['query', 'filters'])).toBeUndefined();
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
    ['nothing near', filter('type'), 'xyzzy', undefined],
    ['what is no text', filter('type'), null, undefined],
    ['a key', filter('language'), 'akg_live_0123456789', undefined],
  ])('%s', (_name, schema, sent, meant) => {
    expect(suggestValue(sent, schema)).toEqual(meant);
  });
});
