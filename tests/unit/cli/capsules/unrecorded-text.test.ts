import { describe, expect, test } from 'vitest';
import { checkUploadedBuild, versionsOf } from '../../../../src/build/check-published-versions.ts';
import { noteBuilt, uploadedBuild } from '../../../../src/build/kv/publishing-state.ts';
import { reviseCapsule, withoutDefaults } from '../../../../src/cli/capsules/revise-capsule.ts';
import { undoRevision } from '../../../../src/cli/commands/revise.ts';
import { verify } from '../../../../src/provenance/verify/verify.ts';
import { formatProblem } from '../../../../src/publication/content-problem.ts';
import { publishCapsules } from '../../../../src/publication/publish/published-capsules.ts';
import { callAkg, runAkg } from '../../../support/run-akg.ts';
import { capsule, publisher, TODAY, writeWorld } from '../../publication/content-world.ts';
import { changesIn, commit, contentOf, EDITED, FILE, FROZEN, git, publishAll, publishedWorld, put, read } from './published-world.ts';

const BUILT = { generation: 'a'.repeat(64), baseUrl: 'https://a.test', storage: 'kv', mode: 'static', offers: [], log: [] } as const;
const frozen = async (root: string): Promise<string> => withoutDefaults(await read(root, FROZEN));

describe('reviseCapsule() without a ledger', () => {
  test('freezes the text of the last commit, not the edit, and says so', async () => {
    const root = await writeWorld();
    await commit(root);
    const head = (await git(root, 'rev-parse', '--short', 'HEAD')).trim();
    await put(root, 'capsules/a-capsule.md', EDITED);
    const revision = await reviseCapsule(root, 'a-capsule', 'minor', TODAY);
    expect(revision).toMatchObject({ from: '1.0.0', to: '1.1.0', source: expect.stringContaining(`commit ${head} of `) });
    expect(revision.assumed).toContain(head);
    expect(await frozen(root)).toBe(capsule());
    expect(await read(root, FILE)).toContain('was written later');
  });

  test('freezes nothing if no commit has the text either, and says what to do', async () => {
    const root = await writeWorld();
    await put(root, 'capsules/a-capsule.md', EDITED);
    await expect(reviseCapsule(root, 'a-capsule', 'minor', TODAY)).rejects.toThrow(
      /nothing says what was published of "a-capsule".*npm run restore:kv -- --site.*--from <file or commit>/,
    );
    await expect(read(root, FROZEN)).rejects.toThrow('ENOENT');
    expect(await read(root, FILE)).toBe(EDITED);
  });

  test.each(['file', 'commit'])('freezes the text of a %s that the publisher names', async (place) => {
    const root = await writeWorld();
    await commit(root);
    await put(root, 'before.txt', capsule());
    await put(root, 'capsules/a-capsule.md', EDITED);
    await commit(root);
    const from = place === 'file' ? 'content/before.txt' : 'HEAD~1';
    const { assumed, source } = await reviseCapsule(root, 'a-capsule', 'minor', TODAY, { from });
    expect([assumed, source]).toEqual([undefined, expect.stringContaining(place === 'file' ? from : 'commit ')]);
    expect(await frozen(root)).toBe(capsule());
  });

  test('takes the build of a site that is uploaded as files for what was published', async () => {
    const root = await writeWorld();
    await commit(root);
    await noteBuilt(root, { ...BUILT, versions: await versionsOf(await contentOf(root)) }, false);
    await put(root, 'capsules/a-capsule.md', EDITED);
    await commit(root);
    expect(await reviseCapsule(root, 'a-capsule', 'minor', TODAY)).toMatchObject({ source: 'the git history', to: '1.1.0' });
    expect(await frozen(root)).toBe(capsule());
  });
});

test('reviseCapsule() with --from refuses a text other than the published one, and a place that does not exist', async () => {
  const root = await publishedWorld();
  await put(root, 'capsules/a-capsule.md', EDITED);
  await expect(reviseCapsule(root, 'a-capsule', 'minor', TODAY, { from: FILE })).rejects.toThrow(
    'is not the published text of version 1.0.0',
  );
  for (const from of ['nowhere', '--all'])
    await expect(reviseCapsule(root, 'a-capsule', 'minor', TODAY, { from })).rejects.toThrow('is neither a file nor a commit that has');
  await expect(read(root, FROZEN)).rejects.toThrow('ENOENT');
  await reviseCapsule(root, 'a-capsule', 'minor', TODAY, { from: 'HEAD' });
  expect(await changesIn(root)).toEqual([]);
});

