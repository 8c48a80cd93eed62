import * as z from 'zod';
import { CorpusStats } from '../../schemas/knowledge/corpus-lists.ts';
import { PATHS } from '../../schemas/paths.ts';
import type { LiveVersion } from './plan-collection.ts';

/** Longest time to wait for the deployed service, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** What of a status is looked at: the deployed service may be older than this command. */
const LiveStatus = z.object({ corpus: CorpusStats.pick({ corpus_version: true }) });

/** Asks the deployed service which generation it answers from. */
export async function findLiveVersion(baseUrl: string): Promise<LiveVersion> {
  const address = `${baseUrl}${PATHS.publicCapsules}/status`;
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) return { unknown: `${address} answered with ${response.status}` };
    return { version: LiveStatus.parse(await response.json()).corpus.corpus_version };
  } catch {
    return { unknown: `${address} did not answer with a status` };
  }
}
