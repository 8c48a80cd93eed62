import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { draftEditorial, type Editorial } from '../schemas/editorial.ts';
import { PATHS } from '../schemas/paths.ts';
import { ASSET_ENDINGS, isIgnored } from './content-files.ts';
import type { ContentProblem } from './content-problem.ts';
import { checkLink, type LinkRules } from './links/check-link.ts';
import { resolveLink } from './links/resolve-link.ts';
import { levelOf } from './lint/check-text.ts';
import type { CheckedText, SiteAddresses } from './site-addresses.ts';

/** Pages to which the engine adds parts of its own, with their own ids. */
const ENGINE_PARTS: readonly string[] = [PATHS.contact, PATHS.checkout, PATHS.invoice];

/**
 * Reports what the readings of texts found in their markdown, and checks every link between them.
 *
 * @param root Folder of the publication.
 */
export function checkTexts(root: string, texts: readonly CheckedText[], site: SiteAddresses, editorial: Editorial): ContentProblem[] {
  const ofDrafts = draftEditorial(editorial);
  const problems: ContentProblem[] = [];
  const readings = new Map<string, CheckedText['reading']>();
  for (const { path, address, bodyLine, reading } of texts) {
    const report = (line: number, message: string, level?: ContentProblem['level']): void =>
      void problems.push({ file: path, line: bodyLine + line - 1, field: 'text', message, level: level ?? 'error' });
    const { tooComplex } = reading;
    if (tooComplex !== undefined) {
      report(tooComplex.line, tooComplex.message);
      continue;
    }
    for (const { line, message, level } of reading.findings) report(line, message, level);
    if (reading.body === '') report(1, 'has no text below its front matter; write some', 'warning');
    readings.set(address, reading);
  }
  const anchorSets = new Map<string, ReadonlySet<string>>();
  const anchorsAt = (address: string): ReadonlySet<string> | undefined => {
    const reading = readings.get(address);
    const anchors = anchorSets.get(address) ?? (reading && new Set(reading.anchors));
    if (anchors !== undefined) anchorSets.set(address, anchors);
    return anchors;
  };
  const rulesOf = new Map([true, false].map((isPaid) => [isPaid, linkRules(root, site, editorial, isPaid, anchorsAt)]));
  for (const { path, address, bodyLine, isPaid, isDraft, reading } of texts) {
    const { links, blankTargets } = reading;
    const shared = links.length + blankTargets.length === 0 ? undefined : rulesOf.get(isPaid);
    if (shared === undefined) continue;
    // Drafts may link to each other: they are published together.
    const isDraftBeside = (target: string): boolean => site.drafts.has(path) && site.drafts.has(target);
    const rules: LinkRules = { ...shared, fileState: (target) => (isDraftBeside(target) ? 'published' : shared.fileState(target)) };
    const reported = new Set<string>();
    for (const { line, url } of links) {
      const finding = checkLink(url, path, anchorsAt(address) ?? new Set(), rules);
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

/** What is wrong with a link whose target has a blank; `undefined` if it names nothing of the publication. */
function blankTargetMessage(url: string, from: string, { addresses, fileState }: LinkRules): string | undefined {
  const target = resolveLink(url, from, addresses);
  if (target.kind !== 'text' && (target.kind !== 'file' || fileState(target.file) === 'missing')) return undefined;
  return `contains "](${url})", which is no link because of the blank; write (<${url}>), or %20 for each blank`;
}

function linkRules(
  root: string,
  { open, paid, drafts, exists }: SiteAddresses,
  levels: Editorial,
  isPaid: boolean,
  anchorsAt: LinkRules['anchorsAt'],
): LinkRules {
  const isThere = new Map<string, boolean>();
  const isFile = (file: string): boolean => {
    const known = isThere.get(file) ?? existsSync(join(root, file));
    isThere.set(file, known);
    return known;
  };
  return {
    levels,
    addresses: isPaid ? new Map([...open, ...paid]) : open,
    addressExists: (path) => exists(path, isPaid),
    fileState: (file) => {
      if (drafts.has(file)) return 'draft';
      if (!isFile(file)) return 'missing';
      return isPublishedFile(file) ? 'published' : 'unpublished';
    },
    anchorsAt: (path) => (ENGINE_PARTS.includes(path) ? undefined : anchorsAt(path)),
  };
}

/** Whether a file below the publication is published for texts that link to it. */
function isPublishedFile(file: string): boolean {
  if (file.split('/').some(isIgnored)) return false;
  return file.startsWith('public/') || (file.startsWith('content/') && ASSET_ENDINGS.some((ending) => file.toLowerCase().endsWith(ending)));
}
