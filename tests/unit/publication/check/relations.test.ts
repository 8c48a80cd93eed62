import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkLineage, type Relations } from '../../../../src/publication/check/check-capsules.ts';
import { capsule, type Files, problemsOf } from '../content-world.ts';

const named = (fields: Record<string, Record<string, string>>): Files => ({
  'capsules/a-capsule.md': undefined,
  ...Object.fromEntries(Object.entries(fields).map(([id, more]) => [`capsules/${id}.md`, capsule(more)])),
});
const supersedes = (id: string): string => `[{ capsule: ${id}, reason: It says more than that. }]`;
const LINE = 12;

test('a deleted capsule that was published is to be restored, whatever names it', async () => {
  const version = { capsule: 'gone', version: '1.0.0', updated: '2026-01-01', text: 'a'.repeat(64), record: 'b'.repeat(64) };
  const files = named({ a: { supersedes: supersedes('gone') } });
  expect(await problemsOf({ ...files, 'published.jsonl': `${JSON.stringify(version)}\n` })).toEqual([
    expect.stringMatching(
      /^capsules\/a\.md:12 supersedes\[0\]\.capsule: names the capsule "gone", which was published, but content\/capsules\/gone\.md is missing; restore the file/,
    ),
  ]);
});

describe('relations between capsules are refused', () => {
  test.each<[name: string, files: Files, problems: string[]]>([
    [
      'to a capsule that is not there',
      named({ a: { derived_from: '[gone]' } }),
      [`capsules/a.md:${LINE} derived_from[0]: names the capsule "gone", which does not exist; check its spelling`],
    ],
    [
      'to a capsule by its path',
      named({ a: { cites: '[a/b]' } }),
      [`capsules/a.md:${LINE} cites[0]: must be lower-case letters and digits in groups joined by single hyphens, such as "http-caching"`],
    ],
    ['to the capsule itself', named({ a: { cites: '[a]' } }), [`capsules/a.md:${LINE} cites[0]: names the capsule itself; delete it`]],
    [
      'to the capsule itself as its origin',
      named({ a: { derived_from: '[a]' } }),
      [`capsules/a.md:${LINE} derived_from[0]: names the capsule itself; delete it`],
    ],
    [
      'to the capsule itself as what it replaces',
      named({ a: { supersedes: supersedes('a') } }),
      [`capsules/a.md:${LINE} supersedes[0].capsule: names the capsule itself; delete it`],
    ],
    [
      'to a draft',
      named({ a: { cites: '[b]' }, b: { draft: 'true' } }),
      [`capsules/a.md:${LINE} cites[0]: names the capsule "b", which is a draft; publish it too, or delete the relation`],
    ],
    ['that are named twice', named({ a: { cites: '[b, b]' }, b: {} }), [`capsules/a.md:${LINE} cites: names "b" twice; delete one`]],
    [
      'in a circle of two',
      named({ a: { derived_from: '[b]' }, b: { derived_from: '[a]' } }),
      [`capsules/b.md:${LINE} derived_from: closes a cycle: a -> b -> a`],
    ],
    [
      'in a circle over two kinds',
      named({ a: { derived_from: '[b]' }, b: { supersedes: supersedes('a') } }),
      [`capsules/b.md:${LINE} supersedes: closes a cycle: a -> b -> a`],
    ],
    [
      'by which two replace one',
      named({ a: { supersedes: supersedes('c') }, b: { supersedes: supersedes('c') }, c: {} }),
      [`capsules/b.md:${LINE} supersedes[0].capsule: supersedes "c", but "a" does already; only one capsule may`],
    ],
    [
      'on the line of the item in a list over lines',
      named({ a: { cites: '\n  - b\n  - gone\n  - c' }, b: {}, c: {} }),
      [`capsules/a.md:${LINE + 2} cites[1]: names the capsule "gone", which does not exist; check its spelling`],
    ],
  ])('%s', async (_name, files, problems) => {
    expect(await problemsOf(files)).toEqual(problems);
  });

  test('all at once, in a fixed order', async () => {
    const problems = await problemsOf(
      named({ a: { derived_from: '[a, gone]' }, b: { derived_from: '[c]' }, c: { derived_from: '[b]' }, d: { cites: '[b, b, lost]' } }),
    );
    expect(problems).toEqual([
      `capsules/a.md:${LINE} derived_from[0]: names the capsule itself; delete it`,
      `capsules/a.md:${LINE} derived_from[1]: names the capsule "gone", which does not exist; check its spelling`,
      `capsules/c.md:${LINE} derived_from: closes a cycle: b -> c -> b`,
      `capsules/d.md:${LINE} cites: names "b" twice; delete one`,
      `capsules/d.md:${LINE} cites[2]: names the capsule "lost", which does not exist; check its spelling`,
    ]);
  });

  test('but not because the other capsule has a fault of its own', async () => {
    expect(await problemsOf(named({ a: { cites: '[b]', derived_from: '[b]' }, b: { evidence: 'guessed' } }))).toEqual([
      'capsules/b.md:7 evidence: must be one of opinion, reported, documented, specified, measured',
    ]);
  });
});

test('references in a circle and drafts that name each other are taken', async () => {
  expect(
    await problemsOf(named({ a: { cites: '[b]' }, b: { cites: '[a]' }, c: { draft: 'true', derived_from: '[d]' }, d: { draft: 'true' } })),
  ).toEqual([]);
});

