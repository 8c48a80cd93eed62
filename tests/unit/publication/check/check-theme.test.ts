import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkLook, checkSiteLinks, checkTheme } from '../../../../src/publication/check/check-look-and-theme.ts';
import {
  contrastFindings,
  contrastRatio,
  MIN_TEXT_CONTRAST,
  nearestReadable,
  paletteOf,
  SCHEMES,
} from '../../../../src/publication/check/palette.ts';
import { formatProblem } from '../../../../src/publication/content-problem.ts';
import { HomePage, Look } from '../../../../src/schemas/publisher.ts';
import { publisherOf } from '../../../support/publisher.ts';
import { sharedFolder } from '../content-world.ts';

const root = sharedFolder();

const themeProblems = async (css: string, look: unknown = {}): Promise<string[]> => {
  await writeFile(join(root, 'theme.css'), css);
  return (await checkTheme(root, Look.parse(look))).map(formatProblem);
};

describe('the check of theme.css', () => {
  it('has nothing to say about readable colours, other values and other rules', async () => {
    expect(
      await themeProblems(`
        :root { --color-accent: #7a1fa2; --color-text: var(--other); --measure: 30rem; }
        .card { --color-text: #fefefe; }
        @media print { :root { --color-text: #eee; } }
        @media (prefers-color-scheme: dark) { :root { --color-accent: #e0b0ff; } }
      `),
    ).toEqual([]);
  });

  it('reports a colour by line, in the scheme in which it is hard to read', async () => {
    const problems = await themeProblems(
      `:root {\n  --color-accent: light-dark(#1b4b8f, #1b4b8f);\n}\n:root {\n  --color-surface: #888;\n}\n`,
    );
    expect(problems.join('\n')).toMatch(
      /^theme\.css:5 --color-surface: --color-text-muted #55575a has a contrast of 2\.\d\d:1 with the light/m,
    );
    expect(problems.join('\n')).toMatch(/^theme\.css:2 --color-accent: .* with the dark background, .* passes is #[0-9a-f]{6}$/m);
  });

  it('compares colours in every notation, and leaves out those that it cannot compute', async () => {
    const faint = [
      '#eee',
      'lightgray',
      'rgb(220 220 220)',
      'hsl(40, 20%, 85%)',
      'oklch(85% 0.02 90)',
      'color-mix(in oklab, white 90%, black)',
    ];
    for (const color of [...faint, 'light-dark(hsl(0 0% 90%), white)'])
      expect(await themeProblems(`:root { --color-text: ${color}; }`, { color_scheme: 'light' }), color).toEqual([
        expect.stringMatching(/^theme\.css:1 --color-text: --color-text \S.* has a contrast of 1\.\d\d:1 with the light background/),
      ]);
    for (const color of ['rgb(220 220 220 / 50%)', 'var(--other)', 'currentColor', 'color-mix(in oklab, var(--a), white)', 'black'])
      expect(await themeProblems(`:root { --color-text: ${color}; }`, { color_scheme: 'light' }), color).toEqual([]);
  });

  it('refuses addresses of other sites and of missing files, in every sheet that is imported', async () => {
    await writeFile(join(root, 'here.woff2'), '');
    await writeFile(join(root, 'parts.css'), '.a {\n  background: url(//cdn.example/a.png);\n}\n');
    const css = `@import url("https://fonts.example/css2?family=Inter");
@import "./parts.css";
@import "./gone.css" layer(x);
@font-face { font-family: A; src: url("./here.woff2#iefix") format("woff2"), url(./fonts/gone.woff2); font-display: swap; }
.b { background: image-set("data:image/png;base64,AAAA" 1x); mask: url(#local); }
.c { background: url(/public.png); cursor: url("../../etc/passwd"), auto; }
`;
    const elsewhere = (address: string): string =>
      `loads ${address}, and pages load nothing from elsewhere; put the file into the publication, and name it by its path, such as url("./fonts/text.woff2")`;
    expect(await themeProblems(css)).toEqual([
      `theme.css:1 ${elsewhere('https://fonts.example/css2?family=Inter')}`,
      'theme.css:3 loads ./gone.css, and gone.css is missing',
      'theme.css:4 loads ./fonts/gone.woff2, and fonts/gone.woff2 is missing',
      `theme.css:5 ${elsewhere('data:image/png;base64,AAAA')}`,
      'theme.css:6 loads /public.png, and public/public.png is missing',
      'theme.css:6 loads ../../etc/passwd, which is outside of the publication; move the file into it',
      `parts.css:2 ${elsewhere('//cdn.example/a.png')}`,
    ]);
  });

  it('reports names that are misspelt and values that no browser takes', async () => {
    const css = `:root {
  --color-acent: #123456;
  --color-accent: reed;
  --measure: 40;
  --font-text: Georgia, serif;
  --space-7: 2rem;
  --radius: calc(1rem / 2);
}
.a { colr: red; color: rde; margin: var(--space-7) var(--spce-2); padding: var(--my-own-thing, 1rem); }
`;
    expect(await themeProblems(css)).toEqual([
      'theme.css:2 --color-acent: is not a property of the engine, and nothing uses it. Did you mean "--color-accent"?',
      'theme.css:3 --color-accent: must be a colour such as #1b4b8f; reed is not',
      'theme.css:4 --measure: must be a length such as 1.5rem; 40 is not',
      'theme.css:9 colr: is not a known property of CSS. Did you mean "color"?',
      'theme.css:9 color: rde is no value of color; browsers ignore it',
      'theme.css:9 margin: uses --spce-2, which nothing defines. Did you mean "--space-2"?',
    ]);
  });

  it('reports CSS that cannot be read', async () => {
    expect(await themeProblems(':root {\n  --color-accent: #1b4b8f;\n')).toEqual(['theme.css:1 is not valid CSS: Unclosed block']);
  });
});

describe('the check of look', () => {
  it('warns of low contrast, refuses very low contrast and names missing files', () => {
    const look = Look.parse({ logo: 'mark.svg', colors: { accent: { light: '#ff9900', dark: '#7a86b8' } } });
    expect(checkLook(root, look).map(({ path, level }) => [path.join('.'), level])).toEqual([
      ['colors.accent.light', 'error'],
      ['logo', 'error'],
    ]);
    expect(checkLook(root, Look.parse({ colors: { accent: '#878787' } }))).toMatchObject([{ level: 'warning' }]);
  });

  it('says that colours need quotes, because # begins a comment', () => {
    expect(Look.safeParse({ colors: { accent: null } }).error?.issues[0]?.message).toContain('in quotes');
  });
});

describe('the check of links', () => {
  const targets = { pages: ['about', 'home'], exists: (path: string) => path === '/capsules' };

  it('accepts pages by name, addresses of the site and other sites', () => {
    const navigation = [
      'capsules',
      'about',
      { page: 'status', label: 'Live' },
      { label: 'A', href: '/capsules?tag=x#y' },
      { label: 'B', href: 'https://a.example' },
    ];
    expect(checkSiteLinks(root, publisherOf(['a-review'], { navigation }), targets)).toEqual([]);
  });

  it('reports every link that leads nowhere, with the nearest page', () => {
    const publisher = publisherOf(['a-review'], {
      navigation: ['abuot', { label: 'Gone', href: '/gone' }],
      footer: { columns: [{ heading: 'More', links: ['termz'] }] },
      home: { actions: ['home'], sections: [{ section: 'text', page: 'wellcome' }], image: { file: '/a.png', alt: '' } },
    });
    expect(checkSiteLinks(root, publisher, targets).map(({ path, message }) => `${path.join('.')} ${message}`)).toEqual([
      'navigation.0 there is no page "abuot". Did you mean "about"?',
      'navigation.1 /gone is not a page of this site or a file in public/',
      'footer.columns.0.links.0 there is no page "termz". Write content/pages/termz.md, or name one of home, capsules, subjects, buy, pricing, checkout, invoice, contact, docs, connect, status, about',
      'home.sections.0 there is no page "wellcome". Write content/pages/wellcome.md, or name one of about, home',
      'home.image.file /a.png is missing: put the file at public/a.png',
    ]);
  });

  it('refuses scripts as addresses, and a section that is named twice', () => {
    for (const href of ['javascript:alert(1)', '//evil.example', 'http://a.example'])
      expect(HomePage.safeParse({ actions: [{ label: 'A', href }] }).success, href).toBe(false);
    expect(HomePage.safeParse({ sections: ['capsules', { section: 'capsules' }] }).success).toBe(false);
    expect(HomePage.safeParse({ sections: ['text', { section: 'text', page: 'about' }] }).success).toBe(true);
  });
});

const color = fc.integer({ min: 0, max: 0xff_ff_ff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

describe('contrast', () => {
  it('is the ratio of WCAG', () => {
    expect(contrastRatio('#000000', '#ffffff')).toBeCloseTo(21, 5);
    // Examples of webaim.org/resources/contrastchecker.
    expect(contrastRatio('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
    expect(contrastRatio('#ff0000', '#ffffff')).toBeCloseTo(4, 2);
  });

  it('keeps a colour that can be read, and otherwise finds one that can', () => {
    expect(nearestReadable('#767676', ['#ffffff'])).toBe('#767676');
    fc.assert(
      fc.property(color, color, (one, background) => {
        expect(contrastRatio(nearestReadable(one, [background]), background)).toBeGreaterThanOrEqual(MIN_TEXT_CONTRAST);
      }),
    );
  });

  it('keeps the hue: the nearest readable magenta is a magenta', () => {
    expect(nearestReadable('#ff4fa3', ['#ffffff'])).toMatch(/^#(c|d)[0-9a-f]{3}[6-8][0-9a-f]$/);
  });
});

describe('the palette', () => {
  it('of the engine is readable, and stays as it is without settings', () => {
    expect(paletteOf(Look.parse({}), 'light')).toMatchObject({ accent: '#1b4b8f', verified: '#1a6a41', 'text-muted': '#55575a' });
    expect(paletteOf(Look.parse({}), 'dark')).toMatchObject({ accent: '#98bdf3', verified: '#82c9a0', 'text-muted': '#a9a8a4' });
    expect(contrastFindings(Look.parse({}))).toEqual([]);
  });

  it('derives the accent of the other scheme from a single colour', () => {
    const look = Look.parse({ colors: { accent: '#7a1fa2' } });
    expect(paletteOf(look, 'light').accent).toBe('#7a1fa2');
    expect(paletteOf(look, 'dark').accent).not.toBe('#7a1fa2');
    expect(contrastFindings(look)).toEqual([]);
  });

  it('reports a colour that is hard to read, with a nearest one that passes', () => {
    const look = Look.parse({ colors: { accent: '#FC9' } });
    const [finding, ...others] = contrastFindings(look);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ color: 'accent', scheme: 'light', value: '#ffcc99' });
    expect(contrastFindings(Look.parse({ colors: { accent: finding?.suggestion } }))).toEqual([]);
  });

  it('reports nothing about a scheme that no reader gets', () => {
    expect(contrastFindings(Look.parse({ color_scheme: 'dark', colors: { accent: '#ff4fa3', background: '#0b0d12' } }))).toEqual([]);
  });

  it('is readable on every background, apart from the colours that are set', () => {
    fc.assert(
      fc.property(color, fc.constantFrom(...SCHEMES), (background, scheme) => {
        const palette = paletteOf(Look.parse({ color_scheme: scheme, colors: { background } }), scheme);
        for (const name of ['text', 'accent', 'verified', 'superseded', 'retracted'] as const)
          expect(contrastRatio(palette[name], background), name).toBeGreaterThanOrEqual(MIN_TEXT_CONTRAST);
      }),
    );
  });
});
