/** Filters of the overview of capsules: shows those that the chosen values select, and keeps the choice in the address. */

/** Parameters of a page that select no capsules, such as those of links in letters, are nothing to say something about. */
const CAMPAIGN = /^(?:utm_|fbclid$|gclid$|ref$)/;

function setUp(filters: HTMLElement): void {
  const choices = [...filters.querySelectorAll<HTMLInputElement>('input')];
  const [ignored, shown] = filters.querySelectorAll<HTMLElement>(':scope > p');
  const items = [...document.querySelectorAll<HTMLElement>('[data-facets]')].map((item) => ({
    item,
    values: new URLSearchParams(item.dataset['facets']),
  }));
  const parameters = new URLSearchParams(location.search);
  const unknown = [...parameters].filter(([name, value]) => {
    const choice = choices.find((input) => input.name === name && input.value === value);
    if (choice) choice.checked = true;
    return !choice && value !== '' && !CAMPAIGN.test(name);
  });
  const say = (line: HTMLElement | undefined, value: string): void => {
    if (!line) return;
    line.hidden = value === '';
    line.textContent = (line.dataset['says'] ?? '').replace('{}', () => value);
  };
  say(ignored, unknown.map(([name, value]) => `${name}=${value}`).join(', '));

  const show = (): void => {
    const chosen = choices.filter(({ checked, value }) => checked && value !== '');
    for (const { item, values } of items) item.hidden = !chosen.every(({ name, value }) => values.get(name) === value);
    for (const list of document.querySelectorAll('.capsules')) {
      const group = list.closest<HTMLElement>('section');
      if (group) group.hidden = !list.querySelector(':scope > li:not([hidden])');
    }
    say(shown, chosen.length === 0 ? '' : String(items.filter(({ item }) => !item.hidden).length));
  };
  filters.addEventListener('change', () => {
    const query = new URLSearchParams(
      choices.filter(({ checked, value }) => checked && value !== '').map(({ name, value }) => [name, value]),
    );
    history.replaceState(null, '', query.size > 0 ? `?${query}` : location.pathname);
    show();
  });
  filters.hidden = false;
  for (const link of document.querySelectorAll<HTMLElement>('[data-instead-of-filter]')) link.hidden = true;
  show();
}

for (const filters of document.querySelectorAll<HTMLElement>('[data-filters]')) setUp(filters);
