/** Adds a button to every code block that copies its code. */

for (const block of document.querySelectorAll<HTMLElement>('[data-copy]')) {
  const text = block.querySelector('pre')?.textContent;
  if (text == null || !navigator.clipboard) continue;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.setAttribute('aria-label', `Copy: ${block.dataset['copy'] ?? 'text'}`);
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text.trimEnd());
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2_000);
  });
  block.append(button);
}
