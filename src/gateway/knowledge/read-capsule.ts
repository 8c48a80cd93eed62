import { sha256Hex } from '../../provenance/bytes-and-sha256.ts';
import { priceText } from '../../schemas/commerce/capsule-price.ts';
import type { Deployment } from '../../schemas/deployment.ts';
import type { Capsule, CapsuleSummary } from '../../schemas/knowledge/capsule.ts';
import type { RelatedCapsule, RelatedResponse } from '../../schemas/knowledge/corpus-responses.ts';
import type { PaidText, StoredVersion } from '../../schemas/knowledge/generation-manifest.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { capsuleApiPath, lineageFilePath, relatedApiPath } from '../../schemas/paths.ts';
import { suggestNames } from '../../search/did-you-mean.ts';
import type { Neighbour } from '../../search/format/similar-documents.ts';
import { get, type NextStep } from '../error-next-actions.ts';
import { errorEntry } from '../errors.ts';
import { ok, type Refusal, type Result, refuse } from '../result.ts';
import { capsuleAddresses, capsuleResponse, summaryOf } from './capsule-response.ts';
import { type Corpus, indexUnavailable, withCorpus } from './corpus.ts';
import { BlockBrokenError } from './load-block.ts';
import type { Generation } from './read-generation.ts';

const NAMED_VERSIONS_MAX = 10;

/** A capsule with its text, in its newest or a named version. A paid text is refused with its price. */
export function readCapsule(id: string, version: string | undefined, corpus: Corpus, baseUrl: string): Promise<Result<Capsule>> {
  return withCorpus(corpus, async () => {
    const stored = await findCapsule(id, version, corpus.newest);
    if (!stored.ok) return stored;
    const { metadata, markdown, ...more } = stored.value;
    if (markdown === undefined) return refuse('payment_required', paymentDetail(metadata));
    return ok(capsuleResponse({ metadata, markdown, ...more }, baseUrl));
  });
}

export async function findCapsule(id: string, version: string | undefined, generation: Generation): Promise<Result<StoredVersion>> {
  const newest = await generation.capsule(id);
  if (newest === undefined) return noSuchCapsule();
  const stored = version === undefined ? newest : await generation.capsuleVersion(id, version);
  if (stored !== undefined) return ok(stored);
  return refuse('capsule_not_found', `The capsule "${id}" has no version ${version}; it has ${versionsOf(newest)}.`, {
    errors: [{ pointer: 'version', message: 'is not a version of this capsule', didYouMean: newest.metadata.version }],
    nextActions: [get('Get the newest version.', capsuleApiPath(id)), get('List all versions.', `${capsuleApiPath(id)}/lineage`)],
  });
}

export function versionsOf({ metadata: { versions } }: StoredVersion): string {
  const newest = versions.slice(-NAMED_VERSIONS_MAX).reverse();
  const more = versions.length > newest.length ? ` and ${versions.length - newest.length} earlier ones` : '';
  return newest.map(({ version }) => version).join(', ') + more;
}

export function readVersionText(id: string, version: string, corpus: Corpus, onFallback: () => void): Promise<Result<string>> {
  const read = async (generation: Generation): Promise<Result<string>> => {
    const stored = await generation.capsuleVersion(id, version);
    if (stored === undefined) return unknownIn(generation, corpus);
    return stored.markdown === undefined ? soldText(stored.metadata) : ok(stored.markdown);
  };
  return withCorpus(corpus, () => corpus.read(undefined, read, onFallback));
}

export function soldText(capsule: CapsuleSummary) {
  return refuse('capsule_not_found', `${paymentDetail(capsule)} It is not published here.`);
}

/** Detail for unknown ids, drafts, and text that cannot be an id. */
export const NO_SUCH_CAPSULE = 'No public capsule has this id.';

export function noSuchCapsule() {
  return refuse('capsule_not_found', NO_SUCH_CAPSULE);
}

export function paymentDetail(capsule: CapsuleSummary): string {
  return `The text of "${capsule.capsule_id}" ${capsule.version} costs ${priceText(capsule)}.`;
}

export type PaidVersion = StoredVersion & Omit<PaidText, 'version'>;

/**
 * The verified text of a version of a paid capsule; `undefined` if there is none or it is free. Only for code that has verified the payment.
 *
 * @throws {BlockBrokenError | BlockUnavailableError} If the store lacks the text or does not respond.
 */
export async function readPaidText(generation: Generation, id: string, version: string): Promise<PaidVersion | undefined> {
  const stored = await generation.capsuleVersion(id, version);
  if (stored?.metadata.access !== 'paid') return undefined;
  const text = await generation.paidText(id, version);
  if (text === undefined || (await sha256Hex(text.markdown)) !== stored.metadata.content_sha256)
    throw new BlockBrokenError('the generation lacks the text of a paid capsule');
  return { metadata: stored.metadata, markdown: text.markdown, ...(text.article && { article: text.article }) };
}