describe('translations', () => {
  test('stand around one original, drafts too', async () => {
    const original = { translation_of: 'a' };
    expect(
      await problemsOf(
        named({
          a: {},
          b: { language: 'de', ...original },
          c: { language: 'pt-BR', ...original },
          d: { draft: 'true', language: 'fr', ...original },
        }),
      ),
    ).toEqual([]);
  });

  test('are refused all at once where they name no original, or have a language twice', async () => {
    const of = (original: string, language: string, more: Record<string, string> = {}): Record<string, string> => ({
      ...more,
      language,
      translation_of: original,
    });
    const problems = await problemsOf({
      ...named({
        a: {},
        b: of('a', 'de'),
        bb: of('a', 'de'),
        chain: of('b', 'fr'),
        circle: of('circle-too', 'it'),
        'circle-too': of('circle', 'es'),
        draft: { draft: 'true' },
        own: of('own', 'de'),
        paid: { access: 'paid', price_usd: '1' },
        same: of('a', 'en'),
        unknown: of('gone', 'de'),
        'of-draft': of('draft', 'de'),
        'of-paid': of('paid', 'de'),
      }),
      'pages/about.md': '# About\n\nThis page says who writes here.\n',
      'pages/chain.md': '---\nlanguage: fr\ntranslation_of: ueber\n---\n\n# À propos\n\nCette page dit qui écrit ici.\n',
      'pages/same.md': '---\ntranslation_of: about\n---\n\n# About us\n\nThis page says who writes here.\n',
      'pages/ueber.md': '---\nlanguage: de\ntranslation_of: about\n---\n\n# Über uns\n\nDiese Seite sagt, wer hier schreibt.\n',
      'pages/unknown.md': '---\nlanguage: de\ntranslation_of: imprint\n---\n\n# Impressum\n\nDiese Seite sagt, wer hier schreibt.\n',
    });
    const isOfSet = (problem: string): boolean => problem.includes('translation_of');
    expect(problems.filter(isOfSet)).toEqual([
      'capsules/bb.md:13 translation_of: names "a", of which "b" is the translation into de already; delete the field in one of them',
      'capsules/chain.md:13 translation_of: names "b", which is itself a translation; write "translation_of: a"',
      'capsules/circle-too.md:13 translation_of: names "circle", which is a translation of this text; delete the field in the original',
      'capsules/circle.md:13 translation_of: names "circle-too", which is a translation of this text; delete the field in the original',
      'capsules/of-draft.md:13 translation_of: names the capsule "draft", which is a draft; publish it too, or delete the relation',
      'capsules/of-paid.md:13 translation_of: names the capsule "paid", which is paid and not published without payments; only a paid capsule may name a paid one',
      'capsules/own.md:13 translation_of: names the capsule itself; delete it',
      'capsules/same.md:13 translation_of: names "a", which is in the same language, en; write the language of this text as "language", such as "language: de"',
      'capsules/unknown.md:13 translation_of: names the capsule "gone", which does not exist; check its spelling',
      'pages/chain.md:3 translation_of: names "ueber", which is itself a translation; write "translation_of: about"',
      'pages/same.md:2 translation_of: names "about", which is in the same language, en; write the language of this text as "language", such as "language: de"',
      'pages/unknown.md:3 translation_of: names the page "imprint", which does not exist; write the name of a file in content/pages without ".md"',
    ]);
  });
});

describe('checkLineage()', () => {
  const ids = [...'abcdefg'];
  const relations = fc.array(
    fc.tuple(fc.constantFrom(...ids), fc.constantFrom(...ids)).filter(([from, to]) => from !== to),
    { maxLength: 14 },
  );
  const capsulesOf = (edges: readonly (readonly [string, string])[]): Map<string, Relations> =>
    new Map(
      ids.map((id) => [
        id,
        {
          derived_from: [...new Set(edges.filter(([from]) => from === id).map(([, to]) => to))],
          cites: [],
          supersedes: [],
          draft: false,
          access: 'public',
        },
      ]),
    );

  test('finds a circle exactly if there is one', () => {
    fc.assert(
      fc.property(relations, (edges) => {
        let left = edges;
        for (let round = 0; round < ids.length; round += 1) left = left.filter(([, to]) => left.some(([from]) => from === to));
        expect(checkLineage(capsulesOf(edges), []).length > 0).toBe(left.length > 0);
      }),
    );
  });

  test('names only circles that are there', () => {
    fc.assert(
      fc.property(relations, (edges) => {
        for (const { message } of checkLineage(capsulesOf(edges), [])) {
          const path = message.replace('closes a cycle: ', '').split(' -> ');
          expect(path.at(-1)).toBe(path[0]);
          for (const [index, id] of path.slice(0, -1).entries())
            expect(edges.some(([from, to]) => from === id && to === path[index + 1])).toBe(true);
        }
      }),
    );
  });

  test('takes a chain of ten thousand capsules', () => {
    const chain = new Map(
      Array.from({ length: 10_000 }, (_, index): [string, Relations] => [
        `c${index}`,
        { derived_from: index === 9_999 ? [] : [`c${index + 1}`], cites: [], supersedes: [], draft: false, access: 'public' },
      ]),
    );
    expect(checkLineage(chain, [])).toEqual([]);
  });
});
