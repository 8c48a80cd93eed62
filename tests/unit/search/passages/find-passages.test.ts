import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyse } from '../../../../src/search/analysis/analyse.ts';
import { AnalysedText } from '../../../../src/search/passages/analysed-text.ts';
import { findHighlights as findMarked, findPassages, type Passage } from '../../../../src/search/passages/find-passages.ts';
import {
  answerDetailsOf,
  answerTypeOf,
  asksForSteps,
  countedTerm,
  definedName,
  defines,
  hasAnswerOf,
  passageQuery,
} from '../../../../src/search/passages/passage-query.ts';
import { plainPassage } from '../../../../src/search/passages/plain-text.ts';
import { scoreUnits } from '../../../../src/search/passages/score-units.ts';
import { search } from '../../../../src/search/query/search.ts';
import { DEGREE_WEIGHT } from '../../../../src/search/ranking-parameters.ts';
import type { TextRange } from '../../../../src/search/search-document.ts';
import { hostileText, plainText } from '../arbitraries.ts';
import { encodeDocuments, openIndex } from '../open-index.ts';

const GUIDE = `# Webhooks

Webhooks tell your server what happened. They are sent once. Each is retried, e.g. after a timeout. See fetchUser().

## Verify signatures

1. Read the header. It holds a timestamp.
2. Compute the HMAC with your secret.
3. Compare in constant time.

\`\`\`ts
const signature = header.get('x-signature');
if (!verify(signature)) throw new Error('bad');
\`\`\`

Replay protection needs the timestamp too. Old ones are refused.
`;

const termsOf = (query: string, language: string): string[] => analyse(query, language).map(({ term }) => term);
const passagesOf = (text: string, question: string, language: string, maxLength: number, count: number, title = ''): Passage[] => {
  const terms = [...new Set(termsOf(question, language))];
  const name = definedName(question);
  const asksForDefinition = name !== undefined && terms.length === 1;
  const asked = { definedName: name, asksForDefinition, asksForSteps: asksForSteps(question) };
  const answer = { answerType: answerTypeOf(question), details: answerDetailsOf(question), ...asked };
  return findPassages(
    new AnalysedText(text, language, title),
    { question, terms, known: terms.length, weights: terms.map(() => 1), ...answer },
    { maxLength, count },
  );
};
const findBestPassage = (text: string, query: string, language: string, maxLength: number): Passage =>
  passagesOf(text, query, language, maxLength, 1)[0] ?? { start: 0, end: 0, score: 0, headings: [], section: -1 };
const findHighlights = (text: string, query: string, language: string, within: TextRange): TextRange[] =>
  findMarked(new AnalysedText(text, language), termsOf(query, language), within);
const quote = (text: string, query: string, maxLength: number, language = 'en'): string => {
  const { start, end } = findBestPassage(text, query, language, maxLength);
  return text.slice(start, end);
};

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
const isBoundary = (text: string, at: number): boolean => at >= text.length || graphemes.segment(text).containing(at)?.index === at;

