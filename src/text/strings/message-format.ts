/** Forms of a sentence by the plural category of its value `count` (unicode.org/reports/tr35, "Plural Rules"). */
export type PluralForms = { readonly other: string } & Readonly<Partial<Record<Exclude<Intl.LDMLPluralRule, 'other'>, string>>>;

/** A sentence: `{name}` is a value, `<name>…</name>` words that become an element, so that a sentence with a link is translated as a whole. */
export type Message = string | PluralForms;

declare const PARTS: unique symbol;

/** A sentence that has values `{value}` and elements `<element>`. They are known to types only. */
export type Sentence<M extends Message, Part extends string> = M & { readonly [PARTS]: Part };

type PartOf<M extends Message> = M extends { readonly [PARTS]: infer Part } ? Part : never;
export type PlaceholderOf<M extends Message> = PartOf<M> extends infer Part ? (Part extends `{${infer Name}}` ? Name : never) : never;
export type TagOf<M extends Message> = PartOf<M> extends infer Part ? (Part extends `<${infer Name}>` ? Name : never) : never;

/** Values by placeholder. Numbers are formatted for the language. */
export type Values = Readonly<Record<string, string | number>>;

/** An element for the words between two tags; `element` is `a` by default. An attribute that is `undefined` is left out. */
export interface MessageElement {
  readonly element?: 'a' | 'b' | 'code' | 'del' | 'ins' | 'span' | 'strong' | 'time';
  readonly attributes?: Readonly<Record<string, string | undefined>>;
}

/** Scripts that are written from right to left (unicode.org/reports/tr35, `characterOrder`). */
const RIGHT_TO_LEFT: readonly (string | undefined)[] = ['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Syrc', 'Thaa'];
const PLACEHOLDER = /\{([A-Za-z]+)\}/g;
const TAG = /<(\/?)([A-Za-z]+)>/g;
const pluralRules = new Map<string, Intl.PluralRules>();

export function formatMessage(message: Message, values: Values, language: string): string {
  return fillIn(formFor(message, values, language).replace(TAG, ''), values, language);
}

/**
 * A value that keeps the words around it in their order, whatever direction it is written in: two Arabic words in an English sentence would change
 * places. For text that people see. @see {@link https://www.unicode.org/reports/tr9/ Unicode bidirectional algorithm, section 2.4}
 */
export function isolated(value: string): string {
  return /[\u0590-\u08ff]/.test(value) ? `\u2068${value}\u2069` : value;
}

/** The HTML of a message, escaped as Astro escapes expressions. Tags become the elements of `elements`, and disappear if it has none of their name. */
export function formatMarkup(
  message: Message,
  values: Values,
  elements: Readonly<Record<string, MessageElement>>,
  language: string,
): string {
  const form = formFor(message, values, language);
  let html = '';
  let position = 0;
  for (const { 0: tag, 1: slash, 2: name = '', index } of form.matchAll(TAG)) {
    html += escapeHtml(fillIn(form.slice(position, index), values, language));
    position = index + tag.length;
    const target = elements[name];
    if (target !== undefined) html += slash === '/' ? `</${target.element ?? 'a'}>` : openTag(target);
  }
  return html + escapeHtml(fillIn(form.slice(position), values, language));
}

/** Placeholders and tags of a message, sorted: `{count}`, `<link>`. A plural message needs no `{count}` in its forms. */
export function messageParts(message: Message): string[] {
  const forms = typeof message === 'string' ? [message] : Object.values(message);
  const parts = forms.flatMap((form) => [
    ...[...form.matchAll(PLACEHOLDER)].map(([part]) => part),
    ...[...form.matchAll(TAG)].map(([, , name]) => `<${name}>`),
  ]);
  return [...new Set(parts)].sort();
}

/** Tags of a form that are not closed, or closed without being open. */
export function unbalancedTags(form: string): string[] {
  const open: string[] = [];
  const unbalanced: string[] = [];
  for (const [, slash, name = ''] of form.matchAll(TAG)) {
    if (slash === '') open.push(name);
    else if (open.at(-1) === name) open.pop();
    else unbalanced.push(name);
  }
  return [...unbalanced, ...open];
}

function formFor(message: Message, values: Values, language: string): string {
  if (typeof message === 'string') return message;
  const rules = pluralRules.get(language) ?? new Intl.PluralRules(language);
  pluralRules.set(language, rules);
  return message[rules.select(Number(values['count']))] ?? message.other;
}

function fillIn(text: string, values: Values, language: string): string {
  return text.replace(PLACEHOLDER, (placeholder, name: string) => {
    const value = values[name];
    if (value === undefined) return placeholder;
    return typeof value === 'number' ? value.toLocaleString(numberLocale(language)) : value;
  });
}

function openTag({ element = 'a', attributes = {} }: MessageElement): string {
  const written = Object.entries(attributes).flatMap(([name, value]) => (value === undefined ? [] : [` ${name}="${escapeHtml(value)}"`]));
  return `<${element}${written.join('')}>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');
}

export function isPlural(message: Message): message is PluralForms {
  return typeof message !== 'string';
}

export function numberLocale(language: string): string {
  return language === 'en' ? 'en-US' : language;
}

/** Locale of dates in a language. English without a region writes `21 November 2026`, which every reader understands. */
export function dateLocale(language: string): string {
  return language === 'en' ? 'en-GB' : language;
}

/** `rtl` for a language that is written from right to left, such as Arabic, Hebrew, Persian or Urdu. */
export function textDirection(language: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.includes(new Intl.Locale(language).maximize().script) ? 'rtl' : 'ltr';
}

/** A language by its own name, such as `Deutsch`, as a list of languages shows it. */
export function languageName(language: string): string {
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}

/** Languages in words of another one: `English and German`. */
export function languageNames(languages: readonly string[], language: string): string {
  const names = new Intl.DisplayNames(language, { type: 'language' });
  return new Intl.ListFormat(language).format(languages.map((tag) => names.of(tag) ?? tag));
}

/**
 * A template with its values: `{{name}}` is a value, and `{{if name}}…{{end}}` a part that stays or goes. Values are not templates.
 *
 * @throws {RangeError} If it names a value or a part that does not exist.
 */
export function fillTemplate(
  template: string,
  values: Readonly<Record<string, string>>,
  parts: Readonly<Record<string, boolean>> = {},
): string {
  return withParts(template, parts).replace(/\{\{([\w.]+)\}\}/g, (_placeholder, name: string) => {
    const value = values[name];
    if (value === undefined) throw new RangeError(`a template names the value "${name}", which does not exist`);
    return value;
  });
}

export function withParts(template: string, parts: Readonly<Record<string, boolean>>): string {
  return template.replace(/\{\{if (\w+)\}\}(.*?)\{\{end\}\}/gs, (_part, name: string, text: string) => {
    const stays = Object.hasOwn(parts, name) ? parts[name] : undefined;
    if (stays === undefined) throw new RangeError(`a template names the part "${name}", which does not exist`);
    return stays ? text : '';
  });
}
