import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bundlePlugin } from '../../../src/build/astro-integration.ts';
import { ROOT } from '../../support/paths.ts';

interface Hooks {
  resolveId(this: { environment: { name: string } }, id: string, importer: string): Promise<string | undefined>;
  transform(this: { environment: { name: string } }, code: string, id: string): string | undefined;
  configEnvironment(name: string, options: object): { build: { rolldownOptions: { output?: unknown } } };
}

const plugin = bundlePlugin([], false) as unknown as Hooks;
const inBrowser = (id: string, code: string): string | undefined => plugin.transform.call({ environment: { name: 'client' } }, code, id);

it('leaves out sentences for translators in files of the engine alone', () => {
  const [path, json] = ['src/text/strings/en-documents.json', '{"@context":"a","b":[1]}'];
  const script = `import texts from './en-documents.json';\nexport const a = texts.b;\n`;
  expect(inBrowser(join(ROOT, path), json)).toBe('{"b":[1]}');
  expect(inBrowser(join(ROOT, 'src/text/strings/texts.ts'), script)).toContain('import * as texts from');
  for (const [name, code] of [
    ['my-documents.json', json],
    ['texts.ts', script],
  ] as const)
    expect(inBrowser(join('/publication/src', name), code)).toBeUndefined();
});

it('gives no other module of the engine back, which would have no source map', () => {
  expect(inBrowser(join(ROOT, 'src/site/scripts/shop.ts'), 'export const a = 1;\n')).toBeUndefined();
  const limits = `import { LIMITS } from '../schemas/limits.ts';\nexport const a = LIMITS.requestUrlMaxLength;\n`;
  expect(inBrowser(join(ROOT, 'src/site/a.ts'), limits)).toMatch(/a = \d+;/);
  const failing = "if (isCut) throw new IndexFormatError('a block is cut short');";
  expect(inBrowser(join(ROOT, 'src/search/a.ts'), failing)).toBe("if (isCut) throw new IndexFormatError('');");
  expect(inBrowser(join(ROOT, 'src/gateway/a.ts'), "return refuse('not_found', 'It is gone.', {});")).toBe(
    "return refuse('not_found', '', {});",
  );
});

it("removes the adapter's first line of each script, and keeps that of a publication", () => {
  const outputOf = (banner: string): unknown =>
    plugin.configEnvironment('client', { build: { rolldownOptions: { output: { banner } } } }).build.rolldownOptions.output;
  expect(outputOf('globalThis.process ??= {}; globalThis.process.env ??= {};')).toEqual({ banner: '' });
  expect(outputOf('/* Of the publication */')).toBeUndefined();
});

it('leaves modules out of scripts of the engine, and not those of a publication with the same name', async () => {
  const resolve = (importer: string) => plugin.resolveId.call({ environment: { name: 'client' } }, './cursor.ts', importer);
  expect(await resolve(join(ROOT, 'src/gateway/knowledge/query-knowledge.ts'))).toContain('cursor.ts');
  expect(await resolve('/publication/src/page.ts')).toBeUndefined();
});

it('leaves words out of scripts whose publication has no texts in their languages, and no file of a publication', async () => {
  const resolve = (languages: string[], importer: string) =>
    (bundlePlugin(languages, false) as unknown as Hooks).resolveId.call(
      { environment: { name: 'client' } },
      './content-words.ts',
      importer,
    );
  const own = join(ROOT, 'src/search/analysis/stop-words.ts');
  expect(await resolve(['en', 'de'], own)).toContain('content-words');
  expect(await resolve(['en', 'es'], own)).toBeUndefined();
  expect(await resolve(['en'], '/publication/src/page.ts')).toBeUndefined();
});

it("leaves libraries out of Astro's server, and not out of what a publication brings to it", async () => {
  const resolve = (importer: string) => plugin.resolveId.call({ environment: { name: 'ssr' } }, 'devalue', importer);
  expect(await resolve('/publication/node_modules/astro/dist/actions/runtime/server.js')).toContain('devalue');
  for (const path of ['src/pages/prices.ts', 'node_modules/some-framework/server.js', 'node_modules/astro-icons/index.js'])
    expect(await resolve(`/publication/${path}`)).toBeUndefined();
});
