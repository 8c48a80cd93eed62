import { issuer, sha256 } from './parties.ts';
import { addressOf, type Change, JWKS, makeLineage, type SampleLineage, textOf, textsOf } from './sample.ts';
import { type Members, summaryOf } from './sample-bundle.ts';
import { changed, type Given, unsigned, type Vector, vector } from './vector.ts';

interface SampleResult extends Members {
  quote: { start: number; end: number; text: string };
  answer?: SampleResult['quote'];
}

function resultOf(lineage: SampleLineage, passage: string, sequence = lineage.versions.length - 1): SampleResult {
  const start = textOf(lineage.id, sequence).indexOf(passage);
  return {
    ...summaryOf(lineage, sequence),
    score: 800,
    quote: { start, end: start + passage.length, text: passage },
    highlights: [{ start: 0, end: 5 }],
  };
}

export async function answerVectors(): Promise<Vector[]> {
  const [one, other] = [await makeLineage({ by: issuer, count: 2 }), await makeLineage({ by: issuer, id: 'http-validators' })];
  const retracted = await makeLineage({
    by: issuer,
    id: 'http-old',
    changeHead: { status: 'retracted', statusReason: 'It was wrong.' },
  });
  const withoutDigest = await makeLineage({
    by: issuer,
    id: other.id,
    change: { digest: undefined },
  });
  const given = (results: readonly SampleResult[], more: Partial<Given> = {}, trust: string | null = JWKS): Given => ({
    document: JSON.stringify({ corpus_version: sha256('corpus'), results, page: { total: results.length } }),
    lineages: { [one.id]: JSON.stringify(one), [other.id]: JSON.stringify(other), [retracted.id]: JSON.stringify(retracted) },
    texts: { ...textsOf(one), ...textsOf(other), ...textsOf(retracted) },
    ...(trust === null ? {} : { trust }),
    ...more,
  });
  const text = textOf(one.id, 1);
  const clean = resultOf(one, 'costs 3 € 😀🚀 and');
  const paid = changed(clean, (copy) => {
    copy['access'] = 'paid';
    copy.quote = { start: 0, end: 6, text: String(copy['summary']).slice(0, 6) };
  });
  const edited = (title: string, change: Change<SampleResult>): Vector =>
    vector(title, given([changed(clean, change), resultOf(other, 'costs')]));
  const codePoints = (passage: string): number => [...text.slice(0, text.indexOf(passage))].length;
  const byteStart = Buffer.byteLength(text.slice(0, text.indexOf('costs')));
  return [
    vector(
      'answer-clean: Results hold with lineages and texts, and offsets count UTF-16 code units.',
      given([clean, resultOf(other, 'Élan vital'), resultOf(retracted, 'closing line.\n')]),
    ),
    vector('answer-empty: An answer without results says nothing that could fail.', given([])),
    vector('answer-two-results-of-one-capsule: Two results may be about one capsule.', given([clean, resultOf(one, 'vital', 0)])),
    vector('answer-paid: A result whose text is sold quotes its summary; its text is not needed.', given([paid], { texts: {} })),
    vector('answer-paid-and-text-given: It quotes its summary where the text is given, too.', given([paid])),
    vector(
      'answer-paid-quote-of-text [quote]: A result whose text is sold does not quote that text.',
      given([{ ...clean, access: 'paid' }]),
    ),
    vector(
      'answer-paid-summary-edited [fields quote]: The summary that it quotes is that of the record.',
      given([
        changed(paid, (copy) => {
          copy['summary'] = `Never ${String(copy['summary'])}`;
          copy.quote = { start: 0, end: 5, text: 'Never' };
        }),
      ]),
    ),
    vector('answer-without-texts: Without a text the check quote is not made.', given([clean], { texts: {} })),
    vector('answer-whole-text: A quote may be the whole text.', given([resultOf(one, text)])),
    edited('answer-score-edited: A score is not proved.', { score: 1_000_000 }),
    edited('answer-quote-shifted [quote]: The offsets of a quote are one too large.', (copy) => {
      copy.quote.start += 1;
      copy.quote.end += 1;
    }),
    edited('answer-quote-edited [quote]: A word of a quote was changed.', (copy) =>
      Object.assign(copy.quote, { text: copy.quote.text.replace('costs', 'saves') }),
    ),
    edited('answer-sentence: The sentence that answers is proved as the quote is.', (copy) => {
      copy.answer = { ...copy.quote };
    }),
    edited('answer-sentence-edited [quote]: A word of the sentence that answers was changed.', (copy) => {
      copy.answer = { ...copy.quote, text: copy.quote.text.replace('costs', 'saves') };
    }),
    edited('answer-sentence-null [form]: The sentence that answers is an object.', (copy) => Object.assign(copy, { answer: null })),
    edited('answer-quote-shortened [quote]: The quote is shorter than its offsets.', (copy) =>
      Object.assign(copy.quote, { text: copy.quote.text.slice(0, 5) }),
    ),
    edited('answer-quote-in-code-points [quote]: Offsets in code points are wrong after a character of two code units.', (copy) => {
      const start = codePoints('and no');
      copy.quote = { start, end: start + 6, text: 'and no' };
    }),
    edited('answer-quote-after-emoji: Offsets in code units are right after such characters.', (copy) => {
      const start = text.indexOf('and no');
      copy.quote = { start, end: start + 6, text: 'and no' };
    }),
    edited('answer-quote-in-bytes [quote]: Offsets in bytes are wrong.', {
      quote: { start: byteStart, end: byteStart + 5, text: 'costs' },
    }),
    edited('answer-quote-inside-a-pair [quote]: A quote that ends inside a character that is another character.', (copy) => {
      const start = text.indexOf('😀');
      copy.quote = { start: start + 1, end: start + 3, text: '🚀' };
    }),
    edited('answer-quote-with-half-a-pair [json]: Half a character is no text.', (copy) => {
      const start = text.indexOf('😀');
      copy.quote = { start, end: start + 1, text: '\ud83d' };
    }),
    edited('answer-quote-from-the-end [quote]: Offsets below 0 do not count from the end.', {
      quote: { start: -6, end: -1, text: text.slice(-6, -1) },
    }),
    edited('answer-quote-beyond-the-end [quote]: A quote that ends beyond the text.', {
      quote: { start: text.length - 6, end: text.length + 9, text: text.slice(-6) },
    }),
    edited('answer-quote-backwards [quote]: A quote that ends before it starts.', { quote: { start: 5, end: 0, text: text.slice(0, 5) } }),
    edited('answer-quote-empty: A quote of nothing stands everywhere.', { quote: { start: 5, end: 5, text: '' } }),
    edited('answer-quote-fraction [quote]: An offset that is not whole.', (copy) => {
      copy.quote.start += 0.5;
    }),
    edited('answer-quote-start-text [quote]: An offset that is a text.', (copy) =>
      Object.assign(copy.quote, { start: `${copy.quote.start}` }),
    ),
    edited('answer-quote-end-text [quote]: An end that is a text.', (copy) => Object.assign(copy.quote, { end: `${copy.quote.end}` })),
    edited('answer-quote-list [quote]: A passage in a list.', (copy) => Object.assign(copy.quote, { text: [copy.quote.text] })),
    edited('answer-version-wrong [fields]: A version that the lineage does not have.', { version: '1.7.0' }),
    edited('answer-version-of-another-text [fields]: The version before, of which the text is another.', { version: '1.0.0' }),
    edited('answer-without-capsule-id [fields]: A result that does not say which capsule it is of has no record.', (copy) =>
      Reflect.deleteProperty(copy, 'capsule_id'),
    ),
    vector(
      'answer-digest-absent-on-both-sides: What neither a result nor its record says is the same on both sides.',
      given([changed(resultOf(other, 'costs'), (copy) => Reflect.deleteProperty(copy, 'content_sha256'))], {
        lineages: { [other.id]: JSON.stringify(withoutDigest) },
        texts: {},
      }),
    ),
    edited('answer-title-edited [fields]: The title in a result was changed.', { title: 'Ours' }),
    edited('answer-digest-edited [fields]: The digest in a result was changed.', { content_sha256: sha256('x') }),
    vector(
      'answer-status-edited [fields]: A retracted capsule that an answer calls current.',
      given([
        changed(resultOf(retracted, 'costs'), (copy) => {
          copy['status'] = 'current';
          delete copy['status_reason'];
        }),
      ]),
    ),
    vector(
      'answer-text-edited [text]: The text that a result quotes was changed elsewhere.',
      given([resultOf(other, 'costs')], { texts: { [addressOf(other.id, '1.0.0')]: textOf(other.id, 0).replace('line', 'lime') } }),
    ),
    vector(
      'answer-lineage-missing [fields]: A result without its lineage is not proved.',
      given([clean, resultOf(other, 'costs')], { lineages: { [one.id]: JSON.stringify(one) } }),
    ),
    vector(
      'answer-goes-on-after-missing-records [fields quote]: Results without a lineage or a record do not hide what is wrong with those after them.',
      given(
        [
          resultOf(other, 'costs'),
          changed(clean, { version: '1.7.0' }),
          changed(clean, (copy) => Object.assign(copy.quote, { text: 'saves' })),
        ],
        { lineages: { [one.id]: JSON.stringify(one) } },
      ),
    ),
    vector(
      'answer-second-quote-null [form]: A second result without a quote.',
      given([clean, changed(resultOf(other, 'costs'), { quote: null })]),
    ),
    vector(
      'answer-of-one-id: Results are about the id that was asked for, if one was.',
      given([resultOf(other, 'costs')], { id: other.id }),
    ),
    vector('answer-of-another-id [subject]: A result is about another id.', given([clean], { id: other.id })),
    vector('answer-without-trust: Without trust an answer fits together.', given([clean], {}, null)),
    unsigned(
      'answer-trust-unusable: Trust that cannot be used fails even for an answer without results.',
      given([], { trust: '{"keys":[]}' }),
    ),
    unsigned(
      'answer-one-lineage-unsigned: One of two lineages is not signed.',
      given([clean, resultOf(other, 'costs')], {
        lineages: { [one.id]: JSON.stringify(one), [other.id]: JSON.stringify(await makeLineage({ id: other.id })) },
      }),
    ),
    vector('answer-results-object [form]: Results that are an object.', { document: '{"results":{"0":{},"length":1}}' }),
    vector('answer-result-text [form]: A result that is a text.', { document: '{"results":["text"]}' }),
    vector('answer-result-list [form]: A result that is an array.', { document: '{"results":[[]]}' }),
    vector('answer-results-null [form]: Results that are no list.', { document: '{"results":null}' }),
    vector('answer-with-marks-of-other-kinds: What has results is an answer, whatever it has besides.', {
      document: '{"results":[],"statement":{},"capsule_id":1,"versions":[]}',
    }),
  ];
}
