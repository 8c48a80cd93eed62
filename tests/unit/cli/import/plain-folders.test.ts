import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { summaryLines } from '../../../../src/cli/import/import-report.ts';
import { capsuleIds } from '../../../../src/cli/import/plan-import.ts';
import { PNG, runImport, type Tree, writeTree } from './import-fixture.ts';

const MIT = 'Permission is hereby granted, free of charge, to any person obtaining a copy\n';
const CC_BY = 'Attribution 4.0 International\n';

describe('Obsidian', () => {
  test('resolves wiki links, embeds, aliases, callouts, highlights, comments and blocks', async () => {
    const folder = await writeTree({
      '.obsidian/app.json': '{}',
      'Home.md': `---
aliases: [Start, home, /old/home]
tags: bikes, work/shop
publish: false
---
To [[Deep note]], [[Deep note#The end|its end]], [[#Here]], [[missing]] and ![[photo.png|300]].

## Here

> [!tip]- Folded
> A ==bright== idea. %%hidden%%

> [!NOTE]
> GitHub's own.

> [!warning] Only a title with [a link](https://x.example/) and https://y.example/

A claim. ^block1
`,
      'folder/Deep note.md': 'Back to [[Start]].\n\n# Part one\n\n# The end\n\n![[Home#Here]]\n',
      'attachments/photo.png': PNG,
    });
    const done = await runImport(folder);
    expect(done.source.generator).toBe('obsidian');
    const { fields, text } = await done.read('home');
    expect(fields).toMatchObject({ title: 'Home', tags: ['bikes', 'work/shop'], questions: ['Start'] });
    expect(
      text,
    ).toBe(`To [Deep note](folder-deep-note.md), [its end](folder-deep-note.md#the-end), [Here](#here), missing and ![photo](images/attachments/photo.png).

## Here

:::tip[Folded]
A <mark>bright</mark> idea.
:::

> [!NOTE]
> GitHub's own.

:::warning
Only a title with [a link](https://x.example/) and https://y.example/
:::

A claim.`);
    expect((await done.read('folder-deep-note')).text).toBe(
      'Back to [Start](home.md).\n\n# Part one\n\n# The end\n\n[Home > Here](home.md#here)',
    );
    expect(done.notes).toEqual([
      'Home.md:1 is hidden in its source (publish: false), and stays a draft',
      'Home.md:6 links to "missing", which is not in the source; "missing" stays as text',
      'folder/Deep note.md:7 includes Home#Here, which becomes a link',
    ]);
  });

  test('the title of a note is its first heading or its file name, with links in it a line of the report; pictures have no width', async () => {
    const done = await runImport({
      '.obsidian/app.json': '{}',
      'Plain note.md':
        'Text with `= this.file.name` and $$[[x]]$$, ![[no.mp3]].\n\n    [[ -f file ]]\n\n![A photo|400](https://x.example/a.png)\n\n# Footer\n\nEdit.\n',
      'b.md': '# On [[Plain note]]\n\nBack to [[b#On Plain note]].\n',
    });
    const plain = await done.read('plain-note');
    expect([plain.fields['title'], plain.text]).toEqual([
      'Plain note',
      'Text with `= this.file.name` and $$[[x]]$$, no.mp3.\n\n    [[ -f file ]]\n\n![A photo](https://x.example/a.png)\n\n# Footer\n\nEdit.',
    ]);
    expect((await done.read('b')).fields['title']).toBe('On Plain note');
    expect(done.notes).toEqual([
      'Plain note.md:1 has queries of Dataview at 1 place, which stay as text; write what they show',
      'b.md:1 has links in its title, which stays without them',
      'Plain note.md:1 links to "no.mp3", which is not in the source; "no.mp3" stays as text',
      'Plain note.md:5 shows the picture https://x.example/a.png, which becomes a link; --copy-images copies it',
    ]);
  });

  test('what other programs show is a line of the report, with what to do; a note of a day has it as its title and its day', async () => {
    const done = await runImport({
      '.obsidian/app.json': '{}',
      'days/2024-05-01.md': 'With [[Boat|]].\n\nDue:: 2024\n\n```dataview\nLIST\n```\n',
      'Boat.md': '{{query (task TODO)}}\n\n  --- ----\n  A   B\n  --- ----\n\n[quote="a"]\nB\n[/quote]\n\n![c](upload://d.png)\n',
      'Manual.md': 'Page 1 of 2\n\nThe main-\ntenance of de-\nvices, as a docu-\nment says.\n',
      'Board.canvas': '{}',
      'Signs.md':
        'Type `=SUM(A1)`, or `a`=b, {{ .Title }} and $x_{.j}$.\n\n## Use {x} {#use}\n\nSee [it](#Use).\n\n<video src="https://x.example/a[1.mp4"></video>\n',
      'Words.md': '## Wheel {#hub}\n\n## Rim {.wide}\n\nA [link](https://x.example/){.button}.\n\n/// tip | Oil\nIt.\n///\n',
      'b.rst': '',
      'c.rst': '',
    });
    expect(await done.read('days-2024-05-01')).toMatchObject({
      fields: { title: '2024-05-01', created: '2024-05-01' },
      text: expect.stringMatching(/^With \[Boat\]\(boat\.md\)/),
    });
    expect(done.notes).toEqual([
      'Boat.md:7 has parts of Discourse ([quote=…]) at 1 place, which stay as text; import the topics by their address',
      'Boat.md:3 has tables of Pandoc at 2 places, which stay as text; convert the document with "pandoc -t gfm"',
      'Boat.md:1 has parts of Logseq ({{query …}}, ((id)), #+BEGIN) at 1 place, which stay as text; write what they show',
      'Manual.md:1 has numbers of pages at 1 place, which stay as text; delete them',
      'Manual.md:3 has words that end on another line (exam-…) at 3 places, which stay as text; join them',
      'Words.md:3 has attribute lists ({: .name }) at 2 places, which stay as text; build its site and import the HTML',
      'Words.md:7 has blocks of PyMdown (/// name) at 1 place, which stay as text; build its site and import the HTML',
      'days/2024-05-01.md:3 has properties (name:: value) at 1 place, which stay as text; write them as front matter, or delete them',
      'days/2024-05-01.md:5 has queries of Dataview at 1 place, which stay as text; write what they show',
      'Boat.md:11 has a link for an application, upload://d.png, which is left out; its text stays',
    ]);
    expect((await done.read('signs')).text).toContain('[a\\[1.mp4](https://x.example/a[1.mp4)');
    expect(done.source.skipped.map(({ path, message }) => `${path} ${message}`)).toEqual([
      'Board.canvas is no markdown, and is not read; convert it',
      'b.rst is no markdown, nor are 1 other files (.rst), and is not read; convert it',
    ]);
  });

  test('leaves out comments with the code in them, and drawings of plugins', async () => {
    const done = await runImport({
      '.obsidian/app.json': '{}',
      'a.md': 'Shown.\n\n\uE004 icon \uE004\n\n%%\nHidden `100 %%`.\n\n```js\nkey();\n```\n%%\n\nEnd at 5 %%.\n\n```\n%% code %%\n```\n',
      'Sketch.excalidraw.md': '---\nexcalidraw-plugin: parsed\n---\n# Excalidraw Data\n\n```compressed-json\nN4K\n```\n',
    });
    expect((await done.read('a')).text).toBe('Shown.\n\n\uE004 icon \uE004\n\nEnd at 5 %%.\n\n```\n%% code %%\n```');
    expect(done.source.skipped).toMatchObject([{ path: 'Sketch.excalidraw.md', message: expect.stringContaining('is a drawing') }]);
  });

  test('recognises a vault without settings by notes in folders of folders', async () => {
    const notes = ['Alpha', 'Beta', 'Gamma'].map((name) => [
      `areas/physics/${name}.md`,
      `See [[Empty]], [[A map]] and ![[${name}.png]].\n`,
    ]);
    const pictures = ['Alpha', 'Beta', 'Gamma'].map((name) => [`media/${name}.png`, PNG]);
    const done = await runImport({
      'a.md': 'Text [[1]](https://x.example/ref) and \\[[A map]]. See [[b]](aside), [[b|B]][^1].\n\n[^1]: Note.\n',
      'b.md': 'Text.\n',
      'areas/Empty.md': '\n',
      ...Object.fromEntries([...notes, ...pictures]),
    });
    expect(done.source.generator).toBe('obsidian');
    expect((await done.read('areas-physics-beta')).text).toBe('See Empty, A map and ![Beta](images/media/beta.png).');
    expect((await done.read('a')).text).toBe(
      'Text [[1]](https://x.example/ref) and \\[[A map]]. See [b](b.md)(aside), [B](b.md)[^1].\n\n[^1]: Note.',
    );
    expect(done.notes.filter((note) => note.includes('Beta'))).toEqual([
      'areas/physics/Beta.md:1 links to "Empty", which has no text; "Empty" stays as text',
      'areas/physics/Beta.md:1 links to "A map", which is not in the source; "A map" stays as text',
    ]);
    // One line for all names that are missing.
    expect(summaryLines(done).filter((line) => line.includes('not in the source'))).toEqual([
      expect.stringContaining('and 2 more like it'),
    ]);
  });
});

