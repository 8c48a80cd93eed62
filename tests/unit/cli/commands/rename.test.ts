import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { reviseCapsule, withoutDefaults } from '../../../../src/cli/capsules/revise-capsule.ts';
import { renameCapsule, renameOffer, replaceReferences } from '../../../../src/cli/commands/rename.ts';
import { undoRevision } from '../../../../src/cli/commands/revise.ts';
import { formerAddresses } from '../../../../src/documents/headers-and-redirects.ts';
import { verify } from '../../../../src/provenance/verify/verify.ts';
import { Lineage } from '../../../../src/schemas/knowledge/lineage.ts';
import { makePublication } from '../../../support/sample-content.ts';
import { BODY, capsule, offer, publisher, TODAY, writeWorld } from '../../publication/content-world.ts';
import { changesIn, contentOf, publishAll, publishedWorld, put } from '../capsules/published-world.ts';

const OPTIONS = { today: TODAY };
const NOW = `${TODAY}T00:00:00Z`;
const read = (root: string, path: string): Promise<string> => readFile(join(root, 'content', path), 'utf8');

const FRIEND = capsule(
  { derived_from: '[other, a-capsule] # both', title: 'A capsule that links to another' },
  `${BODY}See [it](/capsules/a-capsule#top), [another](/capsules/a-capsule-too) and \`/capsules/a-capsule\`.\n`,
);

const WORLD = { 'capsules/other.md': capsule(), 'capsules/a-capsule-too.md': capsule(), 'capsules/friend.md': FRIEND };

describe('renameCapsule()', () => {
  test('moves an unpublished capsule and everything that names it, without a trace', async () => {
    const root = await writeWorld(WORLD);
    expect(await renameCapsule(root, 'a-capsule', 'new-name', OPTIONS)).toEqual({
      file: 'content/capsules/new-name.md',
      changed: ['content/capsules/friend.md'],
      revised: [],
      keepsAddresses: false,
    });
    expect(await read(root, 'capsules/new-name.md')).toBe(capsule());
    expect(await read(root, 'capsules/friend.md')).toBe(
      FRIEND.replace('[other, a-capsule]', '[other, new-name]').replace('(/capsules/a-capsule#top)', '(/capsules/new-name#top)'),
    );
    await contentOf(root);
  });

  test('keeps published texts: others get a new version, its own stays', async () => {
    const root = await publishedWorld(WORLD);
    const before = await read(root, 'capsules/a-capsule.md');
    expect(await renameCapsule(root, 'a-capsule', 'new-name', OPTIONS)).toMatchObject({ revised: ['friend'], keepsAddresses: true });
    expect(await read(root, 'capsules/new-name.md')).toBe(before.replace('\n---\n', '\nformerly: [a-capsule]\n---\n'));
    expect(withoutDefaults(await read(root, 'capsules/versions/friend/1.0.0.md'))).toBe(FRIEND);
    expect(await read(root, 'capsules/friend.md')).toContain('version: 1.0.1');
    expect(await changesIn(root)).toEqual([]);
  });

  test('follows translations without a new version of them, because no record names the original', async () => {
    const translation = capsule({ language: 'de', translation_of: 'a-capsule' });
    const root = await publishedWorld({ 'capsules/a-capsule-de.md': translation });
    expect(await renameCapsule(root, 'a-capsule', 'new-name', OPTIONS)).toMatchObject({
      changed: ['content/capsules/a-capsule-de.md'],
      revised: [],
    });
    expect(await read(root, 'capsules/a-capsule-de.md')).toBe(translation.replace('of: a-capsule', 'of: new-name'));
    expect(await changesIn(root)).toEqual([]);
    await contentOf(root);
  });

  test('refuses an edit of the renamed text, which revise then freezes under the new id', async () => {
    const root = await publishedWorld();
    await renameCapsule(root, 'a-capsule', 'new-name', OPTIONS);
    const renamed = await read(root, 'capsules/new-name.md');
    await put(root, 'capsules/new-name.md', renamed.replace('Sentence 1 ', 'Sentence one '));
    expect(await changesIn(root)).toEqual([
      expect.stringContaining(
        'capsules/new-name.md:1 version: version 1.0.0 was published and must not change; run "npm run revise new-name"',
      ),
    ]);
    expect(await reviseCapsule(root, 'new-name', 'minor', TODAY)).toMatchObject({ from: '1.0.0', to: '1.1.0', source: 'the git history' });
    expect(await changesIn(root)).toEqual([]);
    await undoRevision(root, 'new-name');
    await expect(undoRevision(root, 'new-name')).rejects.toThrow('is published');
  });

  test('continues the history: frozen versions move, and records under the former id verify', async () => {
    const root = await publishedWorld();
    const first = await makePublication(await contentOf(root), { mode: 'edge' });
    await reviseCapsule(root, 'a-capsule', 'minor', TODAY);
    await publishAll(root);
    const older = await makePublication(await contentOf(root), { mode: 'edge' }, { changes: first.log });
    await renameCapsule(root, 'a-capsule', 'new-name', OPTIONS);
    await renameCapsule(root, 'new-name', 'newer-name', OPTIONS);
    expect(withoutDefaults(await read(root, 'capsules/versions/newer-name/1.0.0.md'))).toBe(capsule());
    expect(await read(root, 'capsules/newer-name.md')).toContain('formerly: [a-capsule]\n');
    const { publication, log, generation } = await makePublication(await contentOf(root), { mode: 'edge' }, { changes: older.log });
    const [made] = publication.capsules;
    const lineage = Lineage.parse(JSON.parse(made?.lineageText ?? ''));
    expect(lineage.versions.map(({ record }) => [record.id, record.version])).toEqual([
      ['newer-name', '1.0.0'],
      ['newer-name', '1.1.0'],
    ]);
    const [former] = lineage.formerly ?? [];
    const verdict = await verify({
      document: JSON.stringify(former),
      known: older.publication.capsules[0]?.lineageText ?? '',
      id: 'a-capsule',
      now: NOW,
    });
    expect([verdict.exit, verdict.checks.map(({ check }) => check)]).toEqual([0, expect.arrayContaining(['known', 'chain'])]);
    expect(former?.head.statement).toMatchObject({ status: 'superseded', supersededBy: 'newer-name', count: 2 });
    expect(await verify({ document: made?.lineageText ?? '', id: 'newer-name', now: NOW })).toMatchObject({ exit: 0 });
    expect(log.slice(older.log.length).map(({ event, capsule_id, superseded_by }) => [event, capsule_id, superseded_by])).toEqual([
      ['added', 'newer-name', undefined],
      ['removed', 'a-capsule', 'newer-name'],
      ['revised', 'newer-name', undefined],
    ]);
    expect(publication.deployment.formerIds).toEqual({ 'a-capsule': 'newer-name' });
    expect(generation.manifest.counts.capsules).toBe(1);
  });

  test('redirects only versions that were published under the former id', async () => {
    const root = await publishedWorld();
    await renameCapsule(root, 'a-capsule', 'new-name', OPTIONS);
    await publishAll(root);
    await reviseCapsule(root, 'new-name', 'minor', TODAY);
    const { publication } = await makePublication(await contentOf(root), { mode: 'edge' });
    expect(publication.capsules[0]?.versions.map(({ metadata }) => metadata.version)).toEqual(['1.0.0', '1.1.0']);
    expect(formerAddresses(publication).map(([from]) => from)).toEqual([
      '/capsules/a-capsule',
      '/capsules/a-capsule.md',
      '/capsules/a-capsule/capsule.json',
      '/capsules/a-capsule/lineage.json',
      '/capsules/a-capsule/1.0.0.md',
    ]);
  });

  test('renames back without a trace, as long as the new id is not published', async () => {
    const root = await publishedWorld();
    const before = await read(root, 'capsules/a-capsule.md');
    await renameCapsule(root, 'a-capsule', 'new-name', OPTIONS);
    await renameCapsule(root, 'new-name', 'a-capsule', OPTIONS);
    expect(await read(root, 'capsules/a-capsule.md')).toBe(before);
  });

  test('refuses ids that are or were taken', async () => {
    const root = await publishedWorld(WORLD);
    await renameCapsule(root, 'other', 'another', OPTIONS);
    await expect(renameCapsule(root, 'a-capsule', 'friend', OPTIONS)).rejects.toThrow('content/capsules/friend.md exists');
    await expect(renameCapsule(root, 'a-capsule', 'other', OPTIONS)).rejects.toThrow('content/capsules/another.md was "other" formerly');
    await expect(renameCapsule(root, 'gone', 'other', OPTIONS)).rejects.toThrow('there is no capsule');
    await put(root, 'capsules/other.md', capsule());
    await expect(contentOf(root)).rejects.toThrow(
      'content/capsules/another.md:12 formerly[0]: names "other", which is the id of a capsule',
    );
  });
});

