import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WrittenCapsule } from '../../schemas/knowledge/capsule-front-matter.ts';
import type { AuthoredVersion } from '../authored-content.ts';
import { readContentFolder } from '../content-files.ts';
import { type ContentLevel, type ContentProblem, fileProblem } from '../content-problem.ts';
import type { CapsuleCompletion } from '../defaults/complete-front-matter.ts';
import { parseContentFile } from '../front-matter.ts';
import { fieldName } from '../front-matter-messages.ts';
import { parseText } from '../markdown/parse-text.ts';

/** Folder of frozen versions, and the file with their digests in the format of `sha256sum`. */
export const VERSIONS_FOLDER = 'content/capsules/versions';
export const VERSIONS_DIGESTS = `${VERSIONS_FOLDER}/SHA256SUMS`;

/** SHA-256 of a file's text, in hexadecimal, without a byte order mark. */
export function fileDigest(raw: string): string {
  return createHash('sha256')
    .update(raw.replace(/^\ufeff/, ''), 'utf8')
    .digest('hex');
}

/** Frozen versions by capsule id, oldest first, and mistakes in them. */
interface FrozenVersions {
  readonly byCapsule: ReadonlyMap<string, readonly AuthoredVersion[]>;
  readonly problems: readonly ContentProblem[];
}

/**
 * Reads `content/capsules/versions/<id>/<semver>.md` and compares every file with its digest.
 *
 * @param complete Adds defaults to front matter; see `capsuleCompletion`.
 * @param hiddenCharacters How serious hidden characters are; `undefined` if they do not matter.
 */
export async function readFrozenVersions(
  root: string,
  complete: CapsuleCompletion,
  hiddenCharacters?: ContentLevel,
): Promise<FrozenVersions> {
  const read = await readContentFolder(root, VERSIONS_FOLDER, { skip: ['SHA256SUMS'], hiddenCharacters });
  const { files } = read;
  const problems = [...read.problems];
  const recorded = await readDigests(root);
  const byCapsule = new Map<string, AuthoredVersion[]>();
  for (const file of files) {
    const [capsuleId, name, ...deeper] = file.path.slice(VERSIONS_FOLDER.length + 1).split('/');
    const report = (message: string, line = 1, field = ''): void => void problems.push({ file: file.path, line, field, message });
    if (capsuleId === undefined || name === undefined || deeper.length > 0) {
      report(`must be at ${VERSIONS_FOLDER}/<capsule id>/<version>.md; move it`);
      continue;
    }
    const key = `${capsuleId}/${name}`;
    const digest = recorded.get(key);
    recorded.delete(key);
    if (digest === undefined)
      report(`has no digest in ${VERSIONS_DIGESTS}; delete it, and freeze versions with "npm run revise ${capsuleId}"`);
    else if (digest !== fileDigest(file.raw)) report('was changed after it was frozen; restore it, and change the current version instead');
    // Fields that are ignored were reported before the version was frozen.
    const outcome = parseContentFile(file.path, file.raw, WrittenCapsule, { unknownFields: 'off', hiddenCharacters: 'off' });
    if ('problems' in outcome) {
      problems.push(...outcome.problems);
      continue;
    }
    const { body } = outcome.file;
    const { data, findings } = await complete(outcome.file.data, file.path, capsuleId, () => parseText(body));
    if (data === undefined) {
      for (const { field, message } of findings) report(message, outcome.file.lineOf(field), fieldName(field));
      continue;
    }
    if (`${data.version}.md` !== name)
      report(`must be ${name.replace(/\.md$/, '')}, as in the file name`, outcome.file.lineOf(['version']), 'version');
    byCapsule.set(capsuleId, [...(byCapsule.get(capsuleId) ?? []), { frontMatter: data, markdown: body }]);
  }
  for (const key of recorded.keys()) {
    problems.push(fileProblem(VERSIONS_DIGESTS, `lists ${key}, which is missing; restore the frozen version`));
  }
  for (const versions of byCapsule.values()) versions.sort((a, b) => compareVersions(a.frontMatter.version, b.frontMatter.version));
  return { byCapsule, problems };
}

/** Compares two versions such as `1.10.0` by their three numbers; what follows them, as in `1.0.0-beta`, does not count. */
export function compareVersions(a: string, b: string): number {
  const numbers = (version: string): number[] => version.split(/[.-]/, 3).map(Number);
  const [left, right] = [numbers(a), numbers(b)];
  return left.map((value, index) => value - (right[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

async function readDigests(root: string): Promise<Map<string, string>> {
  const text = await readFile(join(root, VERSIONS_DIGESTS), 'utf8').catch(() => '');
  const pairs = text.split('\n').flatMap((line) => {
    const match = /^([0-9a-f]{64}) [ *](\S+)$/.exec(line);
    return match?.[1] !== undefined && match[2] !== undefined ? [[match[2], match[1]] as const] : [];
  });
  return new Map(pairs);
}