describe('a frozen version', () => {
  const WITHOUT_LICENCE = { license: undefined, created: undefined, summary: undefined };
  const WORLD = { 'publisher.yaml': publisher({ editorial: '{}' }), 'capsules/a-capsule.md': capsule(WITHOUT_LICENCE) };

  test.each([
    ['license', { license: 'CC0-1.0' }],
    ['language', { language: 'de' }],
    ['author', { author: 'Ada Lovelace' }],
  ])('keeps its record and its proof when the default %s changes', async (_setting, change) => {
    const root = await publishedWorld(WORLD);
    const lineage = async (): Promise<string> => JSON.stringify((await publishCapsules(await contentOf(root)))[0]?.lineage);
    const known = await lineage();
    await reviseCapsule(root, 'a-capsule', 'minor', TODAY);
    await publishAll(root);
    await put(root, 'publisher.yaml', publisher({ editorial: '{}', ...change }));
    expect(await changesIn(root)).toEqual([
      expect.stringContaining('version 1.1.0 was published with other front matter, or with another issuer or other defaults'),
    ]);
    // The published text is found with the defaults that publisher.yaml had.
    await commit(root);
    expect(await reviseCapsule(root, 'a-capsule', 'minor', TODAY)).toMatchObject({ from: '1.1.0', to: '1.2.0' });
    expect(await changesIn(root)).toEqual([]);
    const verdict = await verify({ document: await lineage(), known, id: 'a-capsule', now: `${TODAY}T00:00:00Z` });
    expect([verdict.exit, verdict.checks.find(({ check }) => check === 'known')]).toEqual([0, expect.objectContaining({ ok: true })]);
  });

  test('of a text without front matter goes back to it byte for byte', async () => {
    const text = '# A text without front matter\n\nIt says one thing.\n';
    const root = await publishedWorld({ 'publisher.yaml': publisher({ editorial: '{}' }), 'capsules/a-capsule.md': text });
    await reviseCapsule(root, 'a-capsule', 'minor', TODAY);
    expect(await read(root, FROZEN)).toMatch(/^---\n# Defaults when this version was published.*\ntitle: A text without front matter\n/);
    expect(await changesIn(root)).toEqual([]);
    await undoRevision(root, 'a-capsule');
    expect(await read(root, FILE)).toBe(text);
    await expect(read(root, FROZEN)).rejects.toThrow('ENOENT');
  });
});

test('a change of a setting that all records contain is reported once, and not as a change of the issuer alone', async () => {
  const root = await publishedWorld({
    'publisher.yaml': publisher({ editorial: '{}' }),
    'capsules/a-capsule.md': capsule({ license: undefined }),
    'capsules/other.md': capsule({ license: undefined }),
  });
  await put(root, 'publisher.yaml', publisher({ editorial: '{}', license: 'CC0-1.0' }));
  expect(await changesIn(root)).toEqual([
    expect.stringMatching(/^content\/publisher\.yaml:1 has another issuer, license, language or author than when .* "npm run revise <id>"/),
  ]);
});

describe('a build that is uploaded as files and not recorded', () => {
  const ONLINE = 'https://workshop.berlin';
  const WORLD = { 'publisher.yaml': publisher({ base_url: ONLINE, contact_email: 'desk@workshop.berlin' }) };

  async function builtWorld(): Promise<{ root: string; warnings: () => Promise<string[]> }> {
    const root = await writeWorld(WORLD);
    await noteBuilt(root, { ...BUILT, versions: await versionsOf(await contentOf(root)) }, false);
    const warnings = async (): Promise<string[]> => {
      const now = await contentOf(root);
      return (await checkUploadedBuild(now, await uploadedBuild(root), now.ledger)).map(formatProblem);
    };
    return { root, warnings };
  }

  test('is a warning until it is recorded', async () => {
    const { root, warnings } = await builtWorld();
    const notRecorded = expect.stringMatching(/^content\/published\.jsonl:1 lacks a version of the newest build\. .*-- --static"/);
    expect(await warnings()).toEqual([notRecorded]);
    await put(root, 'capsules/a-capsule.md', EDITED);
    expect(await warnings()).toEqual([
      notRecorded,
      expect.stringMatching(
        /a-capsule\.md:1 version: version 1\.0\.0 is another text than in the newest build\. .*"npm run revise a-capsule"/,
      ),
    ]);
    await put(root, 'capsules/a-capsule.md', capsule());
    const recorded = await runAkg(['publish', '--static', '--', process.execPath, '-e', 'console.log("uploaded")'], root);
    expect([recorded.exit, recorded.output]).toEqual([0, expect.stringMatching(/^uploaded\ncontent\/published\.jsonl lists/)]);
    expect(await warnings()).toEqual([]);
    await put(root, 'capsules/a-capsule.md', EDITED);
    expect(await changesIn(root)).toEqual([expect.stringContaining('version 1.0.0 was published and must not change')]);
  });

  test('is not recorded if the upload fails', async () => {
    const { root, warnings } = await builtWorld();
    const failed = await callAkg(['publish', '--static', '--', process.execPath, '-e', 'process.exit(3)'], root, { BASE_URL: '' });
    expect([failed.exit, failed.output]).toEqual([1, expect.stringContaining('failed: exit code 3')]);
    expect(await warnings()).toHaveLength(1);
  });
});