describe('plain markdown', () => {
  test('folders are sections, with their overviews first and the notes of a folder before its folders', async () => {
    const files = ['Z.md', 'b-side/2 Two.md', 'b-side/10 Ten.md', 'b-side/a/One.md', 'b-side/README.md', 'A/A.md', 'A/0.md', 'de/A/Neu.md'];
    const done = await runImport(Object.fromEntries(files.map((file) => [file, `Text of ${file}.\n`])));
    expect(parse(done.plan.sections ?? '')).toEqual({
      sections: [
        { id: 'overview', title: 'Overview', items: ['z'] },
        { id: 'a', title: 'A', items: ['a', 'a-0'] },
        {
          id: 'b-side',
          title: 'B side',
          items: ['b-side', 'b-side-2-two', 'b-side-10-ten', { id: 'a-2', title: 'A', items: ['b-side-a-one'] }],
        },
        { id: 'deutsch', title: 'Deutsch', items: [{ id: 'a-3', title: 'A', items: ['de-a-neu'] }] },
      ],
    });
    const named = ['https: a protocol.md', 'main/README.md', 'dev/README.md', 'dev/a#b.md'];
    const sectionsOfNamed = (await runImport(Object.fromEntries(named.map((file) => [file, `Text of ${file}.\n`])))).plan.sections;
    expect(parse(sectionsOfNamed ?? '')).toEqual({
      sections: [
        { id: 'overview', title: 'Overview', items: ['https-a-protocol'] },
        { id: 'dev', title: 'Dev', items: ['dev', 'dev-a-b'] },
        { id: 'main', title: 'Main', items: ['main'] },
      ],
    });
    expect((await runImport({ 'notes/a.md': 'Text.\n', 'notes/b.md': 'Text.\n' })).plan.sections).toBeUndefined();
  });

  test('the list beside the texts of Docsify, and the contents of a book, are the order of them and no texts', async () => {
    const folder = await writeTree({
      '_sidebar.md': '<!-- lint -->\n- Start\n\n  - [Wheels](#/wheels)\n  - [Hubs](parts/hubs.md)\n\n* [Home](/)\n',
      '_coverpage.md': '# Bikes\n\n[Go](#start)\n',
      'README.md': "# Bikes\n\n[Hub](/parts/hubs?id=inner \"Hub\") [W](wheels.md ':target=_blank') [I](wheels.md ':include')\n",
      'wheels.md': '# Wheels :id=top\n\n!> Turn **it**\nslowly.\n\n?> Oil.\n\n```\n!> code\n```\n',
      'parts/hubs.md': '# Hubs\n\n## Inside :id=inner\n\n[O](../README.md ":rocket: oil")\n\n## Out { #out .big }\n\n## Up {: #up }\n',
    });
    const done = await runImport(folder);
    expect(parse(done.plan.sections ?? '')).toEqual({
      sections: [
        { id: 'start', title: 'Start', items: ['wheels', 'parts-hubs'] },
        { id: 'home', title: 'Home', items: ['readme'] },
      ],
    });
    expect((await done.read('readme')).text).toBe('[Hub](parts-hubs.md#inner "Hub") [W](wheels.md) [I](wheels.md)');
    expect(await done.read('wheels')).toMatchObject({
      fields: { title: 'Wheels' },
      text: ':::important\nTurn **it**\nslowly.\n:::\n\n:::tip\nOil.\n:::\n\n```\n!> code\n```',
    });
    expect(done.notes).toEqual(['README.md:3 includes wheels.md, which becomes a link']);
    const book = { 'SUMMARY.md': '# Summary\n\n- [B](b.md)\n- [A](a.md)\n', 'a.md': 'A.\n', 'b.md': 'B.\n' };
    const ofBook = await runImport(await writeTree(book), { generator: 'plain' });
    expect(parse(ofBook.plan.sections ?? '').sections[0].items).toEqual(['b', 'a']);
    expect((await runImport(await writeTree({ ...book, 'SUMMARY.md': 'We rode.\n\n- [B](b.md)\n' }))).outcome.created).toHaveLength(3);
    expect((await done.read('parts-hubs')).text).toBe(
      '## Inside {#inner}\n\n[O](readme.md ":rocket: oil")\n\n## Out {#out}\n\n## Up {#up}',
    );
  });

  const WIKI = {
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.git/config': '[remote "origin"]\n\turl = https://github.com/ada/bikes.wiki.git\n',
    ...{ '.git/objects/x': '', '.git/refs/x': '', 'Home.md': 'Home.\n', 'A-hub.md': 'Hub.\n', 'b/Oil.md': 'Oil.\n' },
  };
  test.each([
    [
      'links of a wiki, by name and by address; those of others are no pages of it',
      { '_Sidebar.md': '[[Hubs|A hub]]\n\n[Oil](https://example.com/b/Oil) [Start](https://github.com/ada/bikes/wiki)\n' },
      ['a-hub', 'home'],
      3,
    ],
    ['addresses of pages of a wiki', { '_Sidebar.md': '* [Hub](https://github.com/ada/bikes/wiki/A-hub)\n' }, ['a-hub'], 3],
    ['another file below a folder with the name', { 'sidebar/_Footer.md': '[Hub](/A-hub)\n' }, ['a-hub', 'home'], 3],
    ['bullets without links, which are a text', { 'SUMMARY.md': '- Oil it.\n' }, ['a-hub', 'home', 'summary'], 4],
  ])('the order of %s', async (_of, files, items, count) => {
    const done = await runImport(await writeTree({ ...WIKI, ...files }), { generator: 'plain' });
    expect(parse(done.plan.sections ?? '').sections[0].items).toEqual(items);
    expect(done.outcome.created).toHaveLength(count);
  });

  test('a wiki: words before names, names without folders, images, its own addresses; the list at its top is the order', async () => {
    const done = await runImport({
      ...WIKI,
      'Home.md':
        '[[Oil]] [[the hub|A hub]] [o](Oil) [h](https://github.com/ada/bikes/wiki/A-hub) [n](New)\n\n[[images/a.png|alt=A bike]] ![b](images/a.png)\n',
      'b/Oil.md': '[[A hub]] [r](../Home) [b](A-hub) ![c](/images/a.png) ![d](images/a.png)\n',
      'images/a.png': PNG,
      'b/_Sidebar.md': '[[Home]]\n',
      '_Sidebar.md': '### Care\n- [[Oil]]\n- [[Start|Home]]\n',
    });
    expect((await done.read('home')).text).toBe(
      '[Oil](b-oil.md) [the hub](a-hub.md) [o](b-oil.md) [h](a-hub.md) [n](https://github.com/ada/bikes/wiki/New)\n\n![A bike](images/images/a.png) ![b](images/images/a.png)',
    );
    expect((await done.read('b-oil')).text).toBe(
      '[A hub](a-hub.md) [r](home.md) [b](a-hub.md) ![c](images/images/a.png) ![d](images/images/a.png)',
    );
    expect(parse(done.plan.sections ?? '').sections).toEqual([{ id: 'care', title: 'Care', items: ['b-oil', 'home'] }]);
  });

  test('brackets of a wiki that are code, an index, escaped or words of a link stay; addresses, tables and spaces in names of files do not break', async () => {
    const done = await runImport({
      ...WIKI,
      'Home.md': [
        '[[_TOC_]]',
        '# Home',
        'Ride:',
        '    [[ -f file ]] && ride',
        'Use `[[Oil]]`, arr[[0,1]], \\[[x]] and [[1]](https://example.com/ref).',
        '- One\n\n    [[Oil]] in it',
        '[[the project|https://example.com/the/project]] [[https://example.com/pic.png|alt=Far]] [[#part]] [[Näben|A hub]]和[[Oil]]',
        '| Page | Picture |\n| - | - |\n| [[Hub\\|A hub]] | [[images/my pic.png\\|alt=Near\\|width=9]] |',
        '## Part',
      ].join('\n\n'),
      'images/my pic.png': PNG,
    });
    expect((await done.read('home')).text.split(/\n{2,}/)).toEqual([
      'Ride:',
      '    [[ -f file ]] && ride',
      'Use `[[Oil]]`, arr[[0,1]], \\[[x]] and [[1]](https://example.com/ref).',
      '- One',
      '    [Oil](b-oil.md) in it',
      '[the project](https://example.com/the/project) ![Far](https://example.com/pic.png) [#part](#part) [Näben](a-hub.md)和[Oil](b-oil.md)',
      '| Page | Picture |\n| - | - |\n| [Hub](a-hub.md) | ![Near](images/images/my-pic.png) |',
      '## Part',
    ]);
    expect(done.notes).toEqual(['Home.md:15 shows the picture https://example.com/pic.png, which becomes a link; --copy-images copies it']);
  });

  test('the files of a repository: translations beside their originals, and links to its other files', async () => {
    const folder = await writeTree({
      '.git/HEAD': 'ref: refs/heads/main\n',
      '.git/config': '[remote "origin"]\n\turl = git@github.com:ada/bikes.git\n',
      '.git/objects/x': '',
      '.git/refs/x': '',
      'README.md': '# Bikes\n\n[Licence](LICENSE) [Run](src/a%20b.ts#L2) [Lost](lost.ts)\n',
      'README.de.md': '# Räder\n\nText.\n',
      'README-zh-Hant.md': '# 單車\n\nText.\n',
      ...{ 'guide-to.md': '# Guide to\n\nText.\n', 'guide.md': 'Text.\n', 'guide-it.md': '# Guide it\n\nText.\n' },
      'guide-pt-BR.md': '# Guia\n\nTexto.\n',
      LICENSE: MIT,
      'src/a b.ts': '',
    });
    const done = await runImport(folder);
    expect(done.source.from).toBe('https://github.com/ada/bikes');
    const files = 'https://github.com/ada/bikes/blob/HEAD';
    expect((await done.read('readme')).text).toBe(`[Licence](${files}/LICENSE) [Run](${files}/src/a%20b.ts#L2) Lost`);
    expect((await done.read('readme-de')).fields).toMatchObject({ language: 'de', translation_of: 'readme' });
    expect((await done.read('readme-zh-hant')).fields).toMatchObject({ language: 'zh-Hant', translation_of: 'readme' });
    expect(done.notes).toContainEqual(`README.md:3 links to the file "LICENSE", which is not imported; the link leads to ${files}/LICENSE`);
    for (const id of ['guide-to', 'guide-it']) expect((await done.read(id)).fields).not.toHaveProperty('language');
    expect((await done.read('guide-pt-br')).fields).toMatchObject({ language: 'pt-BR', translation_of: 'guide' });
  });

  test('folders of languages below another one, beside the originals or beside each other', async () => {
    const text = (title: string): string => `# ${title}\n\nText of ${title}.\n`;
    const done = await runImport({
      'README.md': text('Home'),
      ...{ 'posts/rain.md': text('Rain'), 'posts/de/rain.md': text('Regen'), 'posts/de/wind.md': `${text('Wind')}\n[Regen](../rain/)\n` },
      'posts/sw/rain.md': `---\nlang: sw\n---\n${text('Mvua')}`,
      ...{ 'docs/en/a.md': text('A'), 'docs/en/b.md': text('B'), 'docs/fr/a.md': text('Le A'), 'docs/fr/b.md': text('Le B') },
      // One name alike is chance.
      ...{ 'src/cs/index.md': text('C sharp'), 'src/el/index.md': text('Elisp') },
    });
    expect((await done.read('posts-de-wind')).text).toContain('[Regen](posts-de-rain.md)');
    const fieldsOf = async (id: string) => (await done.read(id)).fields;
    expect(await fieldsOf('posts-de-rain')).toMatchObject({ language: 'de', translation_of: 'posts-rain' });
    expect(await fieldsOf('posts-de-wind')).toMatchObject({ language: 'de' });
    expect(await fieldsOf('posts-sw-rain')).toMatchObject({ language: 'sw', translation_of: 'posts-rain' });
    expect(await fieldsOf('docs-fr-b')).toMatchObject({ language: 'fr', translation_of: 'docs-en-b' });
    for (const id of ['docs-en-b', 'src-cs']) expect(await fieldsOf(id)).not.toHaveProperty('language');
  });

  test('a section is called as the overview of its folder, or else as the folder', async () => {
    const done = await runImport({
      ...{ 'api-design/README.md': '# API Design\n\nText.\n', 'api-design/rest.md': '# REST\n\nText.\n' },
      ...{ 'one/README.md': '# Overview\n\nText.\n', 'two/README.md': '# Overview\n\nText.\n' },
      'long/README.md': '# All that a reader of this folder will ever want to know\n\nText.\n',
      'no-overview/a.md': '# A\n\nText.\n',
    });
    const titles = Array.from((done.plan.sections ?? '').matchAll(/title: (.*)/g), ([, title]) => title);
    expect(titles).toEqual(['API Design', 'Long', 'No overview', 'One', 'Two']);
    expect((await done.read('no-overview-a')).fields).not.toHaveProperty('language');
  });

  test('the heading that a text begins with is its title also on a lower level, if it is above all others', async () => {
    const code = '```sh\n## no heading\n```';
    const done = await runImport({
      'a.md': `## 1.1 Start\n\nText.\n\n### Next\n\n${code}\n\n#### Last\n`,
      'b.md': '## One\n\nText.\n\n## Two\n\nText.\n',
      'c.md': 'Text.\n\n## Later\n',
    });
    const a = await done.read('a');
    expect([a.fields['title'], a.text]).toEqual(['1.1 Start', `Text.\n\n## Next\n\n${code}\n\n### Last`]);
    for (const id of ['b', 'c']) expect((await done.read(id)).fields['title']).toBe(id.toUpperCase());
  });

  test('a text is in the language of its script, where nothing states one that is written so', async () => {
    const tree = {
      'ja.md':
        '# 農業\n\n江戸時代の農業は新田開発によって大きく伸びた。`npm run build` で作る。[詳細](https://example.com/a/long/address/in/latin)\n',
      'zh.md': '# 光刻机\n\n芯片生产的核心设备是光刻机，目前只有荷兰 ASML 能生产。\n',
      'ko.md': '# 한글\n\n한글은 1443년에 창제되었다.\n',
      'he.md': '---\nlang: yi\n---\n# טקסט\n\nטקסט קצר.\n',
      'en.md': '# Words\n\nThe word 農業 means agriculture, and 光 means light.\n',
    };
    const languagesOf = async (own: string, html?: string) => {
      const root = await writeTree({ 'content/publisher.yaml': `language: ${own}\n` });
      const done = await runImport(html === undefined ? tree : { 'a.html': html }, { root, ownLanguage: own });
      return Object.fromEntries(done.plan.capsules.map(({ file, fields }) => [file.replace(/^.*\/|\.md$/g, ''), fields['language']]));
    };
    expect(await languagesOf('en')).toEqual({ ja: 'ja', zh: 'zh', ko: 'ko', he: 'yi', en: undefined });
    expect(await languagesOf('ja-JP')).toMatchObject({ ja: undefined, zh: 'zh' });
    expect(await languagesOf('yue')).toMatchObject({ zh: undefined });
    const page = `<html lang="en"><title>A</title><body><main><h1>農業</h1><p>江戸時代の農業は新田開発によって大きく伸びた。</p></main>`;
    expect(await languagesOf('en', page)).toEqual({ a: 'ja' });
    expect(await languagesOf('en', page.replace('"en"', '"zh-TW"').replace(/<p>.*<\/p>/, '<p>芯片生產的核心設備。</p>'))).toEqual({
      a: 'zh-TW',
    });
  });

  test('the addresses that front matter states go on leading to the text', async () => {
    const done = await runImport({
      'a.md': '---\npermalink: /guides/oil/\nredirect_from: [/old/oil.html, named]\n---\n# Oil\n\nText.\n',
      'b.md': '---\nurl: p/rain/\naliases: /rain.html\n---\n# Rain\n\nText.\n',
      'c.md': '---\nurl: https://elsewhere.example/post\npermalink: /:year/:title/\n---\n# Wind\n\nText.\n',
    });
    const pathsOf = async (id: string) => (await done.read(id)).fields['path'];
    expect(await Promise.all(['a', 'b', 'c'].map(pathsOf))).toEqual([
      ['/guides/oil/', '/old/oil.html'],
      ['/p/rain/', '/rain.html'],
      undefined,
    ]);
  });

  test('descriptions of pictures that are not in the source stay as text, and are no loss', async () => {
    const done = await runImport({ 'a.md': '# A\n\nClick ![Properties for this](a.png) or ![Properties for all](b.png) to go on.\n' });
    expect((await done.read('a')).text).toBe('Click Properties for this or Properties for all to go on.');
    expect(done.plan.notes.filter(({ grade }) => grade === 'lost')).toEqual([]);
  });

  test('takes titles from headings or names, TOML and broken YAML, and ids from any name', async () => {
    const done = await runImport({
      LICENSE: 'Attribution 4.0 International\n',
      'README.md': '# Überblick\n\n<p align="center">Hi <kbd>Ctrl</kbd></p>\n\n{% include x.html %}\n',
      'notes/fa.md': '# \u0645\u06cc\u200c\u0634\u0648\u062f\n\n\u0645\u06cc\u200c\u0634\u0648\u062f\n',
      'notes/A File (2).md': 'No heading.\r\n\r\n\u00ad<script>alert(1)</script>Text [up](../README.md).\r\n',
      'notes/日本.md': '+++\ntitle = "Japan"\ntags = ["a", "b"]\n+++\nText.\n',
      'notes/broken.md': '---\ntitle: Bikes: all of them\ntags: [x\n---\nText.\n',
      'empty.md': '\n',
      'node_modules/x/README.md': '# No\n',
      'big.md': 'a'.repeat(1_100_000),
      'binary.md': new Uint8Array([0xff, 0xfe, 0x00]),
    });
    expect(done.source.generator).toBe('plain');
    expect((await done.read('readme')).fields).toMatchObject({ title: 'Überblick', license: 'CC-BY-4.0' });
    expect((await done.read('readme')).text).toBe('<p align="center">Hi <kbd>Ctrl</kbd></p>\n\n{% include x.html %}');
    expect((await done.read('notes-a-file-2')).text).toBe('No heading.\n\nText [up](readme.md).');
    expect((await done.read('notes-japan')).fields).toMatchObject({ title: 'Japan', tags: ['a', 'b'] });
    expect((await done.read('notes-fa')).text).toBe('\u0645\u06cc\u200c\u0634\u0648\u062f');
    expect((await done.read('notes-broken')).fields).toMatchObject({ title: 'Bikes: all of them' });
    expect(done.source.skipped.map(({ path, message }) => `${path} ${message}`)).toEqual([
      'big.md has more than 1 MB, and is not read',
      'binary.md is not UTF-8 text',
    ]);
    expect(done.notes).toEqual([
      'README.md:5 has tags of Liquid or Jinja ({% … %}) at 1 place, which stay as text; build its site and import the HTML',
      'notes/A File (2).md:3 <script> is left out',
      'notes/broken.md:1 has front matter that is not valid YAML; only fields with a value on their own line were read',
      'empty.md:1 has no text of its own, and is left out',
    ]);
  });

  test('a document that Google Docs writes as markdown has its pictures at its end, whatever their size', async () => {
    const image = Buffer.concat([PNG, Buffer.alloc(1_200_000)]);
    const folder = await writeTree({
      'Wheel.md': `# **The wheel**\n\n![][image1]\n\n[image1]: <data:image/png;base64,${image.toString('base64')}>\n\n~~~\n[a]: data:image/png;base64,AAAA\n~~~\n`,
    });
    const done = await runImport(folder);
    expect(await done.read('wheel')).toMatchObject({
      fields: { title: 'The wheel' },
      text: expect.stringMatching(
        /^!\[\]\[image1\]\n\n\[image1\]: images\/inline\/\w+\.png\n\n~~~\n\[a\]: data:image\/png;base64,AAAA\n~~~$/,
      ),
    });
    expect(done.outcome.copied).toHaveLength(1);
  });

  test('keeps code that stands in the line after a closing fence', async () => {
    const done = await runImport({ 'a.md': '# A\n\n```js\nx\n```\nSee ``` <Foo /> ``` here.\n' });
    expect((await done.read('a')).text).toBe('```js\nx\n```\nSee ``` <Foo /> ``` here.');
  });
});

