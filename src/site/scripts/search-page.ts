/** The page of the search of a site without functions: shows a page of results for the query in the address. */
import strings from 'virtual:search-strings';
import { stateNote } from '../../gateway/knowledge/capsule-state.ts';
import { foundPath, type SearchHit, type SearchPage } from '../../gateway/knowledge/search-page.ts';
import { searchPath } from '../../schemas/paths.ts';
import { formatMessage, textDirection } from '../../text/strings/message.ts';
import { openSearch, SEARCH_STATE_WORDS } from './search-as-typed.ts';

/** A part of the page by the name in its attribute `data-part`. */
function part<Name extends HTMLElement>(root: ParentNode, name: string, type: new () => Name): Name {
  const element = root.querySelector(`[data-part="${name}"]`);
  if (!(element instanceof type)) throw new Error(`The page has no part "${name}".`);
  return element;
}

function shownHit(template: HTMLTemplateElement, { kind, title, path, language, state, passage, section }: SearchHit): Node {
  const row = template.content.cloneNode(true) as DocumentFragment;
  const link = part(row, 'title', HTMLAnchorElement);
  link.href = import.meta.env.BASE_PATH + path;
  link.textContent = title;
  const text = part(row, 'text', HTMLElement);
  text.lang = language;
  text.dir = textDirection(language);
  for (const { text: words, isHighlighted, isAnswer } of passage) {
    const shown = document.createElement(isHighlighted ? 'mark' : 'span');
    shown.textContent = words;
    if (isAnswer) shown.className = 'answer';
    part(row, 'passage', HTMLElement).append(isHighlighted || isAnswer ? shown : words);
  }
  const note = part(row, 'note', HTMLElement);
  note.hidden = state === undefined;
  if (state !== undefined) note.textContent = stateNote(state, SEARCH_STATE_WORDS);
  const place = part(row, 'section', HTMLAnchorElement);
  place.hidden = section === undefined;
  if (section !== undefined) {
    place.href = import.meta.env.BASE_PATH + foundPath({ path, section, passage });
    place.textContent = section.title;
  }
  for (const label of row.querySelectorAll<HTMLElement>('[data-kind]')) label.hidden = label.dataset['kind'] !== kind;
  for (const label of row.querySelectorAll<HTMLElement>('[data-status]')) label.hidden = label.dataset['status'] !== state?.status;
  return row;
}

function showResults(root: HTMLElement, { query, kind, page, pages, total, isExact, hits }: SearchPage): void {
  const list = part(root, 'hits', HTMLOListElement);
  const template = part(root, 'hit', HTMLTemplateElement);
  list.start = Number(list.dataset['size']) * (page - 1) + 1;
  list.append(...hits.map((hit) => shownHit(template, hit)));
  const [previous, next] = [part(root, 'previous', HTMLAnchorElement), part(root, 'next', HTMLAnchorElement)];
  previous.href = import.meta.env.BASE_PATH + searchPath(query, page - 1, kind);
  next.href = import.meta.env.BASE_PATH + searchPath(query, page + 1, kind);
  previous.hidden = page === 1;
  next.hidden = page >= pages;
  part(root, 'pages', HTMLElement).hidden = pages <= 1;
  const sentence = hits.length === 0 ? strings.nothingFound : isExact ? strings.found : strings.foundAtLeast;
  part(root, 'status', HTMLElement).textContent = formatMessage(sentence, { query, count: total }, strings.language);
  part(root, 'advice', HTMLElement).hidden = hits.length > 0;
}

/** Marks the kind that is searched among the links to all of them, which lead to the same query. */
function markKind(query: string, kind: string | undefined): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.chips a')) {
    const own = link.dataset['kinds'] || undefined;
    link.href = import.meta.env.BASE_PATH + searchPath(query, 1, own);
    if (own === kind) link.setAttribute('aria-current', 'page');
  }
}

const root = document.querySelector<HTMLElement>('[data-search]');
const parameters = new URLSearchParams(location.search);
const query = (parameters.get('q') ?? '').normalize('NFC').trim();
if (root !== null && query !== '') {
  const field = document.querySelector<HTMLInputElement>('#search-field');
  if (field !== null) field.value = query.slice(0, field.maxLength);
  document.title = `${formatMessage(strings.titleOfQuery, { query }, strings.language)} · ${root.dataset['site'] ?? ''}`;
  const page = Number(/^[1-9]\d{0,3}$/.exec(parameters.get('page') ?? '')?.[0] ?? '1');
  const kind = parameters.get('kind') ?? undefined;
  const browse = part(document, 'browse', HTMLElement);
  root.hidden = false;
  browse.hidden = true;
  markKind(query, kind);
  try {
    const { find } = await openSearch();
    const found = await find(field?.value ?? query, kind, page);
    showResults(root, found);
    browse.hidden = found.hits.length > 0;
  } catch {
    part(root, 'status', HTMLElement).hidden = true;
    part(root, 'failure', HTMLElement).hidden = false;
    browse.hidden = false;
  }
}
