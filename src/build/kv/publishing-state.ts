import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoggedChange } from '../../provenance/change-log.ts';
import { InvalidContentError } from '../../publication/content-problem.ts';
import { replaceFile } from '../../publication/read/content-files.ts';
import {
  extendLedger,
  type LedgerEntry,
  type LedgerOffer,
  type LedgerVersion,
  type PublishedLedger,
  readLedger,
  writeLedger,
} from '../../publication/read/version-ledger.ts';
import type { Deployment } from '../../schemas/deployment.ts';
import type { BlockStorage } from '../../schemas/publisher.ts';
import { BUILD_FOLDER } from '../corpus-blocks/generation-store.ts';
import { isLoopbackOrigin } from '../describe-deployment.ts';

export interface BuiltState {
  /** The change log, which the next publish continues. */
  readonly log: readonly LoggedChange[];
  readonly generation: string;
  readonly baseUrl: string;
  readonly storage: BlockStorage;
  readonly mode: Deployment['mode'];
  readonly versions: readonly LedgerVersion[];
  readonly offers: readonly string[];
  /** Other ids under which its offers were sold; earlier versions of the engine recorded none. */
  readonly aliases?: readonly string[];
  /** The last build of the other mode, whose folder is there as well. */
  readonly other?: BuiltState | undefined;
}

/** Files with what was published, what the newest build would publish, and what the newest local build made. */
const FILES = { published: 'published.json', built: 'built.json', tried: 'tried.json' } as const;

/** The change log that was published from this machine or restored; empty in a new build folder. */
export async function readPublished(root: string): Promise<readonly LoggedChange[]> {
  return (await read(root, FILES.published))?.log ?? [];
}

/** Records a restored change log, and in the ledger its versions and the offers of the site. */
export async function noteRestored(root: string, log: readonly LoggedChange[], offers: readonly LedgerOffer[] = []): Promise<void> {
  await addToLedger(root, [...versionsInLog(log), ...offers]);
  await write(root, FILES.published, { log });
}

/** Records that a build is published now: its change log, and in the ledger its versions and offers. */
export async function noteBuildPublished(root: string, built: BuiltState, today: string): Promise<void> {
  await addToLedger(root, [...built.versions, ...built.offers.map((offer) => ({ offer, published: today }))]);
  await write(root, FILES.published, { log: built.log });
}

/** Adds entries to the ledger of a publication. @throws {InvalidContentError} If its file has mistakes. */
export async function addToLedger(root: string, more: readonly LedgerEntry[]): Promise<void> {
  const { ledger, problems } = await readLedger(root);
  if (problems.length > 0) throw new InvalidContentError(problems);
  await writeLedger(root, extendLedger(ledger, more));
}

/** What was published, as the ledger and the change log of this machine know it. */
export async function publishedLedger(root: string, ledger: PublishedLedger): Promise<PublishedLedger> {
  return extendLedger(ledger, versionsInLog(await readPublished(root)));
}

/** What the newest build for publishing would publish; `undefined` before the first one. */
export async function readBuilt(root: string): Promise<BuiltState | undefined> {
  const built = await read(root, FILES.built);
  // Earlier versions of the engine recorded no address, and the versions as an object.
  return typeof built?.baseUrl === 'string' && Array.isArray(built.versions) ? built : undefined;
}

/** The last build of a mode. One that is not the newest counts only if it continues what was published. */
export async function readBuiltOf(root: string, mode: Deployment['mode']): Promise<BuiltState | undefined> {
  const built = await readBuilt(root);
  if (built === undefined || built.mode === mode) return built;
  const end = (await readPublished(root)).at(-1);
  return end === undefined || built.other?.log[end.count - 1]?.digest === end.digest ? built.other : undefined;
}

/** The newest build, if its site is online once its folder is uploaded: only `npm run publish:kv` records whether it was. */
export async function uploadedBuild(root: string): Promise<BuiltState | undefined> {
  const built = await readBuilt(root);
  if (built === undefined || isLoopbackOrigin(built.baseUrl)) return undefined;
  return built.mode === 'static' || built.storage === 'assets' ? built : undefined;
}

/** File with what a build would publish, relative to the publication. That of a local build is separate, and never published. */
export function builtFile(isTrial: boolean): string {
  return join(BUILD_FOLDER, isTrial ? FILES.tried : FILES.built);
}

/** Records what a build would publish in a {@link builtFile} of a folder, beside what `last` says of the other mode. */
export function noteBuilt(folder: string, built: BuiltState, isTrial: boolean, last?: BuiltState): Promise<void> {
  if (isTrial) return write(folder, FILES.tried, built);
  const other = last?.mode === built.mode ? last.other : last && { ...last, other: undefined };
  return write(folder, FILES.built, { ...built, other });
}

/** The change log that a build continues: the published one, or for a local build the last local one if that continues the published one. */
export async function logToContinue(root: string, isTrial: boolean): Promise<readonly LoggedChange[]> {
  const published = await readPublished(root);
  const tried = isTrial ? (await read(root, FILES.tried))?.log : undefined;
  const end = published.at(-1);
  return tried !== undefined && (end === undefined || tried[end.count - 1]?.digest === end.digest) ? tried : published;
}

async function read(root: string, name: string): Promise<BuiltState | undefined> {
  try {
    const state = JSON.parse(await readFile(join(root, BUILD_FOLDER, name), 'utf8')) as BuiltState;
    return Array.isArray(state.log) ? state : undefined;
  } catch {
    return undefined;
  }
}

function write(root: string, name: string, state: Pick<BuiltState, 'log' | 'other'>): Promise<void> {
  return replaceFile(join(root, BUILD_FOLDER, name), `${JSON.stringify(state)}\n`);
}

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
          record: record_digest.replace(/^sha256:/, ''),
        }),
      );
  }
  return [...capsules.values()].flatMap((versions) => [...versions.values()]);
}
