import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkPublishedVersions, versionsOf } from '../../../../src/build/check-published-versions.ts';
import { addToLedger } from '../../../../src/build/kv/publishing-state.ts';
import { reviseCapsule } from '../../../../src/cli/capsules/revise-capsule.ts';
import type { AuthoredContent } from '../../../../src/publication/authored-content.ts';
import { formatProblem } from '../../../../src/publication/content-problem.ts';
import { readContent } from '../../../../src/publication/read-content.ts';
import { BODY, capsule, type Files, TODAY, writeWorld } from '../../publication/content-world.ts';

/** The capsule of every world, its first frozen version, and an edit of it. */
export const FILE = 'content/capsules/a-capsule.md';
export const FROZEN = 'content/capsules/versions/a-capsule/1.0.0.md';
export const EDITED = capsule({}, `${BODY}One more sentence of this capsule was written later.\n`);

const run = promisify(execFile);

export async function git(root: string, ...args: string[]): Promise<string> {
  return (await run('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], { cwd: root })).stdout;
}

export async function commit(root: string): Promise<void> {
  // One process: to start one takes long from a process that has run many tests.
  const identity = '-c user.name=A -c user.email=a@example.com';
  await run('sh', ['-c', `git init -q -b main && git add -A && git ${identity} commit -qm Everything --allow-empty`], { cwd: root });
}

export async function contentOf(root: string): Promise<AuthoredContent> {
  const { content, problems } = await readContent(root, { today: TODAY });
  if (content === undefined) throw new Error(problems.map(formatProblem).join('\n'));
  return content;
}

export async function publishAll(root: string): Promise<void> {
  const content = await contentOf(root);
  const offers = content.offers.map(({ id }) => ({ offer: id, published: TODAY }));
  await addToLedger(root, [...(await versionsOf(content)), ...offers]);
}

export async function publishedWorld(files: Files = {}): Promise<string> {
  const root = await writeWorld(files);
  await publishAll(root);
  await commit(root);
  return root;
}

/** A world whose capsule has a new version that is not published. */
export async function revisedWorld(): Promise<string> {
  const root = await publishedWorld();
  await reviseCapsule(root, 'a-capsule', 'minor', TODAY);
  return root;
}

export async function changesIn(root: string): Promise<string[]> {
  const content = await contentOf(root);
  return (await checkPublishedVersions(content, content.ledger)).map(formatProblem);
}

export const read = (root: string, path: string): Promise<string> => readFile(join(root, path), 'utf8');

export const put = (root: string, path: string, text: string): Promise<void> => writeFile(join(root, 'content', path), text);
