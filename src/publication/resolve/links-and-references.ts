import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ContentLevel, draftEditorial, type Editorial, type TextRule } from '../../schemas/editorial-rules.ts';
import { PATHS } from '../../schemas/paths.ts';
import { suggestName } from '../../search/did-you-mean.ts';
import { levelOf, linkForm } from '../../text/check/check-text.ts';
import { isPageId } from '../../text/markdown/heading-anchors.ts';
import {
  decoded,
  type LinkTarget,
  type ReferringLink,
  resolveLink,
  type TextAddresses,
  type TextReference,
  type TextReferences,
} from '../../text/markdown/resolve-links.ts';
import type { ContentProblem } from '../content-problem.ts';
import { ASSET_ENDINGS, isIgnored } from '../read/content-files.ts';
import { isMediaFile, type MediaFile, readMediaFile } from '../read/media-file.ts';
import type { CheckedText, SiteAddresses } from './site-addresses.ts';

/** Pages to which the engine adds parts of its own, with their own ids. */
const ENGINE_PARTS: readonly string[] = [PATHS.contact, PATHS.checkout, PATHS.invoice];

/** Reports mistakes in the markdown of texts, and checks every link between them. */
export function checkTexts(root: string, texts: readonly CheckedText[], site: SiteAddresses, editorial: Editorial): ContentProblem[] {
  const ofDrafts = draftEditorial(editorial);
  const problems: ContentProblem[] = [];
  const anchors = new Map<string, ReadonlySet<string>>();
  for (const { path, address, bodyLine, isDraft, reading } of texts) {
    const report = (line: number, message: string, level?: ContentProblem['level']): void =>
      void problems.push({ file: path, line: bodyLine + line - 1, field: 'text', message, level: level ?? 'error' });
    const { tooComplex } = reading;
    if (tooComplex !== undefined) {
      report(tooComplex.line, tooComplex.message);
      continue;
    }
    for (const { line, message, level } of reading.findings) report(line, message, level);
    // A capsule is its text; an offer and a page may be what their fields say.
    if (reading.body === '' && reading.findings.length === 0)
      report(1, 'has no text below its front matter; write some', !isDraft && path.startsWith('content/capsules/') ? 'error' : 'warning');
    anchors.set(address, new Set(reading.anchors));
  }
  const rulesOf = new Map([true, false].map((isPaid) => [isPaid, linkRules(root, site, editorial, isPaid, anchors)]));
  for (const { path, address, bodyLine, isPaid, isDraft, reading } of texts) {
    const { links, blankTargets } = reading;
    const shared = links.length + blankTargets.length === 0 ? undefined : rulesOf.get(isPaid);
    if (shared === undefined) continue;
    // Drafts may link to each other: they are published together.
    const isDraftBeside = (target: string): boolean => site.drafts.has(path) && site.drafts.has(target);
    const rules: LinkRules = { ...shared, fileState: (target) => (isDraftBeside(target) ? 'published' : shared.fileState(target)) };
    const reported = new Set<string>();
    for (const { line, url } of links) {
      const finding = checkLink(url, path, anchors.get(address), rules);
      const level = finding && levelOf((isDraft ? ofDrafts : editorial)[finding.rule]);
      const message = finding?.message ?? '';
      if (level === undefined || reported.has(`${line} ${message}`)) continue;
      reported.add(`${line} ${message}`);
      problems.push({ file: path, line: bodyLine + line - 1, field: 'text', message, level });
    }
    for (const { line, url } of blankTargets) {
      const message = blankTargetMessage(url, path, rules);
      if (message !== undefined) problems.push({ file: path, line: bodyLine + line - 1, field: 'text', message, level: 'warning' });
    }
  }
  return problems;
}

function blankTargetMessage(url: string, from: string, { addresses, fileState }: LinkRules): string | undefined {
  const target = resolveLink(url, from, addresses);
  if (target.kind !== 'text' && (target.kind !== 'file' || fileState(target.file) === 'missing')) return undefined;
  return `contains "](${url})", which is no link because of the blank; write (<${url}>), or %20 for each blank`;
}

