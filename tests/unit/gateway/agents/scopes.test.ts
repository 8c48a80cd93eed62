import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { joinedScopes, offeredScopes } from '../../../../src/gateway/agents/scopes.ts';
import type { Scope } from '../../../../src/schemas/agents.ts';

const SCOPES: readonly Scope[] = ['read', 'submit', 'buy', 'metrics'];
const some = fc.subarray([...SCOPES]);

describe('offeredScopes()', () => {
  test.each([
    ['open', { read: 'by_default', buy: 'on_request', submit: 'on_request', metrics: 'by_publisher' }],
    ['granted', { read: 'by_default', buy: 'on_request', submit: 'by_publisher', metrics: 'by_publisher' }],
    ['closed', { read: 'by_default', buy: 'on_request', metrics: 'by_publisher' }],
  ] as const)('are given, where proposals are "%s", in these ways', (intake, ways) => {
    const offered = offeredScopes(intake, { intake: intake !== 'closed', checkoutSessions: true });
    expect(Object.fromEntries(offered.map(({ scope, granted }) => [scope, granted]))).toEqual(ways);
    for (const { description } of offered) expect(description).toMatch(/^[A-Z].+\.$/);
  });

  test('do not include buying where no checkout can be opened', () => {
    const offered = offeredScopes('open', { intake: true, checkoutSessions: false });
    expect(offered.map(({ scope }) => scope)).toEqual(['read', 'submit', 'metrics']);
  });
});

describe('joinedScopes()', () => {
  test('are those of the key and those that the publisher granted, each once', () => {
    fc.assert(
      fc.property(some, some, fc.constantFrom('open' as const, 'closed' as const), (ofKey, granted, intake) => {
        const joined = joinedScopes(ofKey, granted, intake);
        expect([...joined].sort()).toEqual([...new Set([...ofKey, ...granted])].sort());
      }),
    );
  });

  test('have submit, where proposals are taken from agents by name, exactly if the publisher granted it', () => {
    fc.assert(
      fc.property(some, some, (ofKey, granted) => {
        const joined = joinedScopes(ofKey, granted, 'granted');
        expect(joined.includes('submit')).toBe(granted.includes('submit'));
        expect(joined.filter((scope) => scope !== 'submit')).toEqual(
          joinedScopes(ofKey, granted, 'open').filter((scope) => scope !== 'submit'),
        );
      }),
    );
  });
});
