import type { LoggedChange } from '../../provenance/change-log.ts';
import type { PublishedCapsule } from '../../publication/capsules/published-capsules.ts';

/**
 * Gives every head the day of the newest event of its capsule, if that is after the day of its newest version: a head that states
 * another state is issued later than the one before it, and so cannot be taken for it.
 */
export function dateHeads(capsules: readonly PublishedCapsule[], log: readonly LoggedChange[]): PublishedCapsule[] {
  const days = new Map<string, string>();
  for (const { capsule_id, date } of log) if (date > (days.get(capsule_id) ?? '')) days.set(capsule_id, date);
  return capsules.map((capsule) => {
    const { statement, signatures } = capsule.lineage.head;
    const day = days.get(capsule.id);
    const issued = day === undefined || `${day}T00:00:00Z` <= statement.issued ? statement.issued : `${day}T00:00:00Z`;
    return { ...capsule, lineage: { ...capsule.lineage, head: { statement: { ...statement, issued }, signatures } } };
  });
}
