import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Element, Nodes } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { PATHS } from '../../src/schemas/paths.ts';
import { filesBelow } from './files-below.ts';

export interface Crawled {
  readonly addresses: number;
  readonly broken: readonly string[];
  readonly outside: readonly string[];
  readonly redirected: readonly string[];
}

/**
 * Asks a server for every address of its own site that a built file names: in HTML, styles, imports of scripts, and as whole addresses in JSON,
 * XML and texts.
 *
 * @param baseUrl Address of the site as it is built.
 * @param server Origin of the server, by default that of the site.
 */
export async function crawlSite(folder: string, baseUrl: string, server = new URL(baseUrl).origin): Promise<Crawled> {
  const { origin } = new URL(baseUrl);
  const namedIn = new Map<string, string>();
  for (const path of await filesBelow(folder)) {
    const file = `/${path}`;
    const url = new URL(baseUrl + file.replace(/(?:index)?\.html$/, ''));
    for (const address of addressesIn(file, await readFile(join(folder, file), 'utf8'), baseUrl)) {
      if (address.startsWith('#') || !URL.canParse(address, url.href)) continue;
      const { origin: itsOrigin, href } = new URL(address, url.href);
      // The prefix to which a protocol appends its addresses, fixed by it.
      if (itsOrigin === origin && !href.endsWith(PATHS.acp)) namedIn.set(href.replace(/#.*$/, ''), file);
    }
  }
  const [broken, outside, redirected]: string[][] = [[], [], []];
  for (const [address, file] of namedIn) {
    if (address !== baseUrl && !address.startsWith(`${baseUrl}/`)) outside?.push(`${address} in ${file}`);
    const response = await fetch(server + address.slice(origin.length));
    await response.arrayBuffer();
    if (response.status !== 200) broken?.push(`${response.status} ${address} in ${file}`);
    else if (response.redirected) redirected?.push(`${address} in ${file}`);
  }
  return { addresses: namedIn.size, broken: broken ?? [], outside: outside ?? [], redirected: redirected ?? [] };
}

function addressesIn(file: string, text: string, baseUrl: string): string[] {
  const ending = /\.(\w+)$/.exec(file)?.[1];
  if (ending === 'html') return addressesOfPage(fromHtml(text), baseUrl);
  if (ending === 'css') return [...text.matchAll(/url\(["']?([^"')]+)["']?\)/g)].map(([, address = '']) => address);
  if (ending === 'js' || ending === 'mjs')
    return file.startsWith('/_astro/')
      ? [...text.matchAll(/(?:from|import\(?|new URL\()\s*["'`](\.{0,2}\/[^"'`${]+)["'`]/g)].map(([, address = '']) => address)
      : [];
  if (['woff2', 'png', 'ico', 'webp', 'wasm', 'bin', 'svg'].includes(ending ?? '')) return [];
  const links = ending === 'md' && !isExactText(file) ? [...text.matchAll(/\]\(<?(\/[^\s)>]*)/g)].map(([, address = '']) => address) : [];
  return [...links, ...wholeAddresses(text, baseUrl)];
}

/** Exact texts, which have digests, have the links that their author wrote. */
const isExactText = (file: string): boolean => /^\/texts\/|\/\d+\.\d+\.\d+\.md$/.test(file);

function wholeAddresses(text: string, baseUrl: string): string[] {
  const { origin } = new URL(baseUrl);
  const found = text
    .replaceAll('\\/', '/')
    .replaceAll('&amp;', '&')
    .split(origin)
    .slice(1)
    .map((rest) => /^[^\s"'<>`)\]},\\;]*/.exec(rest)?.[0] ?? '')
    .filter((rest) => /^([/?#]|$)/.test(rest) && !/[{$*[^…]|\/:/.test(rest));
  return found.map((rest) => origin + rest.replace(/[.,;:]+$/, ''));
}

function addressesOfPage(node: Nodes, baseUrl: string): string[] {
  if (node.type !== 'element' && node.type !== 'root') return [];
  const own = node.type === 'element' ? addressesOfElement(node) : [];
  const content = 'content' in node && node.content ? addressesOfPage(node.content, baseUrl) : [];
  const code = node.type === 'element' && node.tagName === 'script' ? node.children : [];
  const stated = code.flatMap((child) => (child.type === 'text' ? wholeAddresses(child.value, baseUrl) : []));
  return [...own, ...content, ...stated, ...node.children.flatMap((child) => addressesOfPage(child as Nodes, baseUrl))];
}

function addressesOfElement({ tagName, properties }: Element): string[] {
  const named = ['href', 'src', 'action', 'formAction', 'poster', 'data', 'xLinkHref'].flatMap((name) => properties[name] ?? []);
  const set = `${properties['srcSet'] ?? ''}`.split(',').flatMap((candidate) => candidate.trim().split(' ')[0] || []);
  const content = `${properties['content'] ?? ''}`;
  const stated = tagName === 'meta' ? (/^(?:\d+; *url=|(?=https?:))(\S+)$/.exec(content)?.slice(1) ?? []) : [];
  return [...named.map(String), ...set, ...stated];
}
