import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Argument } from '@commander-js/extra-typings';
import { today } from '../../build/deployment.ts';
import { UserError } from '../../build/user-error.ts';
import { fileDigest, VERSIONS_DIGESTS, VERSIONS_FOLDER } from '../../publication/capsules/frozen-versions.ts';
import { defineCommand, examples, readId } from '../define-command.ts';

const VERSION_STEPS = ['major', 'minor', 'patch'] as const;
type VersionStep = (typeof VERSION_STEPS)[number];

export const command = defineCommand()
  .description('Freeze the current version of a capsule, and raise the version in its file so that it can be edited.')
  .addArgument(new Argument('<capsule>', 'id of the capsule').argParser(readId))
  .addArgument(new Argument('[step]', 'part of the version to raise').choices(VERSION_STEPS).default('minor' as const))
  .addHelpText('after', examples('npm run revise http-caching', 'npm run revise http-caching patch'))
  .action(async (id, step) => {
    const { frozenPath, from, to } = await reviseCapsule(process.cwd(), id, step, today());
    console.log(`Froze version ${from} as ${frozenPath}. content/capsules/${id}.md is now ${to}: edit it.`);
  });

/** Outcome of {@link reviseCapsule}. */
interface Revision {
  readonly frozenPath: string;
  readonly from: string;
  readonly to: string;
}

const FRONT_MATTER = /^---[ \t]*\r?\n[\s\S]*?\n---/;
const VERSION_LINE = /^version:[ \t]*["']?(\d+\.\d+\.\d+)["']?[ \t]*(?:#.*)?$/m;

/**
 * Freezes the current version of a capsule and raises the version in its file. The frozen copy and its digest are written first, so that an
 * interruption loses nothing.
 *
 * @throws {UserError} If the capsule does not exist, is a draft, or its version is frozen already.
 */
export async function reviseCapsule(root: string, id: string, step: VersionStep, today: string): Promise<Revision> {
  const path = join(root, 'content/capsules', `${id}.md`);
  const raw = await readFile(path, 'utf8').catch(() => {
    throw new UserError(`there is no capsule content/capsules/${id}.md`);
  });
  const frontMatter = FRONT_MATTER.exec(raw)?.[0] ?? '';
  const from = VERSION_LINE.exec(frontMatter)?.[1];
  if (from === undefined) throw new UserError(`content/capsules/${id}.md has no line such as "version: 1.0.0"; add it`);
  if (/^draft:\s*true\b/m.test(frontMatter))
    throw new UserError(`"${id}" is a draft, which was never published; edit it without a new version`);
  const frozenName = `${id}/${from}.md`;
  const frozenPath = `${VERSIONS_FOLDER}/${frozenName}`;
  await mkdir(dirname(join(root, frozenPath)), { recursive: true });
  await writeFile(join(root, frozenPath), raw, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST'
      ? new UserError(`version ${from} of "${id}" is frozen; raise the version in content/capsules/${id}.md`)
      : error;
  });
  await appendFile(join(root, VERSIONS_DIGESTS), `${fileDigest(raw)}  ${frozenName}\n`);
  const to = raise(from, step);
  await writeFile(
    path,
    frontMatter.replace(VERSION_LINE, `version: ${to}`).replace(/^updated:.*$/m, `updated: ${today}`) + raw.slice(frontMatter.length),
  );
  return { frozenPath, from, to };
}

function raise(version: string, step: VersionStep): string {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (step === 'major') return `${major + 1}.0.0`;
  return step === 'minor' ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}
