import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { compareTexts, factsOfMarkdown } from '../../../../src/cli/import/conversion-losses.ts';
import { openSource } from '../../../../src/cli/import/import-content.ts';
import { hasLosses, nextStep, REPORT_FILE, summaryLines } from '../../../../src/cli/import/import-report.ts';
import { frameProblem } from '../../../../src/cli/import/sources/read-html-folder.ts';
import { UserError } from '../../../../src/publication/content-problem.ts';
import { ROOT } from '../../../support/paths.ts';
import { addFiles, OPEN, PNG, runImport, writeTree } from './import-fixture.ts';

async function textOf(main: string): Promise<{ readonly text: string; readonly notes: readonly string[] }> {
  const done = await runImport({
    'a/index.html': `<!doctype html><html lang="en"><head><title>A | Site</title></head><body><nav><a href="/">Site</a></nav><main><h1>A</h1>${main}</main></body></html>`,
    'b.html': '<main><h1>B</h1><h2 id="part">Part two</h2><p>Text.</p></main>',
    'img/a.png': PNG,
  });
  return { text: (await done.read('a')).text, notes: done.notes };
}

/** What site generators write, and what it becomes. */
const FORMS = parse(await readFile(join(ROOT, 'tests/data/import-forms.yaml'), 'utf8')) as {
  name: string;
  html: string;
  markdown: string;
}[];

