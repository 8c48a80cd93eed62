import type { FormerCapsules } from '../../gateway/knowledge/former-capsule.ts';
import type { Removal } from '../../provenance/change-log.ts';
import type { Content } from '../../publication/authored-content.ts';
import { presentIds, renamedTo } from '../../publication/capsules/former-ids.ts';

/** Present ids by former ones. */
export function formerIdsOf({ capsules }: Content): Map<string, string> {
  return presentIds(capsules.map(({ id, frontMatter }) => ({ id, formerly: frontMatter.formerly })));
}

/** What the deployment says about renamed and taken down capsules; nothing if there are none. */
export function formerCapsules(content: Content): FormerCapsules {
  const former = formerIdsOf(content);
  const { takenDown } = content.ledger;
  return {
    ...(former.size === 0 ? {} : { formerIds: Object.fromEntries(former) }),
    ...(takenDown.size === 0
      ? {}
      : {
          takenDown: Object.fromEntries(
            [...takenDown].map(([id, { taken_down, reason, legal }]) => [id, { date: taken_down, reason, legal }]),
          ),
        }),
  };
}

/** Why capsules are no longer published under an id, for the change log. */
export function removalsOf(content: Content): Map<string, Removal> {
  const renamed = [...formerIdsOf(content)].map(([id, now]): [string, Removal] => [id, { reason: renamedTo(now), superseded_by: now }]);
  const takenDown = [...content.ledger.takenDown].map(([id, { taken_down, reason }]): [string, Removal] => [
    id,
    { reason, date: taken_down },
  ]);
  return new Map([...renamed, ...takenDown]);
}