function linkRules(
  root: string,
  { open, paid, drafts, exists }: SiteAddresses,
  { address_links }: Editorial,
  isPaid: boolean,
  anchors: ReadonlyMap<string, ReadonlySet<string>>,
): LinkRules {
  const isThere = new Map<string, boolean>();
  const isFile = (file: string): boolean => {
    const known = isThere.get(file) ?? existsSync(join(root, file));
    isThere.set(file, known);
    return known;
  };
  return {
    areOnlyAddresses: address_links !== 'off',
    addresses: isPaid ? new Map([...open, ...paid]) : open,
    addressExists: (path) => exists(path, isPaid),
    isPaidAddress: (path) => !isPaid && exists(path, true),
    fileState: (file) => {
      if (drafts.has(file)) return 'draft';
      if (!isPaid && paid.has(file)) return 'paid';
      if (!isFile(file)) return 'missing';
      return isPublishedFile(file) ? 'published' : 'unpublished';
    },
    anchorsAt: (path) => (ENGINE_PARTS.includes(path) ? undefined : anchors.get(path)),
  };
}

function isPublishedFile(file: string): boolean {
  if (file.split('/').some(isIgnored)) return false;
  return file.startsWith('public/') || (file.startsWith('content/') && ASSET_ENDINGS.some((ending) => file.toLowerCase().endsWith(ending)));
}

interface LinkRules {
  /** Whether links to files are mistakes: the house wants addresses. */
  readonly areOnlyAddresses: boolean;
  readonly addresses: TextAddresses;
  readonly addressExists: (path: string) => boolean;
  /** Whether an address that does not exist for a free text is that of a paid one. */
  readonly isPaidAddress: (path: string) => boolean;
  /** State of a file that is not a published text. */
  readonly fileState: (file: string) => 'published' | 'draft' | 'paid' | 'unpublished' | 'missing';
  readonly anchorsAt: (path: string) => ReadonlySet<string> | undefined;
}

interface LinkFinding {
  readonly rule: TextRule;
  readonly message: string;
}

const SCHEMES = /^(?:https?|mailto):/i;

function checkLink(url: string, from: string, own: ReadonlySet<string> | undefined, rules: LinkRules): LinkFinding | undefined {
  const target = resolveLink(url, from, rules.addresses);
  if (url === '') return { rule: 'broken_links', message: linkForm(url) };
  if (target.kind === 'external') {
    if (url.startsWith('https://') || url.startsWith('mailto:')) return undefined;
    return { rule: SCHEMES.test(url) ? 'https_links' : 'broken_links', message: linkForm(url) };
  }
  const isRelative = target.kind === 'text' || target.kind === 'file' || target.kind === 'outside';
  if (isRelative && rules.areOnlyAddresses) return { rule: 'address_links', message: linkForm(url) };
  const message = brokenLink(url, target, own, rules);
  return message === undefined ? undefined : { rule: 'broken_links', message };
}

