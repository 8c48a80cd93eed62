/** Opens the search dialog: by its button, by `/` and by Ctrl-K or Command-K. Without this script the button leads to the page of the search. */

const buttons = document.querySelectorAll<HTMLElement>('[data-search-dialog]');

/** Loads the dialog and shows it; where it cannot be loaded, the page of the search opens. */
async function openSearch(address: string): Promise<void> {
  try {
    const { openSearchDialog } = await import('./search-dialog.ts');
    openSearchDialog();
  } catch {
    location.assign(address);
  }
}

/** Whether keys that are typed belong to an element. */
function takesKeys(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
}

const [first] = buttons;
if (first instanceof HTMLAnchorElement) {
  for (const button of buttons)
    button.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      void openSearch(first.href);
    });
  document.addEventListener('keydown', (event) => {
    const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !takesKeys(event.target);
    const isCommandK = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    if (event.defaultPrevented || event.repeat || !(isSlash || isCommandK)) return;
    event.preventDefault();
    void openSearch(first.href);
  });
}

export {};
