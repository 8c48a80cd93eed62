import { sha256Hex } from '../../provenance/bytes.ts';
import { bodyText } from '../../publication/lint/markdown.ts';
import type { CapsuleProposal, CorrectionProposal } from '../../schemas/intake/intake.ts';
import type { StoredVersion } from '../../schemas/knowledge/generation.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { capsulePath } from '../../schemas/paths.ts';
import { search } from '../../search/query/search.ts';
import type { Generation } from '../knowledge/generation.ts';
import { type Fault, ok, type Result, refuse } from '../result.ts';
import { checkCapsuleProposal, checkCorrection } from './check-proposal.ts';

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
