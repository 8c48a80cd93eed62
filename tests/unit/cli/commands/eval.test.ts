import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outcomeOf } from '../../../../src/cli/commands/eval.ts';
import { ROOT } from '../../../support/paths.ts';
import { callAkg } from '../../../support/run-akg.ts';

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
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'akg-eval-'));
    for (const part of ['content', 'public']) await cp(join(ROOT, part), join(folder, part), { recursive: true });
  });
  afterAll(() => rm(folder, { recursive: true }));
  // Vite sets BASE_URL to a path.
  const run = (args: readonly string[]) => callAkg(args, folder, { BASE_URL: '' });
  const write = (text: string): Promise<void> => writeFile(join(folder, 'content/questions.yaml'), text);

  test('finds every answer that the sample states, and names the line of one that a change of texts loses', async () => {
    const whole = await run(['eval']);
    expect(whole).toMatchObject({ exit: 0, output: expect.stringMatching(/^50 of 50 questions are answered/) });
    const file = join(folder, 'content/capsules/a2a-agent-card.md');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replaceAll('/.well-known/agent-card.json', '/somewhere'));
    const { exit, output } = await run(['eval']);
    const allowed = await run(['eval', '--allow', '1', '--json']);
    await writeFile(file, text);
    expect([exit, allowed.exit]).toEqual([1, 0]);
    expect(output).toMatch(
      /^content\/questions\.yaml:\d+ questions\[\d+\]\.question: "Where on an agent's host.*no quote has "`\/\.well-known/m,
    );
  });

  test('reports all mistakes of the file with their lines, and writes one to correct', async () => {
    await write('questions:\n  - question: Why?\n  - { question: How?, capsul: a }\n');
    const { exit, output } = await run(['eval']);
    expect(exit).toBe(1);
    expect(output).toMatch(/content\/questions\.yaml:2 .*needs "answer", "capsule" or both/);
    expect(output).toMatch(/content\/questions\.yaml:3 .*capsul/);
    expect((await run(['eval', '--draft'])).output).toContain('content/questions.yaml exists');
    await rm(join(folder, 'content/questions.yaml'));
    expect((await run(['eval'])).output).toContain('akg eval --draft');
    expect(await run(['eval', '--draft'])).toMatchObject({ exit: 0 });
    expect(await readFile(join(folder, 'content/questions.yaml'), 'utf8')).toContain('    capsule: retry-after\n');
  });
});
