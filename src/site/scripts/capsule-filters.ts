/** Filters of the overview of capsules: shows those with any of the chosen values of each filter, and keeps the choice in the address. */

/** Parameters of a page that select no capsules, such as those of links in letters, are nothing to say something about. */
const CAMPAIGN = /^(?:utm_|fbclid$|gclid$|ref$)/;

function setUp(filters: HTMLElement): void {
  const choices = [...filters.querySelectorAll('input')];
  const names = [...new Set(choices.map(({ name }) => name))];
  const [ignored, shown, none] = filters.querySelectorAll<HTMLElement>(':scope > p');
  const clear = filters.querySelector('button');
  const items = [...document.querySelectorAll<HTMLElement>('[data-facets]')].map((item) => ({
    item,
    values: new URLSearchParams(item.dataset['facets']),
  }));
  const unknown = [...new URLSearchParams(location.search)].filter(([name, value]) => {
    // Subjects are tags.
    const choice = choices.find((input) => input.name === (name === 'subject' ? 'tag' : name) && input.value === value);
    if (choice) choice.checked = true;
    return !choice && value !== '' && !CAMPAIGN.test(name);
  });
  const say = (line: HTMLElement | undefined, value: string): void => {
    if (!line) return;
    line.hidden = value === '';
    line.textContent = (line.dataset['says'] ?? '').replace('{}', () => value);
  };
  say(ignored, unknown.map(([name, value]) => `${name}=${value}`).join(', '));

  /** Whether a capsule has one of the chosen values of each filter, apart from one filter. */
  const meets = (values: URLSearchParams, except = ''): boolean =>
    names.every((name) => {
      const chosen = choices.filter((input) => input.checked && input.name === name);
      return name === except || chosen.length === 0 || chosen.some(({ value }) => values.has(name, value));
    });
  const show = (): void => {
    for (const { item, values } of items) item.hidden = !meets(values);
    for (const list of document.querySelectorAll('.capsules')) {
      const group = list.closest<HTMLElement>('section');
      if (group) group.hidden = !group.querySelector('.capsules > li:not([hidden])');
    }
    for (const { name, value, parentElement } of choices) {
      const count = parentElement?.querySelector('.figures');
      if (count) count.textContent = String(items.filter(({ values }) => values.has(name, value) && meets(values, name)).length);
    }
    const isFiltered = choices.some(({ checked }) => checked);
    const matching = items.filter(({ item }) => !item.hidden).length;
    say(shown, isFiltered ? String(matching) : '');
    if (none) none.hidden = matching > 0;
    if (clear) clear.hidden = !isFiltered;
    for (const folded of document.querySelectorAll<HTMLDetailsElement>('.folded')) {
      folded.open = isFiltered;
      for (const summary of folded.querySelectorAll('summary')) summary.hidden = isFiltered;
    }
    for (const folded of filters.querySelectorAll('details')) folded.open ||= folded.querySelector(':checked') !== null;
  };
  const changed = (): void => {
    const query = new URLSearchParams(choices.filter(({ checked }) => checked).map(({ name, value }) => [name, value]));
    history.replaceState(null, '', query.size > 0 ? `?${query}` : location.pathname);
    say(ignored, '');
    show();
  };
  filters.addEventListener('change', changed);
  clear?.addEventListener('click', () => {
    for (const choice of choices) choice.checked = false;
    changed();
    choices[0]?.focus();
  });
  show();
}

for (const filters of document.querySelectorAll<HTMLElement>('[data-filters]')) setUp(filters);
