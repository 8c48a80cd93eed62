import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyse } from '../../../../src/search/analysis/analyse.ts';
import { analysersFor, STEMMERS } from '../../../../src/search/analysis/analysers.ts';
import { analyseQuery, chooseAnalysers } from '../../../../src/search/query/analyse-query.ts';
import { hostileText, plainText } from '../arbitraries.ts';

const EVERY_READING = analysersFor(['en', 'zh', ...STEMMERS.keys()]);

const read = (query: string, readings: readonly string[]): string[][] =>
  analyseQuery(query, readings).map((tokens) => tokens.map(({ term }) => term));

const DOCUMENTS = [
  { id: 'de', language: 'de', text: 'Rechnungen werden per Überweisung bezahlt. Die Kündigung des Vertrages ist jederzeit möglich.' },
  { id: 'en', language: 'en', text: 'Invoices are paid by bank transfer. Contracts may be cancelled at any time; die casting is extra.' },
  { id: 'zh', language: 'zh', text: '发票可以通过银行转账支付。合同随时可以取消，知识胶囊可以检索。' },
  { id: 'ru', language: 'ru', text: 'Счета оплачиваются банковским переводом. Договоры можно расторгнуть в любое время.' },
  { id: 'fr', language: 'fr', text: 'Les factures sont réglées par virement bancaire. Les contrats peuvent être résiliés à tout moment.' },
] as const;

/** The documents that share a term with a query, those with most first. */
function found(query: string): string[] {
  const wanted = new Set(read(query, analysersFor(DOCUMENTS.map(({ language }) => language))).flat());
  const scores = DOCUMENTS.map(({ id, language, text }) => {
    const terms = new Set(analyse(text, language).map(({ term }) => term));
    return { id, score: [...wanted].filter((term) => terms.has(term)).length };
  });
  const matches = scores.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  return matches.map(({ id }) => id);
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
  ])('finds by "%s" the document in %s first', (query, id) => {
    expect(found(query)[0]).toBe(id);
  });

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
    expect(chooseAnalysers('книгами', EVERY_READING)).toEqual(expect.arrayContaining(['en', 'ru', 'und']));
    expect(chooseAnalysers('книгами', ['en', 'de'])).toEqual(['en', 'de']);
    expect(read('知识', EVERY_READING)).toEqual(Array.from({ length: 6 }, () => ['知识']));
  });

  it('never throws, uses at most six analysers, and adds no tokens to theirs', () => {
    const readings = fc.subarray(EVERY_READING);
    fc.assert(
      fc.property(fc.oneof(hostileText, plainText), readings, (query, some) => {
        const tokens = analyseQuery(query, some);
        expect(tokens).toHaveLength(Math.min(some.length, 6));
        expect(analyseQuery(query, some)).toEqual(tokens);
        if (some.length <= 6) {
          some.forEach((reading, position) => {
            expect(analyse(query, reading)).toEqual(expect.arrayContaining(tokens[position] ?? []));
          });
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('analyse() in every reading', () => {
  it('never throws, keeps to the text, and gives the same again', () => {
    const letters = fc.string({
      unit: fc.constantFrom(...'aeiounrstlmdgкниаеийωσιςαكتابهةकितआதமிğışßøñçéőű'),
      minLength: 3,
      maxLength: 45,
    });
    fc.assert(
      fc.property(fc.oneof(hostileText, letters), fc.constantFrom(...EVERY_READING), (text, language) => {
        const tokens = analyse(text, language);
        for (const { term, start, end } of tokens) {
          expect(term).not.toBe('');
          expect(start < end && end <= text.length).toBe(true);
        }
        expect(analyse(text, language)).toEqual(tokens);
      }),
      { numRuns: 1500 },
    );
  });
});
