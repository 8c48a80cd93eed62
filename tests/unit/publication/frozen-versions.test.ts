import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fileDigest } from '../../../src/publication/frozen-versions.ts';
import { compareVersions } from '../../../src/schemas/primitives.ts';
import { BODY, capsule, type Files, problemsOf } from './content-world.ts';

const FOLDER = 'capsules/versions';
const old = capsule({ version: '1.0.0' });
const middle = capsule({ version: '1.2.0' }, BODY.replace('Sentence 1 ', 'Sentence one '));
const sums = (entries: Record<string, string>): string =>
  Object.entries(entries)
    .map(([name, text]) => `${fileDigest(text)}  ${name}\n`)
    .join('');
const frozen = (version: string, text: string | undefined): Files => ({ [`${FOLDER}/a-capsule/${version}.md`]: text });
const world = (files: Files = {}): Files => ({
  'capsules/a-capsule.md': capsule({ version: '2.0.0' }),
  ...frozen('1.0.0', old),
  ...frozen('1.2.0', middle),
  [`${FOLDER}/SHA256SUMS`]: sums({ 'a-capsule/1.0.0.md': old, 'a-capsule/1.2.0.md': middle }),
  ...files,
});
const changed = (version: string): string =>
  `${FOLDER}/a-capsule/${version}.md:1 was changed after it was frozen; restore it, and change the current version instead`;
const unknown = (version: string): string =>
  `${FOLDER}/a-capsule/${version}.md:1 has no digest in content/capsules/versions/SHA256SUMS; delete it, and freeze versions with "npm run revise a-capsule"`;

test('frozen versions that are as they were are taken', async () => expect(await problemsOf(world())).toEqual([]));

describe('frozen versions are refused', () => {
  test.each<[name: string, files: Files, problems: string[]]>([
    ['when a word is changed', frozen('1.0.0', old.replace('Sentence 2 ', 'Sentence two ')), [changed('1.0.0')]],
    ['when only front matter is changed', frozen('1.0.0', old.replace('documented', 'specified')), [changed('1.0.0')]],
    ['when only white space is changed', frozen('1.2.0', `${middle}\n`), [changed('1.2.0')]],
    ['when only line ends are changed', frozen('1.0.0', old.replaceAll('\n', '\r\n')), [changed('1.0.0')]],
    [
      'when one is removed',
      frozen('1.0.0', undefined),
      [`${FOLDER}/SHA256SUMS:1 lists a-capsule/1.0.0.md, which is missing; restore the frozen version`],
    ],
    ['when one is added by hand', frozen('1.1.0', capsule({ version: '1.1.0' })), [unknown('1.1.0')]],
    ['when the digests are removed', { [`${FOLDER}/SHA256SUMS`]: undefined }, ['1.0.0', '1.2.0'].map(unknown)],
    [
      'when one is renamed',
      { ...frozen('1.2.0', undefined), ...frozen('1.3.0', middle) },
      [
        `${FOLDER}/SHA256SUMS:1 lists a-capsule/1.2.0.md, which is missing; restore the frozen version`,
        unknown('1.3.0'),
        `${FOLDER}/a-capsule/1.3.0.md:6 version: must be 1.3.0, as in the file name`,
      ],
    ],
    [
      'when two are exchanged',
      { ...frozen('1.0.0', middle), ...frozen('1.2.0', old) },
      [
        changed('1.0.0'),
        `${FOLDER}/a-capsule/1.0.0.md:6 version: must be 1.0.0, as in the file name`,
        changed('1.2.0'),
        `${FOLDER}/a-capsule/1.2.0.md:6 version: must be 1.2.0, as in the file name`,
      ],
    ],
    ...['1.2.0', '1.1.9'].map((version): [string, Files, string[]] => [
      `when the current version is ${version}, which is not above the newest frozen one`,
      { 'capsules/a-capsule.md': capsule({ version }) },
      ['capsules/a-capsule.md:6 version: must be above 1.2.0, the newest frozen version'],
    ]),
    [
      'when there is no current one',
      { 'capsules/a-capsule.md': undefined },
      [
        `${FOLDER}/a-capsule:1 has frozen versions of "a-capsule", but content/capsules/a-capsule.md is missing; restore it, and retract the capsule instead of deleting it`,
      ],
    ],
    [
      'when one stands at another depth',
      { [`${FOLDER}/stray.md`]: old },
      [`${FOLDER}/stray.md:1 must be at content/capsules/versions/<capsule id>/<version>.md; move it`],
    ],
  ])('%s', async (_name, files, problems) => expect(await problemsOf(world(files))).toEqual(problems));

  test('but not because the current one has a fault of its own', async () => {
    expect(await problemsOf(world({ 'capsules/a-capsule.md': capsule({ version: '2.0.0', evidence: 'guessed' }) }))).toEqual([
      'capsules/a-capsule.md:7 evidence: must be one of opinion, reported, documented, specified, measured',
    ]);
  });
});

test('compareVersions() orders as the numbers do', () => {
  const version = fc.tuple(fc.nat(20), fc.nat(20), fc.nat(20));
  fc.assert(
    fc.property(version, version, (a, b) => {
      const weight = (parts: readonly number[]): number => parts.reduce((sum, part) => sum * 100 + part, 0);
      expect(Math.sign(compareVersions(a.join('.'), b.join('.')))).toBe(Math.sign(weight(a) - weight(b)));
    }),
  );
});
