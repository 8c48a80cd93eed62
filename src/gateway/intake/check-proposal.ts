import { sha256Hex } from '../../provenance/bytes.ts';
import { type AuthoredFinding, checkAuthored, PLACEHOLDER } from '../../publication/lint/check-authored.ts';
import { findInstructions } from '../../publication/lint/find-instructions.ts';
import { findHiddenCharacters } from '../../publication/lint/hidden-characters.ts';
import { bodyText, parseMarkdownOnce } from '../../publication/lint/markdown.ts';
import type { CapsuleProposal, CorrectionProposal, IntakeRequest } from '../../schemas/intake/intake.ts';
import { CAPSULE_SOURCES, type CapsuleSource } from '../../schemas/knowledge/capsule-front-matter.ts';
import type { StoredVersion } from '../../schemas/knowledge/generation.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { capsulePath } from '../../schemas/paths.ts';
import { search } from '../../search/query/search.ts';
import type { Generation } from '../knowledge/generation.ts';
import { type Fault, ok, type Result, refuse } from '../result.ts';

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

/** Most pages of this site that a proposal may link to; each is looked up. */
const SITE_LINKS_MAX = 40;

/** Capsules that are looked at to see whether one has the proposed text: the nearest to its beginning. */
const SAME_TEXT_LOOKED_AT = 10;

/** Faults of a proposed capsule, or a refusal because it is published already. */
export async function examineCapsule(proposal: CapsuleProposal, generation: Generation, today: string): Promise<Result<Fault[]>> {
  const { metadata, markdown } = proposal;
  if ((await generation.capsule(proposal.capsule_id)) !== undefined)
    return refuse('already_published', `A capsule has the id "${proposal.capsule_id}" already. Propose another id, or a correction.`);
  const { faults, targets } = withLinks((linkExists) => checkCapsuleProposal(proposal, linkExists, today));
  const known = await publishedOf([...metadata.derived_from, ...metadata.cites], targets, generation);
  const same = faults.length > 0 ? undefined : await capsuleOfText(bodyText(markdown), generation);
  if (same !== undefined) return refuse('already_published', `The capsule "${same}" has this text already.`);
  const lost = (['derived_from', 'cites'] as const).flatMap((field) =>
    metadata[field].flatMap((id, index) =>
      known.has(id) ? [] : [{ pointer: `/metadata/${field}/${index}`, message: 'names a capsule that is not published' }],
    ),
  );
  return ok([...faults, ...lost, ...brokenLinks('/markdown', targets, known)]);
}

/** Faults of a correction, or a refusal because the capsule has changed since it was read. */
export async function examineCorrection(proposal: CorrectionProposal, generation: Generation, today: string): Promise<Result<Fault[]>> {
  const capsule = await generation.capsule(proposal.capsule_id);
  if (capsule === undefined) return ok([{ pointer: '/capsule_id', message: 'names a capsule that is not published' }]);
  const { version, versions, sources } = capsule.metadata;
  if (proposal.version !== version && versions.some((entry) => entry.version === proposal.version))
    return refuse('already_published', `The capsule is now at version ${version}. Read it, and correct that version if it still needs it.`);
  if (proposal.version !== version) return ok([{ pointer: '/version', message: `is no version of the capsule; the newest is ${version}` }]);
  const { markdown } = capsule;
  // Whether a passage stands in a text that is sold is told to nobody.
  if (markdown === undefined)
    return ok([{ pointer: '/capsule_id', message: 'names a capsule whose text is sold; write to the publisher about it' }]);
  const { faults, targets } = withLinks((linkExists) => checkCorrection(proposal, { sources, markdown }, linkExists, today));
  // Links of the published text are good: only those of the replacement are looked up.
  const added = { ...targets, ids: targets.ids.filter((id) => !markdown.includes(capsulePath(id))) };
  return ok([...faults, ...brokenLinks('/replacement', added, await publishedOf([], added, generation))]);
}

/** Root-relative links of a text: ids of capsules that they name, and whether others than capsules are among them. */
interface LinkTargets {
  readonly ids: readonly string[];
  readonly hasOthers: boolean;
}

/** Runs checks that ask whether links lead somewhere, and notes what they ask for: the corpus answers later. */
function withLinks(check: (linkExists: (path: string) => boolean) => Fault[]): { faults: Fault[]; targets: LinkTargets } {
  const paths = new Set<string>();
  const faults = check((path) => {
    paths.add(path);
    return true;
  });
  const prefix = capsulePath('');
  const ids = [...paths].filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
  return { faults, targets: { ids, hasOthers: ids.length < paths.size } };
}

/**
 * Which ids are those of published capsules: of all in `related`, whose number the schema bounds, and of as many links as may be looked
 * up. {@link brokenLinks} tells of more.
 */
async function publishedOf(related: readonly string[], { ids }: LinkTargets, generation: Generation): Promise<ReadonlySet<string>> {
  const wanted = [...new Set([...related, ...ids.slice(0, SITE_LINKS_MAX)])];
  const found = await generation.newestOf(wanted);
  return new Set(wanted.filter((_, index) => found[index] !== undefined));
}

function brokenLinks(pointer: string, { ids, hasOthers }: LinkTargets, known: ReadonlySet<string>): Fault[] {
  if (ids.length > SITE_LINKS_MAX) return [{ pointer, message: `links to ${ids.length} capsules; at most ${SITE_LINKS_MAX} are allowed` }];
  const broken = ids.filter((id) => !known.has(id)).length;
  return [
    ...(hasOthers ? [{ pointer, message: `links to a page of this site that is no capsule; link to ${capsulePath('<id>')} alone` }] : []),
    ...(broken > 0
      ? [
          {
            pointer,
            message: broken === 1 ? 'links to a capsule that is not published' : `links to ${broken} capsules that are not published`,
          },
        ]
      : []),
  ];
}

/** Id of a capsule that has the text, in any version. It ranks among the first for its own beginning. */
async function capsuleOfText(markdown: string, generation: Generation): Promise<string | undefined> {
  const query = markdown.slice(0, LIMITS.queryMaxLength);
  const [sha256, { results }] = await Promise.all([sha256Hex(markdown), search(generation.index, query, { limit: SAME_TEXT_LOOKED_AT })]);
  const near = await generation.capsules(results.map(({ number }) => number));
  const hasText = ({ metadata }: StoredVersion): boolean => metadata.versions.some(({ content_sha256 }) => content_sha256 === sha256);
  return near.find(hasText)?.metadata.capsule_id;
}
