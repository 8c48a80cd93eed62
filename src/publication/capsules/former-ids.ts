import type { LineageProof, Tombstone } from '../../schemas/knowledge/lineage.ts';
import { capsulePath, PATHS, RESERVED_CAPSULE_IDS } from '../../schemas/paths.ts';
import type { Publisher } from '../../schemas/publisher.ts';
import type { AuthoredCapsule, Content } from '../authored-content.ts';
import type { PublishedLedger } from '../published-ledger.ts';
import { lineageProof, recordChain, versionInput } from './lineage-proof.ts';

/** A capsule by the ids that it has and had. */
interface NamedCapsule {
  readonly id: string;
  readonly formerly: readonly string[];
}

/** The present id of every former one. */
export function presentIds(capsules: readonly NamedCapsule[]): Map<string, string> {
  return new Map(capsules.flatMap(({ id, formerly }) => formerly.map((former) => [former, id] as const)));
}

/** A mistake in the ids of a capsule: its field, empty for the file, and what is wrong. */
interface IdFinding {
  readonly id: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Checks that no capsule has a reserved id or one that was taken down, and that nothing else has or had a former id. */
export function checkIds(capsules: readonly NamedCapsule[], { takenDown }: PublishedLedger): IdFinding[] {
  const ids = new Set(capsules.map(({ id }) => id));
  const owners = new Map<string, string>();
  const findings: IdFinding[] = [];
  for (const { id, formerly } of capsules) {
    if (RESERVED_CAPSULE_IDS.includes(id))
      findings.push({
        id,
        path: [],
        message: `has the id "${id}", and ${capsulePath(id)} is the address of another page; rename the file`,
      });
    const gone = takenDown.get(id);
    if (gone !== undefined)
      findings.push({
        id,
        path: [],
        message: `was taken down on ${gone.taken_down}, and its id stays with its tombstone; delete the file, or write a new text under another id`,
      });
    for (const [index, former] of formerly.entries()) {
      const path = ['formerly', index];
      const owner = owners.get(former);
      if (RESERVED_CAPSULE_IDS.includes(former))
        findings.push({ id, path, message: `names "${former}", and ${capsulePath(former)} is the address of another page; delete it` });
      else if (former === id) findings.push({ id, path, message: 'names the capsule itself; delete it' });
      else if (ids.has(former))
        findings.push({
          id,
          path,
          message: `names "${former}", which is the id of a capsule; rename the file of that one, because its addresses lead here`,
        });
      else if (owner !== undefined) findings.push({ id, path, message: `names "${former}", which "${owner}" names too; delete one` });
      else if (takenDown.has(former)) findings.push({ id, path, message: `names "${former}", which was taken down; delete it` });
      owners.set(former, owner ?? id);
    }
  }
  return findings;
}

/**
 * The lineages of a capsule under the ids that it had: the records as they were published, and a head that names the present id. A former id
 * under which nothing was published has none.
 */
export async function formerLineages({ id, frozen, ...newest }: AuthoredCapsule, { publisher, ledger }: Content): Promise<LineageProof[]> {
  const versions = [...frozen, newest];
  const lineages = await Promise.all(
    newest.frontMatter.formerly.map(async (former): Promise<LineageProof[]> => {
      const published = new Set(ledger.versions.get(former)?.map(({ version }) => version));
      const chain = await recordChain(
        versions.filter(({ frontMatter }) => published.has(frontMatter.version)).map((version) => versionInput(former, version, publisher)),
      );
      if (chain.length === 0) return [];
      return [lineageProof(chain, { status: 'superseded', status_reason: renamedTo(id), superseded_by: id }, publisher)];
    }),
  );
  return lineages.flat();
}

/** Why the lineage of a former id ends. */
export function renamedTo(id: string): string {
  return `Renamed: this capsule is at ${capsulePath(id)} now.`;
}

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
