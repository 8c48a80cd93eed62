import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { LoggedChange } from '../../provenance/change-log.ts';
import type { BlockStorage } from '../../schemas/publisher.ts';
import { BUILD_FOLDER } from '../generation/generation-store.ts';

/** Digest of the record of every version, by `<id>@<version>`. */
export type PublishedVersions = Readonly<Record<string, string>>;

/** What has been published: the versions, which must stay what they are, and the log of changes, which the next publish goes on with. */
export interface PublishingState {
  readonly versions: PublishedVersions;
  readonly log: readonly LoggedChange[];
}

/** What a build would publish. */
export interface BuiltState extends PublishingState {
  /** Corpus version of the build. */
  readonly generation: string;
  readonly storage: BlockStorage;
}

const NOTHING: PublishingState = { versions: {}, log: [] };

/** Files of what was published, of what the newest build would publish, and of what was tried out on this machine. */
const FILES = { published: 'published.json', built: 'built.json', tried: 'tried.json' } as const;

/** What was published from here or restored; nothing where the build folder is new. */
export async function readPublished(root: string): Promise<PublishingState> {
  return (await read<PublishingState>(root, FILES.published)) ?? NOTHING;
}

/** Takes a state as what is published now, in place of what was known before. */
export function notePublished(root: string, { versions, log }: PublishingState): Promise<void> {
  return write(root, FILES.published, { versions, log });
}

/** What the newest build for publishing would publish, if there was one. */
export function readBuilt(root: string): Promise<BuiltState | undefined> {
  return read<BuiltState>(root, FILES.built);
}

/** Notes what a build would publish. One that is only tried out here leaves no trace in what is published. */
export function noteBuilt(root: string, built: BuiltState, isTrial: boolean): Promise<void> {
  return write(root, isTrial ? FILES.tried : FILES.built, built);
}

/**
 * The log that a build goes on with: what is published; or, for one that is tried out here, what was tried before, as long as that
 * went on from what is published.
 */
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

/** Whole or not at all: what was there before stays until the new text is written. */
async function write(root: string, name: string, state: PublishingState): Promise<void> {
  const path = join(root, BUILD_FOLDER, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, `${JSON.stringify(state)}\n`);
  await rename(`${path}.new`, path);
}
