import { describe, expect, it } from 'vitest';
import { type MainText, pageMarkdown } from '../../../../src/build/pages/markdown-from-html.ts';

const HEAD =
  '<meta name="description" content="What it is"><link rel="canonical" href="https://lantern.example/about"><link rel="alternate" type="text/markdown" href="https://lantern.example/about.md">';
const PLACE = { base_url: 'https://lantern.example', static_form: 'file' } as const;
const page = (main: string, head = HEAD): string =>
  `<!doctype html><html><head>${head}</head><body><nav>Menu</nav><main><h1>About</h1>${main}</main></body></html>`;

function below(main: string): string | undefined {
  const { body } = pageMarkdown(page(main), new Map(), PLACE, new Map()) ?? { body: '' };
  return /\n# About\n\n([\s\S]*)\n\n## Sitemap\n/.exec(body)?.[1];
}

describe('pageMarkdown()', () => {
  it('is the twin that the page names, with front matter and the ways on', () => {
    const twin = pageMarkdown(page('<p>Text.</p>'), new Map([['/about', '2026-11-21']]), PLACE, new Map());
    expect(twin?.path).toBe('/about.md');
    expect(twin?.body).toBe(
      [
        '---\ntitle: "About"\ndescription: "What it is"\ndoc_version: "2026-11-21"\ncanonical_url: "https://lantern.example/about"\nlast_updated: "2026-11-21"\n---',
        '> For AI agents: the documentation index is at https://lantern.example/llms.txt',
        '# About\n\nText.',
        '## Sitemap\n\n- [All pages](https://lantern.example/sitemap.md)\n- [Index for agents](https://lantern.example/llms.txt)\n',
      ].join('\n\n'),
    );
    expect(pageMarkdown(page('<p>Text.</p>', HEAD.replace('about.md', 'other.md')), new Map(), PLACE, new Map())).toBeUndefined();
  });

  it('is that of a site below a path, in the form of folders', () => {
    const place = { base_url: 'https://lantern.example/notes', static_form: 'directory' } as const;
    const below = HEAD.replaceAll('lantern.example/', 'lantern.example/notes/').replace('about"', 'about/"');
    const twin = pageMarkdown(page('<a href="/notes/buy/">Buy</a>', below), new Map([['/about', '2026-11-21']]), place, new Map());
    expect(twin?.path).toBe('/about.md');
    expect(twin?.body).toContain('[Buy](https://lantern.example/notes/buy/)');
    expect(twin?.body).toContain('- [Index for agents](https://lantern.example/notes/llms.txt)');
    expect(twin?.body).toContain('last_updated: "2026-11-21"');
  });

  it('is made again only where its main content changed', () => {
    const cache = new Map<string, MainText>();
    const made = (main: string, head = HEAD): string | undefined => pageMarkdown(page(main, head), new Map(), PLACE, cache)?.body;
    const first = made('<p>Text.</p>');
    const renamed = made('<p>Text.</p>', HEAD.replace('What it is', 'What it was'));
    expect([cache.size, renamed]).toEqual([1, first?.replace('What it is', 'What it was')]);
    expect(made('<p>Another.</p>')).toContain('Another.');
    expect([cache.size, made('<p>Text.</p>')]).toEqual([2, first]);
  });

  it('has absolute links, and neither navigation, forms, scripts nor what only readers of the page need', () => {
    expect(
      below(
        '<nav class="trail"><a href="/">Home</a></nav><p><a href="/buy">Buy</a></p><div><nav><h2>On this page</h2></nav></div><form>Name</form><script>x</script><p data-markdown-ignore>Jump</p><p aria-hidden="true">·</p>',
      ),
    ).toBe('[Buy](https://lantern.example/buy)');
  });

  it('names the language of code, without its colours', () => {
    expect(below('<pre class="language-sh"><code><span>curl</span> -s\n</code></pre><pre>x</pre>')).toBe(
      '```sh\ncurl -s\n```\n\n```text\nx\n```',
    );
  });

  it('keeps the caption of a table before it', () => {
    expect(below('<table><caption>Prices in <b>euros</b>.</caption><tr><th>Offer</th></tr><tr><td>One</td></tr></table>')).toBe(
      'Prices in **euros**.\n\n| Offer |\n| - |\n| One |',
    );
  });

  it('writes a row of a table in one line, whatever its cells hold', () => {
    const cells = '<td><ul><li>One <b>a</b></li><li>Two</li></ul></td><td><p>Three</p>Four</td><td><div><p>Five</p></div></td><td> </td>';
    expect(below(`<table><tr><th>A</th><th>B</th><th>C</th><th>D</th></tr><tr>${cells}</tr></table>`)).toBe(
      '| A | B | C | D |\n| - | - | - | - |\n| One **a**<br>Two | Three<br>Four | Five | |',
    );
  });

  it('writes a fact in one line, unless it is several blocks', () => {
    const facts =
      '<div><dt>Code</dt><dd><code>x</code></dd></div><dt>Hosts</dt><dd>a</dd><dd>b</dd><dt>Left</dt><dt>Right</dt><dd>c</dd><dt>Steps</dt><dd><p>One.</p><p>Two.</p></dd><dt>None</dt>';
    expect(below(`<dl>${facts}</dl>`)).toBe('- Code: `x`\n\n- Hosts: a, b\n\n- Left, Right: c\n\n- Steps\n\n  One.\n\n  Two.\n\n- None');
  });
});
