import { sha256Hex } from '../../provenance/bytes-and-sha256.ts';
import { type CapsuleProposal, type CorrectionProposal, type IntakeRequest, PROPOSAL_BOUNDS } from '../../schemas/intake/proposals.ts';
import type { CapsuleSource } from '../../schemas/knowledge/capsule-fields.ts';
import type { StoredVersion } from '../../schemas/knowledge/generation-manifest.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { capsuleApiPath, capsulePath } from '../../schemas/paths.ts';
import { search } from '../../search/query/search.ts';
import { type AuthoredFinding, checkAuthored, PLACEHOLDER } from '../../text/check/check-text.ts';
import { findInstructions } from '../../text/check/find-instructions.ts';
import { findHiddenCharacters } from '../../text/check/hidden-characters.ts';
import { bodyText, parseMarkdownOnce } from '../../text/markdown/markdown-tree.ts';
import { get } from '../error-next-actions.ts';
import { errorEntry } from '../errors.ts';
import { suggestCapsules } from '../knowledge/read-capsule.ts';
import type { Generation } from '../knowledge/read-generation.ts';
import { type FieldError, ok, type Result, refuse } from '../result.ts';

const MESSAGE_MAX_LENGTH = 200;

/** Errors in any text of a proposal: hidden characters, instructions to readers, and placeholders. */
export function checkFields(proposal: IntakeRequest): FieldError[] {
  return stringsOf(proposal, '').flatMap(({ pointer, text }) => {
    const at = (line: number): string => (text.includes('\n') ? `line ${line}: ` : '');
    return [
      ...findHiddenCharacters(text).map(({ line, codePoint }) => `${at(line)}contains the hidden character ${codePoint}; remove it`),
      ...findInstructions(text).map(({ line, message }) => `${at(line)}${message}`),
      ...(text.includes(PLACEHOLDER) ? [`contains a placeholder that begins with "${PLACEHOLDER}"`] : []),
    ].map((message) => ({ pointer, message }));
  });
}

function checkCapsuleProposal({ metadata, markdown }: CapsuleProposal, linkExists: (path: string) => boolean, today: string): FieldError[] {
  const findings = checkAuthored(
    { sources: metadata.sources, markdown: bodyText(markdown) },
    { linkExists, today, parse: parseMarkdownOnce },
  );
  return [
    ...findings.map((finding) => errorOf(finding, finding.path[0] === 'markdown' ? '' : '/metadata')),
    ...(['derived_from', 'cites'] as const).flatMap((field) =>
      metadata[field].flatMap((id, index) =>
        metadata[field].indexOf(id) === index ? [] : [{ pointer: `/metadata/${field}/${index}`, message: `names "${id}" twice` }],
      ),
    ),
  ];
}

export function applyCorrection(
  { quote, replacement }: Pick<CorrectionProposal, 'quote' | 'replacement'>,
  markdown: string,
): { readonly markdown: string } | { readonly error: FieldError } {
  const at = markdown.indexOf(quote);
  if (at === -1) return { error: { pointer: '/quote', message: 'does not occur in the text; copy it exactly, including its markdown' } };
  if (markdown.includes(quote, at + 1))
    return { error: { pointer: '/quote', message: 'occurs more than once in the text; quote more of the context' } };
  if (quote === replacement) return { error: { pointer: '/replacement', message: 'is the same as the quote' } };
  return { markdown: bodyText(markdown.slice(0, at) + replacement + markdown.slice(at + quote.length)) };
}

function checkCorrection(
  correction: CorrectionProposal,
  capsule: { readonly sources: readonly CapsuleSource[]; readonly markdown: string },
  linkExists: (path: string) => boolean,
  today: string,
): FieldError[] {
  const corrected = applyCorrection(correction, capsule.markdown);
  if ('error' in corrected) return [corrected.error];
  const sources = [...capsule.sources, ...correction.sources];
  if (sources.length > PROPOSAL_BOUNDS.sources.max)
    return [
      {
        pointer: '/sources',
        message: `brings the capsule to ${sources.length} sources; at most ${PROPOSAL_BOUNDS.sources.max} are allowed`,
      },
    ];
  const findings = checkAuthored({ sources, markdown: corrected.markdown }, { linkExists, today, parse: parseMarkdownOnce });
  return findings.map(({ path, line, message }) => {
    const [, index, member] = path;
    if (path[0] === 'markdown') return { pointer: '/replacement', message: tidy(`line ${line} of the corrected text ${message}`) };
    return { pointer: `/sources/${Number(index) - capsule.sources.length}/${String(member)}`, message: tidy(message) };
  });
}

function errorOf({ path, line, message }: AuthoredFinding, parent: string): FieldError {
  const pointer = `${parent}${path.map((part) => `/${String(part)}`).join('')}`;
  return { pointer, message: tidy(line === undefined ? message : `line ${line}: ${message}`) };
}

function tidy(message: string): string {
  const plain = message.replace(/[^\x20-\x7e]/g, '?');
  return plain.length > MESSAGE_MAX_LENGTH ? `${plain.slice(0, MESSAGE_MAX_LENGTH)}...` : plain;
}

