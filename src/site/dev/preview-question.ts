/** The question box of the preview: asks the real query, and marks the quote in the text. */
import type { PreviewAnswer, PreviewQuestion } from './live-site.ts';

/** Where a tab and a question are remembered while the text is edited: the page reloads after each save. */
const REMEMBERED = `akg-preview ${location.pathname}`;

const form = document.querySelector<HTMLFormElement>('form.question');
const field = document.querySelector<HTMLInputElement>('#question');
const answerBox = document.querySelector<HTMLElement>('.answer');
const exact = document.querySelector<HTMLElement>('#exact-text');
const text = exact?.textContent ?? '';

function element(tag: string, content: string, className = ''): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = content;
  made.className = className;
  return made;
}

function remember(): void {
  const tab = document.querySelector<HTMLInputElement>('input[name="tab"]:checked')?.id;
  sessionStorage.setItem(REMEMBERED, JSON.stringify({ tab, question: field?.value }));
}

function markQuote(quote: { readonly start: number; readonly end: number } | undefined): void {
  if (exact === null) return;
  exact.replaceChildren(text);
  if (quote === undefined) return;
  exact.replaceChildren(text.slice(0, quote.start), element('mark', text.slice(quote.start, quote.end)), text.slice(quote.end));
  exact.closest('details')?.setAttribute('open', '');
}

function show(answer: PreviewAnswer, id: string): void {
  const { found, results, total, notes } = answer;
  markQuote(found?.quote);
  const verdict = found
    ? `This text is result ${found.rank} of ${total}.`
    : total === 0
      ? 'No text is found.'
      : `This text is not among the first of ${total} results.`;
  const list = document.createElement('ol');
  for (const result of results) {
    const item = element('li', '', result.id === id ? 'this' : '');
    const link = element('a', result.title);
    link.setAttribute('href', `/preview/capsules/${result.id}`);
    item.append(link, element('span', ` ${result.score}`, 'place'));
    list.append(item);
  }
  answerBox?.replaceChildren(
    element('p', verdict, 'verdict'),
    ...(found ? [element('blockquote', found.quote.text)] : []),
    ...notes.map((note) => element('p', note)),
    ...(results.length > 0 ? [list] : []),
  );
}

async function ask(question: string, id: string): Promise<void> {
  const body: PreviewQuestion = { question, id };
  const response = await fetch('/preview/query', { method: 'POST', body: JSON.stringify(body) });
  const answer = (await response.json()) as PreviewAnswer | { readonly error: string };
  if ('error' in answer) answerBox?.replaceChildren(element('p', answer.error));
  else show(answer, id);
}

form?.addEventListener('submit', (event) => {
  event.preventDefault();
  remember();
  void ask(field?.value ?? '', form.dataset['id'] ?? '');
});
for (const tab of document.querySelectorAll('input[name="tab"]')) tab.addEventListener('change', remember);

const remembered = JSON.parse(sessionStorage.getItem(REMEMBERED) ?? '{}') as { readonly tab?: string; readonly question?: string };
const tab = remembered.tab === undefined ? null : document.querySelector<HTMLInputElement>(`#${remembered.tab}`);
if (tab !== null) tab.checked = true;
if (remembered.question && field && form) {
  field.value = remembered.question;
  void ask(field.value, form.dataset['id'] ?? '');
}