/** The capsules that are textually nearest to a capsule, as computed by the build. */
export function similarCapsules(id: string, corpus: Corpus, baseUrl: string, onFallback?: () => void): Promise<Result<RelatedResponse>> {
  const read = async (generation: Generation): Promise<Result<RelatedResponse>> => {
    const number = await generation.documentNumber(id);
    if (number === undefined) return unknownIn(generation, corpus);
    const similar = await similarDocuments(number, generation, LIMITS.relatedMax);
    const stored = await generation.capsules(similar.map(({ document }) => document));
    return ok({
      corpus_version: generation.version,
      capsule_id: id,
      items: stored.map((version, rank) => similarCapsule(version, similar[rank]?.similarity ?? 0, baseUrl)),
    });
  };
  return withCorpus(corpus, () => corpus.read(undefined, read, onFallback));
}

export async function similarDocuments(document: number, generation: Generation, max: number): Promise<Neighbour[]> {
  return (await (await generation.index()).neighbours())?.of(document).slice(0, max) ?? [];
}

/** The refusal of an id that a generation does not have. An earlier generation lacks new capsules, so it proves nothing about an unknown id. */
export function unknownIn(generation: Generation, corpus: Corpus) {
  return generation.version === corpus.version ? noSuchCapsule() : indexUnavailable();
}

function similarCapsule({ metadata }: StoredVersion, similarity: number, baseUrl: string): RelatedCapsule {
  const capsule = summaryOf(metadata);
  return {
    ...capsule,
    ...capsuleAddresses(capsule, baseUrl),
    related_url: baseUrl + relatedApiPath(capsule.capsule_id),
    similarity: Math.round(similarity * 100) / 100,
  };
}

export const SUGGESTED_MAX = 3;

function asId(text: string): string {
  return text
    .toLowerCase()
    .replace(/\.(md|json|html)$/, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, LIMITS.idMaxLength);
}

/** The ids that an unknown one may mean, nearest first. Only ids that begin alike are compared, which are on a page that is read already. */
export async function suggestCapsules(sent: string, generation: Generation): Promise<readonly string[]> {
  const withoutVersion = sent.replace(/@.*$|[:#](?:v?[\d.]+|latest)?$/is, '');
  const id = asId(withoutVersion.replace(/^.*(?::|capsules?\/)/i, ''));
  if (id === '') return [];
  const around = await generation.idsAround(id);
  const same = around.filter((known) => known === id);
  const longer = around.filter((known) => known.startsWith(`${id}-`));
  return [...new Set([...same, ...suggestNames(id, around, SUGGESTED_MAX), ...longer])].slice(0, SUGGESTED_MAX);
}

/** The refusal of an unknown capsule, with the ids that may have been meant; any other refusal as it is. @param stepTo The request with another id. */
export async function withSuggestedCapsules(
  refusal: Refusal,
  sent: string,
  corpus: Corpus,
  stepTo: (id: string) => Partial<NextStep> = () => ({}),
): Promise<Refusal> {
  if (refusal.code !== 'capsule_not_found' || refusal.detail !== NO_SUCH_CAPSULE) return refusal;
  const suggested = await withCorpus(corpus, async () => ok(await suggestCapsules(sent, corpus.newest)));
  const [first] = suggested.ok ? suggested.value : [];
  if (!suggested.ok || first === undefined) return refusal;
  return {
    ...refusal,
    detail: `${NO_SUCH_CAPSULE} ${didYouMean(suggested.value)}`,
    errors: [{ pointer: 'capsule_id', message: 'is not the id of a public capsule', didYouMean: first }],
    nextActions: [
      ...suggested.value.map((id) => ({ ...stepTo(id), description: `Send the request with the id "${id}".` })),
      ...errorEntry(refusal.code).nextActions.filter(({ path }) => path !== undefined),
    ],
  };
}

export function didYouMean(names: readonly string[]): string {
  return names.length === 0 ? '' : `Did you mean ${names.map((name) => `"${name}"`).join(' or ')}?`;
}

export type FormerCapsules = Pick<Deployment, 'formerIds' | 'takenDown'>;

type TakeDown = NonNullable<Deployment['takenDown']>[string];

/** The refusal of a capsule that was taken down: 410, or 451 where the law demanded it. */
export function takenDownRefusal(id: string, takeDown: TakeDown) {
  return refuse(takeDown.legal ? 'capsule_blocked' : 'capsule_taken_down', takeDownDetail(id, takeDown), {
    nextActions: [get('Read its tombstone: id, digests of its versions, day and reason, signed if the site signs.', lineageFilePath(id))],
  });
}

export function takeDownDetail(id: string, { date, reason }: TakeDown): string {
  return `The capsule "${id}" was taken down on ${date}: ${reason}`;
}

export function isFormerId(id: string, { formerIds = {}, takenDown = {} }: FormerCapsules): boolean {
  return Object.hasOwn(formerIds, id) || Object.hasOwn(takenDown, id);
}

/** The id that a capsule has now; the same id if it was never renamed. */
export function presentId(id: string, { formerIds = {} }: FormerCapsules): string {
  return (Object.hasOwn(formerIds, id) ? formerIds[id] : undefined) ?? id;
}
