import { describe, expect, it } from 'vitest';
import { nameTerm } from '../../../../src/search/analysis/analyse.ts';
import { hashTerm, shardNumber } from '../../../../src/search/format/postings.ts';
import { search } from '../../../../src/search/query/search.ts';
import type { SearchDocument } from '../../../../src/search/search-document.ts';
import { capsule } from '../arbitraries.ts';
import { encodeDocuments, openIndex } from '../open-index.ts';

async function find(documents: readonly SearchDocument[], query: string) {
  const outcome = await search(openIndex(encodeDocuments(documents)), query, { limit: 10 });
  return { ...outcome, ids: outcome.results.map(({ number }) => documents[number]?.id) };
}

const first = async (documents: readonly SearchDocument[], query: string) => (await find(documents, query)).ids[0];

const PROTOCOLS: readonly SearchDocument[] = [
  capsule('facilitators', 'x402 x402 v2 version 2 of x402, with payments. '.repeat(6), { title: 'Facilitators of x402 v2' }),
  capsule('x402-v2', 'Payment headers and a body.', { title: 'Version 2 of the payment protocol', names: ['PAYMENT-REQUIRED'] }),
  capsule('retry', 'It says how long a client waits.', { title: 'Retry-After states how long to wait' }),
  capsule('queue', 'Retry a request later: retry, retry, retry, and wait 120 seconds.', { title: 'Retry a request' }),
  capsule('caching', 'A cache may keep it for 120 seconds.', { headings: ['What to cache'], codes: ['no-cache'] }),
];

describe('a name in a query', () => {
  it.each(['x402-v2', 'x402 v2', 'X402-V2', 'What is x402-v2?'])('puts the document with the id first: %s', async (query) => {
    expect(await first(PROTOCOLS, query)).toBe('x402-v2');
  });

  it.each(['PAYMENT-REQUIRED', 'payment required', 'What is Payment-Required?', '"payment-required"'])(
    'puts the document that defines it first: %s',
    async (query) => {
      expect(await first(PROTOCOLS, query)).toBe('x402-v2');
    },
  );

  it('keeps its stop words, alone and in a question', async () => {
    for (const query of ['Retry-After', 'retry after', 'Retry-After: 120', 'how long does Retry-After last'])
      expect(await first(PROTOCOLS, query), query).toBe('retry');
    const { plan, fitOf, results } = await find(PROTOCOLS, 'how long does Retry-After last');
    expect(plan.ignored).toEqual(['how', 'does']);
    expect(fitOf(results[0]?.number ?? -1).covered).toEqual(['long', 'Retry-After']);
    expect(await first(PROTOCOLS, 'what is no-cache?')).toBe('caching');
  });

  it('fits wholly where it is all that the query asks for', async () => {
    const { results, fitOf } = await find(PROTOCOLS, 'what is x402-v2');
    expect(fitOf(results[0]?.number ?? -1)).toMatchObject({ share: 1, level: 'strong', missing: [] });
  });

  it('finds a document that has no word of the query, and one that others have replaced', async () => {
    const documents = [capsule('new', 'of the old one', { title: 'New one' }), capsule('a-b', '', { title: 'Old one', tier: 1 })];
    expect((await find(documents, 'a-b')).ids).toEqual(['a-b']);
    expect((await find(documents, 'Old one')).ids[0]).toBe('a-b');
    expect((await find(documents, 'old')).ids).toEqual(['a-b', 'new']);
  });

  it('never puts a document of tier 2 before others, also where it is asked for by its id or title', async () => {
    const documents = [capsule('new', 'of the old one', { title: 'New one' }), capsule('a-b', 'old', { title: 'Old one', tier: 2 })];
    for (const query of ['a-b old', 'Old one', 'old']) expect((await find(documents, query)).ids).toEqual(['new', 'a-b']);
  });

  it('puts a document of tier 2 after the first two others where it is asked for, with any limit', async () => {
    const others = ['a', 'b', 'c', 'd'].map((id) => capsule(id, 'one old clock', { title: 'Clock' }));
    const documents = [capsule('gone', 'nothing', { title: 'The old clock', tier: 2 }), ...others];
    expect((await find(documents, 'The old clock')).ids.indexOf('gone')).toBe(2);
    expect((await find(documents, 'gone')).ids).toEqual(['gone']);
    expect((await find(documents, 'old clock today')).ids.at(-1)).toBe('gone');
  });

  it('is no name where the question asks what to do with it', async () => {
    const documents = [
      capsule('table', 'A member of a table.', { names: ['key'] }),
      capsule('keys', 'Keys are issued at once. A key is a key for a year.', { title: 'Registration and keys' }),
    ];
    expect((await find(documents, 'what is a key')).ids[0]).toBe('table');
    for (const query of ['how do I get a key', 'can I have a key', 'my key']) expect((await find(documents, query)).ids[0]).toBe('keys');
  });

  it('tells C, C++ and C# apart', async () => {
    const documents = ['C', 'C++', 'C#'].map((name, number) => capsule(`${number}`, 'arrays', { title: `${name} arrays` }));
    for (const [number, name] of ['C', 'C++', 'C#'].entries()) expect(await first(documents, `${name} arrays`)).toBe(`${number}`);
  });

  it('is worth nothing where many documents have it', async () => {
    const documents = Array.from({ length: 70 }, (_, number) => capsule(`d${number}`, `text ${number}`, { headings: ['See also'] }));
    expect((await find(documents, 'See also')).plan.names).toEqual([]);
  });
});

describe('a phrase in quotation marks', () => {
  const documents = [
    capsule('apart', 'The rate falls, limits grow: a limit of requests, a rate per second. Rate high, limit low.', {
      title: 'Limit a rate',
    }),
    capsule('phrase', 'Somewhere in a long text about servers, clients and queues is a rate limit for everybody who asks.'),
  ];

  it('comes before its words apart', async () => {
    expect(await first(documents, 'rate limit')).toBe('apart');
    for (const query of ['"rate limit"', '“rate limit”', '„rate limit“', '«rate limit»'])
      expect(await first(documents, query), query).toBe('phrase');
  });
});

describe('nameTerm()', () => {
  it('is the same for all forms of a name, and in the shard of its first word', () => {
    const forms = ['Retry-After', 'retry after', 'RetryAfter', 'retry_after', '`Retry-After`:'].map((name) => nameTerm(name, 'en'));
    expect(new Set(forms)).toEqual(new Set(['=retri=retryafter']));
    for (const bits of [1, 6, 12]) expect(shardNumber(hashTerm('=retri=retryafter'), bits)).toBe(shardNumber(hashTerm('retri'), bits));
  });

  it('leaves out what has fewer than two letters or is a sentence', () => {
    expect(['', '?', 'x', 'a '.repeat(200)].map((name) => nameTerm(name, 'en'))).toEqual([undefined, undefined, undefined, undefined]);
  });
});
