import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { atBaseUrl } from '../../../src/site/markdown/at-base-url.ts';
import { ROOT } from '../../support/paths.ts';

const folder = join(ROOT, 'content/docs');
const guides = (await readdir(folder)).filter((name) => name.endsWith('.md'));

test.each(guides)('%s names the site where it is served, and no address of a machine', async (name) => {
  const served = atBaseUrl(await readFile(join(folder, name), 'utf8'), 'https://signpost.example');
  expect(served).not.toMatch(/127\.0\.0\.1|localhost/);
});

test('a command of a guide leads to the site', async () => {
  const served = atBaseUrl(await readFile(join(folder, 'quickstart.md'), 'utf8'), 'https://signpost.example');
  expect(served).toContain('curl -s -X POST https://signpost.example/api/v1/agent-gateway/register');
});