describe('HTML of a site generator', () => {
  test.each(FORMS)('$name', async ({ html, markdown }) => {
    const { text, notes } = await textOf(html);
    expect(text).toBe(markdown);
    expect(notes).toEqual([]);
  });

  test('a post has the title above its text and the tags of its head, and lists of posts by tags are no texts', async () => {
    const head = (extra: string): string => `<meta name="keywords" content="chains, oil and wax">${extra}`;
    const feed = '<link rel="alternate" type="application/rss+xml" href="https://blog.example/b/tags/oil/index.xml">';
    const post =
      '<article><header><h1 class="post-title">Oil a chain</h1></header><div class="post-content"><h1>First</h1><p>Clean it.</p><h1>Then</h1><p>Oil it.</p></div></article>';
    const done = await runImport({
      'posts/oil.html': head('<meta property="article:published_time" content="2021-03-05">') + post,
      'about.html': `${head('')}<main><h1>About</h1><p>Us.</p></main>`,
      'tags/oil/index.html': `${feed}<main><h1>Oil</h1><h2>Oil a chain</h2></main>`,
      'tags/oil/page/2/index.html': `${feed}<main><h1>Oil</h1><h2>Wax a chain</h2></main>`,
      'tags/rain/index.html': `${feed.replace('oil', 'rain')}<main><h1>Rain</h1><p>${'An entry in words of the list. '.repeat(9)}</p></main>`,
      'tags/b.html': '<main><h1>The tag b</h1><p>Bold.</p></main>',
      'category/wax/index.html': `<meta property="article:published_time" content="2021-03-06"><link rel="alternate" type="application/rss+xml" href="/category/wax/feed/"><main><h1>Wax</h1><p>A post with comments.</p></main>`,
    });
    expect((await done.read('posts-oil')).fields).toMatchObject({ title: 'Oil a chain', tags: ['chains', 'oil and wax'] });
    expect((await done.read('posts-oil')).text).toBe('## First\n\nClean it.\n\n## Then\n\nOil it.');
    expect((await done.read('about')).fields).not.toHaveProperty('tags');
    expect(done.outcome.created.map((file) => file.replace('content/capsules/', ''))).toEqual([
      'about.md',
      'category-wax.md',
      'posts-oil.md',
      'tags-b.md',
    ]);
    expect(done.source.skipped.filter(({ message }) => message.startsWith('lists texts by a tag')).map(({ path }) => path)).toEqual([
      'tags/oil/index.html',
      'tags/rain/index.html',
    ]);
  });

  test('the tags that a theme shows above or below a post are tags, and no words of it; what Hugo cuts of a text is no summary', async () => {
    const done = await runImport({
      'posts/rain.html':
        '<meta property="article:published_time" content="2021-03-05"><meta name="description" content="Rain # It falls. Where # Here"><article><h1>Rain</h1><div><a href="/tags/wet/" rel="tag">Wet</a>, <a href="/categor%C3%ADas/nass/" rel="tag">Naß</a></div><p>It <a href="/tags/wet/">falls</a>.</p><h2>Where</h2><p>Here.</p><p>Étiquettes : <a rel="category tag" href="/tags/agua/">Agua</a></p></article>',
      'tags/index.html': '<main><h1>Tags</h1><p><a href="/tags/wet/">Wet</a></p></main>',
      'tags/wet.html': '<main><h1>Wet</h1><p>Rain.</p></main>',
    });
    const { fields, text } = await done.read('posts-rain');
    expect([fields['tags'], fields['summary'], text]).toEqual([
      ['Wet', 'Naß', 'Agua'],
      undefined,
      'It [falls](tags-wet.md).\n\n## Where\n\nHere.',
    ]);
    expect((await done.read('tags')).text).toBe('[Wet](tags-wet.md)');
  });

  test('a page in two sidebars joins them only where it stands in the same group: others stay apart, in the order of the menu', async () => {
    const links = (...names: readonly string[]): string => names.map((name) => `<a href="/${name}.html">${name}</a>`).join('');
    const page = (sidebar: string): string =>
      `<header class="VPNav">${links('a', 'd')}</header><aside class="VPSidebar">${sidebar}</aside><main><h1>T</h1><p>${sidebar.length}</p></main>`;
    const guide = `<h2>Guide</h2>${links('a', 'b', 'c')}<h2>API</h2>${links('d')}`;
    const changes = `${links('c')}<h2>Future</h2>${links('e')}`;
    const done = await runImport({
      'a.html': page(guide),
      'b.html': page(guide),
      'c.html': page(changes),
      'd.html': page(guide),
      'e.html': page(changes),
    });
    const sections: { title: string; items: string[] }[] = parse(done.plan.sections ?? '').sections;
    expect(sections.map(({ title, items }) => [title, ...items].join(' '))).toEqual(['Guide a b c', 'API d', 'Future e']);
  });

  test('a heading above the main content is no title where the text begins with one of its own, and none of both is lost', async () => {
    const page = (head: string, above: string, main: string): string =>
      `<title>${head}</title><header><h1>${above}</h1></header><main>${main}<p>${'It falls. '.repeat(9)}</p></main>`;
    const done = await runImport({
      'a.html': page('Acme - Rain guide', 'Acme', '<h1>How to measure</h1>'),
      'b.html': page('Docs', 'Docs', '<h1>First steps</h1>'),
      'c.html': page('Pages', 'P', '<p>Words.</p><h1>Paging</h1>'),
      'd.html': `<title>Rain</title><h1 class="post-title">Rain</h1><main><h1>Where</h1><p>${'It falls. '.repeat(9)}</p></main>`,
    });
    const titles = await Promise.all(['a', 'b', 'c', 'd'].map(async (name) => (await done.read(name)).fields['title']));
    expect(titles).toEqual(['How to measure', 'First steps', 'Paging', 'Rain']);
    expect((await done.read('d')).text).toMatch(/^## Where/);
  });

  test('the heading that the head names is the title, also where it stands above the main content, whose own of the first level stay', async () => {
    const done = await runImport({
      'a.html': `<title>Rain falls — Blog</title><header><h1><a href="/">Blog</a></h1></header><section><h1>Rain falls</h1><div class="post-content"><p>${'It falls. '.repeat(9)}</p><h2>Where</h2><h1>Next</h1><p>More.</p></div></section>`,
      'b.html': '<title>Blog: Sun</title><h1>Blog</h1><article><h1>Sun</h1><p>It shines.</p></article>',
    });
    expect((await done.read('b')).fields['title']).toBe('Sun');
    const { fields, text } = await done.read('a');
    expect([fields['title'], text]).toEqual(['Rain falls', `${'It falls. '.repeat(9).trim()}\n\n### Where\n\n## Next\n\nMore.`]);
  });

  test('a link of a menu without an address leads nowhere: the menu of a blog is no order of its posts', async () => {
    const page = '<header><nav><a href="/a.html">A</a><a href="">Here</a></nav></header><main><h1>T</h1><p>T.</p></main>';
    const { outcome } = await runImport(Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [`${name}.html`, page])));
    expect(outcome.sections).toBe('none');
  });

  test('a list of posts with their titles and excerpts is no text, and what it has of them no question; pages that say more stay', async () => {
    const post = (title: string): string =>
      `<meta property="article:published_time" content="2021-03-05"><main><h1>${title}</h1><p>Words about ${title} and much more.</p></main>`;
    const entry = (title: string, address: string): string =>
      `<article><h2>${title}</h2><p>Words about ${title}…</p><footer>5 de marzo · 3 min</footer><a href="${address}" aria-label="${title}"></a></article>`;
    const entries = entry('¿Qué es Derby?', '/a.html') + entry('Rain', '/b.html') + entry('Sun', '/c.html');
    const links =
      '<ul><li><a href="/a.html">¿Qué es Derby?</a></li><li><a href="/b.html">Rain</a></li><li><a href="/c.html">Sun</a></li></ul>';
    const said = 'word '.repeat(60);
    const done = await runImport({
      ...{ 'a.html': post('¿Qué es Derby?'), 'b.html': post('Rain'), 'c.html': post('Sun') },
      ...{
        'index.html': `<main><h1>Blog</h1><h2>3 texts of <em>all</em></h2>${entries}</main>`,
        'archive.html': `<main><h1>All</h1>${links}</main>`,
      },
      'start.html': `<main><h1>Start</h1><p>${said}</p>${links}</main>`,
      'talk.html': `<main><h1>Talk</h1><h2>Rain</h2><p>${said}</p></main>`,
      'install.html': '<main><h1>Install</h1><h2>Rain</h2><p>Run it.</p></main>',
      'ja.html': `<main><h1>J</h1><p>${'これは連絡先のページです。ここに書きます。'.repeat(10)}</p>${links}</main>`,
    });
    const files = ['a.md', 'b.md', 'c.md', 'install.md', 'ja.md', 'start.md', 'talk.md'];
    expect(done.outcome.created.map((file) => file.replace(/^.*\//, ''))).toEqual(files);
    const message = 'lists other texts and says nothing of its own, and is left out';
    expect(done.source.skipped).toEqual(['archive.html', 'index.html'].map((path) => ({ path, line: 1, message })));
  });

  test('a text about posts is none of their lists, though it has no words that they lack', async () => {
    const said =
      'Rain fell over the whole valley and its river rose. Snow came before wind, so then we waited for some sun, but clouds stayed until June, when farmers could mow at last.';
    const post = (title: string): string =>
      `<meta property="article:published_time" content="2021-03-05"><main><h1>${title}</h1><p>${said}</p></main>`;
    const links = ['a', 'b', 'c'].map((name) => `<a href="/${name}.html">what ${name} says</a>`).join(' and ');
    const essay = `<main><h1>Winter</h1><p>Of ${links}:</p><p>${said.split(' ').reverse().join(' ')}</p></main>`;
    const course = `<main><h1>Course</h1><p>${links}</p><p>Homework: read all texts, bring a glass, note what falls into it each morning, and hand in one page by Friday.</p></main>`;
    const guide = ['a', 'b', 'c'].map(
      (name) => `<li><a href="/${name}.html">${name.toUpperCase()}</a>: why you begin with ${name} on damp days</li>`,
    );
    const posts = { 'a.html': post('A'), 'b.html': post('B'), 'c.html': post('C') };
    const hub = `<main><h1>Where to begin</h1><ul>${guide.join('')}</ul></main>`;
    const done = await runImport({ ...posts, 'winter.html': essay, 'course.html': course, 'hub.html': hub });
    expect(done.source.skipped).toEqual([]);
  });

  test('a list of posts may have their authors, subjects and other names for its links; one of a single post stands beside it', async () => {
    const day = '<meta property="article:published_time" content="2021-03-05">';
    const post = (title: string, author: string): string =>
      `${day}<main><h1>${title}</h1><p>Words about ${title} at <a href="https://x.example/">X</a>.</p><h2>More</h2><p>Of it.</p></main><div><p class="post__author-name">${author}</p></div>`;
    const entry = (title: string, address: string, author: string): string =>
      `<div><img src="/faces/${author}.jpg" alt=""> <p class="post__author-name">${author}</p></div><h2><a href="${address}">${title} [${author}]</a></h2><p>Published in <a href="/about.html">News</a></p><p>Words about ${title} at <a href="https://x.example/">X</a></p><h2>More</h2><p><a href="${address}">Read on</a></p>`;
    const [rain, sun, wind] = [
      entry('Rain', '/2021/a.html', 'Ada Bell'),
      entry('Sun', '/2021/b.html', 'Bob'),
      entry('Wind', '/2021/c.html', 'Cy'),
    ];
    const archive = '<ul><li><a href="/2021/a.html">Rain <time itemprop="datePublished" datetime="2021-03-05">5</time></a></li></ul>';
    const done = await runImport({
      ...{ '2021/a.html': post('Rain', 'Ada Bell'), '2021/b.html': post('Sun', 'Bob'), '2021/c.html': post('Wind', 'Cy') },
      ...{
        'subject/all/index.html': `<main><h1>All</h1>${rain}${sun}${wind}</main>`,
        'subject/one.html': `<main><h1>One</h1>${rain}</main>`,
      },
      'about.html': '<main><h1>About</h1><p>We write of <a href="/2021/a.html">Rain</a>.</p></main>',
      'links.html': `<main><h1>Links</h1>${archive}<ul><li><a href="https://y.example/">A text by others</a></li></ul></main>`,
    });
    expect(done.outcome.created.map((file) => file.replace(/^.*\//, ''))).toEqual([
      '2021-a.md',
      '2021-b.md',
      '2021-c.md',
      'about.md',
      'links.md',
    ]);
    expect(done.source.skipped.map(({ path }) => path)).toEqual(['subject/all/index.html', 'subject/one.html']);
    expect((await done.read('2021-a')).fields['written_by']).toEqual({ type: 'Person', name: 'Ada Bell' });
    expect((await done.read('links')).fields['created']).toBeUndefined();
  });

  test('the day of a page may be a link; its author is none of those who comment or are quoted', async () => {
    const time = '<time itemprop="datePublished" datetime="2021-03-05">5 March</time>';
    const name = (tag: string, names: string, kind = 'author-name'): string => `<${tag} class="${kind}">${names}</${tag}>`;
    const done = await runImport({
      'a.html': `<main><h1>A</h1><a href="/2021/03/">${time}</a><p>Words.</p></main>`,
      'b.html': `<link rel="canonical" href="https://x.example/b/"><main><h1>B</h1><p><a href="https://x.example/b/">Posted on ${time}</a></p><p>Words.</p></main>`,
      'c.html': `<main><h1>C</h1><p>Words.</p>${name('p', 'Eve Dix', 'comment-author-name')}<div class="comment">${name('b', 'Eve Dix')}</div></main>`,
      'd.html': `<main><h1>D</h1><p>Words.</p><blockquote>${name('p', 'Max Fox')}</blockquote><form>${name('label', 'Your name')}</form></main>`,
      'e.html': `<meta property="article:published_time" content="2021-03-05"><main><h1>E</h1>${name('b', 'Ada Bell', 'avatar__name')}${name('b', 'Bob Cy', 'avatar__name')}<p>Words.</p></main>`,
    });
    const fields = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(async (id) => (await done.read(id)).fields));
    expect(fields.map((one) => one['created'])).toEqual(['2021-03-05', '2021-03-05', undefined, undefined, '2021-03-05']);
    expect(fields.map((one) => one['written_by'])).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      { type: 'Person', name: 'Ada Bell' },
    ]);
  });

  test('a drawing is a picture with its words, does nothing else, and is none where it is hidden', async () => {
    const words = '<text>Client</text><text>Cache</text><text>Origin</text>';
    const html =
      '<foreignObject x="10" width="80" height="20"><div onclick="alert(4)"><p>E<i>dg</i>e</p><p>of<br>all</p></div></foreignObject>';
    const label = `<switch>${html}<text>Ed…</text></switch>`;
    const drawing = `<svg onload="alert(1)"><script>alert(2)</script><a href="java&#9;script:alert(3)">${words}</a>${label}</svg>`;
    const done = await runImport({
      'a.html': `<main><h1>A</h1><p>Text.</p>${drawing}<svg aria-hidden="true">${words}</svg><svg style="display:none">${words}</svg></main>`,
    });
    const { text } = await done.read('a');
    const [, image = ''] = /^Text\.\n\n!\[Client Cache Origin Edge of all\]\((.+\.svg)\)$/.exec(text) ?? [];
    expect(image).not.toBe('');
    const written = await readFile(join(done.root, 'content/capsules', image), 'utf8');
    expect(written).toContain('<text>Cache</text>');
    expect(written).toContain('<text x="50" y="10" text-anchor="middle" dominant-baseline="middle">Edge of all</text>');
    expect(written).not.toMatch(/alert|script/);
  });

  test('links of a text are no tags: those without a mark, among words, or beside the tags of the head', async () => {
    const post = (head: string, body: string) =>
      `<meta property="article:published_time" content="2021-03-05">${head}<article><h1>P</h1><p>It falls.</p>${body}</article>`;
    const spaces = ' '.repeat(80_000);
    const done = await runImport({
      'a.html': post(
        '',
        '<p>See: <a href="/tags/db.html">Databases</a></p><p>In <span><a rel="tag" href="/tags/x/">Else</a></span> it is.</p><h4><a href="/tags/c/">Caching</a></h4>',
      ),
      'b.html': post(
        '<meta property="article:tag" content="rain">',
        '<p>By: <a rel="tag" href="/category/smith/">Smith</a></p><p><a rel="tag" href="/tags/rain/">Rain</a></p>',
      ),
      'c.html': post('', `<p>${spaces}<a rel="tag" href="/tags/rain/">Rain</a>${spaces}</p>`),
    });
    const words = async (name: string): Promise<string> => (await done.read(name)).text.replaceAll(/[^\p{L}]+/gu, ' ');
    expect(await words('a')).toContain('It falls See Databases');
    expect(await words('a')).toMatch(/Else.*Caching/);
    expect(await words('b')).toContain('By Smith');
    expect(await words('b')).not.toContain('Rain');
    expect((await done.read('c')).fields['tags']).toEqual(['Rain']);
  });

  test('a site that its pages do not state is not guessed from addresses that every site has, nor are pages one for a canonical of all', async () => {
    const page = (name: string, more = ''): string =>
      `<link rel="canonical" href="https://x.example/"><main><h1>${name}</h1><p>Text of ${name}, <a href="https://x.example/b">b</a>, <a href="https://x.example/c">c</a>. ${more}</p></main>`;
    const vendor = '<a href="https://v.example/">V</a> <a href="https://v.example/c">costs</a>';
    const done = await runImport({ 'index.html': page('I'), 'b.html': page('B'), 'c.html': page('C'), 'd.html': page('D', vendor) });
    expect(done.outcome.created).toHaveLength(4);
    expect((await done.read('d')).text).toContain('[V](https://v.example/) [costs](https://v.example/c)');
  });

  test('keeps the caption of a picture, and blocks in braces at the end of a heading', async () => {
    const { text } = await textOf('<picture><img src="img/a.png" alt="A"><figcaption>The caption.</figcaption></picture><p>End.</p>');
    expect(text).toContain('The caption.');
    const done = await runImport({ 'a.md': '# A\n\n## Loop with {#each items as item}\n\nText.\n' });
    expect((await done.read('a')).text).toContain('{#each items as item}');
  });

  test('absolute addresses of its own site lead to its texts, pictures and order, whether pages state the site or only link to it', async () => {
    const pages = (site: string, isStated: boolean) =>
      Object.fromEntries(
        ['a', 'b', 'c'].map((name) => [
          `${name}/index.html`,
          `${isStated ? `<link rel="canonical" href="${site}/${name}/">` : ''}<nav><a href="#top">Top</a><a href="https://forge.example/edit/${name}.md">Edit</a><a href="${site}/b/">B</a><a href="${site}/a/">A</a><a href="${site}/c/">C</a></nav><main><h1>${name}</h1><p>Text of ${name}, <a href="${site}/b/">b</a>, <a href="${site}/no/">none</a>, <a href="https://else.example/a/">else</a>.</p><img src="${site}/img/i%20j.png" alt="I"></main>`,
        ]),
      );
    const text = (none: string): string => `Text of a, [b](b.md), ${none}, [else](https://else.example/a/).\n\n![I](images/img/i-j.png)`;
    for (const isStated of [true, false]) {
      const done = await runImport({ ...pages('https://blog.example/x', isStated), 'img/i j.png': PNG });
      expect((await done.read('a')).text).toBe(text('[none](https://blog.example/x/no/)'));
      expect(parse(done.plan.sections ?? '')).toEqual({ sections: [{ id: 'overview', title: 'Overview', items: ['b', 'a', 'c'] }] });
    }
    // Built for the preview of its author.
    const preview = await runImport({ ...pages('http://localhost:4000', true), 'img/i j.png': PNG });
    expect((await preview.read('a')).text).toBe(text('none'));
  });

  test('a space of Confluence: titles without its name, days of changes, and the order of its overview', async () => {
    const page = (title: string, text: string): string =>
      `<title>Shop : ${title}</title><div id="main"><ol id="breadcrumbs"><li><a href="index.html">Shop</a></li><li><a href="Home_10001.html">Home</a></li></ol><h1 id="title-heading"><span id="title-text">\n Shop : ${title}\n</span></h1><div id="content" class="view"><div class="page-metadata">Created by <span class="author">Ada</span>, last modified on Apr 22, 2016</div><div id="main-content" class="wiki-content group">${text}</div><div class="pageSection group"><h2 id="attachments">Attachments:</h2></div></div></div>`;
    const done = await runImport({
      'Hubs_10003.html': page('Hubs : all', '<p>A hub.</p>'),
      'Home_10001.html': page('Home', '<a href="10002.html">W</a>'),
      '10002.html': page('車輪', '<p>W.</p>'),
      'index.html':
        '<h1 id="title-heading" class="pagetitle">Space Details:</h1><div id="main-content"><table><tr><th>Key</th></tr></table></div><h2 class="pageSectionTitle">Available Pages:</h2><ul><li><a href="Home_10001.html">Home</a><ul><li><a href="10002.html">車輪</a></li></ul><ul><li><a href="Hubs_10003.html">Hubs</a></li></ul></li></ul>',
    });
    expect(await done.read('hubs')).toMatchObject({ fields: { title: 'Hubs : all', updated: '2016-04-22' }, text: 'A hub.' });
    expect((await done.read('home')).text).toBe('[W](10002.md)');
    expect(parse(done.plan.sections ?? '')).toEqual({ sections: [{ id: 'home', title: 'Home', items: ['home', '10002', 'hubs'] }] });
  });

  test('a document of Google Docs: its title, marks, lists in lists, notes and links; comments of its readers are no text', async () => {
    const list = (id: string, words: string): string => `<ul class="c9 lst-kix_${id}"><li class="c0"><span>${words}</span></li></ul>`;
    const html = `<html><head><style>.c1{font-weight:400}.c2{font-weight:700}.c3{font-family:"Courier New"}</style></head><body class="c9 doc-content"><p class="c0 title"><span class="c2">The wheel</span></p><h1 id="h.a"><span class="c2">Parts</span></h1><p><span class="c1">A </span><span class="c2">bold</span><span class="c2"> hub </span><span class="c1"><a href="https://www.google.com/url?q=https://hub.example/a%3Fb&amp;sa=D&amp;ust=1">turns</a>, </span><span class="c3">oil()</span><sup><a href="#ftnt1" id="ftnt_ref1">[1]</a></sup><sup><a href="#cmnt1" id="cmnt_ref1">[a]</a></sup></p>${list('x-0', 'One')}${list('x-1', 'Within')}${list('x-0', 'Two')}<p><span>One </span>
<span class="c2">two </span>
<span class="c2">bold</span></p><hr><div><p><a href="#ftnt_ref1" id="ftnt1">[1]</a><span class="c2">Daily.</span></p></div><div><p><a href="#cmnt_ref1" id="cmnt1">[a]</a><span>Who says so?</span></p></div></body></html>`;
    const done = await runImport(await writeTree({ 'Wheel/TheWheel.html': html }));
    const text =
      '## Parts\n\nA **bold hub** [turns](https://hub.example/a?b), `oil()`[^1]\n\n- One\n  - Within\n- Two\n\nOne **two** **bold**\n\n[^1]: **Daily.**';
    expect(await done.read('thewheel')).toMatchObject({ fields: { title: 'The wheel' }, text });
    expect(done.notes).toEqual([]);
  });

  test('a site of Nextra: what Pagefind searches is the text, and buttons and bold lines name groups of the sidebar', async () => {
    const sidebar =
      '<aside class="nextra-sidebar"><ul><li><a href="/a">A</a></li><li class="x:font-semibold">Parts</li><li><button>Deep<svg></svg></button><div><ul><li><a href="/deep/b">B</a></li></ul></div></li></ul></aside>';
    const page = (title: string): string =>
      `<title>${title} – Site</title>${sidebar}<article><div class="nextra-breadcrumb"><span>Docs</span></div><main data-pagefind-body="true"><h1>${title}</h1><p>Text.</p></main><div>Last updated on <time datetime="2026-01-02">then</time></div><div><a href="/a">Next</a></div></article>`;
    const plain =
      '<body data-pagefind-body><div class="last-updated">Last updated:2024-01-02</div><article><h1>C</h1><p>The text.</p></article><div>Beside it.</div></body>';
    const done = await runImport(await writeTree({ 'a.html': page('A'), 'deep/b.html': page('B'), 'c.html': plain }));
    expect((await done.read('deep-b')).text).toBe('Text.');
    expect(await done.read('c')).toMatchObject({ fields: { updated: '2024-01-02' }, text: 'The text.' });
    expect(parse(done.plan.sections ?? '').sections).toEqual([
      { id: 'overview', title: 'Overview', items: ['a'] },
      { id: 'parts', title: 'Parts', items: [{ id: 'deep', title: 'Deep', items: ['deep-b'] }] },
    ]);
  });

  test('sections of a sidebar hold groups of any depth, in items of lists or not; names of languages and other sites are none', async () => {
    const link = (url: string, label = url): string => `<div class="level-1"><a href="${url}"><p class="text">${label}</p></a></div>`;
    const section = (title: string, inner: string): string =>
      `<section><div class="item">${title}</div><ul class="items"><li>${inner}</li></ul></section>`;
    const deep = section('<h3>Theme</h3>', link('/c.html') + link('https://other.example/'));
    const languages = '<ul><li class="title">English</li><li><a href="/de/" hreflang="de" lang="de">Deutsch</a></li></ul>';
    const nav = `<header><nav>${languages}</nav></header><aside><nav>${section('<h2>Guide</h2>', link('/a.html') + link('/b.html') + deep + link('/d.html'))}${section('', link('/e.html', 'Options'))}</nav></aside>`;
    const page = (title: string): string => `<html lang="en"><body>${nav}<main><h1>${title}</h1><p>Text.</p></main></body>`;
    const tree = Object.fromEntries([...'abcde', 'index'].map((name) => [`${name}.html`, page(name)]));
    expect(parse((await runImport({ ...tree, 'de/index.html': page('Start') })).plan.sections ?? '')).toEqual({
      sections: [
        { id: 'guide', title: 'Guide', items: ['a', 'b', { id: 'theme', title: 'Theme', items: ['c'] }, 'd'] },
        { id: 'options', title: 'Options', items: ['e'] },
      ],
    });
  });

  test('links of a navigation that say the language of the page are pages of it, unless they name languages', async () => {
    const item = (name: string, language: string): string => `<li><a href="/${name}.html" hreflang="${language}">${name}</a></li>`;
    const items = [...'abcd'].map((name) => item(name, 'en-US')).join('');
    const languages = `<ul><li><a href="/start.html" lang="en">English</a></li><li><a href="/zh/start.html" lang="zh">中文</a></li></ul>`;
    const nav = `<header><nav>${languages}</nav></header><nav><h2>Guide</h2><ul>${items}${item('de/e', 'de')}</ul></nav>`;
    const page = (title: string, start = '<html lang="en">'): string => `${start}${nav}<main><h1>${title}</h1><p>Text ${title}.</p></main>`;
    const sectionsOf = async (start?: string): Promise<unknown> =>
      parse(
        (await runImport(Object.fromEntries([...'abcd', 'start'].map((name) => [`${name}.html`, page(name, start)])))).plan.sections ?? '',
      );
    const sections = [{ id: 'guide', title: 'Guide', items: ['a', 'b', 'c', 'd'] }];
    expect(await sectionsOf()).toEqual({ sections });
    expect(await sectionsOf('')).toEqual({ sections });
  });

  test('a post of Docusaurus has the author and the day above it in its front matter alone; further pages of a list are no texts', async () => {
    const done = await runImport({
      'a.html': `<meta property="article:author" content="https://github.com/ada"><meta property="article:modified_time" content="0001-01-01T00:00:00Z"><main><article><header><h1>Oil</h1><div><time datetime="2021-05-25T00:00:00.000Z">May 25, 2021</time> · 8 min read</div><div class="avatar"><a href="https://github.com/ada"><img class="avatar__photo" src="https://x.example/a.png" alt="Ada Lovelace"></a><div class="avatar__name">Ada Lovelace</div></div></header><div id="__blog-post-container" class="markdown"><p>Oil it.</p></div></article></main>`,
      'page/2/index.html': '<main><h1>Posts</h1><p>Oil it.</p></main>',
    });
    expect(await done.read('a')).toMatchObject({ fields: { title: 'Oil', written_by: { name: 'Ada Lovelace' } }, text: 'Oil it.' });
    expect([...done.notes, ...done.source.skipped.map(({ path }) => path)]).toEqual(['page/2/index.html']);
  });

  test('a part of the main content that is marked as markdown is not all of it', async () => {
    const intro = 'A rack carries bags and boxes. '.repeat(4).trim();
    const { text } = await textOf(
      `<div class="markdown"><p>${intro}</p></div><h2>Parameters</h2><table><tr><th>Name</th></tr><tr><td>load</td></tr></table><pre><code>ride()</code></pre><p>See below.</p>`,
    );
    expect(text).toContain(`${intro}\n\n## Parameters\n\n`);
    for (const part of ['load', 'ride()', 'See below.']) expect(text).toContain(part);
  });

  test('a picture that a page has for readers without scripts alone stays; others show once', async () => {
    const picture = (inner: string): string => `<picture><source srcset="a.webp">${inner}</picture>`;
    const [lazy, plain] = [
      '<noscript><img src="https://x.example/a.png" alt="A"></noscript>',
      '<img src="https://x.example/b.png" alt="B">',
    ];
    const done = await runImport({ 'a.html': `<main><h1>A</h1><p>See.</p><p>${picture(lazy)}</p><p>${picture(plain + lazy)}</p></main>` });
    expect((await done.read('a')).text).toBe('See.\n\n![A](https://x.example/a.png)\n\n![B](https://x.example/b.png)');
  });

  test('a page that sends its readers on gives its address to the text, also if no other page states the site, or by another form of its name', async () => {
    const onward = (origin: string): string => `<meta http-equiv="refresh" content="0; url=${origin}/new/">`;
    const tree = (origin: string) => ({
      'old/index.html': onward(origin),
      'new/index.html': '<main><h1>New</h1><p>Oil.</p></main>',
      'a.html': '<main><h1>A</h1><p>See <a href="/old/">old</a>.</p></main>',
    });
    for (const [origin, site] of [['https://docs.example.com'], ['http://www.docs.example.com', 'https://docs.example.com']] as const) {
      const done = await runImport(tree(origin), { isPublished: true, site });
      expect((await done.read('new')).fields['path']).toEqual(['/new/', '/old']);
      expect((await done.read('a')).text).toBe('See [old](new.md).');
    }
    const other = await runImport(tree('https://other.example'), { isPublished: true, site: 'https://docs.example.com' });
    expect((await other.read('new')).fields['path']).not.toContain('/old');
  });

  test('code without its language is a line of the report where a generator keeps the language to itself', async () => {
    const done = await runImport({
      'a.html': '<main><h1>A</h1><p>See.</p><div class="nextra-code"><pre><code class="nextra-code">a()</code></pre></div></main>',
      'b.html': '<meta name="generator" content="mkdocs-1.6"><main><h1>B</h1><p>See.</p><pre><code>a()</code></pre></main>',
      'c.html': '<main><h1>C</h1><p>See.</p><pre><code>a()</code></pre></main>',
    });
    expect(done.notes).toEqual([
      'a.html:1 names no language of its code, which Nextra leaves out of its HTML',
      'b.html:1 names no language of its code: write "pygments_lang_class: true" below pymdownx.highlight in mkdocs.yml, and build again',
    ]);
  });

  test('a menu that leads to few of the pages is no order of them', async () => {
    const sectionsOf = async (count: number): Promise<string | undefined> => {
      const pages = Array.from({ length: count }, (_, at) => [
        `p${at}.html`,
        `<nav><a href="/p0.html">First</a></nav><main><h1>P${at}</h1>Text ${at}.</main>`,
      ]);
      return (await runImport(Object.fromEntries(pages))).plan.sections;
    };
    expect(await sectionsOf(5)).toContain('p0');
    expect(await sectionsOf(6)).toBeUndefined();
  });

  test('a heading, the title or the first words of the text are no summary; a notice above all pages is no text', async () => {
    const page = (description: string, main: string): string =>
      `<meta name="description" content="${description}"><body><div role="banner">Get better results with our new models.</div><main>${main}</main>`;
    const words = 'Recordings are written to the folder of the media, below';
    const done = await runImport({
      'a.html': page('Step 1: Cameras', '<h1>Hardware</h1><h2>Step 1: <em>Cameras</em></h2><p>Those with H.264.</p>'),
      'b.html': page('Setup', '<h1>Setup</h1><p>Unpack it.</p>'),
      'c.html': page(`${words} /HH//a.mp4.`, `<h1>Media</h1><p>${words} <code>/HH/&lt;camera>/a.mp4</code>. They stay.</p>`),
      'd.html': page('How it is set up.', '<h1>Last</h1><p>Unpack it.</p>'),
      'e.html': page(`${words} on the left.`, `<h1>End</h1><p>${words} on the right.</p>`),
      'f.html': page('Unpack it.', '<h1>Box</h1><h2>First</h2><p>Unpack it.</p>'),
      'g.html': page('録画は次の場所にあります。', '<h1>場所</h1><p>録画は <code>/HH</code> 次の場所にあります。</p>'),
      'blog.html': page('Blog', ''),
    });
    const summaries = done.plan.capsules.map(({ page: { path }, fields }) => [path, fields['summary']]);
    expect(summaries).toEqual([
      ['a.html', undefined],
      ['b.html', undefined],
      ['c.html', undefined],
      ['d.html', 'How it is set up.'],
      ['e.html', `${words} on the left.`],
      ['f.html', undefined],
      ['g.html', undefined],
    ]);
  });

  test('what the head of a page says, its order, its other addresses; not the frame, nor pages that are sent on', async () => {
    const frame = (main: string, head = ''): string =>
      `<html lang="de"><head><title>T – Site</title><link rel="canonical" href="https://docs.example.com/v2/HERE">${head}</head><body><header><a href="/v2/">Site</a></header><div class="sphinxsidebar"><p class="caption">Basics</p><ul><li><label>Start</label><a href="/v2/start.html">Start</a><ul><li><a href="#one">One</a></li></ul></li><li><a href="/v2/deep/">Deep</a><ul><li><a href="/v2/deep/one.html">One</a></li></ul></li></ul><div class="relations"><h3>Related</h3><ul><li><a href="#">Overview</a><ul><li><a href="/v2/deep/">Next</a></li></ul></li></ul></div></div><div class="body" role="main">${main}</div><footer>© 2026</footer></body></html>`;
    const done = await runImport(
      {
        'start.html': frame(
          '<h1>Start</h1><p>See <a href="/v2/deep/one.html">one</a>, <a href="/v2/lost">lost</a>, <a href="http://www.docs.example.com/v2/deep/one.md">old</a>, <a href="/v2/lost.md">file</a>.</p>',
          '<meta name="description" content="Begin."><meta property="article:modified_time" content="2025-03-01T10:00:00Z"><meta name="author" content="Ada Lovelace">',
        ).replace('HERE', 'start.html'),
        'deep/index.html': frame('<h1>Deep</h1><p>Two, <a href="start.md">one</a>.</p>').replace('HERE', 'deep/'),
        'deep/one.html': frame('<h1>One</h1><p>Three.</p>', '<meta name="robots" content="noindex">').replace('HERE', 'deep/one.html'),
        'old.html': '<meta http-equiv="refresh" content="0; url=/v2/start.html">',
        'search.html': frame('<h1>Search</h1><p>Type.</p>'),
        '404.html': frame('<h1>Gone</h1>'),
      },
      { isPublished: true },
    );
    expect(done.source).toMatchObject({ generator: 'html', site: 'https://docs.example.com/v2' });
    expect(done.outcome.created).toEqual(['deep', 'deep-one', 'start'].map((id) => `content/capsules/${id}.md`));
    const start = await done.read('start');
    expect(start.fields).toMatchObject({
      title: 'Start',
      summary: 'Begin.',
      language: 'de',
      updated: '2025-03-01',
      written_by: { name: 'Ada Lovelace' },
      path: ['/start.html', '/start', '/old'],
    });
    expect(start.text).toBe(
      'See [one](deep-one.md), [lost](https://docs.example.com/v2/lost), [old](deep-one.md), [file](https://docs.example.com/v2/lost).',
    );
    expect((await done.read('deep-one')).fields['draft']).toBe(true);
    expect((await done.read('deep')).text).toBe('Two, [one](start.md).');
    expect((await readFile(join(done.root, 'content/sections.yaml'), 'utf8')).replace(/^#.*\n/, '')).toBe(
      'sections:\n  - id: basics\n    title: Basics\n    items:\n      - start\n      - id: deep\n        title: Deep\n        items:\n          - deep\n          - deep-one\n',
    );
    expect(done.source.skipped.map(({ path }) => path)).toEqual(['404.html', 'search.html']);
  });

  test('the order is that of the list which has the page, not of a longer one; the title is what names this page alone', async () => {
    const links = (...names: readonly string[]): string => names.map((name) => `<li><a href="/${name}.html">${name}</a></li>`).join('');
    const page = `<title>Alpha | Site</title><meta property="og:title" content="Site"><nav><p class="title">News</p><ul>${links('b', ...'nopqrstu')}</ul></nav><aside><h3>Guide</h3><ul>${links('b', 'a', 'x', 'y', 'z')}</ul></aside><main><p>Text.</p></main>`;
    const done = await runImport({ 'a.html': page, 'b.html': '<main><h1>B</h1><p>Two.</p></main>' });
    expect((await done.read('a')).fields['title']).toBe('Alpha');
    expect(done.plan.sections).toBe('sections:\n  - id: guide\n    title: Guide\n    items:\n      - b\n      - a\n');
  });

  test.each([
    ['mdBook', '<nav id="sidebar"><noscript><iframe src="PATHtoc.html"></iframe></noscript></nav>'],
    ['DocFX', '<meta name="docfx:tocrel" content="PATHtoc.html">'],
  ])('navigation that is a page of its own gives the order: %s', async (_name, link) => {
    const page = (title: string, path: string): string => `${link.replace('PATH', path)}<main><h1>${title}</h1><p>Text.</p></main>`;
    const item = (path: string, label: string): string =>
      `<li><a href="${path}.html" target="_parent"><strong aria-hidden="true">1.</strong> ${label}</a></li>`;
    const done = await runImport({
      'sub/toc.html': `<meta name="robots" content="noindex"><ol>${item('../z', 'Foreword')}<li class="part-title">Guide</li>${item('b', 'Wheels')}<li><ol>${item('a', 'Spokes')}</ol></li></ol>`,
      'z.html': page('Foreword', 'sub/'),
      'sub/a.html': page('Spokes', ''),
      'sub/b.html': page('Wheels', ''),
    });
    expect(parse(done.plan.sections ?? '')).toEqual({
      sections: [
        { id: 'overview', title: 'Overview', items: ['z'] },
        { id: 'guide', title: 'Guide', items: [{ id: 'wheels', title: 'Wheels', items: ['sub-b', 'sub-a'] }] },
      ],
    });
    expect(done.source.skipped.map(({ path }) => path)).toEqual(['sub/toc.html']);
  });

  test.each([
    [
      'a chapter below the name of the book',
      '<div class="menu"><h1>The Book</h1></div><main><h2 id="t">Install</h2><p>Text.</p><h3 id="more">More</h3><p>See <a href="#more">it</a>.</p></main>',
      'Text.\n\n## More\n\nSee [it](#more).',
    ],
    [
      'a chapter whose sections have its level',
      '<main><h2 id="t">Install</h2><p>First <a href="#t">up</a>.</p><h2>Then</h2><p>Second.</p></main>',
      'First up.\n\n## Then\n\nSecond.',
    ],
    [
      'a chapter of the third level with an anchor and parts',
      '<main><div><h3 id="t">Install</h3></div><p>First <a href="#t">up</a>.</p><h5>Deep</h5><p>Second.</p></main>',
      'First up.\n\n### Deep\n\nSecond.',
    ],
    [
      'a part of a page with the words of the title above it',
      '<header><h1>Install</h1></header><main><p>See <a href="#i">below</a>.</p><h3 id="i">Install</h3><p>First.</p><h5>Deep</h5><p>Second.</p></main>',
      'See [below](#install).\n\n### Install\n\nFirst.\n\n##### Deep\n\nSecond.',
    ],
  ])('a heading that says the title is left out where the text begins with it, and nowhere else: %s', async (_name, main, text) => {
    const done = await runImport({ 'a.html': `<title>Install - The Book</title>${main}` });
    expect(await done.read('a')).toMatchObject({ fields: { title: 'Install' }, text });
    expect(done.notes).toEqual([]);
  });

  test('single pages between groups keep their place, versions are sections of one product, and ids come from pages where titles are not Latin', async () => {
    const item = (name: string): string => `<li><a href="/${name}.html">${name}</a></li>`;
    const nav = `<nav><ul>${item('start')}<li>車輪<label><span class="visually-hidden">Toggle</span></label><ul>${item('wheels-front')}${item('wheels-rear')}</ul></li>${item('oil')}<li>油<ul>${item('x')}</ul></li><li><ul>${item('y')}</ul></li><li><ul>${item('z')}</ul></li></ul></nav>`;
    const beta = `<nav><ul>${['wheels-front', 'oil'].map((name) => item(`nightly/${name}`)).join('')}</ul></nav>`;
    const page = (name: string, navigation: string): string => `${navigation}<main><h1>${name}</h1><p>Text.</p></main>`;
    const names = ['start', 'wheels-front', 'wheels-rear', 'oil', 'x', 'y', 'z'];
    const tree = Object.fromEntries(names.map((name) => [`${name}.html`, page(name, nav)]));
    expect(parse((await runImport(tree)).plan.sections ?? '')).toEqual({
      sections: [
        { id: 'overview', title: 'Overview', items: ['start', 'y', 'z'] },
        { id: 'wheels', title: '車輪', items: ['wheels-front', 'wheels-rear'] },
        { id: 'oil', title: 'oil', items: ['oil'] },
        { id: 'x', title: '油', items: ['x'] },
      ],
    });
    const nightly = { 'nightly/wheels-front.html': page('front', beta), 'nightly/oil.html': page('oil', beta) };
    const { sections } = (await runImport({ ...tree, ...nightly })).plan;
    expect(parse(sections ?? '').sections[0].items.map(({ title }: { title: string }) => title)).toEqual(['Current', 'nightly']);
  });

  test('a title that leads elsewhere stays, and a page in a frame of the navigation that is no navigation', async () => {
    const done = await runImport({
      'a.html': `<title>Docs</title><nav><iframe src="b.html"></iframe></nav><main><h1><a href="https://github.com/x/y">MyLib</a></h1><p>Text.</p><h1>Usage</h1><p>More.</p></main>`,
      'b.html': '<main><h1>B</h1><p>Text.</p></main>',
    });
    expect(done.plan.capsules.map(({ fields: { title } }) => title)).toEqual(['MyLib', 'B']);
  });

  test('a list of posts has the title of its head, as have pages below one heading; addresses of pages that are here are not taken', async () => {
    const post = (name: string): string =>
      `<article><h1 class="post-title"><a href="/${name}.html">${name}</a></h1><p>Words.</p></article>`;
    const step = (title: string): string => `<title>${title} | Site</title><main><h1>Tutorial</h1><p>Text of ${title}.</p></main>`;
    const root = await writeTree({ 'content/pages/about.md': '' });
    const done = await runImport(
      {
        'news.html': `<title>News | Site</title><main>${post('Oil')}${post('Wax')}</main>`,
        ...Object.fromEntries(['Oil', 'Wax', 'Ride'].map((title) => [`${title}.html`, step(title)])),
        'about.html': '<main><h1>About</h1><p>Us.</p></main>',
        'docs/quickstart.html': '<main><h1>Start</h1><p>Here.</p></main>',
      },
      { root },
    );
    expect(done.plan.capsules.map(({ fields: { title } }) => title)).toEqual([
      'Tutorial: Oil',
      'Tutorial: Ride',
      'Tutorial: Wax',
      'About',
      'Start',
      'News',
    ]);
    const addresses = ['about', 'docs-quickstart', 'news'].map(async (id) => (await done.read(id)).fields['path']);
    expect(await Promise.all(addresses)).toEqual([undefined, undefined, ['/news.html', '/news']]);
    expect(done.notes).toEqual([
      'about.html:1 loses /about.html, /about, where this site has another page',
      'docs/quickstart.html:1 loses /docs/quickstart.html, /docs/quickstart, where this site has another page',
    ]);
  });

  test('the title of the head that has the heading stands for it', async () => {
    const page = (heading: string, title: string): string => `<title>${title} | Site</title><main><h1>${heading}</h1><p>Text.</p></main>`;
    const titles = ['Overview of bikes', 'Tutorial: Setup', 'Overview: Oil'];
    const tree = titles.map((title, at) => [`${at}.html`, page('Overview', title)]);
    const done = await runImport(Object.fromEntries(tree));
    expect(done.plan.capsules.map(({ fields }) => fields['title'])).toEqual([
      'Overview of bikes',
      'Overview: Tutorial: Setup',
      'Overview: Oil',
    ]);
  });

  test('one page with a name of Notion is no export of Notion', async () => {
    const nav = '<nav><h3>Guide</h3><ul><li><a href="/b.html">B</a></li><li><a href="/a.html">A</a></li></ul></nav>';
    const page = `${nav}<main><h1>T</h1><p>Text.</p></main>`;
    const done = await runImport({ 'a.html': page, 'b.html': page, [`d/c-${'0a'.repeat(16)}.html`]: page });
    expect(parse(done.plan.sections ?? '')).toEqual({ sections: [{ id: 'guide', title: 'Guide', items: ['b', 'a'] }] });
  });

  test('the menu above the pages orders the sidebars and is last with what they lack; it does not stand in them', async () => {
    const links = (...ids: readonly string[]): string => ids.map((id) => `<li><a href="/${id}.html">${id.toUpperCase()}</a></li>`).join('');
    const header = `<a class="SkipLink" href="#c">Zum Inhalt</a><header><a href="#" id="sidebar-toggle">navigation</a><nav><ul>${links('g', 'x', 'a', 'y', 'z')}<li><a href="/p.html">Play</a></li></ul></nav></header>`;
    const page = (sidebar: string, title: string): string => `<body>${header}${sidebar}<main><h1>${title}</h1><p>Text.</p></main></body>`;
    const guide = `<aside><h2>Guide</h2><ul>${links('a', 'b', 'c', 'd', 'e')}</ul></aside>`;
    const api = `<aside><a href="/a.html">?</a><h2>API</h2><ul>${links('g', 'h', 'i', 'j', 'k', 'l')}</ul></aside>`;
    const done = await runImport({
      'index.html': `<body>${header}<main></main></body>`,
      'p.html': page('', 'Play'),
      ...Object.fromEntries([...'abcde'].map((id) => [`${id}.html`, page(guide, id)])),
      ...Object.fromEntries([...'ghijkl'].map((id) => [`${id}.html`, page(api, id)])),
    });
    const ids = [...(done.plan.sections ?? '').matchAll(/(?:title:|-) (\w+)$/gm)].map(([, id]) => id);
    expect(ids.join(' ')).toBe('API g h i j k l Guide a b c d e Play p');
    expect(done.notes).toEqual(['index.html:1 has no text of its own, and is left out']);
  });

  test.each([
    ['each page states its language', (language: string) => ` lang="${language}"`],
    ['all pages state one, and folders name them', () => ' lang="en-US"'],
    ['no page states one, and folders name them', () => ''],
  ])('languages stand apart, and name their originals: %s', async (_how, lang) => {
    const page = (language: string, ...titles: readonly string[]): string =>
      `<html${lang(language)}><nav><ul><li>${titles[0]}<ul><li><a href="/shared.html">S</a></li><li><a href="/${language}/a/">A</a></li><li><a href="/${language}/b/">B</a></li></ul></li></ul></nav><main><h1>${titles[1]}</h1><p>Text.</p></main></html>`;
    const done = await runImport({
      'shared.html': page('en', 'Basics', 'Shared'),
      'en/a/index.html': page('en', 'Basics', 'A'),
      'en/b/index.html': page('en', 'Basics', 'B'),
      'fr/a/index.html': page('fr', 'Bases', 'Un'),
      'zh/b/index.html': page('zh', 'Basics', '二'),
    });
    expect(parse(done.plan.sections ?? '')).toEqual({
      sections: [
        { id: 'basics', title: 'Basics', items: ['shared', 'en-a', 'en-b'] },
        { id: 'francais', title: 'Français', items: [{ id: 'bases', title: 'Bases', items: ['fr-a'] }] },
        { id: 'zh-b', title: '中文', items: [{ id: 'basics-2', title: 'Basics', items: ['zh-b'] }] },
      ],
    });
    expect((await done.read('fr-a')).fields).toMatchObject({ language: 'fr', translation_of: 'en-a' });
    expect((await done.read('zh-b')).fields).toMatchObject({ language: 'zh', translation_of: 'en-b' });
    expect((await done.read('en-b')).fields).not.toHaveProperty('translation_of');
  });

  test('a page that is not translated is no text of its own: its address, links to it and an earlier import of it lead to the original', async () => {
    const page = (lang: string, main: string): string =>
      `<html lang="${lang}"><body><nav><ul><li><a href="/guide/">G</a></li><li><a href="/${lang}/guide/">H</a></li></ul></nav>${main}</body></html>`;
    const words = Array.from({ length: 60 }, (_, at) => `part${at}`).join(' ');
    const guideOf = (label: string): string =>
      `<h1>Guide</h1><p>A wheel has ${words}.</p>${`<figcaption>${label}</figcaption>`.repeat(5)}<h2>Set up</h2><p>Turn it.</p>`;
    const guide = guideOf('Preview');
    const code = `<pre>${'spin(wheel)\n'.repeat(200)}</pre>`;
    const notice = '<p>Denne side er ikke oversat endnu.</p>';
    const tree = {
      'da/code/index.html': page('da', `<main><h1>Code</h1><p>Drej hjulet.</p>${code}</main>`),
      'da/guide/index.html': page('da', `<main lang="en">${notice}${guideOf('Visning')}</main>`),
      'da/oil/index.html': page('da', '<main><h1>Olie</h1><p>Se <a href="/da/guide/#set-up">det</a>.</p></main>'),
      'code/index.html': page('en', `<main><h1>Code</h1><p>Turn the wheel.</p>${code}</main>`),
      'guide/index.html': page('en', `<main>${guide}</main>`),
      'oil/index.html': page('en', '<main><h1>Oil</h1><p>See the guide.</p></main>'),
      // In the same language, the folder of a country is a text of its own.
      'en-gb/guide/index.html': page('en-GB', `<main>${guide}</main>`),
    };
    const folder = await writeTree({ ...tree, 'da/guide/index.html': page('da', '<main><h1>Vejledning</h1><p>Drej hjulet.</p></main>') });
    const { root } = await runImport(folder);
    await addFiles(folder, tree);
    const done = await runImport(folder, { root });
    expect(done.outcome.gone).toEqual(['content/capsules/da-guide.md']);
    expect(done.plan.capsules.map(({ fields }) => fields['path'])).toEqual(
      ['/code/', '/da/code/', '/da/oil/', '/en-gb/guide/', ['/guide/', '/da/guide/'], '/oil/'].map((path) => [path].flat()),
    );
    expect((await done.read('da-oil')).text).toBe('Se [det](guide.md#set-up).');
    expect(done.plan.sections).not.toContain('da');
    expect(summaryLines(done)).toContain('Not translated: 1 page; old addresses lead to the original.');
  });

  test('the headline, the day and the author of a post, which microdata and themes put around its text', async () => {
    const post = (headline: string): string =>
      `<header><h1><a href="/"><span class="sr-only">Wheels</span><img src="/logo.png" alt=""></a></h1></header><article itemscope itemtype="https://schema.org/Article">${headline}<span itemprop="datePublished" content="2018-09-19">19 Sep 2018</span><div itemprop="articleBody"><p>A new hub is out.</p></div></article>`;
    const done = await runImport({
      'a.html': post('<h2 itemprop="headline">Hubs <a href="/a" class="header-link"><span class="sr-only">Permalink</span></a></h2>'),
      'b.html': post('<h2 class="post-title">Rims</h2>'),
      'c.html': `<title>Spokes | Wheels</title>${post('')}`,
      ...Object.fromEntries(
        ['d', 'e', 'f'].map((id) => [`${id}.html`, `<meta name="description" content="All of it."><h1>Shop</h1><p>${id}</p>`]),
      ),
    });
    expect(done.plan.notes.map(({ message }) => message)).toEqual(['has the title "Shop", as 2 others have; give each one of its own']);
    expect((await done.read('d')).fields).not.toHaveProperty('summary');
    expect(await Promise.all(['a', 'b', 'c'].map(async (id) => (await done.read(id)).fields['title']))).toEqual(['Hubs', 'Rims', 'Spokes']);
    expect(await done.read('a')).toMatchObject({ fields: { created: '2018-09-19', updated: '2018-09-19' }, text: 'A new hub is out.' });
  });

  test('the main content without marks: most of the words that are no links and no frame', async () => {
    const words = 'A wheel turns on its hub, and oil keeps it quiet. '.repeat(5);
    const done = await runImport({
      'a.html': `<title>Wheel - Old site</title><div id="top"><a href="/">Home</a> <a href="/x">More</a></div><div><div><p>${words}</p><p>End.</p></div></div><div>© Somebody</div>`,
      '2019/03/04/oil.html': '<p>A post without a layout.</p>',
    });
    expect(await done.read('a')).toMatchObject({ fields: { title: 'Wheel' }, text: `${words.trim()}\n\nEnd.` });
    expect((await done.read('oil')).fields).toMatchObject({ title: 'Oil', created: '2019-03-04' });
  });

  test.each([
    ['nothing', 'One two three.\n\n```\na\n\nb\n```\n\n![A](a.png)', []],
    ['words, beyond labels', 'One.\n\n```\na\n\nb\n```\n\n![A two three](a.png)', []],
    ['words', '```\na\n\nb\n```\n\n![](a.png)', [['lost', 'loses 4 of 6 words: one two three a']]],
    [
      'a byte of code',
      'One two three.\n\n```\na\n b\n```\n\n![A](a.png)',
      [['lost', 'has a code block that is not the same afterwards: a']],
    ],
    ['an image', 'One two three a.\n\n```\na\n\nb\n```', [['changed', 'keeps 0 of 1 image']]],
  ])('a comparison finds that %s is missing', (_what, result, differences) => {
    const original = factsOfMarkdown('One two three.\n\n```\na\n\nb\n```\n\n![A](a.png)');
    expect(compareTexts(original, factsOfMarkdown(result), 0).map(({ grade, message }) => [grade, message])).toEqual(differences);
  });

  test('links to nowhere are no losses, a day above the text is its date, and what stands above the text of a home page is kept', async () => {
    const done = await runImport({
      'a/index.html':
        '<head><meta property="article:published_time" content="2014-04-02T00:00:00Z"></head><main><h1><a href="/a/">A</a></h1><h5>April 2, 2014</h5><a href="/"><img class="avatar avatar-small" alt="ada" src="https://avatars.example/ada?s=24"></a><p>A <a href="#">top</a>, <a href="">here</a> and <a href="/a/">itself</a>.</p></main>',
      'index.html':
        '<div class="VPHome"><div><h1><span class="name">Vite</span><span class="text">The tool</span></h1><p class="tagline">Fast.</p></div><div class="vp-doc"><p>Words below the beginning of the page.</p></div></div>',
    });
    expect(await done.read('a')).toMatchObject({ fields: { title: 'A', created: '2014-04-02' }, text: 'A top, here and itself.' });
    const text = 'Fast.\n\nWords below the beginning of the page.';
    expect(await done.read('home')).toMatchObject({ fields: { title: 'Vite The tool' }, text });
    expect(done.notes).toEqual([]);
  });

  test('controls of forms are no text, and one line of each page; filter boxes, tasks, tabs and labels that hold blocks are', async () => {
    const slider = (name: string): string =>
      `<x-slider><label><span>${name}</span><input type="range"><span class="value">269</span></label></x-slider>`;
    const shown =
      '<label for="f">Filter</label><input type="search" id="f"><ul><li><input type="checkbox"> Oil it</li><li><label><input type="checkbox" checked> Air it</label></li></ul><div class="tabs"><label><input type="radio"> Mud</label></div><div class="blocks"><p>Slow.</p></div><label><input type="radio"><p>A wheel.</p></label><fieldset><p>Words.</p><input></fieldset>';
    const controls = `<fieldset><legend>Accent</legend><label><span class="sr-only">Pick</span><input type="color"></label>${slider('Hue')}${slider('Chroma')}<button>Reset</button></fieldset>\n<p>One <label>Size <select><option>S</option></select></label>two.</p><form><label for="n">Name</label><input id="n"></form>`;
    const done = await runImport({ 'a.html': `<main><h1>A</h1>\n${controls}${shown}</main>` });
    expect((await done.read('a')).text).toBe(
      'One two.\n\nFilter\n\n- [ ] Oil it\n- [x] Air it\n\n:::tab[Mud]\nSlow.\n:::\n\nA wheel.\n\nWords.',
    );
    expect(done.plan.notes).toMatchObject([{ line: 2, message: 'leaves out controls of a form: Accent, Hue, Chroma, Size, Name' }]);
  });

  test('pieces of code side by side are no loss, a picture that counts readers is none, and what is embedded has a name in any language', async () => {
    const code = ['a', 'b', 'c'].map((name) => `<span><code>old${name}</code></span><span><code>new${name}</code></span>`).join(' or ');
    const pixel = '<img src="https://stats.example/matomo.php?idsite=1" alt=""><img src="https://x.example/t.gif" width="1" height="1">';
    const done = await runImport(
      {
        'a.html': `<html lang="ja-JP"><meta name="description" content="Words of[ a link](https://x.example/…"><main><h1>A</h1><p>Use ${code}.${pixel}</p><iframe src="https://video.example/embed/1"></iframe></main>`,
        'b.html': '<html lang="ja"><main><h1>B</h1><p>It.</p></main>',
      },
      { ownLanguage: 'ja' },
    );
    expect(await done.read('a')).toMatchObject({
      fields: { title: 'A', draft: true },
      text: 'Use `olda` `newa` or `oldb` `newb` or `oldc` `newc`.\n\n[video.example](https://video.example/embed/1)',
    });
    expect((await textOf('<p>See <img src="/img/a.png" width="1" alt="A line"></p>')).text).toContain('A line');
    for (const name of ['language', 'summary']) expect((await done.read('a')).fields).not.toHaveProperty(name);
    expect(done.notes).toEqual([]);
  });

  test('a page whose language is not known, or is no name of one, is a text as others are', async () => {
    const pages = {
      'a.html': '<html lang="und"><main><h1>A</h1><p>It.</p></main>',
      'b.html': '<html lang="de"><main><h1>B</h1><p>Es.</p></main>',
    };
    const done = await runImport(pages, { ownLanguage: 'en-foo-bar' });
    expect([done.source.skipped, (await done.read('a')).fields['language']]).toEqual([[], undefined]);
  });

  test('what a text loses on its way is a line of the report', async () => {
    const done = await runImport({ 'a.md': '# A\n\nText.\n\n<noscript>\nOnly without scripts.\n</noscript>\n' });
    expect(done.notes).toContainEqual('a.md:1 loses 3 of 5 words: only without scripts');
    expect(hasLosses(done)).toBe(true);
    const missing = await textOf(
      '<figure><img src="/no.png" alt="A wheel"><figcaption>Figure 1. Two spokes</figcaption></figure><p><img src="/x.png">.</p>',
    );
    expect(missing).toEqual({
      text: 'A wheel Figure 1. Two spokes\n\n.',
      notes: [
        'a/index.html:1 shows "/no.png", which is not in the source; "A wheel" stays as text',
        'a/index.html:1 shows "/x.png", which is not in the source',
      ],
    });
  });

  test('reports what is lost, with page and line, the worst first, and --strict fails on it', async () => {
    const long = 'This part of the page has been hidden in a form of the theme, where no reader of ours would ever see it. '.repeat(3);
    const done = await runImport({
      'a.html': `<main><h1>A</h1>\n<p>Text.</p>\n<div class="feedback"><p>${long}</p></div>\n<canvas></canvas></main>`,
    });
    expect(done.notes).toEqual([
      `a.html:3 shows <div class="feedback"> with ${long.match(/\w+/g)?.length} words, which is left out as a part of the site's frame`,
      'a.html:4 shows a drawing, which is left out',
    ]);
    expect(hasLosses(done)).toBe(false);
    const lossy = {
      ...done,
      plan: { ...done.plan, notes: [...done.plan.notes, { path: 'b.html', line: 7, message: 'loses words', grade: 'lost' as const }] },
    };
    expect(hasLosses(lossy)).toBe(true);
    const lines = summaryLines(lossy);
    expect(lines.indexOf('Lost:')).toBeLessThan(lines.indexOf('To look at:'));
    expect(lines[lines.indexOf('Lost:') + 1]).toBe('  b.html:7 loses words');
  });

  test('a kind of note is one line before the pages, and one line of each page; pictures of other sites are named', async () => {
    const links = Array.from({ length: 60 }, (_, at) => `<a href="#id${at}">${at}</a>`).join('\n');
    const picture =
      '<p><img src="https://cdn.example/p.png" alt="P"></p><table><tr><td><ul><li><img src="https://cdn.example/q.png" alt="Q"></li></ul></td><td>R</td></tr></table>';
    const done = await runImport(
      { 'a.html': `<main><h1>A</h1>${links}${picture}</main>`, 'b.html': '<main><h1>B</h1><a href="#id1">c</a></main>' },
      { isPublished: true },
    );
    const report = await readFile(join(done.root, REPORT_FILE), 'utf8');
    const ids = Array.from({ length: 50 }, (_, at) => `#id${at} (line ${at + 1})`).join(', ');
    expect(report.slice(report.indexOf('## '), report.indexOf('## New'))).toBe(`## Changed (2)

- a.html:60 shows the picture https://cdn.example/p.png, which becomes a link; --copy-images copies it (and 1 more like it, on 1 page)

## To look at (61)

- a.html:1 links to #id0, which no heading of a.html has; the link leads to the page (and 60 more like it, on 2 pages)

## Changed, by page

### a.html

- 2 × shows the picture …, which becomes a link; --copy-images copies it: https://cdn.example/p.png (line 60), https://cdn.example/q.png (line 60)

## To look at, by page

### a.html

- 60 × links to …, which no heading of … has; the link leads to the page: ${ids}, …

### b.html

- line 1: links to #id1, which no heading of b.html has; the link leads to the page

`);
    expect(nextStep(done)).toBe('Next: run "akg check".');
  });

  test('the next step after drafts names --publish, unless the source hides them', async () => {
    const hidden = await writeTree({ 'a.html': '<meta name="robots" content="noindex"><h1>A</h1><p>Text.</p>' });
    const drafts = await runImport({ 'a.html': '<h1>A</h1><p>Text.</p>' });
    expect(nextStep(drafts)).toBe(
      'Next: read the drafts, remove "draft: true" from those that you publish, or import again with --publish to publish all of them; then run "akg check".',
    );
    expect(nextStep(await runImport(hidden, { isPublished: true }))).toBe(
      'Next: read the drafts, remove "draft: true" from those that you publish; then run "akg check".',
    );
  });
});

test.each([
  [
    'at the top of a site, in a language or a version',
    ['/search.html', '/de/search/', '/v2.1/404', '/docs/genindex.html', '/_modules/'],
    true,
  ],
  ['elsewhere, where the same names are texts', ['/docs/search/', '/guide/print.html', '/search-engines', '/'], false],
])('search, errors and indexes are the frame of a site %s', (_where, paths, isFrame) => {
  expect(paths.filter((path) => (frameProblem(path) !== undefined) !== isFrame)).toEqual([]);
});

describe('a folder whose generator has a syntax of its own', () => {
  test.each([
    ['MkDocs', 'mkdocs.yml', 'site_name: A\n', 'mkdocs build', 'site'],
    ['Hugo', 'hugo.toml', 'title = "A"\n', 'hugo', 'public'],
    ['Jekyll', '_config.yml', 'title: A\n', 'bundle exec jekyll build', '_site', '{% include a.html %}\n'],
    ['HonKit', 'book.json', '{ "plugins": [] }', 'npx honkit build', '_book', '{{ book.title }}\n'],
    ['Sphinx', 'conf.py', "project = 'A'\n", 'sphinx-build -b html . _build/html', '_build/html'],
    ['VitePress', '.vitepress/config.ts', '', 'npx vitepress build', '.vitepress/dist'],
    ['Docusaurus', 'docusaurus.config.ts', 'export default {}\n', 'npm run build', 'build'],
    ['Starlight', 'astro.config.mjs', "import starlight from '@astrojs/starlight'\n", 'npm run build', 'dist'],
    ['mdBook', 'book.toml', '[book]\n', 'mdbook build', 'book'],
  ])('of %s is not read as plain markdown: the error says how to build it', async (name, file, content, build, output, tag = '') => {
    const folder = await writeTree({ [`site/${file}`]: content, 'site/docs/a.md': `!!! note\n    Text.\n\n${tag}` });
    for (const given of [folder, join(folder, 'site'), join(folder, 'site/docs')]) {
      const refused = openSource(given, OPEN);
      await expect(refused).rejects.toThrow(UserError);
      await expect(refused).rejects.toThrow(`is written for ${name}`);
      await expect(refused).rejects.toThrow(
        `run "${build}" in ${join(folder, 'site')}, then "akg import ${join(folder, 'site', output)}"; or import its site by its address`,
      );
    }
    const plain = await runImport(join(folder, 'site/docs'), { generator: 'plain' });
    expect(plain.notes).toContain(
      'a.md:1 has admonitions of MkDocs (!!!) at 1 place, which stay as text; build its site and import the HTML',
    );
  });

  test.each([
    ['Mintlify', 'docs.json', '{ "navigation": {} }', 'import its site by its address'],
    ['GitBook', '.gitbook.yaml', 'root: ./\n', 'import its site by its address'],
    ['GitBook', 'SUMMARY.md', '# Table of contents\n\n* [A](a.md)\n', 'import its site by its address'],
    ['Logseq', 'logseq/config.edn', '{}', 'export the graph as standard Markdown'],
    ['Nextra', 'next.config.mjs', "import nextra from 'nextra'\n", `set "output: 'export'", run "npm run build", and import "out"`],
  ])('of %s says what to import instead: %s', async (_name, file, content, remedy) => {
    const folder = await writeTree({ [file]: content, 'a.md': '{% hint style="info" %}\nText.\n{% endhint %}\n' });
    await expect(openSource(folder, OPEN)).rejects.toThrow(remedy);
  });

  test('GitBook is known by the first line of its contents, unless HonKit has settings beside them', async () => {
    const summary = '# Table of contents\n\n* [A](a.md)\n';
    const book = await writeTree({ 'SUMMARY.md': summary, 'book.json': '{ "plugins": [] }', 'a.md': '# A\n\n{% hint %}\n' });
    await expect(openSource(book, OPEN)).rejects.toThrow('is written for HonKit');
    const plain = await writeTree({ 'SUMMARY.md': `# How to\n\n\`\`\`md\n${summary}\`\`\`\n`, 'a.md': '# A\n\nText.\n' });
    expect((await openSource(plain, OPEN)).generator).toBe('plain');
  });

  test('Jekyll, HonKit and GitBook are plain markdown without a tag of a template in their words, in the order of their contents', async () => {
    const tree = { '_config.yml': 'theme: minima\n', 'book.json': '{ "plugins": [] }', 'a.md': '# A\n\n`{{ a }}`\n\n```\n{% b %}\n```\n' };
    const done = await runImport({
      ...tree,
      'b/README.md': '# B\n\nText.\n',
      'SUMMARY.md': '# Table of contents\n\n* [B](b/README.md)\n* [A](a.md)\n',
    });
    expect(done.source.generator).toBe('plain');
    expect(done.plan.sections).toMatch(/- b\n[\s\S]*- a\n/);
    const site = await writeTree({ ...tree, '_posts/2026-01-02-a.md': '# A\n\nText.\n' });
    await expect(openSource(site, OPEN)).rejects.toThrow('is written for Jekyll');
  });
});
