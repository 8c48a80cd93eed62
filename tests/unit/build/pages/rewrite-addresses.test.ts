import { describe, expect, it } from 'vitest';
import { pathOfPage, placeAddresses } from '../../../../src/build/pages/rewrite-addresses.ts';

const PAGES = new Set(['/', '/about', '/capsules/a', '/docs', '/notes']);
const FILES = { base_url: 'https://ada.example/notes', static_form: 'file' } as const;
const FOLDERS = { base_url: 'https://ada.example', static_form: 'directory' } as const;
const BOTH = { ...FILES, static_form: 'directory' } as const;

describe('placeAddresses()', () => {
  it.each([
    ['<a href="/about?x=1&amp;y=/#z">', '<a href="/notes/about?x=1&amp;y=/#z">', '<a href="/about/?x=1&amp;y=/#z">'],
    ["<a class=x href='/capsules/a' >", "<a class=x href='/notes/capsules/a' >", "<a class=x href='/capsules/a/' >"],
    ['<a href=/about>', '<a href=/notes/about>', '<a href=/about/>'],
    ['<a href="/">', '<a href="/notes/">', '<a href="/">'],
    // A page may have the name of the path.
    ['<a href="/notes">', '<a href="/notes/notes">', '<a href="/notes/">'],
    ['<form action="/search"><button formaction="/a.json">', '<form action="/notes/search"><button formaction="/notes/a.json">', undefined],
    ['<img src="/a.png" srcset="/a.png 1x, /b.png 2x">', '<img src="/notes/a.png" srcset="/notes/a.png 1x, /notes/b.png 2x">', undefined],
    [
      '<svg><a href="/about"/><use xlink:href="/logo.svg#a"/></svg>',
      '<svg><a href="/notes/about"/><use xlink:href="/notes/logo.svg#a"/></svg>',
      '<svg><a href="/about/"/><use xlink:href="/logo.svg#a"/></svg>',
    ],
    [
      '<meta http-equiv="refresh" content="0; url=/about">',
      '<meta http-equiv="refresh" content="0; url=/notes/about">',
      '<meta http-equiv="refresh" content="0; url=/about/">',
    ],
    [
      '<template><a href="/about"></a></template>',
      '<template><a href="/notes/about"></a></template>',
      '<template><a href="/about/"></a></template>',
    ],
    ['<link rel="stylesheet" href="/notes/_astro/site.css">', '<link rel="stylesheet" href="/notes/_astro/site.css">', undefined],
    ['<a href="//other.example/about"><a href="about"><a href="#x"><a href="mailto:a@b.example">', undefined, undefined],
    ['<script>fetch("/about"); "<a href=\'/about\'>"</script><p>&lt;a href="/about"></p><!-- <a href="/about"> -->', undefined, undefined],
  ])('writes %s', (html, belowPath, asFolder) => {
    expect(placeAddresses(html, FILES, PAGES)).toBe(belowPath ?? html);
    expect(placeAddresses(html, FOLDERS, PAGES)).toBe(asFolder ?? html);
    expect(placeAddresses(html, { ...FOLDERS, static_form: 'file' }, PAGES)).toBe(html);
  });

  it('gives whole addresses of pages the slash of a folder, also in structured data', () => {
    const html = `<link rel="canonical" href="https://ada.example/notes/about"><meta property="og:url" content="https://ada.example/notes/about"><script type="application/ld+json">{"url":"https://ada.example/notes/about","item":"https://ada.example/notes/docs#a","other":"https://ada.example/about","text":"see /about"}</script>`;
    expect(placeAddresses(html, BOTH, PAGES)).toBe(
      `<link rel="canonical" href="https://ada.example/notes/about/"><meta property="og:url" content="https://ada.example/notes/about/"><script type="application/ld+json">{"url":"https://ada.example/notes/about/","item":"https://ada.example/notes/docs/#a","other":"https://ada.example/about","text":"see /about"}</script>`,
    );
    expect(placeAddresses(html, FILES, PAGES)).toBe(html);
  });
});

it.each([
  ['https://ada.example/notes/about/', '/about'],
  ['https://ada.example/notes', '/'],
  ['https://ada.example/notes/', '/'],
  ['https://ada.example/notes/about?x#y', '/about'],
  ['https://ada.example/notesabout', undefined],
  ['https://ada.example/about', undefined],
])('pathOfPage() of %s', (address, path) => expect(pathOfPage(address, FILES)).toBe(path));
