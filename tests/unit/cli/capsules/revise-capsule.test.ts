import { mkdir, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { versionsOf } from '../../../../src/build/check-published-versions.ts';
import { addToLedger } from '../../../../src/build/kv/publishing-state.ts';
import { reviseCapsule, withoutDefaults } from '../../../../src/cli/capsules/revise-capsule.ts';
import { changedCapsules, undoRevision } from '../../../../src/cli/commands/revise.ts';
import { documentFiles } from '../../../../src/documents/make-documents.ts';
import { InvalidContentError, UserError } from '../../../../src/publication/content-problem.ts';
import { saveGeneration } from '../../../support/generations.ts';
import { close, listen } from '../../../support/listen.ts';
import { makePublication } from '../../../support/sample-content.ts';
import { capsule, TODAY, writeWorld } from '../../publication/content-world.ts';
import {
  changesIn,
  commit,
  contentOf,
  EDITED,
  FILE,
  FROZEN,
  git,
  publishAll,
  publishedWorld,
  put,
  read,
  revisedWorld,
} from './published-world.ts';

describe('an edit of published text', () => {
  test('is refused in a fresh clone, which has no .akg', async () => {
    const origin = await publishedWorld();
    const clone = join(await writeWorld(), 'clone');
    await git(origin, 'clone', '-q', origin, clone);
    expect(await changesIn(clone)).toEqual([]);
    await put(clone, 'capsules/a-capsule.md', EDITED);
    expect(await changesIn(clone)).toEqual([
      `${FILE}:1 version: version 1.0.0 was published and must not change; run "npm run revise a-capsule", which freezes the published text and keeps your edit as a new version, or restore the file`,
    ]);
  });

  test('says that only the front matter changed', async () => {
    const root = await publishedWorld();
    await put(root, 'capsules/a-capsule.md', capsule({ title: 'Another title of the capsule' }));
    expect(await changesIn(root)).toEqual([expect.stringContaining('was published with other front matter')]);
  });

  test('is free before the first publication', async () => {
    const root = await publishedWorld();
    await put(root, 'capsules/new.md', capsule());
    await put(root, 'capsules/new.md', EDITED);
    expect(await changesIn(root)).toEqual([]);
    await expect(reviseCapsule(root, 'new', 'minor', TODAY)).rejects.toThrow(
      new UserError(
        '"new" was never published, as far as content/published.jsonl knows; edit content/capsules/new.md without a new version. If it was published, name its text: "npm run revise new -- --from <file or commit>"',
      ),
    );
  });
});

test('a version that was published without the tags that have no Latin form stays without them; the next one has them', async () => {
  const tagged = capsule({ tags: '[http, 歴史, AI倫理]' });
  const root = await writeWorld({ 'capsules/a-capsule.md': tagged });
  const content = await contentOf(root);
  const formerly = content.capsules.map((each) => ({ ...each, frontMatter: { ...each.frontMatter, tags: ['http', 'ai'] } }));
  await addToLedger(root, await versionsOf({ ...content, capsules: formerly }));
  await commit(root);
  const tagsNow = async () => {
    const [found] = (await contentOf(root)).capsules;
    return [...(found?.frozen ?? []), found].map((version) => version?.frontMatter.tags.join(' '));
  };
  expect(await tagsNow()).toEqual(['http ai']);
  expect(await changesIn(root)).toEqual([]);
  await put(root, 'capsules/a-capsule.md', `${tagged}One more sentence.\n`);
  await reviseCapsule(root, 'a-capsule', 'minor', TODAY);
  expect(await tagsNow()).toEqual(['http ai', 'http tag-c43d763c ai-59d01d13']);
  await publishAll(root);
  await commit(root);
  await put(root, 'capsules/a-capsule.md', (await read(root, FILE)).replace('One more', 'Another'));
  await reviseCapsule(root, 'a-capsule', 'minor', TODAY);
  expect(await tagsNow()).toEqual(['http ai', ...Array<string>(2).fill('http tag-c43d763c ai-59d01d13')]);
  expect(await changesIn(root)).toEqual([]);
});

test('changedCapsules() names what differs from what was published, until it has a new version, and fails for what no version mends', async () => {
  const root = await publishedWorld({ 'capsules/other.md': capsule({ title: 'Another capsule' }) });
  expect(await changedCapsules(root, { today: TODAY })).toEqual([]);
  await put(root, 'capsules/a-capsule.md', EDITED);
  expect(await changedCapsules(root, { today: TODAY })).toEqual(['a-capsule']);
  await reviseCapsule(root, 'a-capsule', 'minor', TODAY);
  expect(await changedCapsules(root, { today: TODAY })).toEqual([]);
  await rm(join(root, 'content/capsules/other.md'));
  await expect(changedCapsules(root, { today: TODAY })).rejects.toThrow(InvalidContentError);
  await rm(join(root, 'content/published.jsonl'));
  await expect(changedCapsules(root, { today: TODAY })).rejects.toThrow('records no published text');
});

describe('reviseCapsule() of an edited file', () => {
  test('freezes the committed text, and keeps the edit as the new version', async () => {
    const root = await publishedWorld();
    const published = await read(root, FILE);
    await put(root, 'capsules/a-capsule.md', EDITED);
    expect(await reviseCapsule(root, 'a-capsule', 'minor', TODAY)).toEqual({
      file: FILE,
      frozenPath: FROZEN,
      from: '1.0.0',
      to: '1.1.0',
      source: 'the git history',
    });
    expect(withoutDefaults(await read(root, FROZEN))).toBe(published);
    expect(await changesIn(root)).toEqual([]);
    const [current] = (await contentOf(root)).capsules;
    expect(current?.frontMatter).toMatchObject({ version: '1.1.0', updated: TODAY });
    expect(current?.markdown).toContain('was written later');
  });

  test('finds the text in an older commit, also when the file was in another folder', async () => {
    const root = await publishedWorld();
    const published = await read(root, FILE);
    await mkdir(join(root, 'content/capsules/deeper'));
    await git(root, 'mv', FILE, 'content/capsules/deeper/a-capsule.md');
    await put(root, 'capsules/deeper/a-capsule.md', EDITED);
    await commit(root);
    await put(root, 'capsules/deeper/a-capsule.md', EDITED.replace('later', 'much later'));
    await commit(root);
    const revision = await reviseCapsule(root, 'a-capsule', 'patch', TODAY);
    expect(revision).toMatchObject({ file: 'content/capsules/deeper/a-capsule.md', to: '1.0.1', source: 'the git history' });
    expect(withoutDefaults(await read(root, FROZEN))).toBe(published);
    expect(await changesIn(root)).toEqual([]);
  });

  test('keeps a version that the author raised by hand', async () => {
    const root = await publishedWorld();
    await put(root, 'capsules/a-capsule.md', EDITED.replace('version: 1.0.0', 'version: 2.0.0'));
    expect(await changesIn(root)).toEqual([expect.stringContaining('run "npm run revise a-capsule", which finds and freezes it')]);
    expect(await reviseCapsule(root, 'a-capsule', 'minor', TODAY)).toMatchObject({ from: '1.0.0', to: '2.0.0' });
    expect(await changesIn(root)).toEqual([]);
  });

  test('finds the text in the builds of this machine', async () => {
    const root = await writeWorld();
    await publishAll(root);
    const { generation } = await makePublication(await contentOf(root), { mode: 'edge' });
    await saveGeneration(root, generation);
    await put(root, 'capsules/a-capsule.md', EDITED);
    expect(await reviseCapsule(root, 'a-capsule', 'minor', TODAY)).toMatchObject({ source: 'the builds in .akg', to: '1.1.0' });
    expect(await changesIn(root)).toEqual([]);
  });

  test('finds the text on the live site, if that may be asked', async () => {
    const root = await writeWorld({ 'capsules/a-capsule.md': capsule({ written_by: '{ type: Person, name: Ada Lovelace }' }) });
    await publishAll(root);
    const { publication } = await makePublication(await contentOf(root), { mode: 'static' });
    const files = new Map(documentFiles(publication).map(({ path, body }) => [path, body]));
    const server = createServer(({ url = '' }, response) => void response.writeHead(files.has(url) ? 200 : 404).end(files.get(url)));
    const baseUrl = await listen(server);
    onTestFinished(() => close(server));
    await put(root, 'capsules/a-capsule.md', EDITED);
    const revision = await reviseCapsule(root, 'a-capsule', 'minor', TODAY, { asksSite: true, overrides: { baseUrl } });
    expect(revision.source).toBe(baseUrl);
    expect(await read(root, FROZEN)).toContain('Ada Lovelace');
    expect(await changesIn(root)).toEqual([]);
  });

  test('says how to get the text back if it is nowhere, and changes nothing', async () => {
    const root = await writeWorld();
    await publishAll(root);
    await put(root, 'capsules/a-capsule.md', EDITED);
    await expect(reviseCapsule(root, 'a-capsule', 'minor', TODAY)).rejects.toThrow(
      /is not in the git history, in \.akg or at .*npm run revise a-capsule -- --from <file>/s,
    );
    expect(await read(root, FILE)).toBe(EDITED);
    await expect(read(root, FROZEN)).rejects.toThrow('ENOENT');
  });

  test('is not needed twice before the new version is published', async () => {
    const root = await revisedWorld();
    await expect(reviseCapsule(root, 'a-capsule', 'minor', TODAY)).rejects.toThrow('version 1.1.0 of "a-capsule" is not published yet');
    await publishAll(root);
    expect(await reviseCapsule(root, 'a-capsule', 'minor', TODAY)).toMatchObject({ from: '1.1.0', to: '1.2.0' });
  });
});

describe('undoRevision()', () => {
  test('goes back to the state before, byte for byte', async () => {
    const root = await revisedWorld();
    expect(await undoRevision(root, 'a-capsule')).toEqual({ file: FILE, version: '1.0.0' });
    expect(await git(root, 'status', '--porcelain', '--ignored', '--', 'content/capsules/a-capsule.md', FROZEN)).toBe('');
    expect(await changesIn(root)).toEqual([]);
  });

  test('leaves nothing of the first revision of a publication', async () => {
    const root = await publishedWorld();
    await rm(join(root, 'content/capsules/versions'), { recursive: true, force: true });
    await reviseCapsule(root, 'a-capsule', 'minor', TODAY);
    await undoRevision(root, 'a-capsule');
    expect(await readdir(join(root, 'content/capsules'))).not.toContain('versions');
  });

  test('keeps an edit of the version that is gone', async () => {
    const root = await revisedWorld();
    const edit = (await read(root, FILE)).replace('Sentence 1 ', 'Another sentence 1 ');
    await put(root, 'capsules/a-capsule.md', edit);
    expect(await undoRevision(root, 'a-capsule')).toEqual({ file: FILE, version: '1.0.0', kept: '.akg/undone/a-capsule-1.1.0.md' });
    expect(await read(root, '.akg/undone/a-capsule-1.1.0.md')).toBe(edit);
    expect(await changesIn(root)).toEqual([]);
  });

  test('undoes only the newest of several revisions', async () => {
    const root = await revisedWorld();
    await publishAll(root);
    await reviseCapsule(root, 'a-capsule', 'minor', TODAY);
    expect(await undoRevision(root, 'a-capsule')).toEqual({ file: FILE, version: '1.1.0' });
    await read(root, FROZEN);
    expect(await changesIn(root)).toEqual([]);
  });

  test('refuses once the version is published, and without a revision', async () => {
    const root = await publishedWorld();
    await expect(undoRevision(root, 'a-capsule')).rejects.toThrow('version 1.0.0 of "a-capsule" is published');
    await reviseCapsule(root, 'a-capsule', 'minor', TODAY);
    await publishAll(root);
    await expect(undoRevision(root, 'a-capsule')).rejects.toThrow('version 1.1.0 of "a-capsule" is published');
    await put(root, 'capsules/new.md', capsule());
    await expect(undoRevision(root, 'new')).rejects.toThrow('has no frozen version');
    await rm(join(root, FILE));
    await expect(undoRevision(root, 'a-capsule')).rejects.toThrow('there is no capsule');
  });
});