function brokenLink(
  url: string,
  target: Exclude<LinkTarget, { kind: 'external' }>,
  own: ReadonlySet<string> | undefined,
  { addressExists, isPaidAddress, anchorsAt, fileState }: LinkRules,
): string | undefined {
  switch (target.kind) {
    case 'anchor':
      return missingAnchor(target.anchor, own, 'this text');
    case 'address': {
      const { path, anchor } = target;
      if (addressExists(path)) return missingAnchor(anchor, anchorsAt(path), path);
      const address = path.replace(/[?#].*$/, '');
      if (isPaidAddress(path)) return paidLink(address);
      return `links to ${address}, which is not a page of this site; correct or delete the link`;
    }
    case 'text':
      return missingAnchor(target.anchor, anchorsAt(target.path), target.file);
    case 'outside':
      return `links to ${url}, which is outside of this publication; correct or delete the link`;
    case 'file':
      return unpublishedFile(url, target.file, fileState(target.file));
  }
}

function missingAnchor(anchor: string, anchors: ReadonlySet<string> | undefined, where: string): string | undefined {
  if (anchors === undefined || anchor === '' || anchor === 'top' || anchors.has(anchor) || isPageId(anchor)) return undefined;
  // Sources, references to them, and footnotes have numbered ids; text fragments (#:~:text=) have none.
  if (/^(?:source|ref|(?:user-content-)?fn(?:ref)?)-|^:~:/.test(anchor)) return undefined;
  const near = suggestName(anchor, [...anchors]);
  const remedy = near === undefined ? 'correct or delete the link' : `did you mean #${near}?`;
  return `links to #${anchor}, but ${where} has no such heading; ${remedy}`;
}

function paidLink(target: string): string {
  return `links to ${target}, which is paid and not published without payments; only a paid text may link to a paid one, so delete the link`;
}

function unpublishedFile(url: string, file: string, state: ReturnType<LinkRules['fileState']>): string | undefined {
  switch (state) {
    case 'published':
      return undefined;
    case 'draft':
      return `links to ${url}, which is a draft; publish it too, or delete the link`;
    case 'paid':
      return paidLink(file);
    case 'unpublished':
      return `links to ${file}, which is not published; put it into public/ and link to it as /<name>`;
    case 'missing':
      return `links to ${url}, but there is no file ${file}; correct or delete the link`;
  }
}

export interface ReferringText {
  readonly path: string;
  readonly parts: readonly ReferringLink[];
  readonly bodyLine: number;
  readonly picture?: { readonly file: string; readonly line: number } | undefined;
}

/** Resolves links and images that lead to other files of the publication, and reads the files that are no texts. */
export async function readReferences(
  root: string,
  texts: readonly ReferringText[],
  addresses: TextAddresses,
  brokenLevel: ContentLevel | undefined,
): Promise<{
  readonly byFile: ReadonlyMap<string, TextReferences>;
  readonly media: readonly MediaFile[];
  readonly problems: readonly ContentProblem[];
}> {
  const byFile = new Map<string, TextReferences>();
  const media = new Map<string, MediaFile>();
  const problems: ContentProblem[] = [];
  const add = async (found: Record<string, TextReference>, url: string, file: string): Promise<string | undefined> => {
    const read = media.get(file) ?? (await readMediaFile(root, file));
    if ('problem' in read) return read.problem;
    media.set(file, read);
    found[url] = { href: read.path, ...(read.image ? { image: read.image } : {}) };
    return undefined;
  };
  for (const { path, parts, bodyLine, picture } of texts) {
    const found: Record<string, TextReference> = {};
    if (picture !== undefined) {
      const problem = await add(found, picture.file, `public${picture.file}`);
      if (problem !== undefined)
        problems.push({ file: path, line: picture.line, field: 'image.file', message: `names ${picture.file}, ${problem}` });
    }
    for (const { url, line, isImage, alt } of parts) {
      const report = (message: string, level: ContentLevel | undefined): void => {
        if (level !== undefined) problems.push({ file: path, line: bodyLine + line - 1, field: 'text', message, level });
      };
      const target = resolveLink(url, path, addresses);
      if (target.kind === 'text') found[url] = { href: target.href };
      if (isImage && alt?.trim() === '')
        report(`shows ${url} without alternative text; describe it in the brackets: ![…](${url})`, 'warning');
      const elsewhere = 'which becomes a link: pages load nothing from elsewhere; save the image beside the text';
      if (isImage && target.kind === 'external') report(`shows ${url} from another site, ${elsewhere}`, 'warning');
      const file = fileOf(target);
      // Links to nothing, to drafts and to other types are mistakes of links, which checkTexts() reports.
      if (file === undefined || (!isImage && !(isMediaFile(file) && existsSync(join(root, file))))) continue;
      const problem = await add(found, url, file);
      if (problem !== undefined) report(`${isImage ? 'shows' : 'links to'} ${url}, ${problem}`, brokenLevel);
    }
    if (Object.keys(found).length > 0) byFile.set(path, found);
  }
  return { byFile, media: [...media.values()].sort((a, b) => (a.file < b.file ? -1 : 1)), problems };
}

/** The file that a link leads to, at its own address too. */
function fileOf(target: ReturnType<typeof resolveLink>): string | undefined {
  if (target.kind === 'file') return target.file;
  return target.kind === 'address' && isMediaFile(target.path) ? `public${decoded(target.path)}` : undefined;
}
