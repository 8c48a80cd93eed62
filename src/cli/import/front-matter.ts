import { parseDocument, visit } from 'yaml';
import { tagIdOf } from '../../publication/read/content-ids.ts';
import { parseJson } from '../../publication/read/front-matter.ts';
import { FRONT_MATTER_MAX } from '../../schemas/knowledge/capsule-fields.ts';
import { plainText } from '../../text/markdown/markdown-tree.ts';
import { parseText } from '../../text/markdown/parse-text.ts';
import { cutSummary } from '../../text/markdown/title-and-summary.ts';

export interface PartedText {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
  readonly isBroken: boolean;
}

/**
 * Parts front matter (YAML from `---` to `---` or `...`, the TOML of Hugo between `+++`, or JSON) from text. Invalid YAML, such as a title with a colon
 * and no quotes, is read line by line. A text that begins with a rule has no front matter. Numbers as written: the tag `1.10` is not `1.1`.
 */
export function partText(raw: string, { numbersAsWritten = false } = {}): PartedText {
  const text = raw.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const whole: PartedText = { fields: {}, body: text, isBroken: false };
  if (text.startsWith('{\n')) {
    // An object, as Hugo allows, that ends at a line with its brace alone.
    const end = text.indexOf('\n}\n') + 3;
    const fields = parseJson(text.slice(0, end));
    return isRecord(fields) ? { fields, body: text.slice(end), isBroken: false } : whole;
  }
  if (!/^(?:---|\+\+\+)[ \t]*\n/.test(text)) return whole;
  const lines = text.split('\n');
  const isToml = text.startsWith('+++');
  const end = lines.findIndex((line, index) => index > 0 && (isToml ? /^\+\+\+[ \t]*$/ : /^(?:---|\.\.\.)[ \t]*$/).test(line));
  if (end === -1) return whole;
  const source = lines.slice(1, end).join('\n');
  const body = lines.slice(end + 1).join('\n');
  if (isToml || source.trim() === '') return { fields: linesOf(source, '='), body, isBroken: false };
  const document = parseDocument(source, { prettyErrors: false, uniqueKeys: false, logLevel: 'silent' });
  if (numbersAsWritten)
    visit(document, {
      Scalar: (_key, node) => {
        if (typeof node.value === 'number') node.value = node.source ?? String(node.value);
      },
    });
  const value = document.errors.length === 0 ? safely(() => document.toJS({ maxAliasCount: 100 })) : undefined;
  if (isRecord(value)) return { fields: value, body, isBroken: false };
  const fields = linesOf(source, ':');
  // What has no line like a field is a text between two rules.
  return Object.keys(fields).length === 0 ? whole : { fields, body, isBroken: true };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function safely(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Fields with a value on their own line: texts, numbers, booleans and lists in brackets. */
function linesOf(source: string, sign: ':' | '='): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const line of source.split('\n')) {
    const [, name, given, written = ''] = /^([A-Za-z][\w-]*)[ \t]*([:=])(.*)$/.exec(line) ?? [];
    if (given !== sign) continue;
    const value = written.trim();
    if (name === undefined || value === '') continue;
    const list = /^\[(.*)\]$/.exec(value)?.[1];
    fields[name] = list === undefined ? scalar(value) : list.split(',').map((item) => scalar(item.trim()));
  }
  return fields;
}

