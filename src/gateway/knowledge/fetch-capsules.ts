import type { CapsuleMetadata } from '../../schemas/knowledge/capsule.ts';
import type { FetchedItem, FetchRequest, FetchResponse } from '../../schemas/knowledge/corpus-responses.ts';
import type { StoredVersion } from '../../schemas/knowledge/generation-manifest.ts';
import { estimateTokens, TOKEN_ESTIMATOR } from '../../schemas/knowledge/token-estimates.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { capsuleVersionPath } from '../../schemas/paths.ts';
import { ok, type Result } from '../result.ts';
import { capsuleResponse, isPaid, paidUrl } from './capsule-response.ts';
import { type Corpus, withCorpus } from './corpus.ts';
import {
  didYouMean,
  type FormerCapsules,
  NO_SUCH_CAPSULE,
  type PaidVersion,
  paymentDetail,
  presentId,
  suggestCapsules,
  takeDownDetail,
  versionsOf,
} from './read-capsule.ts';
import type { Generation } from './read-generation.ts';

/** Several capsules from one generation. A document that exceeds the remaining token budget is left out, and later ones are still tried. */
export function fetchCapsules(
  request: FetchRequest,
  corpus: Corpus,
  baseUrl: string,
  former: FormerCapsules = {},
  open: (metadata: CapsuleMetadata) => Promise<Result<PaidVersion | undefined>> = async () => ok(undefined),
): Promise<Result<FetchResponse>> {
  return withCorpus(corpus, async () => {
    const generation = corpus.newest;
    const asked = request.ids.map((entry): FetchEntry => (typeof entry === 'string' ? { capsule_id: entry } : entry));
    const entries = asked.map((entry): FetchEntry => ({ ...entry, capsule_id: presentId(entry.capsule_id, former) }));
    const newest = await generation.newestOf(entries.map(({ capsule_id }) => capsule_id));
    const suggested = await Promise.all(
      entries.map(({ capsule_id }, at) => (newest[at] === undefined ? suggestCapsules(capsule_id, generation) : [])),
    );
    const found = await Promise.all(entries.map((entry, at) => inVersion(entry, newest[at], generation)));
    const opened = await Promise.all(found.map((stored) => (stored && isPaid(stored.metadata) ? open(stored.metadata) : ok(undefined))));
    const refused = opened.find((one) => !one.ok);
    if (refused?.ok === false) return refused;
    const versions = found.map((stored, at) => {
      const text = opened[at]?.ok ? opened[at].value : undefined;
      return stored && text ? { ...stored, markdown: text.markdown } : stored;
    });
    const tokenBudget = Math.min(request.token_budget, LIMITS.tokenBudgetMax);
    let tokensUsed = 0;
    const returnedAt = new Map<string, number>();
    const items = asked.map((entry, at): FetchedItem => {
      const now = entries[at]?.capsule_id ?? entry.capsule_id;
      const stored = versions[at];
      const item: Outcome = {
        ...(now === entry.capsule_id ? {} : { detail: `The capsule "${entry.capsule_id}" is "${now}" now.` }),
        ...(takenDown(now, former) ??
          repeated(stored, returnedAt) ??
          fetchedItem(stored, newest[at], suggested[at] ?? [], tokenBudget - tokensUsed, baseUrl)),
      };
      if (item.capsule !== undefined) tokensUsed += item.tokens ?? 0;
      if (item.capsule !== undefined && stored !== undefined) returnedAt.set(versionKey(stored), at);
      return { capsule_id: entry.capsule_id, ...(entry.version === undefined ? {} : { version: entry.version }), ...item };
    });
    return ok({
      corpus_version: generation.version,
      items,
      meta: {
        tokens_used: tokensUsed,
        token_budget: tokenBudget,
        token_estimator: TOKEN_ESTIMATOR,
        clamped:
          request.token_budget > tokenBudget ? [{ pointer: '/token_budget', requested: request.token_budget, applied: tokenBudget }] : [],
        content_role: 'data',
      },
    });
  });
}

function takenDown(id: string, { takenDown: all = {} }: FormerCapsules): Outcome | undefined {
  const takeDown = Object.hasOwn(all, id) ? all[id] : undefined;
  return takeDown && { outcome: 'taken_down', detail: takeDownDetail(id, takeDown) };
}

function repeated(stored: StoredVersion | undefined, returnedAt: ReadonlyMap<string, number>): Outcome | undefined {
  const repeats = stored && returnedAt.get(versionKey(stored));
  return repeats === undefined ? undefined : { outcome: 'repeated', repeats };
}

type FetchEntry = Pick<FetchedItem, 'capsule_id' | 'version'>;

function versionKey({ metadata }: StoredVersion): string {
  return `${metadata.capsule_id} ${metadata.version}`;
}

type Outcome = Omit<FetchedItem, keyof FetchEntry>;

async function inVersion(entry: FetchEntry, newest: StoredVersion | undefined, generation: Generation): Promise<StoredVersion | undefined> {
  const { capsule_id, version } = entry;
  if (newest === undefined || version === undefined || version === newest.metadata.version) return newest;
  return generation.capsuleVersion(capsule_id, version);
}

/** The outcome for one entry. A document is returned in its current state, never replaced by another. */
function fetchedItem(
  stored: StoredVersion | undefined,
  newest: StoredVersion | undefined,
  suggested: readonly string[],
  tokensLeft: number,
  baseUrl: string,
): Outcome {
  if (newest === undefined) return { outcome: 'not_found', detail: `${NO_SUCH_CAPSULE} ${didYouMean(suggested)}`.trim() };
  if (stored === undefined)
    return { outcome: 'version_not_found', detail: `The capsule has no such version; it has ${versionsOf(newest)}.` };
  const { metadata, markdown, ...more } = stored;
  if (markdown === undefined)
    return {
      outcome: 'payment_required',
      paid_url: paidUrl(metadata.capsule_id, baseUrl),
      detail: `${paymentDetail(metadata)} It is sold individually, at paid_url.`,
    };
  const capsule = capsuleResponse({ metadata, markdown, ...more }, baseUrl);
  const tokens = estimateTokens(JSON.stringify(capsule));
  if (tokens > tokensLeft) {
    const textUrl = baseUrl + capsuleVersionPath(metadata.capsule_id, metadata.version);
    const textAlone = isPaid(metadata) ? '' : ` Its text alone has ${metadata.tokens}: GET ${textUrl}`;
    const detail = `The capsule costs ${tokens} tokens, and ${tokensLeft} of the budget were left.${textAlone}`;
    return { outcome: 'over_budget', tokens, detail };
  }
  return { outcome: capsule.status === 'current' ? 'ok' : capsule.status, capsule, tokens };
}
