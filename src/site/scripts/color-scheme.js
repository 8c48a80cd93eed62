// The reader's choice of colours, kept on the device. Loaded before the page is drawn, so that it does not first appear in the other colours.
const { documentElement } = document;
/** Storage is missing where a browser blocks it. */
const stored = () => {
  try {
    return localStorage.getItem('color-scheme') ?? '';
  } catch {
    return '';
  }
};
const show = (scheme) => {
  documentElement.dataset.colorScheme = scheme;
  for (const source of document.querySelectorAll('source[data-scheme]'))
    source.media =
      scheme === '' ? `(prefers-color-scheme: ${source.dataset.scheme})` : scheme === source.dataset.scheme ? 'all' : 'not all';
};

show(stored());
addEventListener('DOMContentLoaded', () => {
  show(stored());
  const select = document.querySelector('#color-scheme');
  if (select === null) return;
  select.parentElement.hidden = false;
  select.value = stored();
  select.addEventListener('change', () => {
    show(select.value);
    try {
      localStorage.setItem('color-scheme', select.value);
    } catch {
      // The choice holds for this page alone.
    }
  });
});
