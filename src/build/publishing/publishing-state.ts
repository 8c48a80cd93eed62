import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { LoggedChange } from '../../provenance/change-log.ts';
import type { BlockStorage } from '../../schemas/publisher.ts';
import { BUILD_FOLDER } from '../generation/generation-store.ts';

/** Digests of the records of all versions, by `<id>@<version>`. */
export type PublishedVersions = Readonly<Record<string, string>>;

/** What was published: the versions, which must not change, and the change log, which the next publish continues. */
export interface PublishingState {
  readonly versions: PublishedVersions;
  readonly log: readonly LoggedChange[];
}

/** What a build would publish. */
interface BuiltState extends PublishingState {
  /** Corpus version of the build. */
  readonly generation: string;
  readonly storage: BlockStorage;
}

const NOTHING: PublishingState = { versions: {}, log: [] };

/** Files with what was published, what the newest build would publish, and what the newest local build made. */
const FILES = { published: 'published.json', built: 'built.json', tried: 'tried.json' } as const;

/** What was published from this machine or restored; empty in a new build folder. */
export async function readPublished(root: string): Promise<PublishingState> {
  return (await read<PublishingState>(root, FILES.published)) ?? NOTHING;
}

/** Records what is published now. */
export function notePublished(root: string, { versions, log }: PublishingState): Promise<void> {
  return write(root, FILES.published, { versions, log });
}

/** What the newest build for publishing would publish; `undefined` before the first one. */
export function readBuilt(root: string): Promise<BuiltState | undefined> {
  return read<BuiltState>(root, FILES.built);
}

/** Records what a build would publish. A local build is recorded separately, and never published. */
export function noteBuilt(root: string, built: BuiltState, isTrial: boolean): Promise<void> {
  return write(root, isTrial ? FILES.tried : FILES.built, built);
}

/** The change log that a build continues: the published one, or for a local build the last local one if that continues the published one. */
export async function logToContinue(root: string, isTrial: boolean): Promise<readonly LoggedChange[]> {
  const { log: published } = await readPublished(root);
  const tried = isTrial ? (await read<BuiltState>(root, FILES.tried))?.log : undefined;
  const end = published.at(-1);
  return tried !== undefined && (end === undefined || tried[end.count - 1]?.digest === end.digest) ? tried : published;
}

async function read<T extends PublishingState>(root: string, name: string): Promise<T | undefined> {
  const text = await readFile(join(root, BUILD_FOLDER, name), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const state = JSON.parse(text) as Partial<T>;
    return Array.isArray(state.log) && state.versions !== undefined ? (state as T) : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces a file atomically. */
async function write(root: string, name: string, state: PublishingState): Promise<void> {
  const path = join(root, BUILD_FOLDER, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, `${JSON.stringify(state)}\n`);
  await rename(`${path}.new`, path);
}
