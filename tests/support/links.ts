export function linksOfHtml(html: string): string[] {
  return [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'));
}

/** Every absolute address in a text that begins with `baseUrl`, without punctuation behind it; templates are left out. */
export function ownAddresses(text: string, baseUrl: string): string[] {
  const found = text
    .split(baseUrl)
    .slice(1)
    .map((rest) => /^[^\s"'<>`)\]},\\]*/.exec(rest)?.[0] ?? '');
  return [...new Set(found.map((path) => `${baseUrl}${path.replace(/[.,;:]+$/, '')}`))].filter((address) => !address.includes('{'));
}

/** Root-relative path of an address of this site, without fragment; `undefined` for an address elsewhere. */
export function ownPath(link: string, baseUrl: string): string | undefined {
  const bare = link.replace(/#.*$/, '');
  if (bare.startsWith(baseUrl)) return bare.slice(baseUrl.length) || '/';
  return bare.startsWith('/') && !bare.startsWith('//') ? bare : undefined;
}
