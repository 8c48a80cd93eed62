import type { DeployedGeneration } from '../gateway/knowledge/corpus.ts';
import type { FormerCapsules } from '../gateway/knowledge/read-capsule.ts';
import type { LoggedChange, Removal } from '../provenance/change-log.ts';
import type { ChainLink } from '../provenance/lineage-records.ts';
import type { AuthoredContent } from '../publication/authored-content.ts';
import { isReservedHost } from '../publication/check/check-offers.ts';
import { type ContentProblem, fileProblem } from '../publication/content-problem.ts';
import { recordsOf, renamedTo } from '../publication/publish/lineage-proof.ts';
import { LEDGER_FILE, type LedgerVersion, type PublishedLedger } from '../publication/read/version-ledger.ts';
import { PUBLISHER_FILE } from '../publication/read-publisher.ts';
import { presentIds } from '../publication/resolve/capsule-ids.ts';
import type { Deployment } from '../schemas/deployment.ts';
import type { BuiltState } from './kv/publishing-state.ts';

/** A problem for every version in the ledger that is missing, or whose record differs now. */
export async function checkPublishedVersions(content: AuthoredContent, ledger: PublishedLedger): Promise<ContentProblem[]> {
  const former = content.capsules.flatMap((capsule) => capsule.frontMatter.formerly.map((id) => ({ ...capsule, id })));
  const versions = await versionsOf({ ...content, capsules: [...content.capsules, ...former] });
  const present = new Map(versions.map((version) => [nameOf(version), version]));
  const published = [...ledger.versions.values()].flat().filter(({ capsule }) => !ledger.takenDown.has(capsule));
  const isChanged = (version: LedgerVersion): boolean => present.get(nameOf(version))?.record !== version.record;
  if (published.length > 1 && published.every((version) => isChanged(version) && present.get(nameOf(version))?.text === version.text))
    return [
      fileProblem(
        PUBLISHER_FILE,
        'has another issuer, license, language or author than when the capsules were published, so that every published record would change. Restore it: after a change of base_url alone, "issuer: did:web:<the host before>" keeps the issuer. For another license, language or author, run "npm run revise <id>" for each capsule, which keeps the published record and makes a new version. Another issuer is another publication: to begin it, delete content/published.jsonl and .akg/published.json; readers then see all capsules as revised',
      ),
    ];
  const owners = new Map(
    content.capsules.flatMap((capsule) => [capsule.id, ...capsule.frontMatter.formerly].map((id) => [id, capsule] as const)),
  );
  return published.filter(isChanged).map((version): ContentProblem => {
    const { capsule: id } = version;
    const owner = owners.get(id);
    return {
      file: owner?.file ?? `content/capsules/${id}.md`,
      line: 1,
      field: owner === undefined ? '' : 'version',
      message: describeChange(version, present.get(nameOf(version)), owner?.id),
    };
  });
}

/** @param owner Present id of the capsule; `undefined` without its file. */
function describeChange({ capsule: id, version, text }: LedgerVersion, present: LedgerVersion | undefined, owner: string | undefined) {
  if (owner === undefined)
    return `version ${version} was published and is missing; restore the file. To change its id, use "npm run rename ${id} <new-id>"; to withdraw the claim, add "retracted" to it; to remove the text for good, use "npm run take-down ${id} -- --reason …"`;
  if (present === undefined)
    return `version ${version} was published and is missing; restore it, or run "npm run revise ${owner}", which finds and freezes it`;
  if (present.text === text)
    return `version ${version} was published with other front matter, or with another issuer or other defaults in publisher.yaml, and must not change; restore it (after a change of base_url, "issuer: did:web:<the host before>" keeps the issuer), or run "npm run revise ${owner}", which makes it a new version`;
  return `version ${version} was published and must not change; run "npm run revise ${owner}", which freezes the published text and keeps your edit as a new version, or restore the file`;
}

/** Warnings about versions of a build that the ledger lacks, as it may be uploaded; none for an address that is not on the internet. */
export async function checkUploadedBuild(
  content: AuthoredContent,
  uploaded: Pick<BuiltState, 'mode' | 'versions'> | undefined,
  ledger: PublishedLedger,
): Promise<ContentProblem[]> {
  const { base_url } = content.publisher;
  if (uploaded === undefined || !base_url.startsWith('https:') || isReservedHost(base_url)) return [];
  const recorded = new Set([...ledger.versions.values()].flat().map(nameOf));
  const missing = uploaded.versions.filter((version) => !recorded.has(nameOf(version)));
  if (missing.length === 0) return [];
  const present = new Map((await versionsOf(content)).map((version) => [nameOf(version), version.record]));
  const files = new Map(content.capsules.map(({ id, file }) => [id, file]));
  const changed = missing.filter((version) => files.has(version.capsule) && present.get(nameOf(version)) !== version.record);
  return [
    fileProblem(
      LEDGER_FILE,
      `lacks ${missing.length === 1 ? 'a version' : `${missing.length} versions`} of the newest build. Once the build is online, run "npm run publish:kv${uploaded.mode === 'static' ? ' -- --static' : ''}" and commit this file, so that published texts are protected`,
      'warning',
    ),
    ...changed.map(
      ({ capsule, version }): ContentProblem => ({
        file: files.get(capsule) ?? LEDGER_FILE,
        line: 1,
        field: 'version',
        message: `version ${version} is another text than in the newest build. If that build is online, run "npm run revise ${capsule}", which keeps both`,
        level: 'warning',
      }),
    ),
  ];
}

function nameOf({ capsule, version }: Pick<LedgerVersion, 'capsule' | 'version'>): string {
  return `${capsule}@${version}`;
}

export async function versionsOf({ capsules, publisher }: Pick<AuthoredContent, 'capsules' | 'publisher'>): Promise<LedgerVersion[]> {
  const all = await Promise.all(
    capsules.map(async (capsule) => {
      const authored = [...capsule.frozen, capsule];
      return (await recordsOf(capsule, publisher)).map((link, at) => ledgerVersion(link, authored[at]?.frontMatter.created));
    }),
  );
  return all.flat();
}

function ledgerVersion({ record, recordDigest }: ChainLink, created: string | undefined): LedgerVersion {
  return {
    capsule: record.id,
    version: record.version,
    updated: record.issued.slice(0, 'YYYY-MM-DD'.length),
    ...(created === undefined ? {} : { created }),
    text: record.digest['sha-256'],
    record: recordDigest.replace(/^sha256:/, ''),
  };
}

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
  return new Map([
    ...[...formerIdsOf(content)].map(([id, now]): [string, Removal] => [id, { reason: renamedTo(now), superseded_by: now }]),
    ...[...content.ledger.takenDown].map(([id, { taken_down, reason }]): [string, Removal] => [id, { reason, date: taken_down }]),
  ]);
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
