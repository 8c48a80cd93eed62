/** The page of a missing address: puts its words into the search field and, where functions answer, lists the nearest pages. */
const list = document.querySelector<HTMLElement>('[data-near]');
const path = location.pathname.slice(import.meta.env.BASE_PATH.length);
// Unlike `decodeURIComponent`, parameters take a percent sign that begins no escape.
const words = (new URLSearchParams(`path=${path.replaceAll('+', '%2B')}`).get('path') ?? '')
  .replace(/\.\w{1,5}$/, '')
  .split(/[^\p{L}\p{N}]+/u)
  .filter((word) => word.length > 1)
  .join(' ')
  .slice(0, 200);
const field = document.querySelector<HTMLInputElement>('#missing-field');
if (field) field.value = words;

async function showNear(section: HTMLElement, address: string): Promise<void> {
  const response = await fetch(
    `${import.meta.env.BASE_PATH}${address}?${new URLSearchParams({ q: words, max_results: '10', min_match: 'partial' })}`,
  );
  const { results = [] } = response.ok ? ((await response.json()) as { results?: { title: string; url: string }[] }) : {};
  // A page whose title and address have none of the words is not what the reader looked for.
  const stems = words
    .toLowerCase()
    .split(' ')
    .map((word) => word.slice(0, 5));
  const near = results.filter(({ title, url }) => stems.some((stem) => `${title} ${url}`.toLowerCase().includes(stem))).slice(0, 3);
  const items = near.map(({ title, url }) => {
    const link = Object.assign(document.createElement('a'), { href: url, textContent: title });
    const item = document.createElement('li');
    item.append(link);
    return item;
  });
  if (items.length === 0) items.push(Object.assign(document.createElement('li'), { textContent: section.dataset['none'] }));
  section.querySelector('ul')?.replaceChildren(...items);
}

// Without an answer the search field is there.
if (list?.dataset['near'])
  void showNear(list, list.dataset['near']).catch(() => {
    list.hidden = true;
  });

export {};
