import type { ChangeEvent, ChangesParameters, ChangesResponse, CorpusManifest } from '../../schemas/knowledge/corpus-responses.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import { DEPLOY_SETTLES_SECONDS } from '../errors.ts';
import { ok, type Result, refuse } from '../result.ts';
import { type Corpus, withCorpus } from './corpus.ts';

export interface ChangesContext {
  readonly manifest: CorpusManifest;
  readonly baseUrl: string;
}

/** Events after a position: the count and digest of the caller's events, which are compared with this log, so that no event is missed. */
export function readChanges(parameters: ChangesParameters, corpus: Corpus, context: ChangesContext): Promise<Result<ChangesResponse>> {
  return withCorpus(corpus, async () => {
    const { newest } = corpus;
    const held = readPosition(parameters.cursor ?? BEGINNING);
    const limit = Math.min(parameters.limit ?? LIMITS.changesLimitDefault, LIMITS.changesLimitMax);
    if (held.count > newest.manifest.changes.count)
      // Usually an older deployment responded, for about a minute.
      return refuse(
        'feed_restarted',
        'The change log ends before this position. An older deployment may have responded, for instance within a minute of a deploy: retry before you download the bundle. If it persists, the site was rolled back, the log was restarted, or the cursor is from another site.',
        { retryAfterSeconds: DEPLOY_SETTLES_SECONDS },
      );
    // The caller's last event is read again: its digest covers all earlier ones.
    const before = Math.max(0, held.count - 1);
    const events = await newest.changes(before, held.count - before + limit);
    if (held.count > 0 && events.shift()?.digest !== held.digest)
      return refuse(
        'feed_restarted',
        'The change log does not hold this position: it was restarted, or the cursor is from another site. Download the bundle that the manifest names, then continue from the position that it states.',
      );
    const { corpus_digest, changes } = newest.manifest;
    return ok(changesResponse(events, held, { corpus_version: newest.version, corpus_digest, total: changes.count }, context));
  });
}

export function wholeLog(events: readonly ChangeEvent[], corpusVersion: string, context: ChangesContext): ChangesResponse {
  const { corpusDigest, changes } = context.manifest.statement;
  const corpus_digest = corpusDigest.slice('sha256:'.length);
  const start = { count: 0, digest: null };
  return changesResponse(events, start, { corpus_version: corpusVersion, corpus_digest, total: changes.count }, context);
}

const BEGINNING = '0';

interface Position {
  readonly count: number;
  readonly digest: string | null;
}

function changesResponse(
  events: readonly ChangeEvent[],
  position: Position,
  { corpus_version, corpus_digest, total }: Pick<ChangesResponse, 'corpus_version' | 'corpus_digest' | 'total'>,
  { manifest, baseUrl }: ChangesContext,
): ChangesResponse {
  const last = events.at(-1) ?? position;
  return {
    corpus_version,
    corpus_digest,
    changes: [...events],
    cursor: last.digest === null ? BEGINNING : `${last.count}.${last.digest.slice('sha256:'.length)}`,
    has_more: last.count < total,
    total,
    manifest,
    manifest_url: baseUrl + PATHS.mirrorManifest,
  };
}

function readPosition(cursor: string): Position {
  const [count = BEGINNING, digest] = cursor.split('.');
  return { count: Number(count), digest: digest === undefined ? null : `sha256:${digest}` };
}
