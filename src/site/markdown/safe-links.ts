import type { Element } from 'hast';

/** Whether an address leads to the web, to a mailbox or to this site. `//` and `\\` at its beginning only look as if they did. */
export function isSafeLink(url: string): boolean {
  const base = 'https://this-site.invalid';
  if (!URL.canParse(url, base)) return false;
  const { protocol, origin } = new URL(url, base);
  const hasScheme = /^[a-z][a-z0-9+.-]*:/i.test(url);
  if (!hasScheme) return origin === base;
  return protocol === 'mailto:' || /^https?:\/\/[^\\]*$/i.test(url);
}

/** The link, with the relations of links that leave this site. */
export function markExternal(link: Element, url: string): Element {
  return /^https?:/.test(url) ? { ...link, properties: { ...link.properties, rel: ['nofollow', 'noopener'] } } : link;
}