describe('the report', () => {
  test('says that all pages state another language than the publication, and what to do if they are wrong', async () => {
    const page = (language: string): string => `<html lang="${language}"><main><h1>Lluvia</h1><p>Cae.</p></main></html>`;
    const line =
      'Language: all texts are in "en", as their pages state or their letters show, but content/publisher.yaml has "es"; write "language: en" there, or import again with --language es if they are in that.';
    const lines = async (tree: Tree, options = {}): Promise<string[]> =>
      summaryLines(await runImport(tree, { ownLanguage: 'es', ...options }));
    expect(await lines({ 'a.html': page('en') })).toContain(line);
    expect(await lines({ 'a.html': page('en') }, { language: 'es' })).not.toContain(line);
    expect(await lines({ 'a.html': page('en'), 'b.html': page('es') })).not.toContain(line);
  });

  test('counts imported pages only, and lists what was left out of them', async () => {
    const done = await runImport({
      'docs/a.md': '# A\n\nText <Icon name="x" /> here.\n',
      'docs/c.mdx': '# C\n\n<Map />\n',
      'docs/b.md': '# B\n\n<style>\na {}\n</style>\n\nText.\n\n<site-map></site-map>\n',
      'docs/empty.md': '<script>\nrun()\n</script>\n',
    });
    expect([...done.notes].sort()).toEqual([
      'docs/a.md:3 the component <Icon> has no text, and is left out',
      'docs/b.md:3 <style> is left out',
      'docs/b.md:9 the component <site-map> has no text, and is left out',
      'docs/empty.md:1 <script> is left out',
      'docs/empty.md:1 has no text of its own, and is left out',
    ]);
    expect(done.source.skipped).toMatchObject([{ path: 'docs/c.mdx', message: expect.stringContaining('build the site') }]);
    expect(summaryLines(done)[0]).toMatch(/^Imported 2 pages \(plain\) in 0\.0 s, and left out 1 page without text: 2 new,/);
  });

  test.each([
    ['in the folder', { 'notes/LICENSE': MIT, LICENSE: CC_BY }, 'Licence: MIT, found in LICENSE of the imported folder.'],
    ['of its repository', { '.git/HEAD': '', LICENSE: MIT }, 'Licence: MIT, found in ../LICENSE of the imported folder.'],
    ['above a folder without a repository', { LICENSE: MIT }, 'Licence: none was found in the source'],
  ])('takes the licence %s', async (_where, files, line) => {
    const root = await writeTree({ ...files, 'notes/a.md': 'Text.\n' });
    expect(summaryLines(await runImport(join(root, 'notes')))[1]).toContain(line);
  });

  test('never takes the licence of the publication for that of texts below it', async () => {
    const root = await writeTree({ '.git/HEAD': '', LICENSE: MIT, 'content/publisher.yaml': '', 'incoming/a.md': 'Text.\n' });
    const done = await runImport(join(root, 'incoming'), { root });
    expect(done.source.license).toBeUndefined();
    expect((await done.read('a')).fields).not.toHaveProperty('license');
    expect(summaryLines(await runImport(join(root, 'incoming'), { root, license: 'CC0-1.0' }))[1]).toBe(
      'Licence: CC0-1.0, as --license says.',
    );
  });
});

