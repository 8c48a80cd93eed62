import type { Tombstone } from '../../schemas/knowledge/tombstone.ts';
import { PATHS } from '../../schemas/paths.ts';
import type { Publisher } from '../../schemas/publisher.ts';
import type { PublishedLedger } from '../published-ledger.ts';

/** The unsigned tombstones of all capsules that were taken down, by ascending id. */
export function tombstonesOf({ takenDown, versions }: PublishedLedger, { issuer, name }: Publisher): Tombstone[] {
  return [...takenDown.values()]
    .map(
      ({ capsule: id, taken_down, reason, legal }): Tombstone => ({
        id,
        versions: [],
        head: {
          statement: {
            $schema: PATHS.tombstoneSchema,
            type: 'Tombstone',
            id,
            issuer: { id: issuer, name },
            status: 'taken_down',
            statusReason: reason,
            legal,
            count: 0,
            versions: (versions.get(id) ?? []).map(({ version, record, text }) => ({
              version,
              recordDigest: `sha256:${record}`,
              digest: { 'sha-256': text },
            })),
            issued: `${taken_down}T00:00:00Z`,
          },
          signatures: [],
        },
      }),
    )
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}
