/** Runs in every page of the development server: reloads what changed, marks drafts, and shows mistakes of the content. */
import type { LiveMessage, LiveStatus } from './dev-server.ts';
import './dev-client.css';

const PREVIEW = '/preview';
const CAPSULE = /^(?:\/preview)?\/capsules\/([^/]+)$/;

function previewAddress(path: string): string {
  if (CAPSULE.test(path)) return PREVIEW + path;
  return /^\/buy\/[^/]+$/.test(path) ? path.replace('/buy/', `${PREVIEW}/offers/`) : PREVIEW;
}

let bar: HTMLElement | undefined;

function showBar({ errors, warnings, first, drafts, texts }: LiveStatus): void {
  const isDraft = drafts.includes(location.pathname);
  const own = texts[location.pathname]?.warnings ?? 0;
  bar?.remove();
  bar = undefined;
  if ((errors === 0 && !isDraft) || window.top !== window.self) return;
  bar = document.createElement('aside');
  bar.className = errors > 0 ? 'akg-dev-bar akg-dev-errors' : 'akg-dev-bar';
  bar.setAttribute('role', 'status');
  const add = (tag: string, text: string): HTMLElement => {
    const element = document.createElement(tag);
    element.textContent = text;
    bar?.append(element);
    return element;
  };
  if (isDraft) add('strong', 'Draft: no build publishes it.');
  if (errors > 0) {
    add('strong', errors === 1 ? '1 error in the content.' : `${errors} errors in the content.`);
    add('span', `What is shown is from before. ${first ?? ''}`);
  }
  const count = (number: number): string => (number === 1 ? '1 warning' : `${number} warnings`);
  if (errors === 0 && own > 0) add('span', `${count(own)} in this text.`);
  add('a', errors > 0 ? 'All checks' : 'Preview').setAttribute('href', errors > 0 ? PREVIEW : previewAddress(location.pathname));
  if (errors === 0 && warnings > own) add('a', `${count(warnings - own)} in other files`).setAttribute('href', PREVIEW);
  document.body.append(bar);
}

function markDrafts(drafts: readonly string[]): void {
  const addresses = new Set(drafts);
  for (const link of document.querySelectorAll('main a[href^="/"]'))
    link.toggleAttribute('data-akg-draft', addresses.has((link.getAttribute('href') ?? '').replace(/[?#].*$/, '')));
}

async function show(): Promise<void> {
  const response = await fetch(`${PREVIEW}/status.json`);
  if (!response.ok) return;
  const status = (await response.json()) as LiveStatus;
  markDrafts(status.drafts);
  showBar(status);
}

import.meta.hot?.on('agent-knowledge-gateway:change', (message: LiveMessage) => {
  if (message.isNew || location.pathname.startsWith(PREVIEW)) location.reload();
  else void show();
});

void show();
