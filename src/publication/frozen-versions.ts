import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_EDITORIAL, type Editorial } from '../schemas/editorial-rules.ts';
import type { WrittenCapsule } from '../schemas/knowledge/capsule-front-matter.ts';
import { compareVersions } from '../schemas/primitives.ts';
import type { AuthoredVersion } from './authored-content.ts';
import { type ContentProblem, fieldProblem, fileProblem } from './content-problem.ts';
import type { CapsuleCompletion } from './defaults/complete-front-matter.ts';
import { listContentFiles } from './read/content-files.ts';
import { fieldLines } from './read/front-matter.ts';
import type { ReadingRules } from './read/read-text-file.ts';
import { bodyOf, type ReadingSources, readTextFiles } from './read/read-text-folder.ts';

export const VERSIONS_FOLDER = 'content/capsules/versions';
export const VERSIONS_DIGESTS = `${VERSIONS_FOLDER}/SHA256SUMS`;

/** SHA-256 of a file's text, in hexadecimal, without a byte order mark. */
export function fileDigest(raw: string): string {
  return hash('sha256', raw.replace(/^\ufeff/, ''));
}

export async function readFrozenVersions(
  root: string,
  complete: CapsuleCompletion,
  { hidden_characters }: Pick<Editorial, 'hidden_characters'>,
  sources: ReadingSources = {},
): Promise<{ readonly byCapsule: ReadonlyMap<string, readonly AuthoredVersion[]>; readonly problems: readonly ContentProblem[] }> {
  const found = await listContentFiles(root, VERSIONS_FOLDER, ['SHA256SUMS']);
  const rules: ReadingRules = { kind: 'frozen', editorial: { ...DEFAULT_EDITORIAL, hidden_characters } };
  const paths = found.files.map(({ path }) => path);
  const { texts, refused } = await readTextFiles(root, paths, rules, sources);
  const problems = [...found.problems, ...[...refused.values()].flat()];
  const recorded = await readDigests(root);
  const byCapsule = new Map<string, AuthoredVersion[]>();
  for (const file of texts.values()) {
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
    const { reading, raw, path } = file;
    problems.push(...reading.problems);
    if (reading.frontMatter?.isValid !== true) continue;
    const lineOf = fieldLines(path, raw);
    // Valid by the schema of frozen versions.
    const { data, findings } = await complete(reading.frontMatter.data as WrittenCapsule, path, capsuleId, () => reading.description);
    if (data === undefined) {
      problems.push(...findings.map(({ path: field, message }) => fieldProblem(path, lineOf, { path: field, message })));
      continue;
    }
    if (`${data.version}.md` !== name) report(`must be ${name.replace(/\.md$/, '')}, as in the file name`, lineOf(['version']), 'version');
    const version = { frontMatter: data, markdown: bodyOf(reading, raw), words: reading.words };
    byCapsule.set(capsuleId, [...(byCapsule.get(capsuleId) ?? []), version]);
  }
  for (const key of recorded.keys()) {
    problems.push(fileProblem(VERSIONS_DIGESTS, `lists ${key}, which is missing; restore the frozen version`));
  }
  for (const versions of byCapsule.values()) versions.sort((a, b) => compareVersions(a.frontMatter.version, b.frontMatter.version));
  return { byCapsule, problems };
}

async function readDigests(root: string): Promise<Map<string, string>> {
  const pairs = (await readFile(join(root, VERSIONS_DIGESTS), 'utf8').catch(() => '')).split('\n').flatMap((line) => {
    const match = /^([0-9a-f]{64}) [ *](\S+)$/.exec(line);
    return match?.[1] !== undefined && match[2] !== undefined ? [[match[2], match[1]] as const] : [];
  });
  return new Map(pairs);
}
