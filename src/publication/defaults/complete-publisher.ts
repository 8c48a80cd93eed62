import { NO_LICENSE } from '../../schemas/no-license.ts';
import type { Publisher, WrittenPublisher } from '../../schemas/publisher.ts';
import { fileDates, gitDates } from './text-dates.ts';

/**
 * The publisher with all defaults: the identity is the host of `base_url` (did:web), texts have no licence unless one is stated, and the day
 * of the newest change is that of the file.
 *
 * @param file Path of publisher.yaml from the folder `root`.
 */
export async function completePublisher(root: string, file: string, written: WrittenPublisher): Promise<Publisher> {
  const { tagline = written.name, description = tagline, issuer, license = NO_LICENSE, updated } = written;
  return {
    ...written,
    tagline,
    description,
    license,
    issuer: issuer ?? didOf(written.base_url),
    updated: updated ?? ((await gitDates(root, file)).get(file) ?? (await fileDates(root, file))).updated,
  };
}

/** The did:web of a host, whose port is percent-encoded (did:web method specification, section 3.1). */
function didOf(baseUrl: string): string {
  return `did:web:${new URL(baseUrl).host.replace(':', '%3A')}`;
}
