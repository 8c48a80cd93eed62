import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changesFile } from '../../../src/documents/static-responses.ts';
import { makePublication } from '../../../src/build/content/make-publication.ts';
import { versionsOf } from '../../../src/build/content/published-versions.ts';
import type { ChangesResponse } from '../../../src/schemas/knowledge/changes.ts';
import { ROOT } from '../../support/paths.ts';
import { sampleContent, withCapsules } from '../../support/signed-site.ts';

let folder: string;
let server: Server;
let baseUrl: string;
let answer: string | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'akg-restore-'));
  for (const name of ['content', 'wrangler.toml']) await symlink(join(ROOT, name), join(folder, name));
  server = createServer((_request, response) => {
    response.statusCode = answer === undefined ? 404 : 200;
    response.end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  baseUrl = `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`;
});

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

function restore(...args: string[]): Promise<{ exit: number | null; output: string }> {
  const child = spawn(process.execPath, [join(ROOT, 'src/cli/akg.mjs'), 'restore', ...args], {
    cwd: folder,
    env: { ...process.env, BASE_URL: baseUrl },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve) => child.once('close', (exit) => resolve({ exit, output })));
}

const published = (): Promise<string | undefined> => readFile(join(folder, '.akg/published.json'), 'utf8').catch(() => undefined);

describe('npm run restore:kv', () => {
  it('takes the log of a site of files as what is published, and refuses one that does not fit together', async () => {
    const content = withCapsules(await sampleContent(), ['bm25', 'bm25f', 'ucp-permalink']);
    const { publication, log } = await makePublication(content, { mode: 'static', rateLimits: undefined });
    const file: ChangesResponse = changesFile(publication);
    answer = JSON.stringify({
      ...file,
      changes: file.changes.map((change, at) => (at === 1 ? { ...change, date: '2026-01-01' } : change)),
    });
    const refused = await restore('--static');
    expect([refused.exit, refused.output]).toEqual([1, expect.stringContaining('does not follow from those before it')]);
    expect(await published()).toBeUndefined();
    answer = JSON.stringify(file);
    expect(await restore('--static')).toEqual({
      exit: 0,
      output: `Restored ${log.length} events of the change log; the next build continues it.\n`,
    });
    expect(JSON.parse((await published()) ?? '')).toEqual({ versions: await versionsOf(content), log });
  });

  it('says so and leaves everything as it is when the site has no log', async () => {
    await mkdir(join(folder, '.akg'), { recursive: true });
    await writeFile(join(folder, '.akg/published.json'), '{"versions":{},"log":[]}');
    answer = undefined;
    const { exit, output } = await restore('--static');
    expect([exit, output]).toEqual([1, expect.stringContaining('did not answer with a log of changes')]);
    expect(await published()).toBe('{"versions":{},"log":[]}');
  });

  it('on a machine and a namespace that hold nothing restores nothing and notes nothing', async () => {
    await rm(join(folder, '.akg'), { recursive: true, force: true });
    expect(await restore('--local')).toEqual({ exit: 0, output: 'Nothing to restore: no generation has been published.\n' });
    expect(await published()).toBeUndefined();
  });
});
