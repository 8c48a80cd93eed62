import { slug } from 'github-slugger';
import type { MdxJsxFlowElement, MdxJsxTextElement } from 'mdast-util-mdx';
import { ImportedFile, type Scope } from './jsx-values.ts';
import { admonition, admonitionKind, codeBlock, escapeText, image, leftOut, link, listItem, tableCell } from './markdown-forms.ts';
import { anchorMark } from './prose-syntax.ts';

/** An MDX element. */
export type Component = MdxJsxFlowElement | MdxJsxTextElement;

/** What the conversion of MDX asks of the import. */
export interface MdxHost {
  /** Reports something at a line of the text, from 1. */
  readonly note: (line: number, message: string) => void;
  /** Text of an imported or included file, converted if it is MDX or markdown; `undefined` if there is none. */
  readonly include: (target: string, isRaw: boolean, properties: Scope) => string | undefined;
}

/** A component with what its markdown form is made of. */
export interface ComponentContext {
  readonly node: Component;
  readonly name: string;
  readonly attributes: ReadonlyMap<string, unknown>;
  /** The first of some attributes that is a text or a number, without markup. */
  readonly text: (...names: readonly string[]) => string | undefined;
  /** The address in the first of some attributes: a text, or a file that the page imports. */
  readonly address: (...names: readonly string[]) => string | undefined;
  /** Whether it stands alone, not within a line of text. */
  readonly isBlock: boolean;
  /** Markdown of what is within it. */
  readonly inner: () => string;
  /** Each child element with its context. */
  readonly childComponents: () => readonly ComponentContext[];
  readonly scope: Scope;
  readonly host: MdxHost;
}

type Render = (context: ComponentContext) => string;

/** Elements that HTML in markdown keeps; others of HTML are reduced to what is within them. */
const KEPT_ELEMENTS: ReadonlySet<string> = new Set(['kbd', 'sub', 'sup', 'abbr', 'mark', 'small', 'del', 'ins', 'samp', 'var', 's', 'u']);

const inner: Render = ({ inner: text }) => text();

/** What has no text that could stay. */
const dropped: Render = ({ name, host, node }) => {
  host.note(node.position?.start.line ?? 1, leftOut(name));
  return '';
};

/** A label in bold above what is within. */
const labelled =
  (...names: readonly string[]): Render =>
  ({ text, inner: within }) => {
    const label = text(...names);
    return label === undefined ? within() : `${anchorMark(slug(label))}**${escapeText(label)}**\n\n${within()}`;
  };

const admonished: Render = ({ name, text, inner: within, isBlock }) => {
  if (!isBlock) return within();
  const kind = admonitionKind(text('type', 'variant', 'kind', 'intent') ?? name) ?? admonitionKind(name) ?? 'note';
  return admonition(kind, text('title', 'label', 'heading'), within());
};

/** A title, linked if there is an address, with a description or what is within. */
const card: Render = ({ text, address, inner: within, isBlock }) => {
  const title = text('title', 'header', 'label', 'name', 'heading');
  const target = address('href', 'link', 'to', 'url');
  const description = text('description', 'subtitle', 'desc') ?? '';
  const body = within().trim();
  if (title === undefined) return target === undefined ? body || description : link(body || escapeText(description || target), target);
  const heading = `**${link(escapeText(title), target)}**`;
  const parts = [heading, description, body].filter((part) => part !== '');
  return isBlock ? parts.join('\n\n') : parts.join(' ');
};

const picture: Render = ({ text, address, attributes, isBlock, host, node, inner: within }) => {
  const sources = attributes.get('sources');
  const light: unknown = typeof sources === 'object' && sources !== null && 'light' in sources ? sources.light : undefined;
  const source =
    address('src', 'source', 'light', 'href') ??
    (typeof light === 'string' ? light : light instanceof ImportedFile ? light.target : undefined);
  if (source === undefined) {
    host.note(node.position?.start.line ?? 1, 'an image has no address that is known without running the page, and is left out');
    return within();
  }
  const written = image(text('alt') ?? '', source, isBlock ? text('title', 'caption') : undefined);
  return [written, within().trim()].filter((part) => part !== '').join('\n\n');
};

const player: Render = ({ name, text, address, inner: within }) => {
  const id = text('id', 'videoId', 'videoid');
  const source =
    address('src', 'url', 'href') ?? (id !== undefined && /youtube/i.test(name) ? `https://www.youtube.com/watch?v=${id}` : undefined);
  return source === undefined
    ? within()
    : link(escapeText(text('title', 'label') ?? (/iframe/i.test(name) ? 'Embedded page' : 'Video')), source);
};

