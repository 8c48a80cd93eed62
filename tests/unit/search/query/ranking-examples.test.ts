import { describe, expect, it } from 'vitest';
import { search } from '../../../../src/search/query/search.ts';
import type { SearchDocument } from '../../../../src/search/search-document.ts';
import { capsule } from '../arbitraries.ts';
import { encodeDocuments, openIndex } from '../open-index.ts';

async function find(documents: readonly SearchDocument[], query: string) {
  const reader = openIndex(encodeDocuments(documents, { expansion: false, neighbours: false }));
  const { results, plan } = await search(reader, query, { limit: 20 });
  return {
    ids: results.map(({ number }) => documents[number]?.id),
    scores: results.map(({ score }) => score),
    plan,
    terms: plan.terms.map(({ term }) => term),
  };
}

const ids = async (documents: readonly SearchDocument[], query: string) => (await find(documents, query)).ids;

describe('search()', () => {
  it('prefers the title over the body, and the rare word over the common one', async () => {
    const filler = 'agents read documents and answer questions';
    const titled = [capsule('a', `${filler} lineage`, { title: 'Other' }), capsule('b', filler, { title: 'Lineage' })];
    expect(await ids(titled, 'lineage')).toEqual(['b', 'a']);
    const common = [capsule('a', 'offer one'), capsule('b', 'offer two'), capsule('c', 'refund three'), capsule('d', 'offer four')];
    expect((await ids(common, 'refund offer'))[0]).toBe('c');
  });

  it('prefers words that stand next to each other as in the query, not across two headings', async () => {
    const apart = capsule('a', 'rate of payments, then a limit');
    const together = capsule('b', 'payments then, of a rate limit');
    expect(await ids([apart, together], 'rate limit')).toEqual(['b', 'a']);
    const split = capsule('split', '', { headings: ['rate', 'limit'] });
    const whole = capsule('whole', '', { headings: ['rate limit', ''] });
    expect(await ids([split, whole], 'rate limit')).toEqual(['whole', 'split']);
  });

  it('gives equal documents in their order, and lower tiers first whatever the scores', async () => {
    const documents = ['c', 'a', 'é', 'B'].map((id) => capsule(id, 'offer of agents'));
    expect(await ids(documents, 'offer agents')).toEqual(['c', 'a', 'é', 'B']);
    const tiers = [capsule('old', 'offer offer', { title: 'Offer', tier: 1 }), capsule('new', 'an offer among many other words')];
    expect(await ids(tiers, 'offer words')).toEqual(['new', 'old']);
  });

  it('finds a document that lacks the word, after those that have it, when its near ones have it', async () => {
    const shared = 'freshness lifetime validation directive';
    const documents = [
      capsule('has', `${shared} etag`),
      capsule('has-too', `${shared} etag header`),
      capsule('lacks', shared),
      capsule('far', 'payment signature refund'),
    ];
    const { results } = await search(openIndex(encodeDocuments(documents)), 'etag', { limit: 5 });
    expect(results.map(({ number }) => documents[number]?.id).sort()).toEqual(['has', 'has-too', 'lacks']);
    expect(documents[results[2]?.number ?? -1]?.id).toBe('lacks');
  });

  it('corrects an unknown word, at a lower weight', async () => {
    const documents = [capsule('a', 'retrieval of provenance'), capsule('b', 'price list')];
    const clean = await find(documents, 'provenance');
    const corrected = await find(documents, 'provanence');
    expect([corrected.ids, corrected.terms]).toEqual([['a'], ['proven']]);
    expect(corrected.plan.corrections).toEqual([{ word: 'provanence', readAs: 'provenance' }]);
    expect((corrected.scores[0] ?? 0) / (clean.scores[0] ?? 1)).toBeCloseTo(0.8, 1);
  });

  it.each([
    ['color', 'colour'],
    ['flavour', 'flavor'],
    ['center', 'centre'],
    ['metres', 'meters'],
    ['authorization', 'authorise'],
    ['organised', 'organized'],
    ['analyze', 'analyse'],
    ['defense', 'defence'],
    ['dialog', 'dialogue'],
  ])('finds "%s" where documents write %s, the British and the American spelling', async (asked, written) => {
    expect(await ids([capsule('other', 'frames of pages'), capsule('a', `the ${written} of pages`)], asked)).toEqual(['a']);
    expect(await ids([capsule('exact', `the ${asked} of it`), capsule('a', `the ${written} of it`)], asked)).toEqual(['exact']);
  });

  it('also looks for the usual spelling of a word that few documents spell otherwise', async () => {
    const documents = [
      capsule('aside', 'Canonicalise the body with keys in order.'),
      capsule('json-canonicalization', 'Canonicalization of JSON values.', { title: 'JSON canonicalization removes the choice' }),
      ...['signed', 'hashed'].map((id) => capsule(id, `What is ${id} needs canonicalization.`)),
    ];
    expect(await ids(documents, 'canonicalisation')).toHaveLength(4);
    for (const query of ['jason canonicalisation', 'json canonicalisation'])
      expect([query, (await ids(documents, query))[0]]).toEqual([query, 'json-canonicalization']);
    // A word of another meaning is no spelling.
    const tires = ['b', 'c', 'd'].map((id) => capsule(id, 'the tire of a car'));
    expect(await ids([capsule('a', 'the tier of a service'), ...tires], 'tier')).toEqual(['a']);
  });

  it.each([
    ['dry-run', 'dry run', 'dryrun'],
    ['hand-off', 'hand off', 'handoff'],
    ['tool-box', 'tool box', 'toolbox'],
    ['Node.js', 'node js', 'nodejs'],
    ['100,000', '100 000', '100000'],
    ['v5.3.2', '5.3.2', 'V5.3.2'],
  ])('finds %s, %s and %s by each of them', async (...forms) => {
    const filler = capsule('other', 'frames of pages');
    for (const written of forms) {
      for (const asked of forms) {
        const documents = [filler, capsule('a', `The ${written} of it.`)];
        const { results, fitOf } = await search(openIndex(encodeDocuments(documents)), asked, { limit: 5 });
        expect(documents[results[0]?.number ?? -1]?.id, `${asked} in ${written}`).toBe('a');
        expect(fitOf(results[0]?.number ?? -1).missing, `${asked} in ${written}`).toEqual([]);
      }
    }
  });

  it('finds a hyphenated word by the one word also where others write it so, and those first', async () => {
    const documents = [capsule('hyphen', 'A dry-run of the plan.'), capsule('one', 'A dryrun of the plan.')];
    expect(await ids(documents, 'dryrun')).toEqual(['one', 'hyphen']);
  });

  it('corrects a word rather than dividing it, and divides no word of which the parts are unknown', async () => {
    const documents = [capsule('a', 'the endpoint'), capsule('b', 'end of a point, apart')];
    expect((await find(documents, 'endpoit')).plan.corrections).toEqual([{ word: 'endpoit', readAs: 'endpoint' }]);
    expect((await find(documents, 'endqwertz')).plan.corrections).toEqual([]);
  });

  it('divides two different words of a query, wherever and however often it has them', async () => {
    const documents = [capsule('a', 'dry run and tool box and hand off')];
    const { plan } = await find(documents, 'dryrun dryrun toolbox handoff dryrun');
    expect(plan.corrections.map(({ readAs }) => readAs)).toEqual(['dry run', 'dry run', 'tool box', 'dry run']);
  });

  it.each([
    ['C++', 'b'],
    ['destructors in C++', 'b'],
    ['c#', 'c'],
    ['F#', 'd'],
    ['.NET', 'e'],
    ['C', 'a'],
    ['&&', 'f'],
    ['what does ??= do', 'g'],
    ['the => operator', 'h'],
  ])('finds what is named %s first', async (asked, expected) => {
    const documents = [
      capsule('a', 'C has no destructor. C is old. C is small. Net, net, net.', { title: 'Memory in C' }),
      capsule('b', 'A destructor frees the memory.', { title: 'Memory in C++' }),
      capsule('c', 'A collector frees the memory.', { title: 'Memory in C#' }),
      capsule('d', 'Memory is seldom written in F#.'),
      capsule('e', 'A runtime: .NET of a vendor.'),
      capsule('f', 'It ends early.', { title: 'The operator &&' }),
      capsule('g', 'It assigns where nothing is.', { headings: ['Assignment with ??='] }),
      capsule('h', 'An operator makes a function.', { codes: ['=>'] }),
    ];
    expect((await ids(documents, asked))[0]).toBe(expected);
  });

  it('puts the form of the query first in titles, whatever the other forms weigh', async () => {
    const documents = [
      capsule('connections', 'Connections, a connection, connecting.', { title: 'Connections' }),
      capsule('connect', 'How it is done.', { title: 'Connect a phone to it' }),
    ];
    expect(await ids(documents, 'connect')).toEqual(['connect', 'connections']);
    expect((await ids(documents, 'connections'))[0]).toBe('connections');
  });

  it('puts a text whose title begins with the name before others with that name in their titles', async () => {
    const titled = ['Discovery for x402', 'An x402 payment in headers', 'x402 version 2', 'Discovery of x402'];
    const documents = titled.map((title, at) => capsule(`d${at}`, 'x402 x402 discovery', { title }));
    expect((await ids(documents, 'x402')).slice(0, 2).sort()).toEqual(['d1', 'd2']);
  });

  it('puts a text with the word in its title before one with a heading of that name', async () => {
    const documents = [
      capsule('checkout', 'Payments and their repetition.', { title: 'Checkout', headings: ['Idempotency'] }),
      capsule('key', 'A client repeats a request safely.', { title: 'The idempotency key of a request' }),
    ];
    expect(await ids(documents, 'idempotency')).toEqual(['key', 'checkout']);
    expect((await ids(documents, 'idempotency of payments'))[0]).toBe('checkout');
  });

  it('says of an operator that no document has it', async () => {
    const documents = [capsule('a', 'An operator.')];
    const { results, plan, fitOf } = await search(openIndex(encodeDocuments(documents)), 'the operator ||= please', { limit: 5 });
    expect(plan.unknown).toEqual(['||=']);
    expect(fitOf(results[0]?.number ?? -1).missing).toEqual(['||=']);
  });

  it('lists unknown, corrected and ignored words in the order of the query', async () => {
    const documents = [capsule('en', 'payment'), capsule('de', 'Zahlung und Unterschrift', { language: 'de' })];
    const { plan } = await find(documents, 'die der das with qwertz');
    expect([plan.unknown, plan.ignored]).toEqual([
      ['with', 'qwertz'],
      ['die', 'der', 'das'],
    ]);
  });

  it('finds one word in documents of several languages, and stop words of none', async () => {
    const documents = [
      capsule('de', 'Kubernetes, und what is', { language: 'de' }),
      capsule('en', 'Running Kubernetes clusters'),
      capsule('fr', 'le thé', { language: 'fr' }),
    ];
    expect((await ids(documents, 'what is Kubernetes')).sort()).toEqual(['de', 'en']);
    expect(await ids(documents, 'thé')).toEqual(['fr']);
    expect((await find(documents, 'what is the cluster')).terms).toEqual(['cluster']);
  });
});