function stringsOf(value: unknown, pointer: string): { pointer: string; text: string }[] {
  if (typeof value === 'string') return [{ pointer, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => stringsOf(member, `${pointer}/${name}`));
}

function published(id: string, detail: string) {
  const nextActions = [get('Read the capsule.', capsuleApiPath(id)), ...errorEntry('already_published').nextActions];
  return refuse('already_published', detail, { nextActions });
}

const SITE_LINKS_MAX = 40;

export async function examineCapsule(proposal: CapsuleProposal, generation: Generation, today: string): Promise<Result<FieldError[]>> {
  const { metadata, markdown } = proposal;
  if ((await generation.capsule(proposal.capsule_id)) !== undefined)
    return published(proposal.capsule_id, `A capsule has the id "${proposal.capsule_id}". Propose another id, or a correction.`);
  const { errors, targets } = withLinks((linkExists) => checkCapsuleProposal(proposal, linkExists, today));
  const known = await publishedOf([...metadata.derived_from, ...metadata.cites], targets, generation);
  const same = errors.length > 0 ? undefined : await capsuleOfText(bodyText(markdown), generation);
  if (same !== undefined) return published(same, `The capsule "${same}" has the same text.`);
  const lost = (['derived_from', 'cites'] as const).flatMap((field) =>
    metadata[field].flatMap((id, index) =>
      known.has(id) ? [] : [{ pointer: `/metadata/${field}/${index}`, message: 'names a capsule that is not published' }],
    ),
  );
  return ok([...errors, ...lost, ...brokenLinks('/markdown', targets, known)]);
}

export async function examineCorrection(
  proposal: CorrectionProposal,
  generation: Generation,
  today: string,
): Promise<Result<FieldError[]>> {
  const capsule = await generation.capsule(proposal.capsule_id);
  if (capsule === undefined) {
    const [didYouMean] = await suggestCapsules(proposal.capsule_id, generation);
    return ok([{ pointer: '/capsule_id', message: 'names a capsule that is not published', ...(didYouMean && { didYouMean }) }]);
  }
  const { version, versions, sources } = capsule.metadata;
  if (proposal.version !== version && versions.some((entry) => entry.version === proposal.version))
    return published(proposal.capsule_id, `The capsule is now at version ${version}. Read that, and correct it if it still needs it.`);
  if (proposal.version !== version)
    return ok([{ pointer: '/version', message: `is not a version of the capsule; the newest is ${version}` }]);
  const { markdown } = capsule;
  // Must not reveal whether a paid text contains a passage.
  if (markdown === undefined) return ok([{ pointer: '/capsule_id', message: 'names a paid capsule; send corrections to the publisher' }]);
  const { errors, targets } = withLinks((linkExists) => checkCorrection(proposal, { sources, markdown }, linkExists, today));
  // Links of the published text are valid: only those of the replacement are checked.
  const added = { ...targets, ids: targets.ids.filter((id) => !markdown.includes(capsulePath(id))) };
  return ok([...errors, ...brokenLinks('/replacement', added, await publishedOf([], added, generation))]);
}

interface LinkTargets {
  readonly ids: readonly string[];
  readonly hasOthers: boolean;
}

/** Runs checks that need to know whether links exist, and collects the links, so that the corpus is read once, later. */
function withLinks(check: (linkExists: (path: string) => boolean) => FieldError[]): { errors: FieldError[]; targets: LinkTargets } {
  const paths = new Set<string>();
  const errors = check((path) => {
    paths.add(path);
    return true;
  });
  const prefix = capsulePath('');
  const ids = [...paths].filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
  return { errors, targets: { ids, hasOthers: ids.length < paths.size } };
}

/** Ids of published capsules among `related` and the first links. {@link brokenLinks} reports more links. */
async function publishedOf(related: readonly string[], { ids }: LinkTargets, generation: Generation): Promise<ReadonlySet<string>> {
  const wanted = [...new Set([...related, ...ids.slice(0, SITE_LINKS_MAX)])];
  const found = await generation.newestOf(wanted);
  return new Set(wanted.filter((_, index) => found[index] !== undefined));
}

function brokenLinks(pointer: string, { ids, hasOthers }: LinkTargets, known: ReadonlySet<string>): FieldError[] {
  if (ids.length > SITE_LINKS_MAX) return [{ pointer, message: `links to ${ids.length} capsules; at most ${SITE_LINKS_MAX} are allowed` }];
  const broken = ids.filter((id) => !known.has(id)).length;
  const messages = [
    ...(hasOthers ? [`links to a page of this site that is not a capsule; link only to ${capsulePath('<id>')}`] : []),
    ...(broken === 1 ? ['links to a capsule that is not published'] : []),
    ...(broken > 1 ? [`links to ${broken} capsules that are not published`] : []),
  ];
  return messages.map((message) => ({ pointer, message }));
}

/** Id of a capsule with the same text in any version. It ranks among the first for the beginning of its text. */
async function capsuleOfText(markdown: string, generation: Generation): Promise<string | undefined> {
  const query = markdown.slice(0, LIMITS.queryMaxLength);
  const [sha256, { results }] = await Promise.all([sha256Hex(markdown), search(await generation.index(), query, { limit: 10 })]);
  const candidates = await generation.capsules(results.map(({ number }) => number));
  const hasText = ({ metadata }: StoredVersion): boolean => metadata.versions.some(({ content_sha256 }) => content_sha256 === sha256);
  return candidates.find(hasText)?.metadata.capsule_id;
}
