import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatProblem } from '../../../src/publication/content-problem.ts';
import { engineComponents, readOverrides, resolveComponent } from '../../../src/site/component-overrides.ts';
import { ROOT } from '../../support/paths.ts';

let root: string;
const layout = join(ROOT, 'src/site/layouts/BaseLayout.astro');
const header = join(ROOT, 'src/site/components/SiteHeader.astro');

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'akg-overrides-')));
  await mkdir(join(root, 'components/parts'), { recursive: true });
  await mkdir(join(root, 'theme'));
  for (const file of ['components/SiteHeader.astro', 'components/parts/Anything.astro', 'theme/Footer.astro'])
    await writeFile(join(root, file), '<p></p>');
});
afterAll(() => rm(root, { recursive: true }));

describe('components of a publication', () => {
  it('replace those of the engine by name, from the folder and by configuration', async () => {
    const { files, problems } = await readOverrides(root, { SiteFooter: './theme/Footer.astro' });
    expect(problems).toEqual([]);
    expect([...files]).toEqual([
      ['SiteHeader', join(root, 'components/SiteHeader.astro')],
      ['SiteFooter', join(root, 'theme/Footer.astro')],
    ]);
  });

  it('are reported all at once where they replace nothing, with the nearest name', async () => {
    await writeFile(join(root, 'components/SiteHaeder.astro'), '');
    const { problems } = await readOverrides(root, { SiteFoter: './theme/Footer.astro', SiteFooter: './nowhere.astro' });
    await rm(join(root, 'components/SiteHaeder.astro'));
    expect(problems.map(formatProblem)).toEqual([
      'components/SiteHaeder.astro:1 there is no component "SiteHaeder" to replace. Did you mean "SiteHeader"? Parts of your own go into a subfolder such as components/parts/',
      'astro.config.mjs:1 there is no component "SiteFoter" to replace. Did you mean "SiteFooter"?',
      'astro.config.mjs:1 components.SiteFooter names nowhere.astro, which is missing',
    ]);
  });

  it('are what every import of the component means, except their own; other imports are left alone', async () => {
    const known = { components: await engineComponents(), overrides: (await readOverrides(root)).files };
    const own = join(root, 'components/SiteHeader.astro');
    expect(resolveComponent('../components/SiteHeader.astro', layout, known)).toBe(own);
    expect(resolveComponent('agent-knowledge-gateway/components/SiteHeader.astro', join(root, 'theme/Footer.astro'), known)).toBe(own);
    expect(resolveComponent('@original', own, known)).toBe(header);
    expect(resolveComponent('agent-knowledge-gateway/components/SiteHeader.astro', own, known)).toBe(header);
    expect(resolveComponent('agent-knowledge-gateway/components/Price.astro', own, known)).toBe(
      join(ROOT, 'src/site/components/Price.astro'),
    );
    for (const other of ['./parts/Anything.astro', 'astro:content']) expect(resolveComponent(other, own, known)).toBeUndefined();
    expect(() => resolveComponent('@original', layout, known)).toThrow('replaces no component');
    expect(() => resolveComponent('agent-knowledge-gateway/components/Prices.astro', own, known)).toThrow('Did you mean "Price"?');
  });

  it('are documented by the names that they have', async () => {
    const page = await readFile(join(ROOT, 'docs/appearance.md'), 'utf8');
    const rows = page.split('| Component |')[1]?.split('\n\n')[0] ?? '';
    const named = [...rows.matchAll(/`([A-Z][A-Za-z]+)`(?=[^|]*\|)/g)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(10);
    const known = await engineComponents();
    expect(named.filter((name) => name === undefined || !known.has(name))).toEqual([]);
  });
});
