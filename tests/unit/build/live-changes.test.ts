import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LivePublication } from '../../../src/build/dev/live-publication.ts';
import { describeProblems, LiveChanges } from '../../../src/build/dev/watch-publication.ts';
import { fileProblem } from '../../../src/publication/content-problem.ts';
import { demoPayments } from '../../../src/schemas/commerce/stablecoin-payments.ts';
import { temporaryFolder } from '../publication/content-world.ts';

const PUBLISHER = `name: Bench and wheel
base_url: https://bench-and-wheel.net
contact_email: desk@bench-and-wheel.net
`;

describe('changes while a publication is written', () => {
  it('lists every error before the warnings, and cuts only these', () => {
    const problems = Array.from({ length: 23 }, (_, at) => [
      fileProblem(`content/capsules/a-${at}.md`, 'is short', 'warning'),
      fileProblem(`content/capsules/b-${at}.md`, 'is missing'),
    ]).flat();
    const lines = stripVTControlCharacters(describeProblems(problems)).split('\n');
    expect(lines.slice(0, 23)).toEqual(Array.from({ length: 23 }, (_, at) => `  error   content/capsules/b-${at}.md:1 is missing`));
    expect(lines.slice(42)).toEqual(['  warning content/capsules/a-19.md:1 is short', '  and 3 more warnings']);
  });

  it.each([
    ['', 1, 'gap', 'A build leaves paid texts out while this file names no payments'],
    ['payments: { stripe_profile: profile_1AbC }\n', 4, 'warning', 'A build sells them as this file says'],
  ])(
    'says what a build does with a text that is sold as a demonstration, with %j in publisher.yaml',
    async (payments, line, level, words) => {
      const root = await temporaryFolder();
      await mkdir(join(root, 'content/capsules'), { recursive: true });
      await writeFile(join(root, 'content/publisher.yaml'), PUBLISHER + payments);
      const text = '---\ntitle: Measuring a rim\naccess: paid\nprice_usd: 1\n---\n\nA gauge.\n\n<!-- paid -->\n\nTrue.\n';
      await writeFile(join(root, 'content/capsules/measuring-a-rim.md'), text);
      const live = new LivePublication(root, { demoPayments: demoPayments('http://127.0.0.1:4321') });
      await live.refresh([]);
      const found = live.problems.filter(({ field }) => field === 'payments');
      expect(found).toEqual([
        { file: 'content/publisher.yaml', field: 'payments', line, level, message: expect.stringContaining(words) as unknown },
      ]);
    },
  );

  it('starts once the mistake in theme.css is mended, and follows components and public files', async () => {
    const root = await temporaryFolder();
    await mkdir(join(root, 'content/capsules'), { recursive: true });
    await writeFile(join(root, 'content/publisher.yaml'), PUBLISHER);
    await writeFile(
      join(root, 'content/capsules/cleaning-a-chain.md'),
      '---\ntitle: Cleaning a chain\n---\n\nWipe it dry, then [oil it](/oil.pdf).\n',
    );
    await writeFile(join(root, 'theme.css'), ':root { --color-text: }}');

    let output = '';
    let heard: (() => void) | undefined;
    const changes = new LiveChanges(root, new LivePublication(root, {}), (line) => {
      output += `${stripVTControlCharacters(line)}\n`;
      heard?.();
    });
    onTestFinished(() => changes.close());
    /** What is reported from the last look on, once it has `text`. */
    const hears = async (text: string): Promise<string> => {
      while (!output.includes(text))
        await new Promise<void>((resolve) => {
          heard = resolve;
        });
      const said = output;
      output = '';
      return said;
    };
    const state = changes.firstState(new Promise(() => undefined));
    expect(await hears('Mend this, and it starts.')).toMatch(
      /error {3}theme\.css:1 [\s\S]*warning content\/capsules\/cleaning-a-chain\.md/,
    );

    await writeFile(join(root, 'theme.css'), ':root { --measure: 30rem; }');
    expect((await state)?.made.capsules.map(({ id }) => id)).toEqual(['cleaning-a-chain']);
    output = '';

    await mkdir(join(root, 'components'));
    await writeFile(join(root, 'components/SiteHeadr.astro'), '<p></p>');
    await hears('error   components/SiteHeadr.astro:1 there is no component "SiteHeadr" to replace. Did you mean "SiteHeader"?');
    await rm(join(root, 'components'), { recursive: true });
    await mkdir(join(root, 'public'));
    await writeFile(join(root, 'public/oil.pdf'), '%PDF-1.7');
    await hears('No mistakes in the content.');
    await writeFile(join(root, 'theme.css'), 'p { colour: red; }');
    await hears('theme.css:1 ');
  });
});
