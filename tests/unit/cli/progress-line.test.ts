import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { progressLine } from '../../../src/cli/progress-line.ts';

function written(isTTY: boolean, columns = 80) {
  const clock = { ms: 0 };
  const output: string[] = [];
  const stream = { isTTY, columns, write: (text: string) => output.push(text) };
  return { clock, output, progress: progressLine(stream, () => clock.ms) };
}

beforeEach(() => {
  vi.stubEnv('TERM', 'xterm');
});
afterEach(() => vi.unstubAllEnvs());

describe('progressLine()', () => {
  it('replaces a line on a terminal, at most ten times a second, and erases it', () => {
    const { clock, output, progress } = written(true);
    for (clock.ms = 0; clock.ms < 1_000; clock.ms += 1) progress.show('Reading', clock.ms, 2_000);
    expect(output).toHaveLength(10);
    expect(output.at(-1)).toBe('\r\u001b[2KReading 900 of 2,000');
    progress.clear();
    expect(output.at(-1)).toBe('\r\u001b[2K');
  });

  it('says how much time is left of a step, and shows a new step at once', () => {
    const { clock, output, progress } = written(true);
    progress.show('Reading', 0, 20_000);
    clock.ms = 10_000;
    progress.show('Reading', 4_000, 20_000);
    expect(output.at(-1)).toContain('Reading 4,000 of 20,000, 40 s left');
    clock.ms = 400_000;
    progress.show('Reading', 8_000, 20_000);
    expect(output.at(-1)).toContain('10 min left');
    // The first texts load what all need, so that they say nothing about the rest.
    progress.show('Rendering', 0, 1_600);
    clock.ms += 10_000;
    progress.show('Rendering', 1, 1_600);
    expect(output.at(-1)).toBe('\r\u001b[2KRendering 1 of 1,600');
    progress.show('Compiling');
    expect(output.at(-1)).toBe('\r\u001b[2KCompiling');
  });

  it('never wraps', () => {
    const { output, progress } = written(true, 12);
    progress.show('Reading', 1_000, 20_000);
    expect(output.at(-1)).toBe('\r\u001b[2KReading 1,0');
  });

  it.each(['no terminal', 'a dumb terminal'])('writes a plain line every ten seconds to %s', (kind) => {
    if (kind !== 'no terminal') vi.stubEnv('TERM', 'dumb');
    const { clock, output, progress } = written(kind !== 'no terminal');
    for (clock.ms = 0; clock.ms < 10_000; clock.ms += 100) progress.show('Reading', clock.ms, 20_000);
    progress.clear();
    expect(output).toEqual([]);
    for (; clock.ms < 20_000; clock.ms += 100) progress.show('Reading', clock.ms, 20_000);
    expect(output).toEqual(['Reading 10,000 of 20,000, 10 s left\n']);
  });
});