test('--split h2 never cuts through an admonition or a folded part', async () => {
  const done = await runImport(
    {
      'a.md':
        '# A\n\nBefore.\n\n## One\n\n:::note\n\nText.\n\n## Within\n\nMore.\n\n:::\n\n## Two\n\n<details>\n<summary>More</summary>\n\n## Folded\n\nText.\n\n</details>\n\n## Three\n\nEnd.\n',
    },
    { splitOver: 1 },
  );
  expect(done.plan.capsules.map(({ part }) => part)).toEqual([undefined, 'One', 'Two', 'Three']);
  for (const { text } of done.plan.capsules) {
    expect(text.match(/^:::/gm)?.length ?? 0).toBeOneOf([0, 2]);
    expect(text.match(/<\/?details>/g)?.length ?? 0).toBeOneOf([0, 2]);
  }
});

test('symbolic links lead out of the imported folder nowhere: not for texts, images and documents', async () => {
  const outside = await writeTree({ 'key.md': 'The secret.\n', 'a.png': PNG, LICENSE: MIT });
  const folder = await writeTree({
    'page.md': '# Page\n\nText.\n\n[Key](linked/key.md) ![A](linked/a.png) ![B](inner/b.png)\n',
    'images/b.png': PNG,
    'llms.txt': '# L\n\n- [Page](linked/key.md)\n- [Good](good.md)\n',
    'good.md': '# Good\n\nText.\n',
  });
  await symlink(outside, join(folder, 'linked'));
  await symlink(join(outside, 'LICENSE'), join(folder, 'LICENSE'));
  await symlink('images', join(folder, 'inner'));
  for (const given of [folder, join(folder, 'llms.txt')]) {
    const done = await runImport(given);
    expect(JSON.stringify(done.plan.capsules.map(({ text }) => text))).not.toContain('secret');
    expect(done.source.license).toBeUndefined();
    expect(done.source.skipped).toContainEqual({
      path: 'linked/key.md',
      line: 1,
      message: 'leads out of the imported folder, and is not read',
    });
    if (given === folder) {
      expect(done.outcome.copied).toEqual(['content/capsules/images/inner/b.png']);
      expect(done.source.skipped.map(({ path }) => path).sort()).toEqual(['inner', 'linked', 'linked/a.png', 'linked/key.md'].sort());
    }
  }
});

