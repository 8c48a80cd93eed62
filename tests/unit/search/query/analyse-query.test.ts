import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyse, nameTerm } from '../../../../src/search/analysis/analyse.ts';
import { analysersFor, STEMMERS } from '../../../../src/search/analysis/analysers.ts';
import { hashTerm, shardNumber } from '../../../../src/search/format/postings.ts';
import { analyseQuery, chooseAnalysers, readQueryText } from '../../../../src/search/query/analyse-query.ts';
import { search } from '../../../../src/search/query/search.ts';
import type { SearchDocument } from '../../../../src/search/search-document.ts';
import { capsule, hostileText, plainText } from '../arbitraries.ts';
import { encodeDocuments, openIndex } from '../open-index.ts';

const EVERY_READING = analysersFor(['en', 'zh', ...STEMMERS.keys()]);

const read = (query: string, readings: readonly string[]): string[][] =>
  analyseQuery(readQueryText(query), readings).map((tokens) => tokens.map(({ term }) => term));

const DOCUMENTS = [
  { id: 'de', language: 'de', text: 'Rechnungen werden per Überweisung bezahlt. Die Kündigung des Vertrages ist jederzeit möglich.' },
  { id: 'en', language: 'en', text: 'Invoices are paid by bank transfer. Contracts may be cancelled at any time; die casting is extra.' },
  { id: 'zh', language: 'zh', text: '发票可以通过银行转账支付。合同随时可以取消，知识胶囊可以检索。' },
  { id: 'ru', language: 'ru', text: 'Счета оплачиваются банковским переводом. Договоры можно расторгнуть в любое время.' },
  { id: 'fr', language: 'fr', text: 'Les factures sont réglées par virement bancaire. Les contrats peuvent être résiliés à tout moment.' },
] as const;

function found(query: string): string[] {
  const wanted = new Set(read(query, analysersFor(DOCUMENTS.map(({ language }) => language))).flat());
  const scores = DOCUMENTS.map(({ id, language, text }) => {
    const terms = new Set(analyse(text, language).map(({ term }) => term));
    return { id, score: [...wanted].filter((term) => terms.has(term)).length };
  });
  return scores
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ id }) => id);
}

describe('analyseQuery()', () => {
  it.each([
    ['Wie kann ich eine Rechnung mit einer Überweisung bezahlen?', 'de'],
    ['Kündigungen von Verträgen', 'de'],
    ['How do I cancel the contract?', 'en'],
    ['paying an invoice', 'en'],
    ['怎么支付发票', 'zh'],
    ['识胶囊', 'zh'],
    ['Как оплатить счёт переводом', 'ru'],
    ['régler une facture par virements', 'fr'],
  ])('finds by "%s" the document in %s first', (query, id) => expect(found(query)[0]).toBe(id));

  it('reads a stop word of another language as a word where the corpus has no such language', () => {
    expect(read('die casting', ['en'])).toEqual([['die', 'cast']]);
    expect(read('die casting', ['en', 'fr'])[0]).toEqual(['die', 'cast']);
  });

  it("drops the stop words of the query's language in every analysis", () => {
    expect(read('what is the Kapsel', ['en', 'de', 'und'])).toEqual([['kapsel'], ['kapsel'], ['kapsel']]);
    expect(read('die Kapsel der Zeit', ['en', 'de', 'und'])).toEqual([
      ['kapsel', 'zeit'],
      ['kapsel', 'zeit'],
      ['kapsel', 'zeit'],
    ]);
  });

  it('drops stop words of other languages only in their own analysis', () => {
    expect(read('how to do die casting', ['en', 'de'])).toEqual([['die', 'cast'], ['casting']]);
    expect(found('how to do die casting')).toEqual(['en']);
  });

  it('keeps the tokens of each analyser if the query consists of stop words', () => {
    expect(read('die', ['en', 'de'])).toEqual([['die'], []]);
    expect(read('what is the', ['en', 'und'])).toEqual([[], ['what', 'is', 'the']]);
  });

  it('chooses English, the unknown and the languages that the query looks like if there are more', () => {
    const spanish = read('¿Cómo puedo hablar sobre las facturas?', EVERY_READING);
    expect(spanish).toHaveLength(6);
    expect(spanish).toContainEqual(['habl', 'factur']);
    expect(read('книгами', EVERY_READING)).toContainEqual(['книг']);
    expect(chooseAnalysers(readQueryText('книгами'), EVERY_READING)).toEqual(expect.arrayContaining(['en', 'ru', 'und']));
    expect(chooseAnalysers(readQueryText('книгами'), ['en', 'de'])).toEqual(['en', 'de']);
    expect(read('知识', EVERY_READING)).toEqual(Array.from({ length: 6 }, () => ['知识']));
  });

  it('never throws, uses at most six analysers, and adds no tokens to theirs', () => {
    const readings = fc.subarray(EVERY_READING);
    fc.assert(
      fc.property(fc.oneof(hostileText, plainText), readings, (query, some) => {
        const tokens = analyseQuery(readQueryText(query), some);
        expect(tokens).toHaveLength(Math.min(some.length, 6));
        expect(analyseQuery(readQueryText(query), some)).toEqual(tokens);
        if (some.length <= 6) {
          some.forEach((reading, position) => {
            expect(analyse(query, reading)).toEqual(expect.arrayContaining(tokens[position] ?? []));
          });
        }
      }),
      { numRuns: 150 },
    );
  });
});

