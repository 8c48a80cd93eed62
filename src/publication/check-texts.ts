import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { draftEditorial, type Editorial } from '../schemas/editorial.ts';
import { PATHS } from '../schemas/paths.ts';
import { ASSET_ENDINGS, isIgnored } from './content-files.ts';
import type { ContentProblem } from './content-problem.ts';
import { anchorsOf } from './links/anchors.ts';
import { checkLink, type LinkRules } from './links/check-link.ts';
import { resolveLink } from './links/resolve-link.ts';
import { refuseMarkup } from './lint/check-authored.ts';
import { levelOf, readText, type TextLink } from './lint/check-text.ts';
import { parseText } from './markdown/parse-text.ts';
import { type ReadingMemo, remembered } from './reading-memo.ts';
import type { CheckedText, SiteAddresses } from './site-addresses.ts';

/** Pages to which the engine adds parts of its own, with their own ids. */
const ENGINE_PARTS: readonly string[] = [PATHS.contact, PATHS.checkout, PATHS.invoice];

/** Links of a text, and what they may lead to in it. */
interface Links {
  readonly links: readonly TextLink[];
  readonly blankTargets: readonly TextLink[];
  readonly anchors: ReadonlySet<string>;
}

/** Markup of a publisher's text that a parser cannot handle in reasonable time: a hundred times what strangers may send. */
const COMPLEXITY = { marks: 100_000, lines: 100_000, markers: 60, indent: 400 } as const;

/**
 * Checks texts: their markdown by the house rules, and every link between them.
 *
 * @param root Folder of the publication.
 */
export function checkTexts(
  root: string,
  texts: readonly CheckedText[],
  site: SiteAddresses,
  editorial: Editorial,
  memo?: ReadingMemo,
): ContentProblem[] {
  const ofDrafts = draftEditorial(editorial);
  const settings = JSON.stringify(editorial);
  const problems: ContentProblem[] = [];
  const readings = new Map<CheckedText, Links>();
  for (const text of texts) {
    const { path, file, words, sourceKeys, isDraft } = text;
    const report = (line: number, message: string, level?: ContentProblem['level']): void =>
      void problems.push({ file: path, line: file.bodyLine + line - 1, field: 'text', message, level: level ?? 'error' });
    const from = [file.body, settings, JSON.stringify([words, sourceKeys, isDraft])];
    const reading = remembered(memo, 'checks', path, from, () => readChecked(text, isDraft ? ofDrafts : editorial));
    if ('tooComplex' in reading) {
      report(reading.tooComplex.line, reading.tooComplex.message);
      continue;
    }
    for (const { line, message, level } of reading.findings) report(line, message, level);
    if (file.body === '') report(1, 'has no text below its front matter; write some', 'warning');
    readings.set(text, reading);
  }
  const anchors = new Map([...readings].map(([{ address }, reading]) => [address, reading.anchors]));
  const rulesOf = new Map([true, false].map((isPaid) => [isPaid, linkRules(root, site, editorial, isPaid, anchors)]));
  for (const [{ path, file, isPaid, isDraft }, { links, blankTargets, anchors: own }] of readings) {
    const shared = rulesOf.get(isPaid);
    if (shared === undefined) continue;
    // Drafts may link to each other: they are published together.
    const isDraftBeside = (target: string): boolean => site.drafts.has(path) && site.drafts.has(target);
    const rules: LinkRules = { ...shared, fileState: (target) => (isDraftBeside(target) ? 'published' : shared.fileState(target)) };
    const reported = new Set<string>();
    for (const { line, url } of links) {
      const finding = checkLink(url, path, own, rules);
      const level = finding && levelOf((isDraft ? ofDrafts : editorial)[finding.rule]);
      const message = finding?.message ?? '';
      if (level === undefined || reported.has(`${line} ${message}`)) continue;
      reported.add(`${line} ${message}`);
      problems.push({ file: path, line: file.bodyLine + line - 1, field: 'text', message, level });
    }
    for (const { line, url } of blankTargets) {
      const message = blankTargetMessage(url, path, rules);
      if (message !== undefined) problems.push({ file: path, line: file.bodyLine + line - 1, field: 'text', message, level: 'warning' });
    }
  }
  return problems;
}

/** What a text says by itself. */
function readChecked({ file, words, sourceKeys }: CheckedText, editorial: Editorial) {
  const tooComplex = refuseMarkup(file.body, COMPLEXITY);
  if (tooComplex) return { tooComplex };
  const { findings, links, blankTargets, root } = readText(file.body, { levels: editorial, words, sourceKeys, parse: parseText });
  return { findings, links, blankTargets, anchors: anchorsOf(root) };
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
  anchors: ReadonlyMap<string, ReadonlySet<string>>,
): LinkRules {
  return {
    levels,
    addresses: isPaid ? new Map([...open, ...paid]) : open,
    addressExists: (path) => exists(path, isPaid),
    fileState: (file) => {
      if (drafts.has(file)) return 'draft';
      if (!existsSync(join(root, file))) return 'missing';
      return isPublishedFile(file) ? 'published' : 'unpublished';
    },
    anchorsAt: (path) => (ENGINE_PARTS.includes(path) ? undefined : anchors.get(path)),
  };
}

/** Whether a file below the publication is published for texts that link to it. */
function isPublishedFile(file: string): boolean {
  if (file.split('/').some(isIgnored)) return false;
  return file.startsWith('public/') || (file.startsWith('content/') && ASSET_ENDINGS.some((ending) => file.toLowerCase().endsWith(ending)));
}
