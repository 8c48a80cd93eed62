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
const world = (files: Files = {}): Files => ({
  'capsules/a-capsule.md': capsule({ version: '2.0.0' }),
  [`${FOLDER}/a-capsule/1.0.0.md`]: old,
  [`${FOLDER}/a-capsule/1.2.0.md`]: middle,
  [`${FOLDER}/SHA256SUMS`]: sums({ 'a-capsule/1.0.0.md': old, 'a-capsule/1.2.0.md': middle }),
  ...files,
});
const changed = (file: string): string =>
  `${FOLDER}/${file}:1 was changed after it was frozen; restore it, and change the current version instead`;

test('frozen versions that are as they were are taken', async () => {
  expect(await problemsOf(world())).toEqual([]);
});

describe('frozen versions are refused', () => {
  test.each<[name: string, files: Files, problems: string[]]>([
    [
      'when a word is changed',
      { [`${FOLDER}/a-capsule/1.0.0.md`]: old.replace('Sentence 2 ', 'Sentence two ') },
      [changed('a-capsule/1.0.0.md')],
    ],
    [
      'when only front matter is changed',
      { [`${FOLDER}/a-capsule/1.0.0.md`]: old.replace('documented', 'specified') },
      [changed('a-capsule/1.0.0.md')],
    ],
    ['when only white space is changed', { [`${FOLDER}/a-capsule/1.2.0.md`]: `${middle}\n` }, [changed('a-capsule/1.2.0.md')]],
    [
      'when only line ends are changed',
      { [`${FOLDER}/a-capsule/1.0.0.md`]: old.replaceAll('\n', '\r\n') },
      [changed('a-capsule/1.0.0.md')],
    ],
    [
      'when one is removed',
      { [`${FOLDER}/a-capsule/1.0.0.md`]: undefined },
      [`${FOLDER}/SHA256SUMS:1 lists a-capsule/1.0.0.md, which is missing; restore the frozen version`],
    ],
    [
      'when one is added by hand',
      { [`${FOLDER}/a-capsule/1.1.0.md`]: capsule({ version: '1.1.0' }) },
      [
        `${FOLDER}/a-capsule/1.1.0.md:1 has no digest in content/capsules/versions/SHA256SUMS; delete it, and freeze versions with "npm run revise a-capsule"`,
      ],
    ],
    [
      'when the digests are removed',
      { [`${FOLDER}/SHA256SUMS`]: undefined },
      ['1.0.0', '1.2.0'].map(
        (version) =>
          `${FOLDER}/a-capsule/${version}.md:1 has no digest in content/capsules/versions/SHA256SUMS; delete it, and freeze versions with "npm run revise a-capsule"`,
      ),
    ],
    [
      'when one is renamed',
      { [`${FOLDER}/a-capsule/1.2.0.md`]: undefined, [`${FOLDER}/a-capsule/1.3.0.md`]: middle },
      [
        `${FOLDER}/SHA256SUMS:1 lists a-capsule/1.2.0.md, which is missing; restore the frozen version`,
        `${FOLDER}/a-capsule/1.3.0.md:1 has no digest in content/capsules/versions/SHA256SUMS; delete it, and freeze versions with "npm run revise a-capsule"`,
        `${FOLDER}/a-capsule/1.3.0.md:6 version: must be 1.3.0, as in the file name`,
      ],
    ],
    [
      'when two are exchanged',
      { [`${FOLDER}/a-capsule/1.0.0.md`]: middle, [`${FOLDER}/a-capsule/1.2.0.md`]: old },
      [
        changed('a-capsule/1.0.0.md'),
        `${FOLDER}/a-capsule/1.0.0.md:6 version: must be 1.0.0, as in the file name`,
        changed('a-capsule/1.2.0.md'),
        `${FOLDER}/a-capsule/1.2.0.md:6 version: must be 1.2.0, as in the file name`,
      ],
    ],
    [
      'when the current version is the newest frozen one',
      { 'capsules/a-capsule.md': capsule({ version: '1.2.0' }) },
      ['capsules/a-capsule.md:6 version: must be above 1.2.0, the newest frozen version'],
    ],
    [
      'when the current version is below a frozen one',
      { 'capsules/a-capsule.md': capsule({ version: '1.1.9' }) },
      ['capsules/a-capsule.md:6 version: must be above 1.2.0, the newest frozen version'],
    ],
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
  ])('%s', async (_name, files, problems) => {
    expect(await problemsOf(world(files))).toEqual(problems);
  });

  test('but not because the current one has a fault of its own', async () => {
    expect(await problemsOf(world({ 'capsules/a-capsule.md': capsule({ version: '2.0.0', evidence: 'guessed' }) }))).toEqual([
      'capsules/a-capsule.md:7 evidence: must be one of opinion, reported, documented, specified, measured',
    ]);
  });
});

describe('compareVersions()', () => {
  test('orders as the numbers do', () => {
    const version = fc.tuple(fc.nat(20), fc.nat(20), fc.nat(20));
    fc.assert(
      fc.property(version, version, (a, b) => {
        const weight = (parts: readonly number[]): number => parts.reduce((sum, part) => sum * 100 + part, 0);
        expect(Math.sign(compareVersions(a.join('.'), b.join('.')))).toBe(Math.sign(weight(a) - weight(b)));
      }),
    );
  });
});
