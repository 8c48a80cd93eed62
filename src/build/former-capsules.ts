import type { DeployedGeneration } from '../gateway/knowledge/corpus.ts';
import type { FormerCapsules } from '../gateway/knowledge/read-capsule.ts';
import type { LoggedChange, Removal } from '../provenance/change-log.ts';
import type { AuthoredContent } from '../publication/authored-content.ts';
import { renamedTo } from '../publication/publish/lineage-proof.ts';
import type { PublishedLedger } from '../publication/read/version-ledger.ts';
import { presentIds } from '../publication/resolve/capsule-ids.ts';
import type { Deployment } from '../schemas/deployment.ts';

function formerIdsOf({ capsules }: AuthoredContent): Map<string, string> {
  return presentIds(capsules.map(({ id, frontMatter }) => ({ id, formerly: frontMatter.formerly })));
}

/** The capsules that were renamed or taken down, or have further addresses; empty without any. */
export function formerCapsules(content: AuthoredContent): FormerCapsules & Pick<Deployment, 'furtherAddresses'> {
  const further = content.capsules.flatMap(({ id, frontMatter }) => frontMatter.path.map((path) => [path, id] as const));
  const former = formerIdsOf(content);
  const gone = [...content.ledger.takenDown].map(([id, { taken_down: date, reason, legal }]) => [id, { date, reason, legal }] as const);
  return {
    ...(further.length === 0 ? {} : { furtherAddresses: Object.fromEntries(further) }),
    ...(former.size === 0 ? {} : { formerIds: Object.fromEntries(former) }),
    ...(gone.length === 0 ? {} : { takenDown: Object.fromEntries(gone) }),
  };
}

/** Why capsules are no longer published under an id, for the change log. */
export function removalsOf(content: AuthoredContent): Map<string, Removal> {
  const renamed = [...formerIdsOf(content)].map(([id, now]): [string, Removal] => [id, { reason: renamedTo(now), superseded_by: now }]);
  const takenDown = [...content.ledger.takenDown].map(([id, { taken_down, reason }]): [string, Removal] => [
    id,
    { reason, date: taken_down },
  ]);
  return new Map([...renamed, ...takenDown]);
}

/** Number of events in the change log up to the last take-down: generations with fewer have a text that was taken down. */
export function eventsOfTakeDowns(log: readonly LoggedChange[], { takenDown }: PublishedLedger): number {
  return log.reduce((count, change) => (change.event === 'removed' && takenDown.has(change.capsule_id) ? change.count : count), 0);
}

/** The generations without a text that was taken down: the others answer no pinned query any more, and their blocks are deleted. */
export function withoutTakenDown<T extends DeployedGeneration>(
  history: readonly T[],
  log: readonly LoggedChange[],
  ledger: PublishedLedger,
): T[] {
  const events = eventsOfTakeDowns(log, ledger);
  return history.filter(({ manifest }) => manifest.changes.count >= events);
}
