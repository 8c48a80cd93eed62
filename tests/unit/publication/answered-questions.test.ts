import { describe, expect, it } from 'vitest';
import { searchFiles } from '../../../src/build/corpus-blocks/browser-search-index.ts';
import { corpusOver, openCorpus } from '../../../src/build/make-publication.ts';
import { capsuleFiles } from '../../../src/documents/make-documents.ts';
import { queryKnowledge } from '../../../src/gateway/knowledge/query-knowledge.ts';
import { readSearchAsTyped } from '../../../src/gateway/knowledge/search-results-page.ts';
import { QueryRequest } from '../../../src/schemas/knowledge/query.ts';
import { makePublication } from '../../support/sample-content.ts';
import { contentOf } from '../cli/capsules/published-world.ts';
import { expectValue } from '../gateway/real-generation.ts';
import { capsule, type Files, problemsOf, publisher, writeWorld } from './content-world.ts';

const TEXTS = {
  brakes: 'Rim brakes squeal when the pads stand straight. Toe them in, and clean the rim with alcohol.',
  chain: 'A chain wears out. Measure it with a gauge every month, and replace it at three quarters of a percent.',
  tyres: 'Tyres lose air through the rubber. Pump them up every week, to the pressure on the sidewall.',
  lights: 'A dynamo in the hub drives the lights. It has no battery, and costs little force.',
};

const QUESTIONS = '["Why does my bicycle make a noise when I stop?", "Is a dirty wheel dangerous?", "Brake pads"]';

function world(fields: Readonly<Record<string, string>> = {}, files: Files = {}): Files {
  const texts = Object.entries(TEXTS).map(([id, text]) => {
    const own = { title: `About ${id}`, summary: text, sources: undefined, tags: '[bicycles]', ...(id === 'brakes' ? fields : {}) };
    return [`capsules/${id}.md`, capsule(own, `${text}\n`)] as const;
  });
  return { 'publisher.yaml': publisher({ editorial: undefined }), ...Object.fromEntries(texts), ...files };
}

async function publicationOf(files: Files) {
  const made = await makePublication(await contentOf(await writeWorld(files)), { mode: 'edge', rateLimits: undefined });
  const corpus = await openCorpus(made.generation);
  const ask = async (query: string) => {
    const request = QueryRequest.parse({ query, explain: true });
    const { results } = expectValue(await queryKnowledge(request, corpus, made.publication.deployment.baseUrl));
    return results.flatMap((result) => ('capsule_id' in result ? [result] : []));
  };
  const filesOf = (id: string): ReadonlyMap<string, string> => {
    const found = made.publication.capsules.find((one) => one.id === id);
    return new Map(found && capsuleFiles(found, made.publication).map(({ path, body }) => [path, body]));
  };
  return { ...made, ask, filesOf };
}

