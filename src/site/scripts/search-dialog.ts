/** The dialog that searches while its reader types. Loaded when it is first opened. */
import * as strings from 'virtual:search-strings';
import { statedTitle, stateNote } from '../../gateway/knowledge/capsule-status-sentences.ts';
import { foundPath, type SearchHit, type SearchPage } from '../../gateway/knowledge/search-results-page.ts';
import { SEARCH_GROUPS } from '../../schemas/knowledge/kinds-and-levels.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { searchPath } from '../../schemas/paths.ts';
import { cutWhole } from '../../search/analysis/tokenise.ts';
import { formatMessage, textDirection } from '../../text/strings/message-format.ts';
import styles from '../styles/search-dialog.css?url';
import { foundSentences, openSearch, SEARCH_STATE_WORDS } from './search-as-typed.ts';

/** Pause in typing after which a search begins, in milliseconds. */
const TYPING_PAUSE_MS = 120;

const SHOWN_QUERY_MAX_LENGTH = 60;

/** Recent searches on this device: under this name, and at most so many. */
const RECENT_KEY = 'recent-searches';
const RECENT_MAX = 5;

type Attributes = Readonly<Record<string, string>>;

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

function recentSearches(): string[] {
  try {
    return (JSON.parse(localStorage.getItem(RECENT_KEY) ?? '[]') as unknown[]).filter((one) => typeof one === 'string');
  } catch {
    // What is no list has no filter.
    return [];
  }
}

function storeRecentSearches(searches: readonly string[]): void {
  try {
    localStorage.setItem(RECENT_KEY, JSON.stringify(searches.slice(0, RECENT_MAX)));
  } catch {
    // A browser that stores nothing has no recent searches.
  }
}

// Linked here: Astro would link a stylesheet that a script imports on every page, whose reader may never search.
await new Promise((resolve) => {
  const link = element('link', { rel: 'stylesheet', href: styles });
  for (const end of ['load', 'error']) link.addEventListener(end, resolve);
  document.head.append(link);
});

let timer = 0;
/** Number of the newest search; an older one that ends later is not shown. */
let newest = 0;
/** The query whose results the list shows. */
let shownQuery = '';

const field = element('input', {
  id: 'search-as-typed',
  type: 'search',
  name: 'q',
  maxlength: String(LIMITS.queryMaxLength),
  placeholder: strings.dialogPlaceholder,
  autocomplete: 'off',
  autocapitalize: 'none',
  spellcheck: 'false',
  enterkeyhint: 'go',
  role: 'combobox',
  'aria-label': strings.label,
  'aria-autocomplete': 'list',
  'aria-expanded': 'false',
  'aria-controls': 'search-as-typed-results',
});
const closeButton = element('button', { type: 'button', class: 'close' }, strings.close);
const list = element('div', { id: 'search-as-typed-results', role: 'listbox', 'aria-label': strings.results });
const statusLine = element('p', { role: 'status', class: 'soft figures' });
const allResultsLink = element('a', { class: 'all' });
const keys = element('p', { class: 'keys soft', 'aria-hidden': 'true' });
for (const [key, meaning] of [
  ['↑↓', strings.keyMove],
  ['↵', strings.keyOpen],
  ['Esc', strings.close],
] as const)
  keys.append(element('span', {}, element('kbd', {}, key), ` ${meaning}`));
const form = element('form', { role: 'search' }, field, closeButton);
const dialog = element(
  'dialog',
  { class: 'search-dialog', 'aria-label': strings.label },
  form,
  element('div', { class: 'found' }, statusLine, list),
  element('div', { class: 'foot' }, allResultsLink, keys),
);
document.body.append(dialog);
field.addEventListener('input', () => searchSoon());
form.addEventListener('submit', (event) => void submit(event));
dialog.addEventListener('keydown', keyDown);
// A click beside the dialog hits the element itself, because its content fills it.
dialog.addEventListener('click', (event) => {
  if (event.target === dialog || event.target === closeButton) dialog.close();
  else if (!event.defaultPrevented && event.target instanceof Element && event.target.closest('a[href]')) opened();
});

