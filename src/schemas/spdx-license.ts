import deprecatedIds from 'spdx-license-ids/deprecated.json' with { type: 'json' };
import currentIds from 'spdx-license-ids/index.json' with { type: 'json' };
import { NO_LICENSE } from './license.ts';
import { License } from './primitives.ts';

/** Identifiers of the SPDX licence list. Deprecated ones still name their licence, and frozen versions cannot change theirs. */
const LISTED: ReadonlySet<string> = new Set<string>([...currentIds, ...deprecatedIds]);

const BY_LOWER_CASE: ReadonlyMap<string, string> = new Map([...LISTED].map((id) => [id.toLowerCase(), id]));

function licenseAmong(isKnown: (id: string) => boolean) {
  return License.refine(isKnown, {
    error: ({ input }) => {
      const written = typeof input === 'string' ? BY_LOWER_CASE.get(input.toLowerCase()) : undefined;
      return written === undefined
        ? 'must be an identifier of the SPDX licence list (https://spdx.org/licenses/), such as CC-BY-4.0'
        : `must be written "${written}"`;
    },
  });
}

/** An identifier of the SPDX licence list; expressions and `LicenseRef-` have no page below https://spdx.org/licenses/, which records refer to. */
export const ListedLicense = licenseAmong((id) => LISTED.has(id));

export const StatedLicense = licenseAmong((id) => LISTED.has(id) || id === NO_LICENSE);