describe('questions', () => {
  it('are a field of the index: a question like one of them finds its text first, and its parts say so', async () => {
    const before = await publicationOf(world());
    const { ask } = await publicationOf(world({ questions: QUESTIONS }));
    expect(await before.ask('noise when stopping')).toEqual([]);
    const [first] = await ask('noise when stopping');
    expect(first?.capsule_id).toBe('brakes');
    expect(first?.explanation?.parts.find(({ terms }) => terms?.includes('nois'))).toMatchObject({
      kind: 'term',
      fields: { questions: 1 },
    });
    const [whole] = await ask('why does my bicycle make a noise when i stop');
    expect(whole).toMatchObject({ capsule_id: 'brakes', match: { level: 'strong', share: 1 } });
  });

  it('are in the JSON and the markdown of the text, and change no digest', async () => {
    const [before, after] = [await publicationOf(world()), await publicationOf(world({ questions: QUESTIONS }))];
    const files = after.filesOf('brakes');
    expect(JSON.parse(files.get('/capsules/brakes/capsule.json') ?? '').questions).toEqual(JSON.parse(QUESTIONS));
    expect(files.get('/capsules/brakes.md')).toContain(
      '## Answers\n\n- Why does my bicycle make a noise when I stop?\n- Is a dirty wheel dangerous?\n\n## Sitemap',
    );
    const plain = before.filesOf('brakes');
    expect(plain.get('/capsules/brakes/lineage.json')).toBe(files.get('/capsules/brakes/lineage.json'));
    expect(JSON.parse(plain.get('/capsules/brakes/capsule.json') ?? '')).not.toHaveProperty('questions');
    expect(plain.get('/capsules/brakes.md')).not.toContain('## Answers');
    expect(before.generation.manifest.corpus_digest).toBe(after.generation.manifest.corpus_digest);
    expect(before.generation.version).not.toBe(after.generation.version);
  });

  it('are all said to be answered in a language whose questions often have no mark', async () => {
    const { filesOf } = await publicationOf(world({ questions: '["ブレーキはなぜ鳴りますか"]', language: 'ja' }));
    expect(filesOf('brakes').get('/capsules/brakes.md')).toContain('## Answers\n\n- ブレーキはなぜ鳴りますか');
    const quoted = await publicationOf(world({ questions: `['Who said "why?"', "Brakes"]` }));
    expect(quoted.filesOf('brakes').get('/capsules/brakes.md')).toContain('## Answers\n\n- Who said "why?"\n\n');
  });

  it('of a text that is withdrawn are not said to be answered', async () => {
    const retracted = '{ date: 2026-11-03, reason: "The advice turned out to be wrong." }';
    const { filesOf } = await publicationOf(world({ questions: QUESTIONS, retracted }));
    expect(filesOf('brakes').get('/capsules/brakes.md')).not.toContain('## Answers');
  });

  it.each([
    ['no list', '5', 'must have the form `questions: ["How long may a browser keep a page?"]`'],
    ['what is no text', '[5]', 'must be text; put the value in quotes'],
    ['a question twice', '[What now?, "What  now?"]', 'repeats a question; write it once'],
    ['an empty one', '[""]', 'must have at least 3 characters'],
    ['too long a one', `["${'a'.repeat(201)}"]`, 'must have at most 200 characters'],
    ['too many', `[${Array.from({ length: 21 }, (_, at) => `Which ${at}?`).join(', ')}]`, 'must have at most 20 questions'],
  ])('are refused as %s, at their line', async (_what, questions, problem) => {
    expect((await problemsOf(world({ questions }))).join('\n')).toMatch(/^capsules\/brakes\.md:\d+ questions/);
    expect((await problemsOf(world({ questions }))).join('\n')).toContain(problem);
  });
});

/** Words that people use for those of a text: what a model would know. */
const THESAURUS: Readonly<Record<string, readonly string[]>> = { squeal: ['screech', 'air'], alcohol: ['ethanol'], rim: ['wheel'] };

/** The lines of `expansions.jsonl`, as a plain script makes them: each word of the thesaurus, by how often the text has its counterpart. */
function expansionsOf(texts: Readonly<Record<string, string>>): string {
  const lines = Object.entries(texts).flatMap(([capsule, text]) => {
    const words = text.toLowerCase().match(/\w+/g) ?? [];
    const terms: Record<string, number> = {};
    for (const word of words) for (const other of THESAURUS[word] ?? []) terms[other] = Math.log1p(1 + (terms[other] ?? 0));
    return Object.keys(terms).length === 0 ? [] : [JSON.stringify({ capsule, terms })];
  });
  return `${lines.join('\n')}\n`;
}

