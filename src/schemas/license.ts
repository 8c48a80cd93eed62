import deprecatedIds from 'spdx-license-ids/deprecated.json' with { type: 'json' };
import currentIds from 'spdx-license-ids/index.json' with { type: 'json' };
import { License } from './primitives.ts';

/**
 * Identifiers of the SPDX licence list. Those that the list has deprecated still name their licence, and a version that is frozen can
 * take no other.
 */
const LISTED: ReadonlySet<string> = new Set<string>([...currentIds, ...deprecatedIds]);

/** The same in lower case, for whoever wrote one otherwise. */
const WRITTEN: ReadonlyMap<string, string> = new Map([...LISTED].map((id) => [id.toLowerCase(), id]));

/**
 * Licence that an author or an agent may name: one identifier of the SPDX licence list, as it is written there. An expression of
 * several, or a `LicenseRef-`, has no page below https://spdx.org/licenses/, by which records name the licence.
 */
export const ListedLicense = License.refine((id) => LISTED.has(id), {
  error: ({ input }) => {
    const written = typeof input === 'string' ? WRITTEN.get(input.toLowerCase()) : undefined;
    return written === undefined
      ? 'must be an identifier of the SPDX licence list (https://spdx.org/licenses/), such as CC-BY-4.0'
      : `must be written "${written}"`;
  },
});
