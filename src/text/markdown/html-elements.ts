import { asciiAlpha, asciiAlphanumeric, markdownLineEndingOrSpace } from 'micromark-util-character';
import type { Code, Construct, Effects, Extension, State, TokenizeContext } from 'micromark-util-types';
import { COMMONMARK } from './markdown-tree.ts';

function namesOf(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}

export const SHOWN_ELEMENTS: ReadonlySet<string> = namesOf(`
  a abbr address b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6
  hr i img input ins kbd li mark ol p pre q rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead
  time tr tt u ul var wbr`);

export const DROPPED_ELEMENTS: ReadonlySet<string> = namesOf(
  'audio canvas embed iframe math noscript object script select style svg template textarea title video',
);

/** Other elements of HTML (living standard, with its obsolete ones). Pages leave out their tags and show their content. */
const UNWRAPPED_ELEMENTS: ReadonlySet<string> = namesOf(`
  acronym applet area article aside base basefont bgsound big blink body button center command content data datalist dialog dir fencedframe
  fieldset font footer form frame frameset head header hgroup html image isindex keygen label legend link listing main map marquee menu
  menuitem meta meter multicol nav nextid nobr noembed noframes optgroup option output param picture plaintext portal progress rb rtc search
  selectedcontent slot source spacer track xmp`);

const VOID_ELEMENTS: ReadonlySet<string> = namesOf(
  'area base basefont bgsound br col embed frame hr image img input keygen link meta param source track wbr',
);

const OPTIONAL_END_TAGS: ReadonlySet<string> = namesOf(
  'body caption colgroup dd dt head html li optgroup option p rb rp rt rtc tbody td tfoot th thead tr',
);

function isHtmlElement(name: string): boolean {
  const lower = name.toLowerCase();
  return SHOWN_ELEMENTS.has(lower) || DROPPED_ELEMENTS.has(lower) || UNWRAPPED_ELEMENTS.has(lower);
}

/** The name of the element that a tag begins, if it needs an end tag. */
export function neededEndTag(tag: string): string | undefined {
  const name = /^<([A-Za-z][A-Za-z0-9-]*)/.exec(tag)?.[1]?.toLowerCase();
  return name === undefined || VOID_ELEMENTS.has(name) || OPTIONAL_END_TAGS.has(name) ? undefined : name;
}

/** Parts of raw HTML that pages do not show as written, in words for an author; `index` is their place. */
export function leftOutOfHtml(html: string): { readonly index: number; readonly message: string }[] {
  return [...html.matchAll(/<([A-Za-z][A-Za-z0-9-]*)([^<>]*)>/g)].flatMap(({ 1: written = '', 2: attributes = '', index }) => {
    const name = written.toLowerCase();
    const told = (message: string) => [{ index, message: `contains ${message}` }];
    if (!isHtmlElement(name)) return told(`<${written}>, which is no element of HTML, so that pages leave it out; write &lt;${written}>`);
    if (DROPPED_ELEMENTS.has(name)) return told(`<${written}>, which pages leave out with what is in it; delete it, or write it as code`);
    if (name === 'form' || name === 'button' || (UNWRAPPED_ELEMENTS.has(name) && VOID_ELEMENTS.has(name)))
      return told(`<${written}>, which pages leave out; delete it, or write it as code`);
    const attribute = /\s(on[a-z]+|style)\s*=/i.exec(attributes)?.[1];
    return attribute === undefined ? [] : told(`the attribute ${attribute} of <${written}>, which pages leave out; delete it`);
  });
}

const LESS_THAN = 60;
const SLASH = 47;
const GREATER_THAN = 62;
const HYPHEN = 45;

const UNKNOWN_TAG: Construct = { tokenize: tokenizeUnknownTag, partial: true };

function tokenizeUnknownTag(effects: Effects, ok: State, nok: State): State {
  let name = '';
  return start;

  function start(code: Code): State | undefined {
    if (code !== LESS_THAN) return nok(code);
    effects.enter('data');
    effects.consume(code);
    return open;
  }

  function open(code: Code): State | undefined {
    if (code === SLASH && name === '') {
      effects.consume(code);
      return first;
    }
    return first(code);
  }

  function first(code: Code): State | undefined {
    return asciiAlpha(code) ? inName(code) : leave(code, false);
  }

  function inName(code: Code): State | undefined {
    if (code !== null && (asciiAlphanumeric(code) || code === HYPHEN)) {
      name += String.fromCodePoint(code);
      effects.consume(code);
      return inName;
    }
    const isTag = code === SLASH || code === GREATER_THAN || markdownLineEndingOrSpace(code);
    return leave(code, isTag && !isHtmlElement(name));
  }

  function leave(code: Code, isUnknown: boolean): State | undefined {
    effects.exit('data');
    return isUnknown ? ok(code) : nok(code);
  }
}

const knownHtmlFlow: Construct = {
  ...COMMONMARK.htmlFlow,
  name: 'knownHtmlFlow',
  tokenize(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
    return effects.check(UNKNOWN_TAG, nok, COMMONMARK.htmlFlow.tokenize.call(this, effects, ok, nok));
  },
};

/** Beginnings of comments, instructions, CDATA and declarations that nothing in the rest of a paragraph ends, as `<!-` or `<?`. */
const unended = new WeakMap<TokenizeContext, Set<string>>();

/** Raw HTML in a line, which remembers what has no end: the package reads to the end of the paragraph for each `<!--`. */
const knownHtmlText: Construct = {
  name: 'knownHtmlText',
  tokenize(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
    const start = this.now();
    return COMMONMARK.htmlText.tokenize.call(this, effects, ok, (code) => {
      const opening = code === null ? /^<(?:\?|!.)/.exec(this.sliceSerialize({ start, end: this.now() }))?.[0] : undefined;
      if (opening !== undefined) unended.set(this, (unended.get(this) ?? new Set()).add(opening));
      return nok(code);
    });
  },
};

const unendedHtml: Construct = {
  name: 'unendedHtml',
  tokenize(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
    const known = unended.get(this);
    let opening = '';
    const next = (code: Code): State | undefined => {
      if (known === undefined || code === null || code < 0) return nok(code);
      opening += String.fromCharCode(code);
      if (opening === '<') effects.enter('data');
      effects.consume(code);
      if (opening === '<' || opening === '<!') return next;
      if (!known.has(opening)) return nok;
      effects.exit('data');
      return ok;
    };
    return next;
  },
};

/** Only elements of HTML are raw HTML: `List<String>` is text. CommonMark (0.31.2, 6.6) takes every name; browsers show nothing of unknown elements. */
export const knownHtml: Extension = {
  disable: { null: ['htmlFlow', 'htmlText'] },
  flow: { [LESS_THAN]: knownHtmlFlow },
  text: { [LESS_THAN]: [unendedHtml, { name: 'unknownTag', tokenize: tokenizeUnknownTag }, knownHtmlText] },
};
