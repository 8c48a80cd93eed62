import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../../../src/site/markdown/render-markdown.ts';

const html = async (markdown: string, options: Parameters<typeof renderMarkdown>[1] = {}): Promise<string> =>
  (await renderMarkdown(markdown, options)).html;

const SOURCE = { key: 'one', title: 'A source', url: 'https://a.example/', publisher: 'IETF', kind: 'standard' } as const;
const IMAGE = {
  path: '/media/wheel.0123456789ab.jpg',
  width: 2_400,
  height: 1_600,
  variants: [{ path: '/media/wheel.0123456789ab.480w.webp', width: 480 }],
};

describe('renderMarkdown() shows', () => {
  it('an image of the publication with its size and smaller copies, and its title as the caption', async () => {
    const references = { 'img/wheel.jpg': { href: IMAGE.path, image: IMAGE } };
    const shown = await html('![A wheel](img/wheel.jpg "After truing")', { references });
    expect(shown).toContain('<figure><img src="/media/wheel.0123456789ab.jpg"');
    expect(shown).toContain('srcset="/media/wheel.0123456789ab.480w.webp 480w, /media/wheel.0123456789ab.jpg 2400w"');
    expect(shown).toContain('alt="A wheel" width="2400" height="1600" loading="lazy"');
    expect(shown).toContain('<figcaption>After truing</figcaption>');
    expect(await html('<img src="img/wheel.jpg" alt="Small" width="120">', { references })).toContain('width="120" height="80"');
  });

  it('an image of another site as a link, and one that is nowhere as its words', async () => {
    expect(await html('![A map](https://maps.example/x.png)')).toBe(
      '<p><a href="https://maps.example/x.png" rel="nofollow noopener">A map</a></p>',
    );
    expect(await html('![A map](x.png)')).toBe('<p>A map</p>');
  });

  it('relative links at their addresses, in markdown and in HTML', async () => {
    const references = { '../b.md#x': { href: '/capsules/b#x' } };
    expect(await html('[b](../b.md#x)', { references })).toContain('href="/capsules/b#x"');
    expect(await html('<a href="../b.md#x">b</a>', { references })).toContain('href="/capsules/b#x"');
  });

  it.each([
    ['a paragraph', 'A.[^one] B.', '<p>A.'],
    ['a heading', '# A[^one]', '<h1 id="a">A'],
    ['a table', '| A[^one] |\n| - |\n| B |', '<div class="scroll"'],
    ['an item', '- A.[^one]', 'A.'],
    ['HTML in the text', 'A <kbd>K</kbd>.[^one]', '<p>A <kbd>K</kbd>.'],
  ])('the note of a source before %s that refers to it, not inside', async (_case, markdown, start) => {
    const shown = await html(markdown, { sources: [SOURCE] });
    const note = `<aside class="notes" role="note"><p class="note" id="source-note-1" popover=""><a class="note-number" href="#source-1">1</a> <a href="https://a.example/" rel="nofollow noopener">A source</a>. IETF</p></aside>`;
    expect(shown.split(note)).toHaveLength(2);
    expect(
      shown
        .slice(shown.indexOf(note) + note.length)
        .trimStart()
        .startsWith(start),
    ).toBe(true);
    expect(shown).toContain(
      '<sup class="ref"><button type="button" popovertarget="source-note-1" id="ref-1" title="A source">1</button></sup>',
    );
  });

  it('footnotes by number, and by letter beside sources', async () => {
    expect(await html('A.[^n]\n\n[^n]: Note.')).toContain('id="fnref-n" data-footnote-ref aria-describedby="footnote-label">1</a>');
    const both = await html('A.[^one][^n]\n\n[^n]: Note.', { sources: [SOURCE] });
    expect(both).toContain('>1</button></sup>');
    expect(both).toContain('>a</a></sup>');
    expect(both).toContain('<ol type="a">');
  });

  it.each([
    [':::tip\nText.\n:::', 'admonition-tip', 'Tip'],
    [':::note[My *title*]\nText.\n:::', 'admonition-note', 'My <em>title</em>'],
    ['::: warning Hot\nText.\n:::', 'admonition-warning', 'Hot'],
    [':::danger Take care\nText.\n:::', 'admonition-caution', 'Take care'],
    ['> [!IMPORTANT]\n> Text.', 'admonition-important', 'Important'],
  ])('%j as an admonition', async (markdown, kind, title) => {
    const shown = await html(markdown);
    expect(shown).toContain(`class="admonition ${kind}" role="note"`);
    expect(shown).toContain(`<p class="admonition-title">${title}</p>`);
    expect(shown).toContain('<p>Text.</p>');
  });

  it('definition lists, task lists and blocks that open', async () => {
    expect(await html('Hub\n: The middle.')).toMatch(/<dl>\s*<dt>Hub<\/dt>\s*<dd>/);
    expect(await html('- [x] done')).toContain('type="checkbox" checked disabled');
    expect(await html(':::details More\nText.\n:::')).toContain('<details><summary>More</summary>');
  });

  it('tabs that follow each other as a group of which one is open, without a script; a label again begins another group', async () => {
    const tab = (label: string, words: string): string => `:::tab[${label}]\n${words}\n:::\n\n`;
    const markdown = `${tab('npm', 'One.')}${tab('`pnpm`', '- Two.')}${tab('npm', 'Three.')}Between.\n\n- Item\n\n  :::tab\n  Four.\n  :::\n`;
    const written = (await html(markdown)).replace(/\n/g, '');
    expect(new Set(written.match(/tabs-\d+/g)).size).toBe(3);
    const shown = written.replace(/tabs-\d+/g, 'tabs');
    const groups = [
      '<div class="tabset"><details name="tabs" open><summary>npm</summary><p>One.</p></details><details name="tabs"><summary><code>pnpm</code></summary><ul><li>Two.</li></ul></details></div>',
      '<div class="tabset"><details name="tabs" open><summary>npm</summary><p>Three.</p></details></div><p>Between.</p>',
      '<details name="tabs" open><summary>1</summary><p>Four.</p></details></div></li>',
    ];
    for (const group of groups) expect(shown).toContain(group);
    expect(await html(':::tab[]\nOne.\n:::')).toContain('<summary>1</summary>');
    // HTML beside them changes nothing.
    const beside = (await html(`${markdown}\n<kbd>Ctrl</kbd>`)).replace(/\n/g, '');
    expect(beside.replace(/tabs-\d+/g, 'tabs')).toContain(groups[0]);
    // Tabs of a page's own HTML, which nothing opens, do not look like these.
    expect(await html('<div class="tabs"><p>One.</p></div>')).not.toContain('tab');
  });

  it('code in colours without inline styles, with its title and marked lines', async () => {
    const shown = await html('```js title="a.js" {2}\nlet a = 1;\nlet b = 2;\n```');
    expect(shown).toContain('<figcaption>a.js</figcaption>');
    expect(shown).toContain('<span class="hl-keyword">let</span> a');
    expect(shown).toContain('<mark class="line"><span class="hl-keyword">let</span> b');
    expect(shown).not.toContain('style=');
    expect(await html('```text {2}\nfirst\nsecond\n```')).toContain('first\n<mark class="line">second</mark>');
  });

  it('formulas as MathML, and prices as prices', async () => {
    expect(await html('The sum $a_1^2$.')).toContain('<math alttext="a_1^2"><msubsup>');
    for (const block of ['$$\nx^2\n$$', '```math\nx^2\n```']) expect(await html(block)).toContain('<math display="block" alttext="x^2">');
    for (const price of ['It costs $5 and $10.', 'US$5 to US$6', '$5-$10', '$5, or 5$.']) expect(await html(price)).toBe(`<p>${price}</p>`);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a path of a shell.
    for (const shell of ['Set $HOME/bin:$PATH.', 'As $USER@$host', 'In ${A}/b:${B}.', '$HOME$PATH'])
      expect(await html(shell)).toBe(`<p>${shell}</p>`);
    for (const formula of ['$n$th', '$x$_y', '$f(x)$s', '$AB$-axis']) expect(await html(formula)).toContain('<math ');
    expect(await html('A $\\foo{x}$.')).toBe('<p>A <code>\\foo{x}</code>.</p>');
  });

  it.each([
    ['mermaid', 'graph TD\n  A[Noise] --> B[Pads]', 'Noise'],
    ['dot', 'digraph { frame -> fork }', 'fork'],
  ])('a diagram in %s as SVG, with its source', async (language, source, label) => {
    const shown = await html(`\`\`\`${language} title="A drawing"\n${source}\n\`\`\`\n\n\`\`\`${language}\n${source}\n\`\`\``);
    expect(shown.match(/<svg viewBox=/g)).toHaveLength(2);
    expect(shown).toContain(`>${label}</text>`);
    expect(shown).toContain('<figcaption>A drawing</figcaption>');
    expect(shown).toContain('<summary>Diagram as text</summary>');
    expect(shown).not.toMatch(/style=|<style|https?:|class="note"/);
    const ids = [...shown.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each([
    ['of a kind that the library does not draw', 'gitGraph\n  commit'],
    ['without a node', 'flowchart LR'],
    ['for whose parts the library finds no place', 'flowchart LR\n  A --> A\n  B --> C'],
  ])('as code a diagram %s', async (_case, source) => {
    const shown = await html(`\`\`\`mermaid\n${source}\n\`\`\``);
    expect(shown).toContain('class="language-mermaid"');
    expect(shown).not.toContain('<svg');
  });
});

describe('renderMarkdown() of raw HTML', () => {
  it('keeps elements of text, with markdown inside', async () => {
    const shown = await html(
      '<kbd>Ctrl</kbd> H<sub>2</sub>O <abbr title="x">y</abbr>\n\n<details>\n<summary>Open</summary>\n\n**bold**\n\n</details>',
    );
    for (const part of ['<kbd>Ctrl</kbd>', '<sub>2</sub>', '<abbr title="x">y</abbr>', '<summary>Open</summary>', '<strong>bold</strong>'])
      expect(shown).toContain(part);
  });

  it('links every heading to itself, beside it and without text', async () => {
    const link = '</h2>\n<a class="anchor" href="#a-b" aria-label="Link to section: A b" data-markdown-ignore=""></a>';
    for (const text of ['## A `b`', '## A `b`\n\n<kbd>x</kbd>']) expect(await html(text)).toContain(link);
    expect(await html('##### A')).not.toContain('anchor');
  });

  it('keeps headings, code and formulas beside it as they are', async () => {
    const { html: shown, outline } = await renderMarkdown('## A\n\n<b>x</b> $a$\n\n```js\nlet a;\n```\n\n| a |\n|---|\n| b<br>c |');
    expect(outline).toEqual([{ depth: 2, id: 'a', text: 'A' }]);
    for (const part of ['<h2 id="a">', '<math alttext="a">', 'hl-keyword', 'b<br>c', 'class="scroll"']) expect(shown).toContain(part);
  });

  it.each([
    '<script>run()</script>',
    '<img src="x" onerror="run()">',
    '<a href="javascript:run()">x</a>',
    '<a href="java\tscript:run()">x</a>',
    '<iframe srcdoc="<script>run()</script>"></iframe>',
    '<svg><script>run()</script></svg>',
    '<math><mtext><script>run()</script></mtext></math>',
    '<style>* { color: red }</style>',
    '<p style="position:fixed" onclick="run()">x</p>',
    '<form action="https://evil.example"><input name="q"><button>x</button></form>',
    '<base href="https://evil.example"><meta http-equiv="refresh" content="0">',
    '<img src="https://evil.example/pixel.png">',
    '<template><script>run()</script></template>',
    '<span data-part="0"></span><p id="sources" class="site-header">x</p>',
  ])('takes out of %j what runs, loads or changes the page', async (markdown) => {
    const shown = await html(markdown);
    expect(shown).not.toMatch(/<(?:script|iframe|style|svg|math|form|button|base|meta|template|img)\b/i);
    expect(shown).not.toMatch(/\son[a-z]+=|javascript:|style=|run\(\)|data-part|id="sources"|site-header/i);
  });
});
