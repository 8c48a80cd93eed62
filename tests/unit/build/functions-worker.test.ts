import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { leftOut, WORKER_FOLDER, writeWorker } from '../../../src/build/functions-worker.ts';
import { temporaryFolder } from '../publication/content-world.ts';

const HOOK = "export { onRequest } from '../.akg/functions.js';\n";

test.each<[string, Record<string, string>, string]>([
  ['there are no functions', {}, 'none'],
  ['it has a function of its own', { '_middleware.ts': HOOK, 'hello.ts': 'export const onRequest = () => new Response();' }, 'publication'],
  ['the publication changed the hook', { '_middleware.ts': `${HOOK}export const onRequestGet = () => new Response();\n` }, 'publication'],
  ['the only function is not the hook', { 'hello.ts': HOOK }, 'publication'],
])('the Worker of a site is not written where %s', async (_case, files, owner) => {
  const root = await temporaryFolder();
  if (Object.keys(files).length > 0) await mkdir(join(root, 'functions'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, 'functions', name), text);
  const site = join(root, 'dist');
  const parts = { root, server: join(root, 'server'), generated: '', unused: [], analysers: ['en'] } as const;
  expect(await writeWorker(site, parts)).toBe(owner);
  expect(existsSync(join(site, WORKER_FOLDER))).toBe(false);
});

test('a Worker without the demonstration of payments has functions in its place that pay nothing', () => {
  const module = leftOut(fileURLToPath(new URL('../../../src/platform/demo-payments.ts', import.meta.url)));
  expect(module).toBe(
    'const leftOut = () => { throw Error("left out: demo-payments.ts"); };\nexport { leftOut as demoFacilitator, leftOut as demoProcessor };',
  );
});
