import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { buildIfChanged } from '../../src/build/build-site.ts';
import { makePrivateKey } from '../../src/provenance/sign.ts';
import { makeBuiltPublication } from '../support/built-publication.ts';
import { publisher } from '../unit/publication/content-world.ts';

test('a build for this machine is unsigned without the listed key, made once, and leaves the build to deploy alone', async () => {
  const { root, write, remove } = await makeBuiltPublication('local');
  onTestFinished(remove);
  const key = await makePrivateKey();
  await write({
    // Its address is a reserved name, which only a sample may have.
    'content/publisher.yaml': publisher({ sample: 'true', offers: undefined }),
    'content/keys.yaml': JSON.stringify({ keys: [{ ...key.publicKey, created: '2026-01-01' }] }),
  });
  await mkdir(join(root, 'dist'));
  await writeFile(join(root, 'dist/index.html'), 'to deploy');
  const lines: string[] = [];
  const folder = join(root, '.akg/local');
  const build = () =>
    buildIfChanged({
      root,
      output: folder,
      reusable: root,
      mode: 'edge',
      baseUrl: 'http://127.0.0.1:9999',
      report: (line) => void lines.push(line),
    });
  expect(await build()).toEqual({ folder, isNew: true });
  expect(lines.join('\n')).toContain('signing: UNSIGNED');
  expect(await readFile(join(folder, 'dist/index.html'), 'utf8')).toContain('http://127.0.0.1:9999');
  expect(await build()).toEqual({ folder, isNew: false });
  expect(await readFile(join(root, 'dist/index.html'), 'utf8')).toBe('to deploy');
});
