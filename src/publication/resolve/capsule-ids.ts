import { capsulePath, RESERVED_CAPSULE_IDS } from '../../schemas/paths.ts';
import type { FileFinding } from '../content-problem.ts';
import type { PublishedLedger } from '../read/version-ledger.ts';

interface NamedCapsule {
  readonly id: string;
  readonly formerly: readonly string[];
}

export function presentIds(capsules: readonly NamedCapsule[]): Map<string, string> {
  return new Map(capsules.flatMap(({ id, formerly }) => formerly.map((former) => [former, id] as const)));
}

/** Checks that no capsule has a reserved id or one that was taken down, and that nothing else has or had a former id. */
export function checkIds(capsules: readonly NamedCapsule[], { takenDown }: PublishedLedger): FileFinding[] {
  const ids = new Set(capsules.map(({ id }) => id));
  const owners = new Map<string, string>();
  const findings: FileFinding[] = [];
  for (const { id, formerly } of capsules) {
    const report = (path: readonly PropertyKey[], message: string): void => void findings.push({ id, path, message });
    if (RESERVED_CAPSULE_IDS.includes(id))
      report([], `has the id "${id}", and ${capsulePath(id)} is the address of another page; rename the file`);
    const gone = takenDown.get(id)?.taken_down;
    if (gone !== undefined)
      report([], `was taken down on ${gone}, and its id stays with its tombstone; delete the file, or write a new text under another id`);
    for (const [index, former] of formerly.entries()) {
      const refuse = (message: string): void => report(['formerly', index], message);
      const owner = owners.get(former);
      if (RESERVED_CAPSULE_IDS.includes(former))
        refuse(`names "${former}", and ${capsulePath(former)} is the address of another page; delete it`);
      else if (former === id) refuse('names the capsule itself; delete it');
      else if (ids.has(former))
        refuse(`names "${former}", which is the id of a capsule; rename the file of that one, because its addresses lead here`);
      else if (owner !== undefined) refuse(`names "${former}", which "${owner}" names too; delete one`);
      else if (takenDown.has(former)) refuse(`names "${former}", which was taken down; delete it`);
      owners.set(former, owner ?? id);
    }
  }
  return findings;
}

/** Checks that no further address of a capsule is that of something else. @param exists Whether the site has a page or a file at an address. */
export function checkFurtherAddresses(
  capsules: readonly { readonly id: string; readonly path: readonly string[] }[],
  exists: (path: string) => boolean,
): FileFinding[] {
  const owners = new Map<string, string>();
  return capsules.flatMap(({ id, path: addresses }) =>
    addresses.flatMap((address, index): FileFinding[] => {
      const page = address.replace(/(?:\/index)?\.html$|\/$/, '');
      const owner = owners.get(page);
      owners.set(page, owner ?? id);
      const path = ['path', index];
      if (page === '' || exists(page) || exists(address))
        return [{ id, path, message: `names ${address}, which is the address of another page; delete it` }];
      if (owner !== undefined && owner !== id) return [{ id, path, message: `names ${address}, which "${owner}" names too; delete one` }];
      return [];
    }),
  );
}