describe('texts as they are written', () => {
  test('names in angle brackets are text, in front matter and in prose; elements and components are not', async () => {
    const done = await runImport({
      'a.md':
        '---\ntitle: "Option<T> and Map<K, V>"\n---\n\nUse Option<T> in text. Replace <your-token> with yours. Type List<String>, `<code>`.\n\n| Type |\n|---|\n| Vec<u8> |\n\n<b>Bold</b><br>and <Card>in a card</Card>.\n',
      'b.md': '# List<String> of `Vec<T>`\n\nText.\n',
    });
    const { fields, text } = await done.read('a');
    expect(fields).toMatchObject({ title: 'Option<T> and Map<K, V>' });
    expect(text).toContain('Use Option<T> in text. Replace <your-token> with yours. Type List<String>, `<code>`.\n');
    expect(text).toContain('| Vec<u8> |');
    expect(text).toContain('<b>Bold</b><br>');
    expect(text).not.toContain('Card');
    expect((await done.read('b')).fields).toMatchObject({ title: 'List<String> of Vec<T>' });
  });

  test.each([
    ['empty front matter', '---\n---\n\n# Empty fields\n\nText.\n', { title: 'Empty fields' }, 'Text.'],
    ['a rule first', '---\n\nA rule first.\n\n---\n\nMore.\n', { title: 'A' }, '---\n\nA rule first.\n\n---\n\nMore.'],
    ['dots as the end', '---\ntitle: Ends with dots\n...\n\nText.\n', { title: 'Ends with dots' }, 'Text.'],
    [
      'tags that are numbers',
      '---\ntags: [no, 2015, 1.10, 007, true]\n---\n\nText.\n',
      { tags: ['no', '2015', '1.10', '007', 'true'] },
      'Text.',
    ],
  ])('reads %s', async (_name, source, fields, text) => {
    const done = await runImport({ 'a.md': source });
    expect(await done.read('a')).toMatchObject({ fields, text });
    expect(done.notes).toEqual([]);
  });

  test.each([
    ['25/03/2021', '2021-03-25'],
    ['25.03.2021', '2021-03-25'],
    ['03/25/2021', '2021-03-25'],
    ['05/05/2021', '2021-05-05'],
    ['2021/3/5', '2021-03-05'],
    ['March 5, 2021', '2021-03-05'],
    ['05/03/2021', 'which may be 2021-03-05 or 2021-05-03, and is left out; write it as one of these'],
    ['2024-02-30', 'which cannot be read as a date, and is left out; write it as 2021-03-05'],
    ['2021', 'which cannot be read as a date, and is left out; write it as 2021-03-05'],
    ['1616630400', 'which cannot be read as a date, and is left out; write it as 2021-03-05'],
  ])('reads the date %s, or reports it', async (date, result) => {
    const done = await runImport({ 'a.md': `---\ntitle: A\ndate: ${date}\n---\n\nText.\n` });
    expect([...done.notes, (await done.read('a')).fields['created']].filter((value) => value !== undefined)).toEqual([
      result.startsWith('2') ? result : `a.md:1 has the date ${date}, ${result}`,
    ]);
  });

  test.each([
    ['draft: "true"'],
    ['draft: yes'],
    ['published: false'],
    ['unlisted: true'],
    ['noindex: true'],
    ['status: draft'],
    ['visibility: members'],
    ['robots: noindex, follow'],
    ['publishDate: 2999-01-01'],
    ['date: 2999-01-01'],
    ['expiryDate: 2020-01-01'],
  ])('a page that %s hides stays a draft, and is a line of the report', async (field) => {
    const done = await runImport({ 'a.md': `---\ntitle: A\n${field}\n---\n\nText.\n`, '_drafts/b.md': 'Text.\n' }, { isPublished: true });
    expect((await done.read('a')).fields['draft']).toBe(true);
    expect((await done.read('drafts-b')).fields['draft']).toBe(true);
    expect(done.notes).toContainEqual(expect.stringMatching(/^a\.md:1 is hidden in its source/));
    expect(done.notes).toContainEqual('_drafts/b.md:1 is hidden in its source (folder _drafts), and stays a draft');
  });

  test('code is the same byte for byte, whatever looks like HTML in it; links in HTML lead to the other texts', async () => {
    const code =
      'Inline `<a href="/x">go</a>` and `<a>`.\n\n```html\n<li><a href="/x">Home</a> <a id="top"></a></li>\n```\n\n    <a href="/x">indented</a>';
    const done = await runImport({
      'a.md': `# Code\n\n${code}\n\n![pic](<a b.png>) [guide](<a guide.md>), <a href="a guide.md">the <em>same</em></a>\n\n<table><tr><td><a href="a guide.md">cell</a></td></tr></table>\n`,
      'a guide.md': 'Text.\n',
      'a b.png': PNG,
    });
    expect((await done.read('a')).text).toBe(
      `${code}\n\n![pic](images/a-b.png) [guide](a-guide.md), <a href="a-guide.md">the <em>same</em></a>\n\n<table><tr><td><a href="a-guide.md">cell</a></td></tr></table>`,
    );
    expect(done.notes).toEqual([]);
  });

  test('names of Notion lose their ids, and its tables are downloads', async () => {
    const [a, b, c] = ['1f2e3d4c5b6a79881726354453627180', 'aa11bb22cc33dd44ee55ff6677889900', '00112233445566778899aabbccddeeff'];
    const done = await runImport({
      [`Workshop ${a}.md`]: `# Workshop\n\n[Tools](Workshop%20${a}/Tools%20${b}.md) [List](Workshop%20${a}/List%20${c}.csv) [#safety](Workshop%20${a}/#safety%20${c}.md)\n`,
      [`Workshop ${a}/#safety ${c}.md`]: '# #safety\n\nGoggles.\n',
      [`Workshop ${a}/Tools ${b}.md`]: '# Tools\n\nHammer.\n',
      [`Workshop ${a}/List ${c}.csv`]: 'a,b\n',
    });
    expect(done.source.generator).toBe('notion');
    const html = await runImport({
      [`Workshop ${a}.html`]: '<h1>Workshop</h1><p>Text.</p>',
      [`Workshop ${a}/Tools ${b}.html`]: '<h1>Tools</h1><p>Hammer.</p>',
    });
    for (const { plan } of [done, html]) expect(plan.sections).toContain('title: Workshop\n    items:\n');
    expect((await done.read('workshop')).text).toBe(
      '[Tools](workshop-tools.md) [List](images/workshop/list.csv) [#safety](workshop-safety.md)',
    );
    expect(done.notes).toEqual([]);
  });

  test('texts that would take very long to read are a line of the report', async () => {
    const done = await runImport({
      'good.md': 'Text.\n',
      'deep.md': `${'> '.repeat(101)}a\n`,
      'lines.md': 'a\n'.repeat(100_001),
      'marks.md': '*a_ '.repeat(10_001),
      'scripts.md': `Text.\n\n<iframe src="https://x.example/" title="Map"></iframe>\n\n${'<script>\n'.repeat(90_000)}`,
    });
    expect(done.outcome.created).toEqual(['content/capsules/good.md', 'content/capsules/scripts.md']);
    expect((await done.read('scripts')).text).toMatch(/^Text\.\n\n\[Map\]\(https:\/\/x\.example\/\)\n\n<script>\n<script>/);
    expect(done.source.skipped.map(({ path, message }) => `${path} ${message}`)).toEqual([
      'deep.md cannot be converted, and is left out: nests quotes or lists too deeply; flatten them',
      'lines.md cannot be converted, and is left out: has 100002 lines; at most 100000 are allowed',
      expect.stringMatching(/^marks\.md cannot be converted, and is left out: is in a paragraph with more than 3000 characters/),
    ]);
  });
});