/** Opens the dialog. This module adds it to the page when it loads. @param typed What was typed meanwhile. */
export function openSearchDialog(typed: string): void {
  // Each key that was typed while the dialog loaded opens it; the first brings them all.
  if (!dialog.open) dialog.showModal();
  else if (typed === '') return;
  if (typed !== '') field.value = typed;
  field.setSelectionRange(typed.length, field.value.length);
  field.focus();
  // Whoever opens the dialog is about to type.
  void openSearch().catch(() => undefined);
  searchSoon(0);
}

function typedQuery(): string {
  return field.value.normalize('NFC').trim();
}

function searchSoon(pauseMs = TYPING_PAUSE_MS): void {
  clearTimeout(timer);
  dialog.setAttribute('aria-busy', 'true');
  timer = window.setTimeout(() => void search(), pauseMs);
}

async function search(): Promise<void> {
  const query = typedQuery();
  newest += 1;
  const number = newest;
  allResultsLink.hidden = query === '';
  allResultsLink.href = import.meta.env.BASE_PATH + searchPath(query);
  allResultsLink.textContent = formatMessage(strings.allResults, { query: shortened(query) }, strings.language);
  try {
    if (query === '') {
      showBeginnings();
      return;
    }
    const found = await (await openSearch()).findAsTyped(field.value.normalize('NFC'));
    if (number === newest) showHits(query, found);
  } catch {
    if (number === newest) showStatus(strings.dialogFailed);
  } finally {
    if (number === newest && query === typedQuery()) dialog.setAttribute('aria-busy', 'false');
  }
}

function showStatus(status: string): void {
  list.replaceChildren();
  shownQuery = '';
  statusLine.textContent = status;
  showOptions();
}

/**
 * Before anything is typed, and where nothing is found: what was searched last, or else questions of the publication, and the pages that the header
 * links to. @param meant Queries that the typed one may mean.
 */
function showBeginnings(meant: readonly string[] = []): void {
  const recent = recentSearches();
  const hasRecent = recent.length > 0;
  showStatus('');
  const forget = element('button', { type: 'button', class: 'forget' }, strings.forgetRecent);
  forget.addEventListener('click', () => {
    storeRecentSearches([]);
    showBeginnings();
    field.focus();
  });
  const searches = [...meant, ...(hasRecent ? recent : strings.questions)].map((query, at) => {
    const label = at < meant.length ? formatMessage(strings.didYouMean, { query }, strings.language) : query;
    const link = option(searchPath(query), {}, label);
    link.addEventListener('click', (event) => {
      event.preventDefault();
      field.value = query;
      field.focus();
      searchSoon(0);
    });
    return link;
  });
  const pages = [...document.querySelectorAll<HTMLAnchorElement>('.site-header nav a')].map(({ href, text }) =>
    Object.assign(option('', {}, text), { href }),
  );
  if (searches.length > 0) list.append(group(hasRecent ? strings.recentSearches : strings.exampleQuestions, searches));
  if (pages.length > 0) list.append(group(strings.orBrowse, pages));
  if (hasRecent) statusLine.replaceChildren(forget);
  showOptions();
}

function showHits(query: string, page: SearchPage): void {
  const { hits, otherQueries } = page;
  const groups = SEARCH_GROUPS.map(({ kinds }, at) => ({
    heading: strings.groups[at] ?? '',
    members: hits.filter(({ kind }) => kinds.some((one) => one === kind)),
  }))
    .filter(({ members }) => members.length > 0)
    .sort((a, b) => hits.indexOf(a.members[0] as SearchHit) - hits.indexOf(b.members[0] as SearchHit));
  if (hits.length === 0) showBeginnings(otherQueries);
  else list.replaceChildren(...groups.map(({ heading, members }) => group(heading, members.map(shownHit))));
  allResultsLink.hidden = hits.length === 0;
  statusLine.textContent = foundSentences(page, shortened(query));
  shownQuery = query;
  list.scrollTop = 0;
  showOptions();
  // What Enter opens.
  if (hits.length > 0) markOption(shownOptions()[0]);
}

