/**
 * Opens the search dialog: by the form in the header, by `/` and by Ctrl-K or Command-K. Without this script the form leads to the page of the search,
 * which has no dialog: there the keys lead to its field.
 */

const form = document.querySelector<HTMLFormElement>('[data-search-form]');
const field = form?.querySelector('input');

/** Loads the dialog and shows it; where it cannot be loaded, the page of the search opens. */
async function openSearch(): Promise<void> {
  if (form?.dataset['searchForm'] !== 'header') {
    field?.select();
    return;
  }
  try {
    const { openSearchDialog } = await import('./search-dialog.ts');
    // Read once the dialog is there: further keys may have arrived meanwhile.
    const typed = field?.value ?? '';
    if (field) field.value = '';
    openSearchDialog(typed);
  } catch {
    form.submit();
  }
}

function takesKeys(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
}

if (form?.dataset['searchForm'] === 'header') {
  form.addEventListener('click', (event) => {
    event.preventDefault();
    void openSearch();
  });
  // Whoever comes by the keyboard types into the field.
  field?.addEventListener('input', () => void openSearch());
}
document.addEventListener('keydown', (event) => {
  const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !takesKeys(event.target);
  const isCommandK = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
  if (event.defaultPrevented || event.repeat || !(isSlash || isCommandK)) return;
  event.preventDefault();
  void openSearch();
});

export {};
