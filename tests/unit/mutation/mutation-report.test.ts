import { expect, test } from 'vitest';
import { scoreOf, type StrykerReport, share, survivorText } from '../../mutation/mutation-report.ts';

const source = 'const a = 1;\n  if (a > 0 &&\n    a < 2) stop();\n';
const place = (line: number, column: number) => ({ line, column });
const mutant = (status: string, start: readonly [number, number], end: readonly [number, number], replacement = 'x') => ({
  mutatorName: 'Any',
  status,
  replacement,
  location: { start: place(...start), end: place(...end) },
});
const report: StrykerReport = {
  files: {
    'src/a.ts': {
      source,
      mutants: [
        mutant('Killed', [1, 11], [1, 12]),
        mutant('Timeout', [1, 11], [1, 12]),
        mutant('CompileError', [1, 11], [1, 12]),
        mutant('Ignored', [1, 11], [1, 12]),
        mutant('Survived', [2, 7], [3, 10], 'true'),
        mutant('NoCoverage', [3, 12], [3, 18], ';'),
      ],
    },
  },
};
const equivalent = { file: 'src/a.ts', line: 'if (a > 0 &&', original: 'a > 0 && a < 2', replacement: 'true', reason: 'It is.' };

test('a report is read as what was noticed and what was not, with its place', () => {
  const score = scoreOf(report, true, []);
  expect(score).toMatchObject({ mutants: 4, killed: 2, equivalent: 0, stale: [] });
  expect(share(score)).toBe(0.5);
  expect(score.survivors.map(survivorText)).toEqual([
    'src/a.ts:2  a > 0 && a < 2  →  true',
    'src/a.ts:3  stop()  →  ;  (no test gets here)',
  ]);
});

test('an equivalent is left out, and reported once it is not met any more', () => {
  expect(scoreOf(report, true, [equivalent])).toMatchObject({ mutants: 3, killed: 2, equivalent: 1, survivors: [{ line: 3 }], stale: [] });
  for (const other of [{ line: 'if (b)' }, { original: 'a' }, { replacement: 'false' }]) {
    const moved = { ...equivalent, ...other };
    expect(scoreOf(report, true, [moved])).toMatchObject({ mutants: 4, equivalent: 0, stale: [moved] });
    expect(scoreOf(report, false, [moved]).stale).toEqual([]);
  }
  expect(scoreOf(report, true, [{ ...equivalent, file: 'src/b.ts' }])).toMatchObject({ equivalent: 0, stale: [] });
});