describe('replaceReferences()', () => {
  const renaming = {
    address: ['/capsules/a', '/capsules/b'],
    file: ['content/capsules/guide/a.md', 'content/capsules/guide/b.md'],
    id: ['a', 'b'],
    fields: [['cites', '*']],
  } as const;

  test.each([
    ['[a](/capsules/a.md)', '[a](/capsules/b.md)'],
    ['[a](/capsules/a/capsule.json?x "a")', '[a](/capsules/b/capsule.json?x "a")'],
    ['[a](<../capsules/guide/a.md#a>)', '[a](<../capsules/guide/b.md#a>)'],
    ['[a](guide/a)', '[a](guide/b)'],
    ['[a]: ./guide/a.md', '[a]: ./guide/b.md'],
    ['<p><a href="/capsules/a#x">a</a></p>', '<p><a href="/capsules/b#x">a</a></p>'],
  ])('changes %s', (before, after) => {
    expect(replaceReferences('content/capsules/c.md', `---\ncites: [a]\n---\n${before}\n`, renaming)).toBe(
      `---\ncites: [b]\n---\n${after}\n`,
    );
  });

  test.each(['[a](/capsules/ab)', '[a](a.md)', '`/capsules/a`', '[a](https://a.example/capsules/a)'])('leaves %s', (text) => {
    expect(replaceReferences('content/capsules/c.md', `---\ntags: [a]\n---\n${text}\n`, renaming)).toBe(`---\ntags: [a]\n---\n${text}\n`);
  });
});

test('renameOffer() keeps the former id as an alias, and its places in publisher.yaml', async () => {
  const root = await writeWorld({
    'pages/about.md':
      '---\ntitle: About\ndescription: What this publication is about, in one sentence for search engines.\nupdated: 2026-11-02\n---\n\n[Buy](/buy/an-offer?go) one.\n',
  });
  expect(await renameOffer(root, 'an-offer', 'the-offer')).toMatchObject({
    file: 'content/offers/the-offer.md',
    changed: ['content/pages/about.md', 'content/publisher.yaml'],
  });
  expect(await read(root, 'offers/the-offer.md')).toBe(offer({ aliases: '[an-offer]' }));
  expect(await read(root, 'publisher.yaml')).toBe(publisher({}, ['the-offer']));
  expect(await read(root, 'pages/about.md')).toContain('(/buy/the-offer?go)');
  await renameOffer(root, 'the-offer', 'an-offer');
  expect(await read(root, 'offers/an-offer.md')).toBe(offer({ aliases: '[the-offer]' }));
});