describe('expansions.jsonl', () => {
  it('finds a text by words that it lacks, also by those that no text has, below a text that has them', async () => {
    expect(await (await publicationOf(world())).ask('ethanol screech')).toEqual([]);
    const { ask } = await publicationOf(world({}, { 'expansions.jsonl': expansionsOf(TEXTS) }));
    expect((await ask('ethanol screech')).map(({ capsule_id }) => capsule_id)).toEqual(['brakes']);
    expect((await ask('screech'))[0]?.explanation?.parts).toMatchObject([{ kind: 'expansion', words: [{ word: 'screech' }] }]);
    expect((await ask('air')).map(({ capsule_id }) => capsule_id)).toEqual(['tyres', 'brakes']);
  });

  it('is bounded: the greatest weight counts less than a word of the text, and adds little to one', async () => {
    const most = JSON.stringify({ capsule: 'brakes', terms: { air: 10, squeal: 10 } });
    const { ask } = await publicationOf(world({}, { 'expansions.jsonl': most }));
    const results = await ask('air');
    expect(results.map(({ capsule_id }) => capsule_id)).toEqual(['tyres', 'brakes']);
    const levelOf = (parts: (typeof results)[number]['explanation']): number => parts?.parts[0]?.level ?? 0;
    expect(levelOf(results[1]?.explanation)).toBeLessThan(levelOf(results[0]?.explanation));
    const own = (await (await publicationOf(world())).ask('squeal'))[0];
    expect(levelOf((await ask('squeal'))[0]?.explanation)).toBeLessThanOrEqual(1.5 * levelOf(own?.explanation));
  });

  it('is part of the digest of the index; an empty one changes no byte', async () => {
    const indexOf = async (files: Files) => (await publicationOf(files)).generation.manifest.blocks.index;
    const plain = await indexOf(world());
    expect(await indexOf(world({}, { 'expansions.jsonl': '\n' }))).toEqual(plain);
    expect(await indexOf(world({}, { 'expansions.jsonl': expansionsOf(TEXTS) }))).not.toEqual(plain);
  });

  it.each([
    ['what is not JSON', '{"capsule": "brakes"', 'is not JSON; each line is an object'],
    [
      'an unknown capsule',
      '{"capsule":"brakse","terms":{"a":1}}',
      'capsule: names the capsule "brakse", which does not exist. Did you mean "brakes"?',
    ],
    ['a capsule twice', '{"capsule":"chain","terms":{"a":1}}', 'capsule: names the capsule "chain" again; write its terms on one line'],
    ['no terms', '{"capsule":"brakes"}', 'terms: is missing'],
    ['a weight of nothing', '{"capsule":"brakes","terms":{"a":0}}', 'terms.a: must be above 0; leave out terms without weight'],
    ['too great a weight', '{"capsule":"brakes","terms":{"a":11}}', 'terms.a: must be at most 10'],
    ['a weight in words', '{"capsule":"brakes","terms":{"a":"1"}}', 'terms.a: must be a number'],
    ['another member', '{"capsule":"brakes","terms":{"a":1},"x":1}', 'is unknown'],
    ['too long a term', JSON.stringify({ capsule: 'brakes', terms: { ['a'.repeat(81)]: 1 } }), 'must have at most 80 characters'],
    [
      'too many terms',
      JSON.stringify({ capsule: 'brakes', terms: Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`t${at}`, 1])) }),
      'terms: must have at most 200 terms; keep those of the greatest weights',
    ],
  ])('is refused with %s, at its line', async (_what, line, problem) => {
    const problems = await problemsOf(world({}, { 'expansions.jsonl': `{"capsule":"chain","terms":{"worn":1}}\n\n${line}\n` }));
    expect(problems.join('\n')).toContain('expansions.jsonl:3');
    expect(problems.join('\n')).toContain(problem);
  });
});

it('finds texts in browsers by questions and expansions, as functions do', async () => {
  const files = world({ questions: QUESTIONS }, { 'expansions.jsonl': expansionsOf(TEXTS) });
  const made = await makePublication(await contentOf(await writeWorld(files)), { mode: 'static', rateLimits: undefined });
  const built = await searchFiles(made.generation, made.publication.capsules, 'static');
  if (built === undefined) throw new Error('there are no search files');
  const corpus = await corpusOver(built.manifest, async (sha256) => built.blocks.get(sha256));
  for (const typed of ['noise when stopp', 'ethanol screech', 'screech']) {
    const found = expectValue(await readSearchAsTyped(typed, undefined, corpus, { baseUrl: '', offers: [] }, () => undefined));
    expect([typed, found.hits[0]?.path]).toEqual([typed, '/capsules/brakes']);
  }
});
