// The reader's choice of colours, kept on the device. It is read before the page is drawn, which would otherwise first show the other colours.
{
  const NAME = 'color-scheme';
  const { dataset } = document.documentElement;
  const show = (scheme) => {
    dataset.colorScheme = scheme;
    for (const source of document.querySelectorAll('source[data-scheme]'))
      source.media =
        scheme === 'system' ? `(prefers-color-scheme: ${source.dataset.scheme})` : scheme === source.dataset.scheme ? 'all' : 'not all';
  };
  // Storage is missing where a browser blocks it.
  try {
    show(localStorage[NAME] ?? 'system');
  } catch {
    show('system');
  }
  addEventListener('DOMContentLoaded', () => {
    show(dataset.colorScheme);
    const button = document.getElementById(NAME);
    if (!button) return;
    const label = () => {
      button.textContent = button.dataset[dataset.colorScheme];
    };
    label();
    button.hidden = false;
    button.addEventListener('click', () => {
      // First the colours that the system does not have, so that each press but the last is seen.
      const [first, second] = matchMedia('(prefers-color-scheme: dark)').matches ? ['light', 'dark'] : ['dark', 'light'];
      show({ system: first, [first]: second }[dataset.colorScheme] ?? 'system');
      label();
      try {
        localStorage[NAME] = dataset.colorScheme;
      } catch {
        // The choice holds for this page alone.
      }
    });
  });
}
