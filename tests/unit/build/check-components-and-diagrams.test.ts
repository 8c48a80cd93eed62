import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkRendering } from '../../../src/build/check-components-and-diagrams.ts';
import { formatProblem } from '../../../src/publication/content-problem.ts';
import { readContent } from '../../../src/publication/read-content.ts';
import { componentError } from '../../../src/site/component-overrides.ts';
import { TODAY, temporaryFolder, writeWorld } from '../publication/content-world.ts';

async function check(files: Readonly<Record<string, string>>): Promise<string[]> {
  const root = await realpath(await temporaryFolder());
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const { problems, warnings } = await checkRendering(root, undefined);
  return [...problems, ...warnings].map(formatProblem);
}

describe('components of a publication are checked without a build', () => {
  test('when they do not compile, or import what does not exist', async () => {
    expect(
      await check({
        'components/SiteFooter.astro': '---\nconst a = 1;\n---\n<p>{a +}</p>\n',
        'components/SiteHeader.astro':
          '---\nimport Gone from "./gone.astro";\nimport Footer from "agent-knowledge-gateway/components/SiteFoter.astro";\n---\n<Gone /><Footer />\n',
        'components/parts/Own.astro': '<p>{</p>\n',
      }),
    ).toEqual([
      'components/SiteFooter.astro:4 does not compile: Unexpected token',
      'components/SiteHeader.astro:2 imports ./gone.astro, and components/gone.astro is missing',
      expect.stringMatching(
        /^components\/SiteHeader.astro:3 .*imports .*SiteFoter\.astro, which does not exist\. Did you mean "SiteFooter"\?$/,
      ),
      expect.stringMatching(/^components\/parts\/Own\.astro:\d+ does not compile: /),
    ]);
  });

  test('when they import values that are in Astro.locals now', async () => {
    expect(
      await check({ 'components/SiteFooter.astro': '---\nimport { site } from "virtual:site";\n---\n<p>{site.publisher.name}</p>\n' }),
    ).toEqual([
      'components/SiteFooter.astro:2 imports virtual:site, which no longer exists; write "const { site } = Astro.locals;" instead',
    ]);
  });

  test('at a line that exists, when something is still open at their end', async () => {
    expect(await check({ 'components/SiteFooter.astro': '---\nconst a = 1;\n---\n<div>\n<p>x</p>\n' })).toEqual([
      'components/SiteFooter.astro:5 does not compile: Unexpected token. A tag, a bracket or a quote is still open at the end of the file; close it',
    ]);
  });

  test('and a warning says which of them lose what the original encloses', async () => {
    expect(
      await check({
        'components/Section.astro': '<section><slot name="aside" /></section>\n',
        'components/Fact.astro': '---\nimport Original from "@original";\n---\n<Original><slot /></Original>\n',
        'components/SiteLogo.astro': '<b>logo</b>\n',
      }),
    ).toEqual([
      'components/Section.astro:1 has no <slot />, so everything that Section encloses is missing on the pages; write <slot /> where it belongs',
    ]);
  });

  test('also those that astro.config.mjs names', async () => {
    const config = `import { agentKnowledgeGateway } from ${JSON.stringify(new URL('../../../src/build/astro-integration.ts', import.meta.url).href)};
export default { integrations: [agentKnowledgeGateway({ components: { SiteFoter: './a.astro', SiteFooter: './b.astro', SiteHeader: './c.ts' } })] };
`;
    expect(await check({ 'astro.config.mjs': config, 'c.ts': '' })).toEqual([
      'astro.config.mjs:1 there is no component "SiteFoter" to replace. Did you mean "SiteFooter"?',
      'astro.config.mjs:1 components.SiteFooter names b.astro, which is missing',
      'astro.config.mjs:1 components.SiteHeader names c.ts; it must be an .astro file',
    ]);
  });
});

test('diagrams and formulas that cannot be drawn are warnings at their lines', async () => {
  const text = '---\ntitle: A\n---\n\nFirst $a_1$.\n\n$\\nosuch{x}$\n\n```mermaid\ngitGraph\n  commit\n```\n';
  const root = await writeWorld({
    'publisher.yaml': 'name: Ab\nbase_url: https://a.org\ncontact_email: a@a.org\n',
    'capsules/a-capsule.md': text,
    'offers/an-offer.md': undefined,
  });
  const { content } = await readContent(root, { today: TODAY });
  const { problems, warnings } = await checkRendering(root, content);
  expect(problems).toEqual([]);
  expect(warnings.map(formatProblem)).toEqual([
    expect.stringMatching(/^content\/capsules\/a-capsule\.md:7 text: has a formula that cannot be drawn and stays as code: .*nosuch/),
    expect.stringMatching(/^content\/capsules\/a-capsule\.md:9 text: has a diagram that cannot be drawn and stays as code: /),
  ]);
});

describe('componentError()', () => {
  const SOURCE = '---\nimport q from "no-such-package";\nconst x = {};\n---\n\n<p>{x.y.z}</p>\n';

  async function publication(): Promise<string> {
    const root = await realpath(await temporaryFolder());
    await mkdir(join(root, 'components'));
    await writeFile(join(root, 'components/SiteHeader.astro'), SOURCE);
    return root;
  }

  test('finds the component and its line in a message', async () => {
    const root = await publication();
    const file = join(root, 'components/SiteHeader.astro');
    const message = `Build failed with 1 error:\n\nError: [vite]: Rolldown failed to resolve import "no-such-package" from "${file}".\nAdvice`;
    expect(componentError(root, new Error(message))?.problems.map(formatProblem)).toEqual([
      'components/SiteHeader.astro:2 stops the build: Rolldown failed to resolve import "no-such-package" from "components/SiteHeader.astro".',
    ]);
  });

  test('finds the component whose bundled code is first in the stack', async () => {
    const root = await publication();
    const file = join(root, 'components/SiteHeader.astro');
    await writeFile(join(root, 'chunk.mjs'), `var a = () => {\n  return x.y.z;\n}, "${file}", void 0);\n`);
    const error = new Error("Cannot read properties of undefined (reading 'z')");
    error.stack = `TypeError\n    at file://${root}/chunk.mjs:2:13\n`;
    expect(componentError(root, error)?.problems.map(formatProblem)).toEqual([
      "components/SiteHeader.astro:6 stops the build: Cannot read properties of undefined (reading 'z')",
    ]);
  });

  test('leaves other errors as they are', async () => {
    expect(componentError(await publication(), new Error('disk full'))).toBeUndefined();
  });
});