describe('findPassages()', () => {
  it('takes the window with most different terms, from a sentence or item on', () => {
    expect(quote(GUIDE, 'hmac secret compare', 80)).toBe('2. Compute the HMAC with your secret.\n3. Compare in constant time.');
    expect(quote(GUIDE, 'replay', 45)).toBe('Replay protection needs the timestamp too.');
  });

  it('is longer where the rest of the text says as much: what follows in the section first, then what is before', () => {
    const found = (source: string, count = 1, unsureMaxLength?: number): string[] => {
      const query = { question: 'price', terms: ['price'], known: 1, weights: [1] };
      const passages = findPassages(new AnalysedText(source, 'en'), query, { maxLength: 20, unsureMaxLength, count });
      return passages.map(({ start, end }) => source.slice(start, end));
    };
    const sure = '# Plans\n\nIt is paid.\n\nThe price is low.\n\nIt is fixed.\n\n# Refunds\n\nAsk for one.';
    const unsure = `${sure}\n\nThe price is high.\n\nPay it.`;
    expect(found(sure, 1, 60)).toEqual(['The price is low.']);
    expect(found(unsure)).toEqual(['The price is low.']);
    expect(found(unsure, 1, 32)).toEqual(['The price is low.\n\nIt is fixed.']);
    expect(found(unsure, 1, 60)).toEqual(['# Plans\n\nIt is paid.\n\nThe price is low.\n\nIt is fixed.']);
    expect(found(unsure, 2, 60)).toEqual(['The price is low.', 'The price is high.']);
  });

  it('begins with the section of the match rather than far before it', () => {
    const text = '# Keys\n\nAn introduction to keys.\n\n## Rotate\n\nAsk for a new one first. Then revoke the old one.';
    expect(quote(text, 'rotate', 60)).toMatch(/^## Rotate\n\nAsk/);
  });

  it('goes on from the words before tabs into these, with their labels, and does not end with one', () => {
    const tabs =
      'To reset the password of the admin, restart it.\n\n:::tab[Interface]\n- Set **Reset password**.\n:::\n\n:::tab[YAML]\n```yaml\nreset: true\n```\n:::\n';
    const text = `Before.\n\n:::note\nApart.\n:::\n\n${tabs}\n:::tip\nReset it often.\n:::\n`;
    const found = (length: number): string => {
      const { start, end } = findBestPassage(text, 'reset the admin password', 'en', length);
      return text.slice(start, end);
    };
    expect(found(400)).toBe(tabs.slice(0, tabs.lastIndexOf('\n:::')));
    expect(found(75)).toBe('To reset the password of the admin, restart it.');
    const shown = plainPassage('Now.\n\n:::tab[Interface]\nSet it.\n:::', []);
    expect(shown.map((part) => part.text).join('')).toBe('Now. · Interface Set it.');
    expect(
      plainPassage('> :::tab[YAML]\n> Set it.\n> :::', [])
        .map((part) => part.text)
        .join(''),
    ).toBe('YAML Set it.');
  });

  it('has a block of code with its fence, or lines of one that does not fit, and crosses no fence line then', () => {
    const code = "const signature = header.get('x-signature');\nif (!verify(signature)) throw new Error('bad');";
    expect(quote(GUIDE, 'signature', 500)).toBe(GUIDE.slice(GUIDE.indexOf('## Verify')).trim());
    expect(quote(GUIDE, 'bad signature error', 95)).toBe(code);
    expect(quote('~~~~md\n```\nprice\n```\n~~~~\nafter', 'price', 20)).toBe('```\nprice\n```');
    expect(quote('```\nprice\n\nmore\n```', 'price', 99)).toBe('```\nprice\n\nmore\n```');
  });

  it('does not run over a heading into another section, and takes headings that follow each other together', () => {
    const text = '# Guide\n\n## Price\n\nThe price is fixed.\n\n## Refund\n\nA refund is given.';
    expect(quote(text, 'guide price', 200)).toBe('# Guide\n\n## Price\n\nThe price is fixed.');
    expect(quote(text, 'refund', 200)).toBe('## Refund\n\nA refund is given.');
    fc.assert(
      fc.property(
        fc.array(fc.tuple(plainText, plainText), { minLength: 2, maxLength: 4 }),
        plainText,
        fc.integer({ min: 30, max: 300 }),
        (sections, query, length) => {
          const markdown = sections.map(([heading, body]) => `## ${heading.replace(/\s+/g, ' ')} end\n\nBody ${body}`).join('\n\n');
          expect(quote(markdown, query, length).slice(1)).not.toMatch(/\n## /);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('ends with a sentence rather than with more occurrences of words that it has already', () => {
    const text =
      'The retry waits for a minute or so. Then comes a long sentence about a retry that does not fit into the space that is left.';
    expect(quote(text, 'retry', 60)).toBe('The retry waits for a minute or so.');
    expect(quote(text, 'retry space', 130)).toMatch(/^The retry waits for a minute or so\. Then .* space that is left\.$/);
  });

  it('keeps each pair of characters whole that it marks in a script without spaces', () => {
    const text = '東京都に住む人は多い';
    for (const { start, end } of findHighlights(text, '京都に', 'ja', { start: 0, end: text.length }))
      expect('京都に').toContain(text.slice(start, end));
  });

  it('names the section of each passage, and gives several without overlap, best first', () => {
    const text =
      '# Guide\n\nIntro.\n\n## `Price` of [offers](/o)\n\nThe price is fixed.\n\n### In euros\n\nA price in euros.\n\n## Refund\n\nNo.';
    const found = passagesOf(text, 'price euros', 'en', 60, 3);
    expect(found.map(({ start, end }) => text.slice(start, end))).toEqual([
      '### In euros\n\nA price in euros.',
      '## `Price` of [offers](/o)\n\nThe price is fixed.',
    ]);
    expect(found.map(({ headings }) => headings)).toEqual([
      ['Guide', 'Price of offers', 'In euros'],
      ['Guide', 'Price of offers'],
    ]);
    expect(found.map(({ section }) => section)).toEqual([2, 1]);
    expect(passagesOf('No heading.', 'heading', 'en', 60, 3)).toMatchObject([{ headings: [], section: -1 }]);
  });

  it('does not end with a heading', () => {
    expect(quote('One price. Two.\n\n## Next\n\nThis is a longer paragraph of words.', 'price', 30)).toBe('One price. Two.');
  });

  it('neither begins nor ends with pictures without a description, and has those between its sentences', () => {
    const text = '![](a.png)\n\nOne price.\n\n![](b.png) ![](c.png)\n\nTwo prices.\n\n![](d.png)\n';
    expect(quote(text, 'price', 100)).toBe('One price.\n\n![](b.png) ![](c.png)\n\nTwo prices.');
    expect(quote(text, 'nothing', 100)).toBe('One price.');
    expect(quote('![A price](a.png)\n\nTwo.', 'price', 100)).toBe('![A price](a.png)\n\nTwo.');
  });

  it('does not end with the header of a table, unless that has the match', () => {
    const text = 'One price. Two.\n\n| Item | Cost |\n| --- | --- |\n| A long name of something | 12 euros |';
    expect(quote(text, 'price', 60)).toBe('One price. Two.');
    expect(quote(text, 'cost', 60)).toMatch(/\| Item \| Cost \|/);
  });

  it('does not take "e.g." for the end of a sentence', () => {
    expect(quote(GUIDE, 'timeout', 45)).toBe('Each is retried, e.g. after a timeout.');
  });

  it('ends with a word where no sentence ends, and with a grapheme where no word ends', () => {
    expect(quote('alpha beta gamma delta epsilon', 'beta', 14)).toBe('alpha beta');
    expect(quote('👩‍👩‍👧'.repeat(4), 'x', 20)).toBe('👩‍👩‍👧'.repeat(2));
    expect(quote('👩‍👩‍👧', 'x', 3)).toBe('');
    expect(quote('知识胶囊的检索。第二句话在这里。', '这里', 8, 'zh')).toBe('第二句话在这里。');
  });

  it.each([
    ['hi', 'भारत एक देश है। इसकी राजधानी दिल्ली है। नदी गंगा है।', 'दिल्ली', 'इसकी राजधानी दिल्ली है।'],
    ['ur', 'پہلا جملہ یہ ہے۔ دارالحکومت لاہور ہے۔ تیسرا جملہ۔', 'لاہور', 'دارالحکومت لاہور ہے۔'],
    ['ar', 'هل هذا صحيح؟ العاصمة هي القاهرة. النهاية هنا.', 'القاهرة', 'العاصمة هي القاهرة.'],
  ])('begins and ends with the marks of sentences of %s', (language, text, question, sentence) => {
    expect(quote(text, question, sentence.length, language)).toBe(sentence);
  });

  it('prefers a sentence with a number or a year where a German question asks for one', () => {
    const text = 'Die Mauer der Stadt ist alt und hoch. Die Stadt hat zwölf Tore in der Mauer. Im Jahr 1420 begann die Stadt die Mauer.';
    expect(quote(text, 'Wie viele Tore hat die Mauer der Stadt?', 45, 'de')).toBe('Die Stadt hat zwölf Tore in der Mauer.');
    expect(quote(text, 'Wann begann die Mauer der Stadt?', 45, 'de')).toBe('Im Jahr 1420 begann die Stadt die Mauer.');
    expect(['Wie viele Tore?', 'Wie hoch ist sie?', 'Wann begann es?', 'In welchem Jahr?', 'Was ist es?'].map(answerTypeOf)).toEqual([
      'number',
      'number',
      'time',
      'time',
      undefined,
    ]);
  });

  it.each([
    ['How large is a key?', 'en', 'A key of version 2 replaces others. A key has 32 bytes, or 43 letters.'],
    ['How many keys may a client have?', 'en', 'Clients may rotate their 3 keys daily. At most 5 keys may belong to clients.'],
    ['Where is the list of keys?', 'en', 'The list of keys is a short file. The list of keys is at `/keys.json`.'],
    ['media type of a list', 'en', 'The media type of a list is registered. The media type of a list is `text/csv`.'],
    ['Which field names the key?', 'en', 'Another field of it names the key. The field `kid` names the key.'],
    ['Wie groß ist ein Schlüssel?', 'de', 'Ein Schlüssel der Version 2 ist neu. Ein Schlüssel hat 32 Bytes Länge.'],
  ])('prefers what has the form of the answer to "%s"', (question, language, text) => {
    const [, answer = ''] = text.split(/(?<=\.) /);
    expect(quote(text, question, answer.length, language)).toBe(answer);
  });

  it('counts the words of the title for the rows of a table, which seldom have them', () => {
    const text = 'A signature has two parts.\n\n| Part | Length |\n| --- | --- |\n| Key | 32 bytes |\n| Signature | 64 bytes |';
    const terms = termsOf('quartz signature', 'en');
    const scoresWith = (title: string): { sentence: number; row: number } => {
      const query = { question: '', terms, known: terms.length, weights: terms.map(() => 1) };
      const { scores, units } = scoreUnits(new AnalysedText(text, 'en', title), query, 100);
      return { sentence: scores[0] ?? 0, row: scores[units.length - 1] ?? 0 };
    };
    expect(scoresWith('Quartz').row).toBeGreaterThan(scoresWith('Other').row);
    expect(scoresWith('Quartz').sentence).toBe(scoresWith('Other').sentence);
  });

  it.each([
    ['ar', 'متى بُنيت المدينة؟', 'بُنيت المدينة على تلة عالية جدا.', 'بُنيت المدينة في القرن العاشر.'],
    ['zh', '这座城市有多少人口？', '这座城市的人口很稠密。', '这座城市的人口三百万。'],
    ['zh', '这座城市是哪一年建立的？', '这座城市是古代建立的。', '这座城市是1850年建立的。'],
    ['ja', 'この都市にはいくつの橋がありますか', 'この都市には古い橋があります。', 'この都市には12の橋があります。'],
    ['ko', '이 도시에는 다리가 몇 개 있습니까', '이 도시에는 오래된 다리가 있습니다.', '이 도시에는 다리가 12개 있습니다.'],
    ['es', '¿Cuántos puentes tiene la ciudad?', 'La ciudad tiene puentes antiguos.', 'La ciudad tiene 12 puentes.'],
    ['it', 'Quanti ponti ha la città?', 'La città ha ponti antichi.', 'La città ha 12 ponti.'],
    ['pt', 'Quantos pontos tem a cidade?', 'A cidade tem pontos antigos.', 'A cidade tem 12 pontos.'],
    ['nl', 'Hoeveel bruggen heeft de stad?', 'De stad heeft oude bruggen.', 'De stad heeft 12 bruggen.'],
    ['ko', '다리는 언제 지었습니까', '다리는 오래전에 지었습니다.', '다리는 1850년에 지었습니다.'],
    ['ja', '橋はいつ建てられましたか', '橋は昔に建てられました。', '橋は1850年に建てられました。'],
    ['fr', 'Quand le pont a-t-il été construit ?', 'Le pont a été construit jadis.', 'Le pont a été construit en 1850.'],
    ['es', '¿Cuándo se construyó el puente?', 'El puente se construyó hace mucho.', 'El puente se construyó en 1850.'],
    ['it', 'Quando fu costruito il ponte?', 'Il ponte fu costruito tempo fa.', 'Il ponte fu costruito nel 1850.'],
    ['nl', 'Wanneer is de brug gebouwd?', 'De brug is lang geleden gebouwd.', 'De brug is in 1850 gebouwd.'],
    ['fr', 'Combien de ponts la ville possède ?', 'La ville possède des ponts anciens.', 'La ville possède 12 ponts.'],
    ['ru', 'Когда построен мост?', 'Мост построен давно.', 'Мост построен в 1850 году.'],
  ])('prefers a number or a time where a question asks for one (%s): %s', (language, question, other, answer) => {
    const text = `${other}${/[\u3040-\u9fff]/.test(other) ? '' : ' '}${answer}`;
    expect(quote(text, question, Math.max(answer.length, other.length), language)).toBe(answer);
    expect(answerTypeOf(question)).toMatch(/number|time/);
  });

  it('takes words that begin like a question for a number or a time for none', () => {
    expect(['他在很多大学教书', '许多高校', 'いつもの橋', 'あいつの橋', 'a theory of quanta'].map(answerTypeOf)).toEqual(
      Array(5).fill(undefined),
    );
    expect(hasAnswerOf('time', 'الطعام لذيذ')).toBe(false);
  });

  it('takes no part of a name, number of a section or letter for a value', () => {
    expect(
      ['Ed25519 signs', 'section 7.3 of RFC 9110', 'Section 7.3', 'one list of them', 'SHA-256'].filter((text) =>
        hasAnswerOf('number', text),
      ),
    ).toEqual([]);
    expect(['Ed25519 has 64 bytes', 'RFC 9110 has two', 'It is -40 °C.'].filter((text) => !hasAnswerOf('number', text))).toEqual([]);
    expect(['a path with a file', 'an API hash', 'Ed25519 signs'].filter((text) => hasAnswerOf('duration', text))).toEqual([]);
    expect(
      ['an hour', '24 hours', '10ms', '1 to 255 characters', 'a few more days'].filter((text) => !hasAnswerOf('duration', text)),
    ).toEqual([]);
  });

  it('gives the first paragraph that is no heading when nothing matches', () => {
    const first = 'Webhooks tell your server what happened. They are sent once.';
    expect(quote(GUIDE, 'nothing', 70)).toBe(first);
    expect(quote('Short.\n\nNext paragraph.', 'nothing', 200)).toBe('Short.');
    expect(quote('# Only a heading', 'nothing', 200)).toBe('# Only a heading');
    expect(quote('```\ncode\n```', 'nothing', 200)).toBe('```\ncode\n```');
    expect(quote(GUIDE, 'what is the', 70)).toBe(first);
  });

  it.each(['', ' \n\n ', '```\n```', '\n~~~'])('gives an empty range for blank text (%j)', (text) => {
    expect(quote(text, 'price', 10)).toBe('');
  });

  it('gives the opening where readers ask for the text as a whole, rather than a row that has one of their words by chance', () => {
    const text =
      '# Proposals\n\nAnybody can propose a correction.\n\n## Members\n\n| Member | Meaning |\n|---|---|\n| `kind` | `opinion` or `reported` |\n\n## Mistakes in the index\n\nWe report each mistake of ours here.\n';
    const askedBy = ['report', 'mistake', 'wrong', 'typo', 'suggest'];
    const quoted = (question: string, words: readonly string[], source = text): string => {
      const terms = [...new Set(termsOf(question, 'en'))];
      const query = { question, terms, known: terms.length, weights: terms.map(() => 1) };
      const [{ start, end } = { start: 0, end: 0 }] = findPassages(new AnalysedText(source, 'en', 'Proposals', words), query, {
        maxLength: 90,
        count: 1,
      });
      return source.slice(start, end);
    };
    const short = text.slice(0, text.indexOf('## Mistakes'));
    expect(quoted('report a typo or what is wrong', [], short)).toContain('| `kind` | `opinion` or `reported` |');
    expect(quoted('report a typo or what is wrong', askedBy, short)).toBe('Anybody can propose a correction.');
    // Words of the title say nothing about a passage.
    expect(quoted('how do I make a proposal', askedBy)).toBe('Anybody can propose a correction.');
    // A passage that has what readers ask for is quoted.
    expect(quoted('report a mistake', askedBy)).toContain('We report each mistake of ours here.');
  });

  it('finds a match deep inside a sentence that is longer than the passage', () => {
    expect(quote(`${'word '.repeat(200)}needle ${'word '.repeat(200)}`, 'needle', 40)).toMatch(/^needle word/);
  });

  it('says where it is cut, which only a sentence that does not fit is', () => {
    const cutOf = (text: string, query: string, length: number) => passagesOf(text, query, 'en', length, 1)[0]?.cut;
    expect(cutOf(GUIDE, 'hmac', 80)).toBeUndefined();
    expect(cutOf(`${'word '.repeat(200)}needle ${'word '.repeat(200)}`, 'needle', 40)).toEqual({ start: true, end: true });
    expect(cutOf(`Needle ${'word '.repeat(200)}`, 'needle', 40)).toEqual({ end: true });
  });

  it('continues with the clauses of the next sentence that fit, in Arabic and Chinese too', () => {
    const cut = { end: true };
    const best = (text: string, query: string, language: string, length: number) => {
      const { start, end, cut } = findBestPassage(text, query, language, length);
      return { quote: text.slice(start, end), cut };
    };
    const english = 'The needle is here. It was found by chance, and then lost for a long time.';
    expect(best(english, 'needle', 'en', 60)).toEqual({ quote: 'The needle is here. It was found by chance,', cut });
    const arabic = 'كانت الإبرة هنا. ثم وجدها الولد صدفة، وبعد ذلك ضاعت لزمن طويل.';
    expect(best(arabic, 'الإبرة', 'ar', 50)).toEqual({ quote: 'كانت الإبرة هنا. ثم وجدها الولد صدفة،', cut });
    expect(best('那根针就在这里。后来一个孩子偶然发现了它，然后又丢失了很长时间。', '针就在', 'zh', 27)).toEqual({
      quote: '那根针就在这里。后来一个孩子偶然发现了它，',
      cut,
    });
  });

  it('has as many clauses as fit of a sentence that is too long', () => {
    const clause = 'of it one part is as long as any other,';
    const text = `The needle, ${clause} ${clause} ${clause} ${clause} ${clause} ${clause} and so it ends.`;
    const { start, end } = findBestPassage(text, 'needle', 'en', 220);
    expect(text.slice(start, end)).toBe(`The needle, ${clause} ${clause} ${clause} ${clause} ${clause}`);
  });

  it('tears no sentence, list item or table row that fits', () => {
    const sentence = fc
      .tuple(fc.constantFrom('Cache', 'Retry', 'Price'), fc.constantFrom('', ' of the offer', ', a key'))
      .map(([a, b]) => `${a} it${b}.`);
    const list = fc.array(sentence, { minLength: 1, maxLength: 4 }).map((items) => items.map((item) => `- ${item} So it is.`));
    const table = fc
      .array(sentence, { minLength: 1, maxLength: 4 })
      .map((rows) => ['| a | b |', ...rows.map((row) => `| ${row} Yes. | x |`)]);
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            sentence.map((one) => [one]),
            list,
            table,
          ),
          { minLength: 1, maxLength: 5 },
        ),
        fc.constantFrom('cache', 'offer key', 'price retry'),
        fc.integer({ min: 45, max: 200 }),
        (blocks, query, length) => {
          const lines = blocks.map((block) =>
            (block[0]?.startsWith('|') ? [block[0], '| --- | --- |', ...block.slice(1)] : block).join('\n'),
          );
          const text = lines.join('\n\n');
          for (const { start, end, cut } of passagesOf(text, query, 'en', length, 3)) {
            const passage = text.slice(start, end);
            expect(cut).toBeUndefined();
            for (const line of passage.split('\n')) expect(text.split('\n')).toContain(line);
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('gives passages without overlap, each with a match, the first with the answer if there is one, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(hostileText, plainText), plainText, fc.integer({ min: 20, max: 90 }), (text, query, length) => {
        const found = passagesOf(text, query, 'en', length, 3);
        expect(found.length).toBeGreaterThan(0);
        const ordered = found.toSorted((a, b) => a.start - b.start);
        for (const [at, { start }] of ordered.entries()) expect(start).toBeGreaterThanOrEqual(ordered[at - 1]?.end ?? 0);
        for (const { answer } of found.slice(1)) expect(answer).toBeUndefined();
        const [first] = found;
        if (first?.answer) {
          expect(first.answer.start).toBeGreaterThanOrEqual(first.start);
          expect(first.answer.end).toBeLessThanOrEqual(first.end);
          expect(text.slice(first.answer.start, first.answer.end).trim()).not.toBe('');
        }
        // Of a word that is longer than a passage, a passage has a part, where nothing is marked.
        const matches = found.map((range) => findHighlights(text, query, 'en', range).length > 0);
        if (analyse(text, 'en').every(({ start, end }) => end - start <= length)) expect(new Set(matches).size).toBe(1);
        if (/\p{L}/u.test(text) && !/[^ -~\n]|[`~]/.test(text)) expect(found[0]?.end).toBeGreaterThan(found[0]?.start ?? 0);
      }),
      { numRuns: 150 },
    );
  });

  it('prefers what defines a word that is asked for, and what has the kind of value that is asked for', () => {
    const text =
      'A nonce must be fresh for each nonce check of the server.\n\nServers often log the nonce check.\n\nA nonce is a number used once.\n\nThe nonce lifetime is short for servers. A nonce lifetime of 300 seconds is usual.';
    expect(quote(text, 'What is a nonce?', 60)).toBe('A nonce is a number used once.');
    expect(quote(text, 'How long is the nonce lifetime?', 60)).toContain('300 seconds');
  });

  it('does not take the day of a German date, or the number of a century, for the end of a sentence', () => {
    const text = 'Es begann im 18. Jahrhundert. Sie endete am 12. Mai 1705 in der Stadt. Danach war Ruhe.';
    expect(quote(text, 'endete', 45, 'de')).toBe('Sie endete am 12. Mai 1705 in der Stadt.');
    expect(quote(text, 'begann', 35, 'de')).toBe('Es begann im 18. Jahrhundert.');
    expect(quote('They were 12. Maria left. Others came.', 'maria', 16)).toBe('Maria left.');
  });

  it('finds parts of compounds, other forms of a stem, and Arabic words with an article or preposition', () => {
    const rails = 'Der Ort ist alt. Dort hielt die Schmalspureisenbahn. Er war sehr populär.';
    expect(quote(rails, 'bahn', 40, 'de')).toBe('Dort hielt die Schmalspureisenbahn.');
    expect(quote(rails, 'Popularität', 25, 'de')).toBe('Er war sehr populär.');
    expect(quote('كان الولد هنا. ذهب الناس للمدرسة. ثم عادوا.', 'المدرسة', 22, 'ar')).toBe('ذهب الناس للمدرسة.');
  });

  it('counts the words of a name that stand together everywhere little more than one word', () => {
    const text = `${'The Black Death came to town. '.repeat(9)}Physicians blamed the stars. ${'The Black Death went on. '.repeat(9)}`;
    expect(quote(text, 'black death blamed', 30)).toBe('Physicians blamed the stars.');
  });

  it('takes related words where the text has nothing else', () => {
    const text = 'Introduction to everything.\n\nThe signature covers the body.';
    expect(quote(text, 'signatures cacheable', 40)).toBe('The signature covers the body.');
    expect(quote('Introduction to everything.\n\nIt was governed well.', 'government', 40)).toBe('It was governed well.');
  });

  it('throws RangeError for a length that is no positive integer', () => {
    for (const length of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => findBestPassage('text', 'text', 'en', length)).toThrow(RangeError);
    }
  });

  it('fits, begins and ends between graphemes, has no blank edges, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.oneof(hostileText, plainText),
        fc.oneof(hostileText, plainText),
        fc.integer({ min: 1, max: 90 }),
        (text, query, length) => {
          const { start, end } = findBestPassage(text, query, 'en', length);
          expect(start).toBeGreaterThanOrEqual(0);
          expect(end).toBeGreaterThanOrEqual(start);
          expect(end - start).toBeLessThanOrEqual(length);
          expect(end).toBeLessThanOrEqual(text.length);
          expect(isBoundary(text, start)).toBe(true);
          expect(isBoundary(text, end)).toBe(true);
          const passage = text.slice(start, end);
          expect(passage).toBe(passage.trimEnd());
          if (!/^\s[\p{M}\u200c\u200d]/u.test(passage)) expect(passage).toBe(passage.trimStart());
        },
      ),
      { numRuns: 250 },
    );
  });

  const answer = (text: string, question: string): string | undefined => {
    const [{ answer: found } = {}] = passagesOf(text, question, 'en', 480, 2);
    return found && text.slice(found.start, found.end);
  };

  it('says which of its sentences, items or rows answers, without mark and notes, where one leads by far', () => {
    const keys = 'Agents register first. A key expires after 90 days.[^a][^b] Old ones are refused. See the guide.';
    expect(answer(keys, 'after how many days does a key expire?')).toBe('A key expires after 90 days.');
    expect(answer(`${keys} A key that expires is renewed after days.`, 'after which days does a key expire?')).toBeUndefined();
    expect(answer(keys, 'which guide tells merchants about taxes in Norway?')).toBeUndefined();
    expect(answer(GUIDE, 'compute the HMAC')).toBe('Compute the HMAC with your secret.');
    expect(answer(GUIDE, 'header get x-signature const')).toBeUndefined();
    const table = '| Plan | Price |\n| --- | --- |\n| Small team | 9 |\n| Big company | 90 |';
    expect(answer(table, 'big company')).toBe('| Big company | 90 |');
    expect(passagesOf(table, 'big company', 'en', 480, 2)[0]?.answer?.tableHeader).toBe('| Plan | Price |');
    expect(answer(table, 'plan price')).toBeUndefined();
  });

  it('states no answer where another sentence of the text, in the passage or not, says nearly as much', () => {
    const rival = 'A key of a partner expires after 30 days.';
    const text = `A key expires after 90 days. Old ones are refused.${'\n\nNothing else is said here.'.repeat(20)}`;
    expect(answer(text, 'after which days does a key of an agent expire?')).toBe('A key expires after 90 days.');
    expect(answer(`${text}\n\n${rival}`, 'after which days does a key of an agent expire?')).toBeUndefined();
  });

  it('states a size or a media type only where the answer has one', () => {
    const rest = ' See the guide. It is short.';
    const questions = ['how big may a robots file be?', 'media type of a robots file'];
    for (const question of questions) expect(answer(`A robots file has 2 parts.${rest}`, question)).toBeUndefined();
    const [size, type] = ['A robots file has 500 KiB at most.', 'A robots file is `text/plain`.'];
    expect(questions.map((question, at) => answer([size, type][at] + rest, question))).toEqual([size, type]);
  });

  it('states a sentence that refers back with the one before it, of the same paragraph and passage', () => {
    const question = 'how often must maintainers rotate the secret?';
    for (const [subject, statement] of [
      ['A secret signs them.', 'It must be rotated every week by maintainers.'],
      ['The secret signs them.', 'This must be rotated every week by maintainers.'],
    ]) {
      expect(answer(`Requests are sent. ${subject} ${statement}`, question)).toBe(`${subject} ${statement}`);
      expect(answer(`${subject}\n\n${statement} The end.`, question)).toBe(statement);
    }
    const packets = 'Pakete werden gesendet. Das Protokoll wiederholt eine Bestätigung.';
    const [german] = passagesOf(packets, 'Protokoll wiederholt Bestätigung', 'de', 480, 1);
    expect(german?.answer).toMatchObject({ start: packets.indexOf('Das') });
    const [cut] = passagesOf('A secret signs them. It must be rotated every week by maintainers.', question, 'en', 50, 1);
    expect(cut?.answer).toMatchObject({ start: 21 });
    expect(answer('A secret signs them. Maintainers must rotate the secret every week.', question)).toBe(
      'Maintainers must rotate the secret every week.',
    );
  });

  it('states why only with a cause, which a sentence with all words of the question may lack', () => {
    const rest = ' Requests are sent. Servers answer them.';
    const [restated, cause] = ['A key of an agent expires.', 'A key of an agent expires because it may be lost.'];
    expect(answer(restated + rest, 'Why does a key of an agent expire?')).toBeUndefined();
    expect(answer(restated + rest, 'Does a key of an agent expire?')).toBe(restated);
    expect(answer(cause + rest, 'Why does a key of an agent expire?')).toBe(cause);
  });

  it('states no sentence for a question for instructions, and prefers what leads to code', () => {
    const text = 'Rotate the secret of a webhook every week.\n\nThis rotates the secret of a webhook:\n\n```sh\nakg rotate\n```\n';
    const asked = [
      'How do I rotate the secret of a webhook?',
      'how to rotate the secret of a webhook',
      'Wie kann ich webhook secret rotate',
    ];
    for (const question of asked) expect(answer(text, question)).toBeUndefined();
    expect(answer(text, 'Is the secret of a webhook to rotate every week?')).toBe('Rotate the secret of a webhook every week.');
    expect(quote(text, 'How do I rotate a secret of a webhook?', 45)).toMatch(/^This rotates/);
  });

  it.each([
    [
      true,
      [
        'How can one rotate keys?',
        'So, how do I do it?',
        'How to sign',
        'Wie füge ich sie hinzu?',
        'wie könnte man es tun',
        'Wie man signiert',
      ],
    ],
    [
      false,
      [
        'How many one-time keys can an agent have?',
        'How does one key differ from another?',
        'How long we keep logs',
        'wie lange man wartet',
      ],
    ],
    [
      false,
      ['Which command tells how to build?', 'Wie viele haben wir?', 'How is one agent limited?', 'how much my key costs', 'somehow to'],
    ],
    [false, ['How do I know which key is mine?', 'how can you tell them apart', 'Wie nennt man das?', 'Wie erkenne ich sie?']],
  ])('knows questions for instructions (%s): %j', (expected, questions) => {
    expect(questions.map(asksForSteps)).toEqual(questions.map(() => expected));
  });

  it('answers what the subject of a title is by a definition, or else by the opening', () => {
    const table = '\n\n## Numbers\n\n| Rank | Gain |\n| --- | --- |\n| DCG at 5 | DCG 4.387 |\n\nDCG falls with DCG.';
    const [opening, definition] = ['Judging by eye finds what one looks for.', 'DCG is the sum of all gains.'];
    const quoted = (text: string, question: string, title: string): [string, string | undefined] => {
      const [{ start, end, answer: found } = { start: 0, end: 0 }] = passagesOf(text, question, 'en', 80, 1, title);
      return [text.slice(start, end), found && text.slice(found.start, found.end)];
    };
    const title = 'DCG measures rankings';
    expect(quoted(opening + table, 'What is DCG?', title)).toEqual([opening, undefined]);
    for (const query of ['What does DCG mean?', 'dcg']) expect(quoted(opening + table, query, 'The DCG')[0]).toBe(opening);
    expect(quoted(opening + table, 'What is DCG?', 'Rankings by DCG')[0]).not.toBe(opening);
    const [passage, stated] = quoted(`${opening + table}\n\n## Meaning\n\n${definition}`, 'What is DCG?', title);
    const code = '```text\n# the sitemap is a file\n```\n\nA sitemap is a list of pages.';
    expect(answer(code, 'What is a sitemap?')).toBe('A sitemap is a list of pages.');
    expect([passage, stated]).toEqual([`## Meaning\n\n${definition}`, definition]);
  });

  it.each([
    ['sitemap', 'A sitemap is a list.', true],
    ['sitemap', 'In short: the sitemap is a list.', true],
    ['sitemap', '`sitemap` sets the name of the list.', true],
    ['sitemap', 'The address list (sitemap, in XML) helps.', true],
    ['recall', 'It raises recall, the share of what is found.', true],
    ['einstein', 'Albert Einstein was a physicist.', true],
    ['etag', 'An HTTP ETag is a name of a version.', true],
    ['x', 'İİİ. X is a thing.', true],
    ['sitemap', 'The date on which the sitemap was made counts.', false],
    ['sitemap', 'Each month, the sitemap was generated.', false],
    ['server', 'The server sets a cookie.', false],
    ['cache', 'It needs a database, a cache, a queue and a worker.', false],
    ['kv', 'Blocks are in stores (KV, D1) of the platform.', false],
  ])('says whether %s is defined by "%s": %s', (name, text, expected) => expect(defines(name, text)).toBe(expected));

  it('says how many only where the answer has what is counted, and how often only where it has a frequency', () => {
    const answer = (text: string, question: string): string | undefined => {
      const terms = [...new Set(termsOf(question, 'en'))];
      const weights = terms.map(() => 1);
      const places = terms.map((term) => analyse(question, 'en').filter((token) => token.term === term));
      const counted = countedTerm(
        question,
        terms.map((_, at) => ({ places: places[at] ?? [] })),
      );
      const query = { question, terms, known: terms.length, weights, answerType: answerTypeOf(question), counted };
      const [{ answer: found } = {}] = findPassages(new AnalysedText(text, 'en'), query, { maxLength: 480, count: 1 });
      return found && text.slice(found.start, found.end);
    };
    const rest = ' See the guide. It is short.';
    expect(answer(`A signed message splits two jobs.${rest}`, 'How many fields does a signed message have?')).toBeUndefined();
    const counted = 'A signed message has six fields.';
    expect(answer(counted + rest, 'How many fields does a signed message have?')).toBe(counted);
    expect(answer(`Both stemmers differ in two regions.${rest}`, 'How often do both stemmers differ?')).toBeUndefined();
    const frequency = 'Both stemmers differ in 5 % of words.';
    expect(answer(frequency + rest, 'How often do both stemmers differ?')).toBe(frequency);
  });

  it('holds a match where a matching word fits', () => {
    fc.assert(
      fc.property(plainText, plainText, fc.integer({ min: 20, max: 90 }), (text, query, length) => {
        const wanted = new Set(analyse(query, 'en').map(({ term }) => term));
        const matches = analyse(text, 'en').some(({ term }) => wanted.has(term));
        const range = findBestPassage(text, query, 'en', length);
        expect(findHighlights(text, query, 'en', range).length > 0).toBe(matches);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    'retry '.repeat(30_000),
    `${'.'.repeat(200_000)} retry`,
    `${' '.repeat(200_000)}. retry`,
    '- retry\n'.repeat(20_000),
    '1. '.repeat(60_000),
    `a${'\u0301'.repeat(200_000)}`,
    `${'`'.repeat(100_000)}a\``,
  ])('reads a hostile run to its end (%#)', (text) => {
    const { start, end } = findBestPassage(text, 'retry', 'en', 300);
    expect(end - start).toBeLessThanOrEqual(300);
  });
});

describe('passageQuery()', () => {
  it('counts a name with known parts once, and has the words that no document has', async () => {
    const body = 'Join parts with os.path, from fetchUser on.';
    const index = openIndex(encodeDocuments([{ id: 'a', language: 'en', title: 'Paths', headings: [], tags: [], summary: '', body }]));
    const { plan } = await search(index, 'os.path fetchUser zzyzx', { limit: 1 });
    const { terms, known, weights } = passageQuery('os.path fetchUser zzyzx', plan, 1);
    expect(Object.fromEntries(terms.map((term, at) => [term, (weights[at] ?? 0) > 0]))).toMatchObject({
      ospath: false,
      os: true,
      path: true,
      fetchus: false,
      user: true,
      zzyzx: true,
    });
    expect(terms.indexOf('zzyzx')).toBeGreaterThanOrEqual(known);
    const apart = passageQuery('os path fetchUser zzyzx', plan, 1);
    expect(weights[terms.indexOf('path')]).toBeLessThan(apart.weights[terms.indexOf('path')] ?? 0);
  });

  it.each([
    ['en', 'How big are cities?', 'Are big cities?', 'big'],
    ['de', 'Wie schnell wachsen Städte?', 'Städte schnell wachsen?', 'schnell'],
  ])('counts the adjective of a question for a degree little: %s', async (language, question, other, adjective) => {
    const documents = [{ id: 'a', language, title: '', headings: [], tags: [], summary: '', body: question }];
    const index = openIndex(encodeDocuments(documents));
    const weightIn = async (asked: string): Promise<number> => {
      const { plan } = await search(index, asked, { limit: 1 });
      const { terms, weights } = passageQuery(asked, plan, 1);
      return weights[terms.indexOf(analyse(adjective, language)[0]?.term ?? '')] ?? Number.NaN;
    };
    expect(await weightIn(question)).toBeCloseTo((await weightIn(other)) * DEGREE_WEIGHT);
  });

  it.each([
    ['zh', '城市的人口', '市的', '城市'],
    ['ja', '城市の人口', '市の', '城市'],
  ])('counts a pair of characters with a particle little: %s', async (language, question, particle, word) => {
    const documents = [{ id: 'a', language, title: '', headings: [], tags: [], summary: '', body: `${question}。` }];
    const { plan } = await search(openIndex(encodeDocuments(documents)), question, { limit: 1 });
    const { terms, weights } = passageQuery(question, plan, 1);
    expect(weights[terms.indexOf(particle)]).toBe((weights[terms.indexOf(word)] ?? 0) / 4);
  });
});

describe('findHighlights()', () => {
  it('counts from the start of the passage', () => {
    const text = 'Before. Offers and an offer.';
    const within = { start: 8, end: text.length };
    expect(findHighlights(text, 'offer', 'en', within)).toEqual([
      { start: 0, end: 6 },
      { start: 14, end: 19 },
    ]);
  });

  it('marks a whole name rather than its parts, and a part where only that matches', () => {
    const all = (text: string, query: string): string[] =>
      findHighlights(text, query, 'en', { start: 0, end: text.length }).map(({ start, end }) => text.slice(start, end));
    expect(all('call fetchUser now', 'fetchUser')).toEqual(['fetchUser']);
    expect(all('call fetchUser now', 'user')).toEqual(['User']);
  });

  it('marks nothing outside and nothing for stop words', () => {
    expect(findHighlights('offer here', 'offer', 'en', { start: 5, end: 10 })).toEqual([]);
    expect(findHighlights('what is the offer', 'what is', 'en', { start: 0, end: 17 })).toEqual([]);
  });

  it('gives ranges that ascend, do not overlap, and are words of the query', () => {
    fc.assert(
      fc.property(fc.oneof(hostileText, plainText), plainText, (text, query) => {
        const within = findBestPassage(text, query, 'en', 60);
        const passage = text.slice(within.start, within.end);
        let last = 0;
        for (const { start, end } of findHighlights(text, query, 'en', within)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          last = end;
        }
        expect(last).toBeLessThanOrEqual(passage.length);
      }),
      { numRuns: 150 },
    );
  });

  it('throws RangeError for what is no range of the text', () => {
    for (const [start, end] of [
      [-1, 2],
      [2, 1],
      [0, 99],
      [0.5, 2],
      [Number.NaN, 2],
    ] as const) {
      expect(() => findHighlights('text', 'text', 'en', { start, end })).toThrow(RangeError);
    }
  });
});