function showOptions(): void {
  const options = shownOptions();
  for (const [at, each] of options.entries()) each.id = `search-as-typed-${at}`;
  field.setAttribute('aria-expanded', String(options.length > 0));
  markOption();
}

function shownOptions(): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>('[role="option"]')];
}

function markedOption(): HTMLElement | null {
  return list.querySelector<HTMLElement>('[aria-selected="true"]');
}

function markOption(option?: HTMLElement): void {
  markedOption()?.setAttribute('aria-selected', 'false');
  option?.setAttribute('aria-selected', 'true');
  option?.scrollIntoView({ block: 'nearest' });
  // Empty, it names no option.
  field.setAttribute('aria-activedescendant', option?.id ?? '');
}

function keyDown(event: KeyboardEvent): void {
  // Keys that compose a character are not for the dialog.
  if (event.isComposing) return;
  // The first Escape would only empty the field.
  if (event.key === 'Escape') {
    event.preventDefault();
    dialog.close();
    return;
  }
  const options = shownOptions();
  // Keys with modifiers are not for the list.
  if (event.altKey || event.ctrlKey || event.metaKey || options.length === 0) return;
  const marked = markedOption();
  const at = marked ? options.indexOf(marked) : -1;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  field.focus();
  // One place before the first option stands for the field.
  const next = (at + 1 + step + options.length + 1) % (options.length + 1);
  markOption(options[next - 1]);
}

/** Enter opens the marked result for what is typed now, which is the first one unless arrow keys moved; without results, the page of the search. */
async function submit(event: SubmitEvent): Promise<void> {
  event.preventDefault();
  const query = typedQuery();
  if (markedOption() === null && query === '') return;
  if (shownQuery !== query) {
    clearTimeout(timer);
    await search();
  }
  ((shownQuery === query && markedOption()) || allResultsLink).click();
}

function opened(): void {
  const query = typedQuery();
  if (query !== '') storeRecentSearches([query, ...recentSearches().filter((other) => other !== query)]);
  // A result on the same page scrolls there.
  queueMicrotask(() => dialog.close());
}

function shortened(query: string): string {
  return query.length > SHOWN_QUERY_MAX_LENGTH ? `${cutWhole(query, SHOWN_QUERY_MAX_LENGTH)}…` : query;
}

function group(heading: string, options: readonly HTMLElement[]): HTMLElement {
  return element(
    'div',
    { role: 'group', 'aria-label': heading },
    element('p', { class: 'heading', 'aria-hidden': 'true' }, heading),
    ...options,
  );
}

/** An option is a link, so that it opens in another tab as well; the keys stay in the field. */
function option(href: string, attributes: Attributes, ...children: readonly (Node | string)[]): HTMLAnchorElement {
  return element(
    'a',
    { href: import.meta.env.BASE_PATH + href, role: 'option', 'aria-selected': 'false', tabindex: '-1', ...attributes },
    ...children,
  );
}

function shownHit(hit: SearchHit): HTMLElement {
  const { title, language, state, replacement, passage, section } = hit;
  const heading = element('span', { class: 'title' });
  if (state !== undefined && state.status !== 'current')
    heading.append(
      element('span', { class: `state ${state.status}`, lang: strings.language }, strings.stateTerms[`status_${state.status}`]),
      ' ',
    );
  heading.append(title);
  if (section !== undefined) heading.append(element('span', { class: 'section' }, ` › ${section.title}`));
  const note =
    state === undefined
      ? []
      : [
          element(
            'span',
            { class: 'since', lang: strings.language },
            stateNote(state, SEARCH_STATE_WORDS, replacement && statedTitle(replacement, SEARCH_STATE_WORDS)),
          ),
        ];
  const answer = passage.filter(({ isAnswer }) => isAnswer);
  const hasAnswer = answer.length > 0;
  const quote = element('span', { class: hasAnswer ? 'passage answer' : 'passage' });
  for (const { text, isHighlighted } of hasAnswer ? answer : passage) quote.append(isHighlighted ? element('mark', {}, text) : text);
  return option(foundPath(hit), { lang: language, dir: textDirection(language) }, heading, ...note, quote);
}
