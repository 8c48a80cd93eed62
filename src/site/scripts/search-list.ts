/** The search of a site without functions: looks for the words of the question in titles, summaries and subjects of the list of capsules. */
import type { BrowseItem } from '../../schemas/knowledge/corpus-responses.ts';

/** Most results that are shown. */
const SHOWN_MAX = 50;

/** What a word counts by where it stands. */
const WEIGHTS = { title: 4, tags: 3, summary: 1 } as const;

/** Words of a text, without case and accents. */
function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** How well a capsule fits: words of the question, or beginnings of words, that it has, by where they stand. */
function scoreOf({ title, tags, summary }: BrowseItem, question: readonly string[]): number {
  const parts = { title: wordsOf(title), tags: wordsOf(tags.join(' ')), summary: wordsOf(summary) };
  const found = question.map((word) =>
    Math.max(
      ...(['title', 'tags', 'summary'] as const).map((part) => (parts[part].some((other) => other.startsWith(word)) ? WEIGHTS[part] : 0)),
    ),
  );
  // A capsule with more of the words comes before one with one of them in a better place.
  return found.filter((weight) => weight > 0).length * 100 + found.reduce((sum, weight) => sum + weight, 0);
}

function entry({ title, summary, url }: BrowseItem): HTMLLIElement {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = new URL(url).pathname;
  link.textContent = title;
  const heading = document.createElement('p');
  heading.className = 'title';
  heading.append(link);
  const text = document.createElement('p');
  text.className = 'summary';
  text.textContent = summary;
  item.append(heading, text);
  return item;
}

async function show(section: HTMLElement, question: string): Promise<void> {
  const words = wordsOf(question);
  const [list, nothing] = [section.querySelector('ol'), section.querySelector<HTMLElement>('.empty')];
  if (!list || !nothing || words.length === 0) return;
  const response = await fetch(section.dataset['list'] ?? '').catch(() => undefined);
  const items = response?.ok ? ((await response.json()) as { readonly items: readonly BrowseItem[] }).items : [];
  const found = items
    .map((capsule) => ({ capsule, score: scoreOf(capsule, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, SHOWN_MAX);
  list.replaceChildren(...found.map(({ capsule }) => entry(capsule)));
  nothing.hidden = found.length > 0;
  section.hidden = false;
}

const section = document.querySelector<HTMLElement>('[data-list]');
const form = document.querySelector('form');
const field = form?.querySelector('input');
if (section && form && field) {
  field.value = new URLSearchParams(location.search).get('q') ?? '';
  void show(section, field.value);
  // The policy of files lets no form leave its page.
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    history.replaceState(null, '', `?${new URLSearchParams({ q: field.value })}`);
    void show(section, field.value);
  });
}
