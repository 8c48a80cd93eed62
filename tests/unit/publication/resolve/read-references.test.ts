import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatProblem } from '../../../../src/publication/content-problem.ts';
import { scriptInSvg } from '../../../../src/publication/read/media-file.ts';
import { readReferences } from '../../../../src/publication/resolve/links-and-references.ts';
import { findReferences } from '../../../../src/text/markdown/resolve-links.ts';
import { temporaryFolder } from '../content-world.ts';

const TEXT = 'content/capsules/a.md';
const ADDRESSES = new Map([
  [TEXT, '/capsules/a'],
  ['content/capsules/b.md', '/capsules/b'],
]);
const DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><path d="M0 0h40v30z"/></svg>';

async function read(body: string, files: Readonly<Record<string, string>> = {}, level: 'error' | 'off' = 'error') {
  const root = await temporaryFolder();
  for (const [path, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    if (bytes.startsWith('->')) await symlink(bytes.slice(2), join(root, path));
    else await writeFile(join(root, path), bytes);
  }
  const { byFile, media, problems } = await readReferences(
    root,
    [{ path: TEXT, parts: findReferences(body), bodyLine: 4 }],
    ADDRESSES,
    level === 'off' ? undefined : level,
  );
  return { found: byFile.get(TEXT), media: media.map(({ file }) => file), problems: problems.map(formatProblem) };
}

describe('references of a text', () => {
  test('to texts, images and downloads get their addresses, in markdown, in definitions and in HTML', async () => {
    const body = 'See [b](b.md#why) and [that][one].\n\n![A wheel](w.svg)\n\n<img src="w.svg" alt="A wheel">\n\n[one]: <list 1.csv>\n';
    const { found, media, problems } = await read(body, { 'content/capsules/w.svg': DRAWING, 'content/capsules/list 1.csv': 'a,b\n' });
    expect(problems).toEqual([]);
    expect(media).toEqual(['content/capsules/list 1.csv', 'content/capsules/w.svg']);
    expect(found?.['b.md#why']).toEqual({ href: '/capsules/b#why' });
    expect(found?.['w.svg']?.href).toMatch(/^\/media\/w\.[0-9a-f]{12}\.svg$/);
    expect(found?.['w.svg']?.image).toMatchObject({ width: 40, height: 30, variants: [] });
    expect(Object.values(found ?? {}).some(({ href }) => /^\/media\/list-1\.[0-9a-f]{12}\.csv$/.test(href))).toBe(true);
  });

  test('are reported by line where the file is missing, outside, a link of the file system or not published', async () => {
    const body =
      '![One](gone.png)\n\n![Two](../../notes/two.svg)\n\n![Three](three.svg)\n\n![Four](four.exe)\n\n![](five.svg)\n\n![](five.svg "What it shows")\n';
    const { problems, media } = await read(body, {
      'notes/two.svg': DRAWING,
      'content/capsules/three.svg': '->five.svg',
      'content/capsules/four.exe': 'MZ',
      'content/capsules/five.svg': DRAWING,
    });
    expect(problems).toEqual([
      `${TEXT}:4 text: shows gone.png, but there is no file content/capsules/gone.png; correct the address, or add the file`,
      `${TEXT}:6 text: shows ../../notes/two.svg, which is at notes/two.svg; files that texts use are below content/ or public/`,
      `${TEXT}:8 text: shows three.svg, which is a symbolic link; copy the file itself`,
      expect.stringMatching(/^content\/capsules\/a\.md:10 text: shows four\.exe, a type that is not published; use one of png, /),
      `${TEXT}:12 text: shows five.svg without alternative text; describe it in the brackets: ![…](five.svg)`,
    ]);
    expect(media).toEqual(['content/capsules/five.svg']);
    expect((await read('![One](gone.png)\n', {}, 'off')).problems).toEqual([]);
  });

  test('to an SVG that begins with remarks and the file of its editor are found', async () => {
    const drawing = DRAWING.replace('<svg', `<!-- ${'x'.repeat(2_000)} --><svg content="${'y'.repeat(2_000)}"`);
    const { problems, found } = await read('![A wheel](w.svg)\n', { 'content/capsules/w.svg': drawing });
    expect([problems, found?.['w.svg']?.image]).toMatchObject([[], { width: 40, height: 30 }]);
  });

  test('to an SVG with a script are refused, and the file is not published', async () => {
    const script = DRAWING.replace('<path', '<script>alert(1)</script><path');
    const { problems, media, found } = await read('![A wheel](w.svg)\n', { 'content/capsules/w.svg': script });
    expect(problems).toEqual([`${TEXT}:4 text: shows w.svg, which contains a script; export it without scripts`]);
    expect([media, found]).toEqual([[], undefined]);
  });
});

test.each([
  ['<svg><script/></svg>', 'a script'],
  ['<svg><svg:script href="x"/></svg>', 'a script'],
  ['<svg><path onload="x()"/></svg>', 'an event handler'],
  ['<svg><path d="a"/onclick=x></svg>', 'an event handler'],
  ['<svg><foreignObject><iframe src="/"/></foreignObject></svg>', 'an embedded page'],
  ['<!DOCTYPE svg [<!ENTITY x "y">]><svg/>', 'an entity declaration'],
  ['<svg><a href="java&#115;cript:x()"/></svg>', 'a link to a script'],
  ['<svg><a href="java&#x0A;script:x()"/></svg>', 'a link to a script'],
  ['<svg><a href="java&Tab;script:x()"/></svg>', 'a link to a script'],
  ['<svg><image href="data:text/html,x"/></svg>', 'a link to a script'],
  [DRAWING, undefined],
  ['<svg><title>On one = two</title><a href="https://example.org/#onload">x</a></svg>', undefined],
])('what could run in %s is %s', (svg, name) => expect(scriptInSvg(svg)).toBe(name));
