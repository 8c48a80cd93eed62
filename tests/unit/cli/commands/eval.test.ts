import { cp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { outcomeOf } from '../../../../src/cli/commands/eval.ts';
import { ROOT } from '../../../support/paths.ts';
import { callAkg } from '../../../support/run-akg.ts';
import { temporaryFolder, writeWorld } from '../../publication/content-world.ts';

const FOUND = [
  { from: 'a', quote: 'Waits\nfor 30 SECONDS.' },
  { from: 'guide limits', quote: 'Nothing.' },
];

test.each([
  [{ answer: 'for 30 seconds' }, { answerAt: 1, isAnswered: true }],
  [{ answer: ['an hour', 'nothing'] }, { answerAt: 2, isAnswered: true }],
  [{ answer: 'an hour' }, { answerAt: 0, isAnswered: false }],
  [{ capsule: 'a' }, { capsuleAt: 1, isAnswered: true }],
  [
    { capsule: 'b', answer: 'for 30 seconds' },
    { capsuleAt: 0, answerAt: 1, isAnswered: false },
  ],
])('%o is answered by a quote and by a capsule', (wanted, outcome) => {
  expect(outcomeOf({ question: 'q', ...wanted }, FOUND)).toEqual({ question: 'q', ...wanted, ...outcome, found: FOUND });
});

describe('akg eval', () => {
  // Vite sets BASE_URL to a path.
  const run = (folder: string, ...args: readonly string[]) => callAkg(['eval', ...args], folder, { BASE_URL: '' });
  const QUESTIONS = `questions:
  - { question: On what does the claim rest?, answer: rests on its source, capsule: a-capsule }
  - question: On what does the claim rest?
    answer: rests on nothing
`;

  test('finds every answer that the sample states', async () => {
    const folder = await temporaryFolder();
    for (const part of ['content', 'public']) await cp(join(ROOT, part), join(folder, part), { recursive: true });
    expect(await run(folder)).toMatchObject({ exit: 0, output: expect.stringMatching(/^50 of 50 questions are answered/) });
  });

  test('names the line of a question that is not answered, and takes as many as are allowed', async () => {
    const folder = await writeWorld({ 'questions.yaml': QUESTIONS });
    const { exit, output } = await run(folder);
    expect([exit, output]).toEqual([1, expect.stringContaining('1 of 2 questions are answered')]);
    expect(output).toMatch(/^content\/questions\.yaml:3 questions\[1\]\.question: "On what does.*no quote has "rests on nothing"/m);
    const allowed = await run(folder, '--allow', '1', '--json');
    expect([allowed.exit, JSON.parse(allowed.output)]).toMatchObject([0, [{ isAnswered: true }, { isAnswered: false }]]);
  });

  test('reports all mistakes of the file with their lines, and writes one to correct', async () => {
    const folder = await writeWorld({ 'questions.yaml': 'questions:\n  - question: Why?\n  - { question: How?, capsul: a }\n' });
    const { exit, output } = await run(folder);
    expect(exit).toBe(1);
    expect(output).toMatch(/content\/questions\.yaml:2 .*needs "answer", "capsule" or both/);
    expect(output).toMatch(/content\/questions\.yaml:3 .*capsul/);
    expect((await run(folder, '--draft')).output).toContain('content/questions.yaml exists');
    await rm(join(folder, 'content/questions.yaml'));
    expect((await run(folder)).output).toContain('akg eval --draft');
    expect(await run(folder, '--draft')).toMatchObject({ exit: 0 });
    expect(await readFile(join(folder, 'content/questions.yaml'), 'utf8')).toContain('    capsule: a-capsule\n');
  });
});