it('analyse() in every reading never throws, keeps to the text, and gives the same again', () => {
  const letters = fc.string({ unit: fc.constantFrom(...'aeiounrstlmdgкниаеийωσιςαكتابهةकितआதமிğışßøñçéőű'), minLength: 3, maxLength: 45 });
  fc.assert(
    fc.property(fc.oneof(hostileText, letters), fc.constantFrom(...EVERY_READING), (text, language) => {
      const tokens = analyse(text, language);
      for (const { term, start, end } of tokens) {
        expect(term).not.toBe('');
        expect(start < end && end <= text.length).toBe(true);
      }
      expect(analyse(text, language)).toEqual(tokens);
    }),
    { numRuns: 750 },
  );
});

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
    async (query) => expect(await first(PROTOCOLS, query)).toBe('x402-v2'),
  );

  it('keeps its stop words, alone and in a question', async () => {
    for (const query of ['Retry-After', 'retry after', 'Retry-After: 120', 'how long does Retry-After last'])
      expect(await first(PROTOCOLS, query), query).toBe('retry');
    const { plan, fitOf, results } = await find(PROTOCOLS, 'how long does Retry-After last');
    expect(plan.ignored).toEqual(['how', 'does']);
    expect(fitOf(results[0]?.number ?? -1).covered).toEqual(['Retry-After']);
    expect(await first(PROTOCOLS, 'what is no-cache?')).toBe('caching');
  });

  it('fits wholly where it is all that the query asks for', async () => {
    const { results, fitOf } = await find(PROTOCOLS, 'what is x402-v2');
    expect(fitOf(results[0]?.number ?? -1)).toMatchObject({ share: 1, level: 'strong', missing: [] });
    const [{ title = '' } = {}] = PROTOCOLS;
    const whole = await find(PROTOCOLS, title);
    expect(whole.fitOf(whole.results[0]?.number ?? -1).covered.length).toBeGreaterThan(1);
    for (const query of ['what does no-cache mean?', 'What is no-cache?', 'what is "no-cache"?']) {
      const cached = await find(PROTOCOLS, query);
      expect(cached.fitOf(cached.results[0]?.number ?? -1), query).toMatchObject({ share: 1, covered: ['no-cache'] });
    }
  });

  it('is covered by a text that writes it as code, in a question, in small letters too', async () => {
    const documents = [...PROTOCOLS, capsule('other', 'A cache means less to read: of caches, a cache is read.')];
    for (const query of ['what does no-cache mean?', 'where does no-cache apply', 'Was bedeutet no-cache?']) {
      const { ids, results, fitOf } = await find(documents, query);
      expect(ids[0], query).toBe('caching');
      expect(fitOf(results[0]?.number ?? -1).missing, query).not.toContain('no-cache');
    }
  });

  it.each([
    ['what does Payment-Required stand for?', 'x402-v2'],
    ['What does did:web mean', 'did-web'],
    ['was heißt did:web?', 'did-web'],
  ])('is what a question for its meaning asks for: %s', async (query, id) => {
    const documents = [
      ...PROTOCOLS,
      capsule('did-web', 'Keys of a domain.', { title: 'did:web binds keys' }),
      capsule('w', 'The mean web, a web word.'),
    ];
    const { plan, ids, results, fitOf } = await find(documents, query);
    expect(ids[0]).toBe(id);
    expect(fitOf(results[0]?.number ?? -1).level).toBe('strong');
    expect(plan.terms.map(({ term }) => term)).not.toContain('mean');
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
