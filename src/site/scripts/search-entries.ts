/** The search of a site without functions: ranks the pages of the build for the query in the address, and shows a page of results. */
import { found, language, nothingFound, titleOfQuery } from 'virtual:search-strings';
import type { SearchEntry } from '../../schemas/knowledge/search-entries.ts';
import { searchPath } from '../../schemas/paths.ts';
import { formatMessage, textDirection } from '../../text/strings/message.ts';
import { type RankedEntry, rankEntries } from '../search/rank-entries.ts';

/** What the address asks for. */
interface Asked {
  readonly query: string;
  readonly page: number;
  /** Kinds to search, separated by commas; all without it. */
  readonly kind: string | undefined;
}

/** Results on a page. */
const PAGE_SIZE = 10;

/** The entries of the site. @throws If they cannot be read. */
async function readEntries(address: string): Promise<readonly SearchEntry[]> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} answers ${response.status}`);
  return (await response.json()) as readonly SearchEntry[];
}

/** A part of the page by the name in its attribute `data-part`. */
function part<Name extends HTMLElement>(root: ParentNode, name: string, type: new () => Name): Name {
  const element = root.querySelector(`[data-part="${name}"]`);
  if (!(element instanceof type)) throw new Error(`The page has no part "${name}".`);
  return element;
}

function shownEntry(template: HTMLTemplateElement, { entry, passage }: RankedEntry): Node {
  const row = template.content.cloneNode(true) as DocumentFragment;
  const link = part(row, 'title', HTMLAnchorElement);
  link.href = entry.path;
  link.textContent = entry.title;
  if (entry.language !== undefined) {
    const text = part(row, 'text', HTMLElement);
    text.lang = entry.language;
    text.dir = textDirection(entry.language);
  }
  part(row, 'passage', HTMLElement).append(
    ...passage.map(({ text, isHighlighted }) => {
      if (!isHighlighted) return text;
      const mark = document.createElement('mark');
      mark.textContent = text;
      return mark;
    }),
  );
  for (const label of row.querySelectorAll<HTMLElement>('[data-kind]')) label.hidden = label.dataset['kind'] !== entry.kind;
  for (const label of row.querySelectorAll<HTMLElement>('[data-status]')) label.hidden = label.dataset['status'] !== entry.status;
  return row;
}

/** Shows one page of what was found, with links to the pages before and after it. */
function showResults(root: HTMLElement, { query, page: asked, kind }: Asked, ranked: readonly RankedEntry[]): void {
  const pages = Math.max(1, Math.ceil(ranked.length / PAGE_SIZE));
  const page = Math.min(asked, pages);
  const first = (page - 1) * PAGE_SIZE;
  const list = part(root, 'hits', HTMLOListElement);
  const template = part(root, 'hit', HTMLTemplateElement);
  list.start = first + 1;
  list.append(...ranked.slice(first, first + PAGE_SIZE).map((one) => shownEntry(template, one)));
  const [previous, next] = [part(root, 'previous', HTMLAnchorElement), part(root, 'next', HTMLAnchorElement)];
  previous.href = searchPath(query, page - 1, kind);
  next.href = searchPath(query, page + 1, kind);
  previous.hidden = page === 1;
  next.hidden = page === pages;
  part(root, 'pages', HTMLElement).hidden = pages === 1;
}

async function search(root: HTMLElement, asked: Asked): Promise<void> {
  const { query, kind } = asked;
  const status = part(root, 'status', HTMLElement);
  const advice = part(root, 'advice', HTMLElement);
  const browse = part(document, 'browse', HTMLElement);
  root.hidden = false;
  browse.hidden = true;
  const entries = await readEntries(root.dataset['entries'] ?? '').catch(() => undefined);
  if (entries === undefined) {
    status.hidden = true;
    browse.hidden = false;
    part(root, 'failure', HTMLElement).hidden = false;
    return;
  }
  const ranked = rankEntries(query, kind === undefined ? entries : entries.filter((entry) => kind.split(',').includes(entry.kind)));
  const isEmpty = ranked.length === 0;
  status.textContent = formatMessage(isEmpty ? nothingFound : found, { query, count: ranked.length }, language);
  advice.hidden = !isEmpty;
  browse.hidden = !isEmpty;
  showResults(root, asked, ranked);
}

const root = document.querySelector<HTMLElement>('[data-search]');
const parameters = new URLSearchParams(location.search);
const query = (parameters.get('q') ?? '').normalize('NFC').trim();
if (root !== null && query !== '') {
  const field = document.querySelector<HTMLInputElement>('#search-field');
  if (field !== null) field.value = query.slice(0, field.maxLength);
  document.title = `${formatMessage(titleOfQuery, { query }, language)} · ${root.dataset['site'] ?? ''}`;
  const page = /^[1-9]\d{0,3}$/.exec(parameters.get('page') ?? '')?.[0] ?? '1';
  void search(root, { query: field?.value ?? query, page: Number(page), kind: parameters.get('kind') ?? undefined });
}
