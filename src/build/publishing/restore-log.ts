import { changeDigest, type LoggedChange } from '../../provenance/change-log.ts';
import { readJson } from '../../provenance/verify/json.ts';
import { ChangesResponse } from '../../schemas/knowledge/changes.ts';
import { PATHS } from '../../schemas/paths.ts';
import { PublishRefusedError } from './publish-refused-error.ts';

/**
 * The log of changes of a deployed site of files alone, for the next build to go on with.
 *
 * @throws {PublishRefusedError} If the site does not have it, or has one whose digests do not follow from its events.
 */
export async function restoreLogOfFiles(baseUrl: string): Promise<LoggedChange[]> {
  const address = `${baseUrl}${PATHS.data}/changes.json`;
  const response = await fetch(address).catch(() => undefined);
  const answer = ChangesResponse.safeParse(response?.ok ? await strictJson(response) : undefined);
  if (!answer.success) throw new PublishRefusedError(`${address} did not answer with a log of changes`);
  let before: string | null = null;
  const log: LoggedChange[] = [];
  for (const { digest, count, ...change } of answer.data.changes) {
    const event = withoutAbsent(change);
    if (count !== log.length + 1 || digest !== (await changeDigest(before, event, count)))
      throw new PublishRefusedError(`event ${count} of ${address} does not follow from those before it`);
    log.push({ ...event, count, digest });
    before = digest;
  }
  return log;
}

/** Value of a JSON body that can be read in one way only; `undefined` for any other one. */
async function strictJson(response: Response): Promise<unknown> {
  try {
    return readJson(await response.text());
  } catch {
    return undefined;
  }
}

/** An event without members that are undefined, which have no JSON form. */
function withoutAbsent({ reason, superseded_by, ...change }: Omit<ChangesResponse['changes'][number], 'count' | 'digest'>) {
  return { ...change, ...(reason === undefined ? {} : { reason }), ...(superseded_by === undefined ? {} : { superseded_by }) };
}