function scalar(text: string): unknown {
  const quoted = /^(["'])(.*)\1$/.exec(text)?.[2];
  if (quoted !== undefined) return quoted;
  return text === 'true' ? true : text === 'false' ? false : text;
}

export type MappedFields = ReturnType<typeof mapFields>;

/** Fields that are read, and those about the look and the navigation of a site, which have no meaning for a text. */
const KNOWN: ReadonlySet<string> = new Set(
  `
  title description summary excerpt tagline subtitle abstract tags keywords categories date created publishDate pubDate published
  lastUpdated lastUpdatedDate last_update lastmod updated modified author authors lang language locale draft published public private
  status visibility robots expiryDate unlisted hidden publish slug permalink url id aliases alias Aliases Alias hero features
  sidebarTitle sidebar_label sidebar openapi redirect_from
  layout template type head tableOfContents outline editUrl editLink prev next pagefind banner icon mode hide_table_of_contents
  hide_title toc_min_heading_level toc_max_heading_level sidebar_position navbar aside sidebar_class_name sidebar_custom_props
  displayed_sidebar pagination_label pagination_next pagination_prev image custom_edit_url parse_number_prefixes cssclasses cssclass
  mobile noindex rss boost footer pageClass weight titleTemplate isHome order nav_order og:image og:title og:description cover
  banner_path iconType parent hideFooterPagination markdown navigation has_children search canonical canonical_url i18nReady stub toc
  `.split(/\s+/),
);

type PageFacts = Readonly<Record<'today' | 'path', string>> & { readonly draftReason?: string | undefined };

/** Maps the front matter of any generator. Dates after today, folders of drafts and `draftReason` hide the page. */
export function mapFields(fields: Readonly<Record<string, unknown>>, { today, path, draftReason }: PageFacts) {
  const first = (...names: readonly string[]): string | undefined => {
    const values = names.map((name) => {
      const [field = '', member] = name.split('.');
      const value = fields[field];
      return member === undefined ? textOf(value) : isRecord(value) ? textOf(value[member]) : undefined;
    });
    return values.find((text) => text !== undefined);
  };
  const problems: string[] = [];
  const date = (...names: readonly string[]): string | undefined => {
    for (const name of names) {
      const text = first(name);
      // Generators write the zero of their clock where they know no day.
      if (text === undefined || /^000[01]-/.test(text)) continue;
      const { day, problem } = readDate(text);
      if (day !== undefined && day <= today) return day;
      problems.push(`has the ${name} ${text.slice(0, 40)}, ${day === undefined ? problem : 'which is in the future, and is left out'}`);
    }
    return undefined;
  };
  const hidden = draftReason ?? hidingReason(fields, path, today);
  if (hidden !== undefined) problems.push(`${hidden}, and stays a draft`);
  const named = ['tags', 'keywords', 'categories'].flatMap((name) => listOf(fields[name])).map((tag) => tag.replace(/\s+/g, ' ').trim());
  // As they are written, which pages show.
  const tags = [...Map.groupBy(named, tagIdOf)].flatMap(([id, [tag = id]]) =>
    id === '' ? [] : tag.length > FRONT_MATTER_MAX.tag ? id : tag,
  );
  if (tags.length > FRONT_MATTER_MAX.tags) problems.push(`has ${tags.length} tags; the first ${FRONT_MATTER_MAX.tags} are kept`);
  const dated = /(?:^|\/)(\d{4}[-_/]\d{2}[-_/]\d{2})(?:[-_/][^/]+(?:\/index\.html)?|\.\w+)$/.exec(path)?.[1]?.replace(/[_/]/g, '-');
  const summary = first('description', 'summary', 'excerpt', 'tagline', 'subtitle', 'abstract', 'hero.tagline', 'hero.text');
  return {
    title: plainLine(first('title', 'hero.name', 'hero.title', 'hero.text', 'sidebarTitle', 'sidebar_label', 'sidebar.label')),
    summary: summary === undefined ? undefined : cutSummary(plainLine(summary, 100_000) ?? '') || undefined,
    tags: tags.slice(0, FRONT_MATTER_MAX.tags),
    created:
      date('created', 'date', 'publishDate', 'pubDate', ...(flagOf(fields['published'] ?? true) === undefined ? ['published'] : [])) ??
      (dated === undefined || dated > today ? undefined : dayOf(dated)),
    updated: date('lastUpdated', 'lastUpdatedDate', 'updated', 'modified', 'lastmod', 'last_update.date'),
    author: authorOf(fields['author']) ?? authorOf(fields['authors']) ?? first('last_update.author'),
    language: languageTag(first('lang', 'language', 'locale')),
    isHidden: hidden !== undefined,
    slugs: ['slug', 'permalink', 'url', 'id'].flatMap((name) => first(name) ?? []),
    aliases: ['aliases', 'Aliases', 'alias', 'Alias', 'redirect_from'].flatMap((name) => listOf(fields[name])),
    unknown: Object.keys(fields).filter((name) => !KNOWN.has(name) && !name.includes(':')),
    problems,
  };
}

/** Whether a value of front matter says yes or no, in the words of YAML 1.1 too; `undefined` if neither. */
function flagOf(value: unknown): boolean | undefined {
  const word = String(value).trim().toLowerCase();
  if (['true', 'yes', 'on', '1', 'y'].includes(word)) return true;
  return ['false', 'no', 'off', '0', 'n'].includes(word) ? false : undefined;
}

function hidingReason(fields: Readonly<Record<string, unknown>>, path: string, today: string): string | undefined {
  const says = (value: unknown, pattern: RegExp): boolean => pattern.test(textOf(value) ?? '');
  const rules: readonly (readonly [names: string, isHiding: (value: unknown) => boolean])[] = [
    ['draft unlisted hidden noindex private unpublished', (value) => flagOf(value) === true],
    ['publish published public visible searchable', (value) => flagOf(value) === false],
    ['status', (value) => says(value, /^(?:draft|private|hidden|pending|unlisted|unpublished|trash|future|archived|wip)$/i)],
    ['visibility', (value) => says(value, /^(?:private|hidden|draft|unlisted|members|paid)$/i)],
    ['robots', (value) => says(value, /\bnoindex\b/i)],
    ['date publishDate pubDate publish_date published', (value) => (dayOf(textOf(value)) ?? '') > today],
    ['expiryDate expires expired unpublishDate expire_date', (value) => flagOf(value) === true || (dayOf(textOf(value)) ?? '~') <= today],
  ];
  for (const [names, isHiding] of rules) {
    const name = names.split(' ').find((one) => fields[one] !== undefined && isHiding(fields[one]));
    if (name !== undefined) return `is hidden in its source (${name}: ${String(fields[name]).slice(0, 40)})`;
  }
  const folder = path.split('/').find((part) => /^_?drafts?$/i.test(part));
  return folder && `is hidden in its source (folder ${folder})`;
}

/** The day that a text states, as `YYYY-MM-DD`; `undefined` if the value is not a date. */
export function dayOf(text: string | undefined): string | undefined {
  return text === undefined || text.length > 40 ? undefined : readDate(text).day;
}

/** A text without markup, on one line; `undefined` if nothing is left. */
export function plainLine(text: string | undefined, max: number = FRONT_MATTER_MAX.title): string | undefined {
  if (text === undefined) return undefined;
  const line = text.replace(/^\s*(?:[#>+*-]|\d+[.)])\s+/, '');
  // Most titles and summaries have no markup, and parsing takes long.
  const plain = (/[\n\\`*_[\]<>&$~#|:]/.test(line) ? plainText(parseText(line)) : line).replace(/\s+/g, ' ').trim();
  const result = plain === '' ? text.replace(/\s+/g, ' ').trim() : plain;
  if (result === '') return undefined;
  return result.length <= max ? result : `${result.slice(0, max - 1).replace(/\s+\S*$/, '')}…`;
}

/** A language tag (BCP 47) in the form that the engine writes; `undefined` if the value is not a language tag. */
export function languageTag(text: string | undefined): string | undefined {
  const tag = (text ?? '').trim().replaceAll('_', '-');
  if (!/^[a-z]{2,3}(?:-|$)/i.test(tag)) return undefined;
  try {
    const { language, script, region } = new Intl.Locale(tag);
    // "und" states that the language is not known, which engines read in two ways.
    if (!language || language === 'und') return undefined;
    return [language, script ?? region].filter((part) => part !== undefined).join('-');
  } catch {
    return undefined;
  }
}

/** Language codes into which sites are usually translated, with a script and a region. Other folder names, such as `api` and `no-code`, name no language. */
const LANGUAGE =
  /^(?:ar|b[gn]|c[as]|d[ae]|e[lnstu]|f[air]|gl|h[eiru]|i[dt]|ja|k[akmo]|l[tv]|ms|n[blno]|p[lt]|r[ou]|s[klrv]|t[ahr]|u[krz]|vi|zh)(?:[-_](?:arab|cyrl|hans|hant|latn))?(?:[-_](?:[a-z]{2}|\d{3}))?$/i;

export function folderLanguage(name: string): string | undefined {
  return LANGUAGE.test(name) ? languageTag(name) : undefined;
}

function listOf(value: unknown): string[] {
  if (typeof value === 'string') return value.split(',').flatMap((part) => part.trim().replace(/^#/, '') || []);
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown) => {
    if (isRecord(item)) return textOf(item['label']) ?? [];
    return ['string', 'number', 'boolean'].includes(typeof item) ? String(item) : [];
  });
}

function authorOf(value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  const name = isRecord(first) ? textOf(first['name']) : textOf(first);
  // One word is usually a key of another file.
  return name !== undefined && (isRecord(first) || /\s/.test(name)) && name.length <= 120 ? name : undefined;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

const MONTH = /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i;

function readDate(text: string): { readonly day?: string | undefined; readonly problem: string } {
  const problem = 'which cannot be read as a date, and is left out; write it as 2021-03-05';
  const [, year = '', month = '', date = ''] = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/.exec(text) ?? [];
  if (year !== '') return { day: validDay(year, month, date), problem };
  const [, first = '', second = '', yearLast = ''] = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?!\d)/.exec(text) ?? [];
  if (yearLast !== '') {
    const readings = [validDay(yearLast, second, first), validDay(yearLast, first, second)].filter((day) => day !== undefined);
    const [day, other = day] = readings;
    return other === undefined || day === other
      ? { day, problem }
      : { problem: `which may be ${day} or ${other}, and is left out; write it as one of these` };
  }
  const parsed = MONTH.test(text) ? new Date(/[+-]\d{4}$|\b(?:GMT|UTC|Z)$/.test(text) ? text : `${text} UTC`) : new Date(Number.NaN);
  return { day: parsed.getTime() >= 0 ? parsed.toISOString().slice(0, 10) : undefined, problem };
}

function validDay(year: string, month: string, day: string): string | undefined {
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = Date.parse(`${text}T00:00:00Z`);
  return time >= 0 && new Date(time).toISOString().startsWith(text) ? text : undefined;
}
