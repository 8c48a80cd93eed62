/** Root-relative addresses of the published texts, by file: `content/capsules/guide/setup.md` is at `/capsules/setup`. */
export type TextAddresses = ReadonlyMap<string, string>;

/** What a link in a text of the publication leads to. */
export type LinkTarget =
  /** Another site, a mailbox, or whatever the scheme says. */
  | { readonly kind: 'external'; readonly url: string }
  /** A heading of the same text; `anchor` is decoded and has no `#`. */
  | { readonly kind: 'anchor'; readonly anchor: string }
  /** An address of this site, as written in the text. */
  | { readonly kind: 'address'; readonly path: string; readonly anchor: string; readonly href: string }
  /** Another text of the publication: its file and address. */
  | { readonly kind: 'text'; readonly file: string; readonly path: string; readonly anchor: string; readonly href: string }
  /** Any other file, which may be missing: an image, or a text that is not published. `file` is relative to the publication's root. */
  | { readonly kind: 'file'; readonly file: string }
  /** A path that leaves the folder of the publication. */
  | { readonly kind: 'outside' };

/** Endings under which a link may name a text: as a file, without an ending, or as a folder. */
const TEXT_FORMS: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => `${path}.md`,
  (path) => `${path}/index.md`,
  (path) => `${path}/README.md`,
];

/**
 * Resolves a link or an image of a text. Paths are relative to the file, as on GitHub and in editors: `../guide/setup.md#linux`, `setup`,
 * `images/photo.png`.
 *
 * @param url The address as markdown has it, percent-encoded or not.
 * @param from File with the link, from the publication's root, such as `content/capsules/intro.md`; for a frozen version the file of the
 *   current one, for whose place its links were written.
 */
export function resolveLink(url: string, from: string, addresses: TextAddresses): LinkTarget {
  if (/^[a-z][a-z0-9+.-]*:/i.test(url) || url.startsWith('//') || url.startsWith('\\')) return { kind: 'external', url };
  const [, written = '', query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(url) ?? [];
  const anchor = decoded(fragment.slice(1));
  if (written === '') return { kind: 'anchor', anchor };
  if (written.startsWith('/')) return { kind: 'address', path: written, anchor, href: url };
  const path = joined(from, decoded(written));
  if (path === undefined) return { kind: 'outside' };
  for (const form of TEXT_FORMS) {
    const text = form(path);
    const address = addresses.get(text);
    if (address !== undefined) return { kind: 'text', file: text, path: address, anchor, href: address + query + fragment };
  }
  return { kind: 'file', file: path };
}

/** A path relative to the folder of a file; `undefined` if it leads out of the publication. */
function joined(from: string, relative: string): string | undefined {
  const parts = from.split('/').slice(0, -1);
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}

/** A percent-encoded text; as it is if the encoding is broken. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