test.each([
  ['docs/01-install.md', 'docs-install'],
  ['guides/2. first steps/index.md', 'guides-first-steps'],
  ['changes/1.2.html', 'changes-1-2'],
  ['v2/10-2-notes.md', 'v2-10-2-notes'],
  ['posts/2024-01-05-rain.md', 'posts-2024-01-05-rain'],
  ['guide/Руководство.md', 'guide-rukovodstvo'],
  ['guide/دليل.md', 'guide-dlyl'],
  ['guide/はじめに.md', 'guide-docker-101', 'Docker 101 入門'],
  ['guide/はじめに.md', 'guide-page-bc78870d', '入門'],
  ['guide/03-はじめに.md', 'guide-page-03', '入門'],
  ['Wheels_524299.html', 'wheels', 'Wheels', true],
  ['524300.html', 'guide', '車輪 Guide', true],
  ['524300.html', '524300', '車輪', true],
  ['report_20240105.html', 'report-20240105', 'Report', true],
  ['KB_100234.html', 'kb-100234', 'Printer jams'],
])(
  'the id of %s: numbers that order files or pages go, those of a version or a day stay: %s',
  (path, id, title = '', isOfConfluence = false) => expect(capsuleIds([]).forPath(path, title, isOfConfluence)).toBe(id),
);