const code: Render = (context) => {
  const { attributes, text, host, isBlock } = context;
  const given = attributes.get('code');
  const imported = given instanceof ImportedFile ? host.include(given.target, true, new Map()) : given;
  const info = [text('lang', 'language') ?? languageOf(text('className')), titleMeta(text('title', 'filename'))].filter(Boolean).join(' ');
  const content = typeof imported === 'string' ? imported : context.inner();
  if (typeof imported !== 'string' && /^\s*(`{3,}|~{3,})/.test(content)) return content;
  return isBlock ? codeBlock(content, info) : `\`${content}\``;
};

const field: Render = ({ text, attributes, inner: within }) => {
  const name = text('name', 'path', 'query', 'body', 'header', 'prop');
  const facts = [
    text('type'),
    ['path', 'query', 'body', 'header'].find((place) => attributes.has(place)),
    attributes.get('required') === true || attributes.get('required') === 'true' ? 'required' : undefined,
    attributes.get('deprecated') === true ? 'deprecated' : undefined,
    text('default') === undefined ? undefined : `default \`${text('default')}\``,
  ].filter((fact) => fact !== undefined);
  const heading =
    name === undefined ? '' : `${anchorMark(`param-${slug(name)}`)}**\`${name}\`**${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`;
  return [heading, within()].filter((part) => part !== '').join('\n\n');
};

/** Children with a title each, as a numbered list; any other content as it is. */
const steps: Render = ({ childComponents, inner: within }) => {
  const children = childComponents();
  if (children.length === 0 || children.some(({ name, text }) => name !== 'Step' || text('title') === undefined)) return within();
  return children
    .map((step, index) => listItem(`${index + 1}.`, `**${escapeText(step.text('title') ?? '')}**\n\n${step.inner()}`))
    .join('\n');
};

const table: Render = ({ childComponents, inner: within }) => {
  const rows: ComponentContext[] = [];
  const find = (contexts: readonly ComponentContext[]): void => {
    for (const context of contexts) {
      if (context.name === 'tr') rows.push(context);
      else find(context.childComponents());
    }
  };
  find(childComponents());
  const cells = rows.map((row) => row.childComponents().map((cell) => tableCell(cell.inner())));
  const width = Math.max(0, ...cells.map((row) => row.length));
  if (width === 0) return within();
  const line = (row: readonly string[]): string => `| ${Array.from({ length: width }, (_, index) => row[index] ?? '').join(' | ')} |`;
  return [line(cells[0] ?? []), line(Array.from({ length: width }, () => '---')), ...cells.slice(1).map(line)].join('\n');
};

const list =
  (isNumbered: boolean): Render =>
  ({ childComponents, inner: within }) => {
    const items = childComponents().filter(({ name }) => name === 'li');
    return items.length === 0
      ? within()
      : items.map((item, index) => listItem(isNumbered ? `${index + 1}.` : '-', item.inner())).join('\n');
  };

const wrapped =
  (mark: string): Render =>
  ({ inner: within }) => {
    const text = within().trim();
    return text === '' ? '' : `${mark}${text}${mark}`;
  };

const details: Render = ({ childComponents, inner: within, text }) => {
  const summary = childComponents().find(({ name }) => name === 'summary');
  const title = summary?.inner().trim() ?? text('summary', 'title') ?? '';
  const whole = within().trim();
  const body = summary && whole.startsWith(summary.inner().trim()) ? whole.slice(summary.inner().trim().length) : whole;
  return `<details>\n<summary>${title.replace(/\s+/g, ' ')}</summary>\n\n${body.trim()}\n\n</details>`;
};

const heading =
  (depth: number): Render =>
  ({ inner: within }) =>
    `${'#'.repeat(depth)} ${within().trim().replace(/\s+/g, ' ')}`;

const anchor: Render = ({ address, inner: within }) => {
  const text = within().trim();
  const target = address('href', 'to');
  return text === '' ? '' : link(text, target);
};

/** Markdown forms of elements of HTML and of the components of Starlight, Docusaurus, VitePress and Mintlify. */
const RENDERERS: Readonly<Record<string, Render>> = {
  '': inner,
  a: anchor,
  Link: anchor,
  LinkButton: card,
  LinkCard: card,
  Card: card,
  DocsCard: card,
  Tile: card,
  HeroCard: card,
  img: picture,
  Image: picture,
  Picture: picture,
  ThemedImage: picture,
  ThemeImage: picture,
  video: player,
  iframe: player,
  source: () => '',
  YouTube: player,
  YouTubeEmbed: player,
  LiteYouTubeEmbed: player,
  Code: code,
  CodeBlock: code,
  pre: code,
  code: ({ inner: within }) => (within().includes('`') ? within() : `\`${within().trim()}\``),
  br: ({ isBlock }) => (isBlock ? '' : '<br>'),
  hr: () => '---',
  b: wrapped('**'),
  strong: wrapped('**'),
  i: wrapped('*'),
  em: wrapped('*'),
  h1: heading(1),
  h2: heading(2),
  h3: heading(3),
  h4: heading(4),
  h5: heading(5),
  h6: heading(6),
  ul: list(false),
  ol: list(true),
  li: ({ inner: within }) => listItem('-', within()),
  dt: ({ inner: within }) => `**${within().trim()}**`,
  table,
  details,
  Details: details,
  summary: ({ inner: within }) => `${within().trim()}\n\n`,
  blockquote: ({ inner: within }) =>
    within()
      .split('\n')
      .map((line) => `> ${line}`.trimEnd())
      .join('\n'),
  script: dropped,
  style: dropped,
  Head: dropped,
  Icon: dropped,
  Aside: admonished,
  Tabs: inner,
  TabItem: labelled('label', 'title', 'value'),
  Tab: labelled('title', 'label', 'value', 'name'),
  View: labelled('title', 'label'),
  Accordion: labelled('title', 'label'),
  Expandable: labelled('title'),
  Panel: labelled('title'),
  Steps: steps,
  Step: labelled('title'),
  Update: ({ text, inner: within }) =>
    `## ${text('label', 'title') ?? ''}${text('description') ? ` (${text('description')})` : ''}\n\n${within()}`,
  ParamField: field,
  ResponseField: field,
  Param: field,
  Frame: ({ text, inner: within }) => [within(), text('caption') ? `*${text('caption')}*` : ''].filter(Boolean).join('\n\n'),
  Tooltip: inner,
  Since: ({ text }) => `**Added in:** ${text('pkg') ?? 'version'} ${text('v', 'version') ?? ''}`.trim(),
  Badge: ({ text, inner: within, isBlock }) => {
    const label = text('text') ?? within().trim();
    return label === '' ? '' : isBlock ? `**${escapeText(label)}**` : `(${escapeText(label)})`;
  },
  Fragment: ({ text, inner: within, isBlock }) => {
    const slot = text('slot');
    return slot === undefined || !isBlock ? within() : `**${escapeText(slot)}**\n\n${within()}`;
  },
  TOCInline: dropped,
  DocCardList: dropped,
  BrowserOnly: inner,
  Snippet: ({ text, host, attributes }) => host.include(`/snippets/${text('file') ?? ''}`, false, attributes) ?? '',
};

/** The markdown form of a component. What has none is reduced to its title, its link and what is within it. */
export function renderComponent(context: ComponentContext): string {
  const { name, isBlock } = context;
  const anchorId = context.text('id') ?? (name === 'a' ? context.text('name') : undefined);
  if (anchorId !== undefined) return `${anchorMark(anchorId)}${isBlock && name !== 'a' ? '\n\n' : ''}${renderKnown(context)}`;
  return renderKnown(context);
}

function renderKnown(context: ComponentContext): string {
  const { name, inner: within, isBlock } = context;
  if (Object.hasOwn(RENDERERS, name)) return RENDERERS[name]?.(context) ?? '';
  if (KEPT_ELEMENTS.has(name)) return `<${name}>${within()}</${name}>`;
  if (/^[a-z][a-z0-9]*$/.test(name)) return within();
  if (isBlock && admonitionKind(name) !== undefined) return admonished(context);
  const isItem = name.includes('.') && context.text('name') !== undefined;
  const text = isItem
    ? listItem('-', [`**${escapeText(context.text('name') ?? '')}**`, within()].filter((part) => part !== '').join('\n\n'))
    : knownAttributes(context)
      ? card(context)
      : within();
  if (text.trim() === '') dropped(context);
  return text;
}

function knownAttributes({ text, address }: ComponentContext): boolean {
  return text('title', 'header', 'label', 'heading') !== undefined || address('href', 'link', 'to') !== undefined;
}

function languageOf(className: string | undefined): string | undefined {
  return /language-([\w+-]+)/.exec(className ?? '')?.[1];
}

function titleMeta(title: string | undefined): string | undefined {
  return title === undefined ? undefined : `title="${title.replaceAll('"', '')}"`;
}
