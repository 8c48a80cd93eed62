import type { LoggedChange } from '../../provenance/change-log.ts';
import { type ChainLink, chainVersions } from '../../provenance/lineage-records.ts';
import type { AuthoredCapsule, Content } from '../../publication/authored-content.ts';
import { versionInput } from '../../publication/capsules/lineage-proof.ts';
import { type ContentProblem, fileProblem } from '../../publication/content-problem.ts';
import type { LedgerVersion, PublishedLedger } from '../../publication/published-ledger.ts';
import { PUBLISHER_FILE } from '../../publication/read-publisher.ts';

const DIGEST_PREFIX = 'sha256:';

/** A problem for every version in the ledger that is missing, or whose record differs now. */
export async function checkPublishedVersions(content: Content, ledger: PublishedLedger): Promise<ContentProblem[]> {
  const present = new Map(
    [...(await versionsOf(content)), ...(await formerVersionsOf(content))].map((version) => [nameOf(version), version]),
  );
  const published = [...ledger.versions.values()].flat().filter(({ capsule }) => !ledger.takenDown.has(capsule));
  const isChanged = (version: LedgerVersion): boolean => present.get(nameOf(version))?.record !== version.record;
  const hasOtherRecord = (version: LedgerVersion): boolean => isChanged(version) && present.get(nameOf(version))?.text === version.text;
  if (published.length > 1 && published.every(hasOtherRecord))
    return [
      fileProblem(
        PUBLISHER_FILE,
        'has another issuer, license, language or author than when the capsules were published, so that every published record would change. Restore it. For another license, language or author, run "npm run revise <id>" for each capsule, which keeps the published record and makes a new version. Another issuer is another publication: to begin it, delete content/published.jsonl and .akg/published.json; readers then see all capsules as revised',
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
function describeChange(
  { capsule: id, version, text }: LedgerVersion,
  present: LedgerVersion | undefined,
  owner: string | undefined,
): string {
  if (owner === undefined)
    return `version ${version} was published and is missing; restore the file. To change its id, use "npm run rename ${id} <new-id>"; to withdraw the claim, add "retracted" to it; to remove the text for good, use "npm run take-down ${id} -- --reason …"`;
  if (present === undefined)
    return `version ${version} was published and is missing; restore it, or run "npm run revise ${owner}", which finds and freezes it`;
  if (present.text === text)
    return `version ${version} was published with other front matter, or with other defaults in publisher.yaml, and must not change; restore it, or run "npm run revise ${owner}", which makes it a new version`;
  return `version ${version} was published and must not change; run "npm run revise ${owner}", which freezes the published text and keeps your edit as a new version, or restore the file`;
}

function nameOf({ capsule, version }: Pick<LedgerVersion, 'capsule' | 'version'>): string {
  return `${capsule}@${version}`;
}

/** All versions in `content/`, as the ledger lists them. */
export async function versionsOf(content: Content): Promise<LedgerVersion[]> {
  const all = await Promise.all(content.capsules.map((capsule) => versionsOfCapsule(capsule, content)));
  return all.flat();
}

/** The same versions under the former ids of their capsules. */
async function formerVersionsOf(content: Content): Promise<LedgerVersion[]> {
  const former = content.capsules.flatMap((capsule) => capsule.frontMatter.formerly.map((id) => ({ ...capsule, id })));
  const all = await Promise.all(former.map((capsule) => versionsOfCapsule(capsule, content)));
  return all.flat();
}

async function versionsOfCapsule(capsule: AuthoredCapsule, { publisher }: Content): Promise<LedgerVersion[]> {
  const { id, frozen, ...newest } = capsule;
  const authored = [...frozen, newest];
  const chain = await chainVersions(authored.map((version) => versionInput(id, version, publisher)));
  return chain.map((link, at) => ledgerVersion(link, authored[at]?.frontMatter.created));
}

/** A version of a chain as the ledger has it. */
function ledgerVersion({ record, recordDigest }: ChainLink, created: string | undefined): LedgerVersion {
  return {
    capsule: record.id,
    version: record.version,
    updated: record.issued.slice(0, 'YYYY-MM-DD'.length),
    ...(created === undefined ? {} : { created }),
    text: record.digest['sha-256'],
    record: recordDigest.slice(DIGEST_PREFIX.length),
  };
}

/** All versions that are published at the end of a change log. */
export function versionsInLog(log: readonly LoggedChange[]): LedgerVersion[] {
  const capsules = new Map<string, Map<string, LedgerVersion>>();
  for (const { event, capsule_id, version, date, record_digest, content_sha256 } of log) {
    if (event === 'removed') capsules.delete(capsule_id);
    else if (event === 'added' || event === 'revised')
      capsules.set(
        capsule_id,
        (capsules.get(capsule_id) ?? new Map<string, LedgerVersion>()).set(version, {
          capsule: capsule_id,
          version,
          updated: date,
          text: content_sha256,
          record: record_digest.slice(DIGEST_PREFIX.length),
        }),
      );
  }
  return [...capsules.values()].flatMap((versions) => [...versions.values()]);
}
