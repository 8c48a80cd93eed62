import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withBuildLock } from '../../../src/build/build-lock.ts';
import { temporaryFolder } from '../publication/content-world.ts';

describe('withBuildLock()', () => {
  it('runs one after the other, and says once that the second waits', async () => {
    const output = await temporaryFolder();
    const lines: string[] = [];
    const order: string[] = [];
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const first = withBuildLock(output, 'build', expect.unreachable, async () => {
      begin();
      await finished;
      order.push('first');
    });
    await begun;
    const second = withBuildLock(
      output,
      'publish',
      (line) => {
        lines.push(line);
        finish();
      },
      async () => void order.push('second'),
    );
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second']);
    expect(lines).toEqual([`waiting: a build of this publication is running (process ${process.pid} on ${hostname()})`]);
    expect(await readdir(join(output, '.akg'))).toEqual([]);
  });

  it('is free again after a failure', async () => {
    const output = await temporaryFolder();
    await expect(withBuildLock(output, 'build', expect.unreachable, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await withBuildLock(output, 'build', expect.unreachable, async () => 'done')).toBe('done');
  });

  it.each([
    ['a process that has ended', { pid: 2 ** 22 + 1, born: '1' }],
    ['an earlier process with the same number', { pid: process.pid, born: 'long ago' }],
  ])('does not wait for %s', async (_, holder) => {
    const output = await temporaryFolder();
    await mkdir(join(output, '.akg'));
    await writeFile(join(output, '.akg/lock'), JSON.stringify({ host: hostname(), work: 'build', id: 'x', ...holder }));
    expect(await withBuildLock(output, 'build', expect.unreachable, async () => 'done')).toBe('done');
  });

  it('does not count a damaged lock', async () => {
    const output = await temporaryFolder();
    await mkdir(join(output, '.akg'));
    await writeFile(join(output, '.akg/lock'), '{"pid":');
    expect(await withBuildLock(output, 'build', expect.unreachable, async () => 'done')).toBe('done');
  });
});
