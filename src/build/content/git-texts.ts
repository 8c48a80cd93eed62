import { runGit } from '../../publication/run-git.ts';

/** Folder of capsules. */
const CAPSULES_FOLDER = 'content/capsules';

/** Every text that a file below `folder` with one of these names ever had in the git history, newest first; none without git. */
export async function textsInGit(root: string, folder: string, names: readonly string[]): Promise<string[]> {
  const log = await runGit(root, 'log', '--all', '--raw', '--no-abbrev', '--no-renames', '--format=', '-z', '--', folder);
  const blobs = new Set<string>();
  // With -z a change is ":<mode> <mode> <blob> <blob> <status>", NUL, its path, NUL.
  const parts = log.split('\0');
  for (const [at, part] of parts.entries()) {
    const [, before, after] = /^:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) [A-Z]\d*$/.exec(part.trim()) ?? [];
    if (before === undefined || after === undefined || !names.includes(parts[at + 1]?.split('/').at(-1) ?? '')) continue;
    for (const blob of [after, before]) if (!/^0+$/.test(blob)) blobs.add(blob);
  }
  return Promise.all([...blobs].map((blob) => runGit(root, 'cat-file', 'blob', blob)));
}

/** The file of a capsule in a commit. */
interface CommittedText {
  readonly raw: string;
  /** Abbreviated id of the commit. */
  readonly commit: string;
  /** Day of the commit in UTC, `YYYY-MM-DD`. */
  readonly day: string;
}

/**
 * The file of a capsule as a commit has it, in whichever folder of capsules.
 *
 * @param revision A commit, branch or tag.
 * @param ids Ids that the capsule has and had.
 * @returns `undefined` if there is no such commit, or it has no such file.
 */
export async function committedText(root: string, revision: string, ids: readonly string[]): Promise<CommittedText | undefined> {
  // What begins with a hyphen would be an option.
  if (revision.startsWith('-')) return undefined;
  const [commit = '', seconds = ''] = (await runGit(root, 'log', '-1', '--format=%h %ct', revision, '--')).trim().split(' ');
  if (commit === '') return undefined;
  const paths = (await runGit(root, 'ls-tree', '-r', '-z', '--name-only', commit, '--', CAPSULES_FOLDER)).split('\0');
  const path = ids
    .map((id) => paths.find((candidate) => candidate.endsWith(`/${id}.md`) && !candidate.startsWith(`${CAPSULES_FOLDER}/versions/`)))
    .find((found) => found !== undefined);
  if (path === undefined) return undefined;
  const day = new Date(Number(seconds) * 1_000).toISOString().slice(0, 'YYYY-MM-DD'.length);
  return { raw: await runGit(root, 'cat-file', 'blob', `${commit}:./${path}`), commit, day };
}
