import type { Editorial, TextRule } from '../../schemas/editorial.ts';
import { nearestName } from '../../search/format/spelling.ts';
import { linkForm } from '../lint/check-text.ts';
import { isPageId } from './heading-ids.ts';
import { type LinkTarget, resolveLink, type TextAddresses } from './resolve-link.ts';

/** What links of a publication are checked against. */
export interface LinkRules {
  readonly levels: Pick<Editorial, 'https_links' | 'address_links' | 'broken_links'>;
  /** Addresses of the texts that the text may link to. */
  readonly addresses: TextAddresses;
  /** Whether a page or a file of the site has this root-relative address. */
  readonly addressExists: (path: string) => boolean;
  /** What a file is that is not a published text. */
  readonly fileState: (file: string) => 'published' | 'draft' | 'unpublished' | 'missing';
  /** Anchors of a text, by its address; `undefined` if they are not known. */
  readonly anchorsAt: (path: string) => ReadonlySet<string> | undefined;
}

/** A mistake in a link, and the rule that decides how serious it is. */
export interface LinkFinding {
  readonly rule: TextRule;
  readonly message: string;
}

/** Schemes of links that pages show as links. */
const SCHEMES = /^(?:https?|mailto):/i;

/**
 * What is wrong with a link of a text; `undefined` if nothing is.
 *
 * @param from File of the text.
 * @param own Anchors of the text itself.
 */
export function checkLink(url: string, from: string, own: ReadonlySet<string>, rules: LinkRules): LinkFinding | undefined {
  const broken = (message: string): LinkFinding => ({ rule: 'broken_links', message });
  const target = resolveLink(url, from, rules.addresses);
  if (url === '') return broken(linkForm(url));
  if (target.kind === 'external') {
    if (url.startsWith('https://') || url.startsWith('mailto:')) return undefined;
    return SCHEMES.test(url)
      ? rules.levels.https_links === 'off'
        ? undefined
        : { rule: 'https_links', message: linkForm(url) }
      : broken(linkForm(url));
  }
  const isRelative = target.kind === 'text' || target.kind === 'file' || target.kind === 'outside';
  if (isRelative && rules.levels.address_links !== 'off') return { rule: 'address_links', message: linkForm(url) };
  switch (target.kind) {
    case 'anchor':
      return anchorFinding(target.anchor, own, 'this text');
    case 'address':
      if (!rules.addressExists(target.path))
        return broken(`links to ${target.path.replace(/[?#].*$/, '')}, which is not a page of this site; correct or delete the link`);
      return anchorFinding(target.anchor, rules.anchorsAt(target.path), target.path);
    case 'text':
      return anchorFinding(target.anchor, rules.anchorsAt(target.path), target.file);
    case 'outside':
      return broken(`links to ${url}, which is outside of this publication; correct or delete the link`);
    case 'file':
      return fileFinding(url, target, rules);
  }
}

function anchorFinding(anchor: string, anchors: ReadonlySet<string> | undefined, where: string): LinkFinding | undefined {
  if (anchors === undefined || anchor === '' || anchor === 'top' || anchors.has(anchor) || isPageId(anchor)) return undefined;
  // Sources, references to them, and footnotes have numbered ids; text fragments (#:~:text=) have none.
  if (/^(?:source|ref|(?:user-content-)?fn(?:ref)?)-|^:~:/.test(anchor)) return undefined;
  const near = nearestName(anchor, [...anchors]);
  const remedy = near === undefined ? 'correct or delete the link' : `did you mean #${near}?`;
  return { rule: 'broken_links', message: `links to #${anchor}, but ${where} has no such heading; ${remedy}` };
}

function fileFinding(url: string, { file }: LinkTarget & { kind: 'file' }, { fileState }: LinkRules): LinkFinding | undefined {
  const broken = (message: string): LinkFinding => ({ rule: 'broken_links', message });
  switch (fileState(file)) {
    case 'published':
      return undefined;
    case 'draft':
      return broken(`links to ${url}, which is a draft; publish it too, or delete the link`);
    case 'unpublished':
      return broken(`links to ${file}, which is not published; put it into public/ and link to it as /<name>`);
    case 'missing':
      return broken(`links to ${url}, but there is no file ${file}; correct or delete the link`);
  }
}
