import { type AuthoredFinding, checkAuthored, PLACEHOLDER } from '../../publication/lint/check-authored.ts';
import { findInstructions } from '../../publication/lint/find-instructions.ts';
import { findHiddenCharacters } from '../../publication/lint/hidden-characters.ts';
import { bodyText, parseMarkdownOnce } from '../../publication/lint/markdown.ts';
import type { CapsuleProposal, CorrectionProposal, IntakeRequest } from '../../schemas/intake/intake.ts';
import { CAPSULE_SOURCES, type CapsuleSource } from '../../schemas/knowledge/capsule-front-matter.ts';
import type { Fault } from '../result.ts';

/** Longest message, in characters: parts of a proposal that it repeats are cut. */
const MESSAGE_MAX_LENGTH = 200;

/** What every text of a proposal is searched for: characters that nobody sees, words that tell a reader what to do, and placeholders. */
export function checkFields(proposal: IntakeRequest): Fault[] {
  return stringsOf(proposal, '').flatMap(({ pointer, text }) => {
    const at = (line: number): string => (text.includes('\n') ? `line ${line}: ` : '');
    return [
      ...findHiddenCharacters(text).map(({ line, codePoint }) => `${at(line)}holds the hidden character ${codePoint}; remove it`),
      ...findInstructions(text).map(({ line, message }) => `${at(line)}${message}`),
      ...(text.includes(PLACEHOLDER) ? [`still holds a placeholder that begins with "${PLACEHOLDER}"`] : []),
    ].map((message) => ({ pointer, message }));
  });
}

/** What a proposed capsule is held to besides its schema: the rules of published capsules. */
export function checkCapsuleProposal(
  { metadata, markdown }: CapsuleProposal,
  linkExists: (path: string) => boolean,
  today: string,
): Fault[] {
  const findings = checkAuthored(
    { sources: metadata.sources, markdown: bodyText(markdown) },
    { linkExists, today, parse: parseMarkdownOnce },
  );
  return [
    ...findings.map((finding) => faultOf(finding, finding.path[0] === 'markdown' ? '' : '/metadata')),
    ...(['derived_from', 'cites'] as const).flatMap((field) =>
      metadata[field].flatMap((id, index) =>
        metadata[field].indexOf(id) === index ? [] : [{ pointer: `/metadata/${field}/${index}`, message: `names "${id}" twice` }],
      ),
    ),
  ];
}

/** A published capsule, as far as a correction of it is held against it. */
export interface CorrectedCapsule {
  readonly sources: readonly CapsuleSource[];
  readonly markdown: string;
}

/** The text with the passage replaced, or what is wrong with the passage. */
export function applyCorrection(
  { quote, replacement }: Pick<CorrectionProposal, 'quote' | 'replacement'>,
  markdown: string,
): { readonly markdown: string } | { readonly fault: Fault } {
  const at = markdown.indexOf(quote);
  if (at === -1) return { fault: { pointer: '/quote', message: 'does not occur in the text; copy it exactly, with its markdown' } };
  if (markdown.includes(quote, at + 1))
    return { fault: { pointer: '/quote', message: 'occurs more than once in the text; quote more of what is around it' } };
  if (quote === replacement) return { fault: { pointer: '/replacement', message: 'is the same as the quote' } };
  return { markdown: bodyText(markdown.slice(0, at) + replacement + markdown.slice(at + quote.length)) };
}

/** What a correction is held to: the passage occurs once, and the text with the replacement is still a good capsule. */
export function checkCorrection(
  correction: CorrectionProposal,
  capsule: CorrectedCapsule,
  linkExists: (path: string) => boolean,
  today: string,
): Fault[] {
  const corrected = applyCorrection(correction, capsule.markdown);
  if ('fault' in corrected) return [corrected.fault];
  const sources = [...capsule.sources, ...correction.sources];
  if (sources.length > CAPSULE_SOURCES.max)
    return [{ pointer: '/sources', message: `makes ${sources.length} sources of the capsule; at most ${CAPSULE_SOURCES.max} are allowed` }];
  const findings = checkAuthored({ sources, markdown: corrected.markdown }, { linkExists, today, parse: parseMarkdownOnce });
  return findings.map(({ path, line, message }) => {
    const [, index, member] = path;
    if (path[0] === 'markdown') return { pointer: '/replacement', message: tidy(`line ${line} of the corrected text ${message}`) };
    return { pointer: `/sources/${Number(index) - capsule.sources.length}/${String(member)}`, message: tidy(message) };
  });
}

function faultOf({ path, line, message }: AuthoredFinding, parent: string): Fault {
  const pointer = `${parent}${path.map((part) => `/${String(part)}`).join('')}`;
  return { pointer, message: tidy(line === undefined ? message : `line ${line}: ${message}`) };
}

/** A message in printable ASCII and within a bound: some repeat a part of the text. */
function tidy(message: string): string {
  const plain = message.replace(/[^\x20-\x7e]/g, '?');
  return plain.length > MESSAGE_MAX_LENGTH ? `${plain.slice(0, MESSAGE_MAX_LENGTH)}...` : plain;
}

/** Every text in a value, with a pointer to it. */
function stringsOf(value: unknown, pointer: string): { pointer: string; text: string }[] {
  if (typeof value === 'string') return [{ pointer, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => stringsOf(member, `${pointer}/${name}`));
}
