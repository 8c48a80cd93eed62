import { PATHS } from '../../../src/schemas/paths.ts';

/** Elements that pages of this site are made of, besides those of text. */
const ELEMENTS = `
  html head body title meta link script header footer main nav article section aside div h1 h2 h3 h4 h5 h6 p a ul ol li dl
  dt dd pre code blockquote hr br wbr table caption colgroup col thead tbody tr th td span strong em b i del s small sup
  sub time abbr kbd cite q figure figcaption details summary template button input img svg g path text tspan rect circle
  line polyline polygon symbol use defs desc clippath mask ellipse marker lineargradient stop dfn mark bdi bdo u address ins
  math semantics mrow mi mn mo ms mtext mspace msub msup msubsup munder mover munderover mmultiscripts mprescripts mfrac msqrt
  mroot mstyle merror mpadded mphantom menclose mtable mtr mtd
`
  .trim()
  .split(/\s+/);
/** Attributes that lead somewhere, and those that load or run. */
const LEADING = ['href', 'xlink:href', 'src', 'action', 'cite', 'poster', 'data'];
const FORBIDDEN = ['style', 'srcdoc', 'srcset', 'ping', 'formaction', 'background', 'http-equiv', 'attributename', 'shadowrootmode'];

/**
 * A script for a browser: what is in the page, as the browser parsed it, that no page of this site has. Templates are searched too. An empty list is a good page.
 */
export const FIND_PAGE_FAULTS = `(() => {
  const elements = new Set(${JSON.stringify(ELEMENTS)}), leading = ${JSON.stringify(LEADING)}, forbidden = ${JSON.stringify(FORBIDDEN)};
  const faults = [];
  const look = (root) => {
    for (const element of root.querySelectorAll('*')) {
      const name = element.localName.toLowerCase();
      const report = (what) => faults.push(what + ' in ' + element.outerHTML.slice(0, 160));
      // The only form of these pages is that of the search.
      const isOfSearch = element.closest('form')?.getAttribute('action') === ${JSON.stringify(PATHS.search)};
      if (!elements.has(name) && !(isOfSearch && ['form', 'label'].includes(name))) report('an element ' + name);
      if (name === 'input' && element.type !== 'checkbox' && !(isOfSearch && element.type === 'search')) report('an input');
      if (name === 'script' && element.type === 'application/ld+json') {
        try { JSON.parse(element.textContent); } catch { report('data that is no JSON'); }
      } else if (name === 'script' && element.textContent.trim() !== '') report('an inline script');
      for (const { name: given, value } of element.attributes) {
        const attribute = given.toLowerCase();
        if (attribute.startsWith('on')) report('a handler ' + attribute);
        if (forbidden.includes(attribute)) report('an attribute ' + attribute);
        if (!/^[a-z][a-z0-9-]*(:[a-z]+)?$/.test(attribute)) report('an odd attribute ' + attribute);
        if (!leading.includes(attribute)) continue;
        const loads = ['script', 'img', 'use'].includes(name) || (name === 'link' && /stylesheet|icon|preload|modulepreload/.test(element.rel));
        const url = URL.canParse(value, document.baseURI) ? new URL(value, document.baseURI) : undefined;
        if (url === undefined || !['http:', 'https:', 'mailto:'].includes(url.protocol)) report('an address ' + value);
        else if (loads && url.origin !== location.origin) report('something loaded from ' + url.origin);
        else if (!loads && /(^|\\.)evil\\.example$/.test(url.hostname) && !/^https?:\\/\\//.test(value)) report('a way to ' + url.host);
      }
      if (element.content instanceof DocumentFragment) look(element.content);
    }
  };
  look(document);
  return faults;
})()`;

/** A script for a browser: sends every element the events by which handlers run. */
export const TOUCH_EVERYTHING = `(() => {
  for (const element of document.querySelectorAll('main *'))
    for (const name of ['mouseover', 'pointerover', 'focus', 'error', 'load', 'toggle', 'animationstart']) element.dispatchEvent(new Event(name));
})()`;
