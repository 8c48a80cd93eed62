import { describe, expect, test } from 'vitest';
import { IntakeRequest } from '../../../src/schemas/intake/intake.ts';
import { ListedLicense } from '../../../src/schemas/license.ts';
import { capsuleProposal } from '../../support/proposals.ts';
import { capsule, problemsOf, publisher } from './content-world.ts';

const NOT_LISTED = 'must be an identifier of the SPDX licence list (https://spdx.org/licenses/), such as CC-BY-4.0';
const NO_IDENTIFIER = 'must be one SPDX identifier such as CC-BY-4.0';
const REFUSED = [
  ['Whatever', NOT_LISTED],
  ['CC-BY-5.0', NOT_LISTED],
  ['LicenseRef-mine', NOT_LISTED],
  ['constructor', NOT_LISTED],
  ['cc-by-4.0', 'must be written "CC-BY-4.0"'],
  ['mit', 'must be written "MIT"'],
  ['CC BY 4.0', NO_IDENTIFIER],
  ['MIT OR Apache-2.0', NO_IDENTIFIER],
  ['all rights reserved', NO_IDENTIFIER],
] as const;

describe('a licence', () => {
  test.each(['CC-BY-4.0', 'CC0-1.0', 'CC-BY-SA-4.0', 'Apache-2.0', 'MIT', 'GFDL-1.3-only', 'OGL-UK-3.0', 'GPL-3.0'])(
    '%s is taken',
    (id) => {
      expect(ListedLicense.parse(id)).toBe(id);
    },
  );

  test.each(REFUSED)('%s is told to its author with file and line', async (license, message) => {
    expect(await problemsOf({ 'capsules/a-capsule.md': capsule({ license }) })).toEqual([
      expect.stringMatching(/^capsules\/a-capsule\.md:\d+ license: /) as unknown,
    ]);
    const [problem = ''] = await problemsOf({ 'capsules/a-capsule.md': capsule({ license }) });
    expect(problem.endsWith(`license: ${message}`)).toBe(true);
    expect(await problemsOf({ 'publisher.yaml': publisher({ license }) })).toEqual([
      expect.stringMatching(/^publisher\.yaml:\d+ license: /) as unknown,
    ]);
  });

  test.each(REFUSED)('%s of a proposal is refused at its place', (license, message) => {
    const { error } = IntakeRequest.safeParse(capsuleProposal({}, { license }));
    expect(error?.issues.map((issue) => [issue.path.join('/'), issue.message])).toEqual([['metadata/license', message]]);
  });
});
