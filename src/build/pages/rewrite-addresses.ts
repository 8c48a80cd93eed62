import type { Element, Nodes } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { basePathOf, PATHS } from '../../schemas/paths.ts';
import type { Publisher } from '../../schemas/publisher.ts';

export type SitePlace = Pick<Publisher, 'base_url' | 'static_form'>;

/** The root-relative address of a page from its whole one; `undefined` for an address of another site. */
export function pathOfPage(address: string, { base_url }: Pick<SitePlace, 'base_url'>): string | undefined {
  if (address !== base_url && !address.startsWith(`${base_url}/`)) return undefined;
  return (
    address
      .slice(base_url.length)
      .replace(/[?#].*$/s, '')
      .replace(/(?<=.)\/$/, '') || PATHS.home
  );
}

/** Attributes that are addresses (HTML, "Attributes"), by their names in a tree. */
const ADDRESSES = ['href', 'src', 'action', 'formAction', 'poster', 'data', 'xLinkHref'] as const;

/**
 * The HTML of a page with its addresses as the place of the site needs them. Texts, components and addresses in code are root-relative to the
 * site wherever that is; only here do they get the path of `base_url`, and those of pages the slash of a folder.
 */
export function placeAddresses(html: string, { base_url: baseUrl, static_form: form }: SitePlace, pages: ReadonlySet<string>): string {
  const basePath = basePathOf(baseUrl);
  if (basePath === '' && form === 'file') return html;
  const placed = (address: string): string => {
    const isWhole = address.startsWith(`${baseUrl}/`);
    // Astro has written the addresses of its own files with the path.
    if (!isWhole && (!/^\/(?![/\\])/.test(address) || (address.startsWith(`${basePath}/_astro/`) && basePath !== ''))) return address;
    const [, path = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(isWhole ? address.slice(baseUrl.length) : address) ?? [];
    const end = form === 'directory' && path !== PATHS.home && pages.has(path) ? '/' : '';
    return `${isWhole ? baseUrl : basePath}${path}${end}${rest}`;
  };
  const edits: { readonly from: number; readonly to: number; readonly text: string }[] = [];
  const edit = (element: Element, name: string, change: (value: string) => string): void => {
    const { start, end } = element.data?.position?.properties?.[name] ?? {};
    if (start?.offset === undefined || end?.offset === undefined) return;
    const written = html.slice(start.offset, end.offset);
    const [, before = '', value = '', after = ''] = /^([^=]*=\s*["']?)(.*?)(["']?)$/s.exec(written) ?? [];
    const text = before + change(value) + after;
    if (text !== written) edits.push({ from: start.offset, to: end.offset, text });
  };
  const visit = (node: Nodes): void => {
    if (node.type === 'element') {
      for (const name of ADDRESSES) edit(node, name, placed);
      // Candidates are addresses without blanks and commas, each with a description.
      edit(node, 'srcSet', (value) =>
        value.replace(/(^|,\s*)([^\s,]+)/g, (_, before: string, address: string) => before + placed(address)),
      );
      if (node.tagName === 'meta')
        edit(node, 'content', (value) => {
          const { httpEquiv, property } = node.properties;
          if ([httpEquiv].flat().includes('refresh')) return value.replace(/(?<=;\s*url=)\S+/i, placed);
          return property === 'og:url' ? placed(value) : value;
        });
      // In the structured data of a page.
      if (node.properties['type'] === 'application/ld+json')
        for (const { position } of node.children) {
          const [from, to] = [position?.start.offset, position?.end.offset];
          if (from === undefined || to === undefined) continue;
          const text = html.slice(from, to).replace(/(?<=")[^"\\]+(?=")/g, (value) => (value.startsWith(baseUrl) ? placed(value) : value));
          edits.push({ from, to, text });
        }
      if (node.tagName === 'template' && 'content' in node && node.content) visit(node.content);
    }
    if ('children' in node) for (const child of node.children) visit(child);
  };
  visit(fromHtml(html, { verbose: true }));
  let result = '';
  let at = 0;
  for (const { from, to, text } of edits.sort((a, b) => a.from - b.from)) {
    result += html.slice(at, from) + text;
    at = to;
  }
  return result + html.slice(at);
}
